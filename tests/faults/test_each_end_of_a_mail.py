"""Whatever the mail server does with each sending: a mail is sent once more at most, and then its row says so."""

from itertools import product

import pytest

from shared.domain.names import NOTICE_QUEUE, NOTICE_TABLE
from tests.faults.breaks import BREAKS
from tests.faults.mailing import CUTS_AFTER, CUTS_BEFORE, HOLDS_AFTER, LATER, NOBODY, TAKES, Turn
from tests.faults.stories_notices import MAIL, message, tell
from tests.faults.telling import Tale, Telling, check_told, state_of

TURNS = {
    "takes": TAKES,
    "cuts before": CUTS_BEFORE,
    "cuts after": CUTS_AFTER,
    "is silent": HOLDS_AFTER,
    "later": LATER,
    "nobody": NOBODY,
}
MAY_BE_THERE = {"takes", "cuts before", "cuts after", "is silent"}
QUICK = {("cuts after", "later", "cuts after"), ("cuts before",), ("is silent", "cuts after"), ("later", "cuts after")}
TALE = Tale(act=tell("mail", "contact@example.com"), requests=0, news=MAIL)


def _sequences() -> list[tuple[str, ...]]:
    """What can become of up to three sendings; none follows one that ends it."""
    found: list[tuple[str, ...]] = []
    for length in (1, 2, 3):
        for names in product(TURNS, repeat=length):
            if not {"takes", "nobody"} & set(names[:-1]):
                found.append(names)
    return found


@pytest.mark.timeout(90)
@pytest.mark.parametrize(
    "names",
    [pytest.param(each, marks=() if each in QUICK else pytest.mark.full, id=" ".join(each)) for each in _sequences()],
)
def test_mail_is_sent_twice_at_most_whatever_its_server_does(told: Telling, names: tuple[str, ...]) -> None:
    turns: list[Turn] = [TURNS[name] for name in names]
    told.mails.behave(*turns)
    TALE.act(told)
    told.idle(60)
    check_told(told, TALE, is_doubtful=True)
    (row,) = told.notices()
    state, tries = state_of(row)
    used = (*names, "takes", "takes")[: told.mails.seen]
    doubtful = [name for name in used if name in MAY_BE_THERE - {"takes"}]
    assert len(doubtful) <= 2
    expected = "failed" if used[-1] == "nobody" else "unknown" if doubtful else "sent"
    assert state == expected, (used, tries)
    assert told.mails.counted[row["RowKey"]] == len([name for name in used if TURNS[name].keeps])
    assert bool(told.stores.letters()) == (state == "failed")


@pytest.mark.parametrize("command", ["EHLO", "MAIL", "RCPT"])
def test_connection_that_is_cut_before_its_mail_costs_no_doubt(told: Telling, command: str) -> None:
    told.mails.cuts_at = command
    TALE.act(told)
    told.idle()
    check_told(told, TALE)
    (row,) = told.notices()
    assert state_of(row) == ("sent", ["not taken", "sent"])


def test_two_hosts_and_three_copies_of_each_message_send_each_mail_once(told: Telling) -> None:
    tasks = [f"0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d{number:02}" for number in range(10)]
    with told.another_host(functions=["notify"]):
        for _ in range(3):
            for task in tasks:
                told.stores.put(message("mail", "contact@example.com", task_id=task), NOTICE_QUEUE)
        told.idle(60)
    assert {row["PartitionKey"]: row["state"] for row in told.notices()} == dict.fromkeys(tasks, "sent")
    assert told.mails.counted == {row["RowKey"]: 1 for row in told.notices()}


@pytest.mark.parametrize("how", ["500 after, once", "cut after, once", "twice"])
def test_claim_whose_answer_is_lost_is_found_again(told: Telling, how: str) -> None:
    fault = BREAKS[how].on(told.wire, op="merge", service="table", target=NOTICE_TABLE)
    TALE.act(told)
    told.idle()
    assert fault.hits
    check_told(told, TALE)
    (row,) = told.notices()
    assert state_of(row) == ("sent", ["sent"])
