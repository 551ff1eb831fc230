"""A dead letter is redriven: its message comes again, and its task is done once, whatever happened before."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain import identity, instants
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.support.dead_letters import (
    bury,
    change_letter,
    done,
    fail_next_task,
    letter_id,
    only_letter,
    only_task,
    redrive,
)
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import cancelled, submitted
from tests.support.stores import POISON, decoded, message_text

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")
LONG_AGO = instants.to_text(datetime.now(UTC) - timedelta(days=30))
REDRIVEN = [("redriven", None)]
FAILED = "failed"


def test_redriven_task_succeeds_under_its_first_row(fixit: FixIt) -> None:  # QP-05
    fail_next_task(fixit)
    accepted = fixit.submit(key="k-1", owner="ann", createdBy="bob")
    assert fixit.settled(accepted["receipt"])["state"] == FAILED
    fixit.idle()
    failed, letter = only_task(fixit), only_letter(fixit)
    answer = done(fixit, "redrive", ids=[letter_id(letter)], by="ann of the night shift")
    assert answer["counts"] == {"redriven": 1, "skipped": 0, "failed": 0}
    assert answer["letters"] == [{"id": letter_id(letter), "outcome": "redriven"}]
    assert answer["cursor"] is None
    fixit.idle()
    row, closed = only_task(fixit), only_letter(fixit)
    assert (row["state"], row["redrives"], row["errorCode"]) == ("succeeded", 1, "")
    assert (row["submittedAt"], row["fingerprint"]) == (failed["submittedAt"], failed["fingerprint"])
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"
    assert (closed["state"], closed["redrives"], closed["count"]) == ("redriven", 1, 1)
    assert (closed["closedBy"], closed["closedAt"]) == ("ann of the night shift", row["reopenedAt"])
    put = decoded(message_text(fixit.wire.of(op="put", target=TASK_QUEUE)[-1]))
    assert (put["redrives"], put["deferrals"], put["reopenedat"]) == (1, 0, row["reopenedAt"])


def test_task_that_fails_again_opens_its_letter_again_until_it_succeeds(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    first = only_letter(fixit)
    refusal = fixit.wire.fail(op="merge", target=TASK_TABLE, status=400, code="InvalidInput", times=5, nth=2)
    assert redrive(fixit, letter_id(first)) == REDRIVEN  # the first merge
    fixit.idle()
    assert len(refusal.hits) == 5
    row, letter = only_task(fixit), only_letter(fixit)
    assert (row["state"], row["redrives"], row["errorCode"]) == (FAILED, 1, "given_up")
    assert (letter["state"], letter["count"], letter["redrives"]) == ("open", 2, 1)
    assert "InvalidInput" in letter["reason"]
    assert letter["firstSeen"] == first["firstSeen"] < letter["lastSeen"]
    assert letter["closedBy"] == "admin key"
    assert redrive(fixit, letter_id(letter)) == REDRIVEN
    fixit.idle()
    row, letter = only_task(fixit), only_letter(fixit)
    assert (row["state"], row["redrives"]) == ("succeeded", 2)
    assert (letter["state"], letter["count"], letter["redrives"]) == ("redriven", 2, 2)


def test_message_that_nobody_can_do_comes_back_as_it_was(fixit: FixIt) -> None:
    for text in ("not json\r\n", '{"id":"t-100","owner":"ann"}'):
        fixit.fresh()
        fixit.stores.put(text)
        fixit.idle()
        assert redrive(fixit, letter_id(only_letter(fixit))) == REDRIVEN
        fixit.idle()
        letter = only_letter(fixit)
        assert (letter["state"], letter["count"], letter["redrives"]) == ("open", 2, 0)
        assert list(fixit.stores.letter_texts().values()) == [text.encode()]
        assert fixit.stores.tasks() == []


def test_task_that_is_refused_again_is_failed_again(fixit: FixIt) -> None:
    fixit.stores.put(submitted("k-1", replyTo="nobodys-queue"))
    fixit.idle()
    assert redrive(fixit, letter_id(only_letter(fixit))) == REDRIVEN
    fixit.idle()
    row, letter = only_task(fixit), only_letter(fixit)
    assert (row["state"], row["errorCode"], row["redrives"]) == (FAILED, "invalid_task", 1)
    assert (letter["state"], letter["count"], letter["redrives"]) == ("open", 2, 1)


@pytest.mark.parametrize("has_row", [True, False], ids=["row", "no row"])
def test_letter_of_day_thirty_is_done_and_not_given_up(fixit: FixIt, has_row: bool) -> None:
    fixit.stores.put(json.dumps({**json.loads(submitted("k-1")), "time": LONG_AGO}), POISON)
    fixit.idle()
    if not has_row:
        fixit.stores.remove_row(TASK_TABLE, TASK_ID[:2], TASK_ID)
    assert redrive(fixit, letter_id(only_letter(fixit))) == REDRIVEN
    fixit.idle()
    row = only_task(fixit)
    assert (row["state"], row["submittedAt"], row["redrives"]) == ("succeeded", LONG_AGO, 1)
    assert row["reopenedAt"] > LONG_AGO
    assert [letter["state"] for letter in fixit.stores.letters()] == ["redriven"]


def test_dead_command_to_cancel_never_touches_the_row_by_itself(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    failed = only_task(fixit)
    fixit.stores.put(cancelled("k-1"), POISON)
    fixit.idle()
    assert only_task(fixit) == failed
    (letter,) = [each for each in fixit.stores.letters() if not each["fingerprint"]]
    held = fixit.wire.hold(op="put", service="queue", target=TASK_QUEUE)
    with ThreadPoolExecutor() as pool:
        redriven = pool.submit(redrive, fixit, letter_id(letter))
        held.wait_hit()
        assert only_task(fixit) == failed  # it is the command alone that changes it
        held.release()
        assert redriven.result() == REDRIVEN
    fixit.idle()
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("cancelled", 0)
    assert [name for name, _ in fixit.stores.pointers(TASK_ID) if name.startswith("open:")] == []


@pytest.mark.parametrize("text", ['{"title":"no id"}', '{"title":"an id","id":"t-7"}'])
def test_bare_task_is_one_task_though_it_is_redriven_twice(fixit: FixIt, text: str) -> None:
    fixit.stores.put(text, POISON)
    fixit.idle()
    letter = only_letter(fixit)
    assert redrive(fixit, letter_id(letter)) == REDRIVEN
    change_letter(fixit, letter, state="open")  # as if the put had been the last thing that was done
    assert redrive(fixit, letter_id(letter)) == REDRIVEN
    fixit.idle()
    row = only_task(fixit)
    assert (row["state"], row["caller"]) == ("succeeded", f"queue:{TASK_QUEUE}")
    assert only_letter(fixit)["state"] == "redriven"


def test_letter_of_a_task_that_is_done_is_redriven_without_touching_the_row(fixit: FixIt) -> None:
    fixit.settled(fixit.submit(key="k-1")["receipt"])
    bury(fixit, "k-1")
    row = only_task(fixit)
    assert redrive(fixit, letter_id(only_letter(fixit))) == REDRIVEN
    fixit.idle()
    assert only_task(fixit) == row
    assert only_letter(fixit)["state"] == "redriven"


def test_letter_of_another_content_leaves_the_first_task_alone(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    first = only_letter(fixit)
    fixit.stores.put(submitted("k-1", notes="another"))
    fixit.idle()
    row = only_task(fixit)
    (second,) = [letter for letter in fixit.stores.letters() if letter["RowKey"] != first["RowKey"]]
    assert redrive(fixit, letter_id(second)) == REDRIVEN
    fixit.idle()
    (second,) = [letter for letter in fixit.stores.letters() if letter["RowKey"] != first["RowKey"]]
    assert (second["state"], second["class"], second["count"]) == ("open", "idempotency_conflict", 2)
    assert only_task(fixit) == row
    assert row["state"] == FAILED


def test_letter_of_a_lane_that_is_listed_no_more_goes_to_one_that_is(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    change_letter(fixit, only_letter(fixit), lane="Elsewhere/fixits-2")
    assert redrive(fixit, letter_id(only_letter(fixit))) == REDRIVEN
    fixit.idle()
    assert only_task(fixit)["state"] == "succeeded"


@pytest.mark.parametrize(("use", "goes_to"), [("standby", "fixits-2"), ("draining", "fixits")])
def test_letter_goes_back_to_its_own_lane_unless_that_is_draining(use: str, goes_to: str) -> None:
    with FixIt(settings={"FIXIT_LANES": f"FixItStorage/fixits, FixItStorage/fixits-2:{use}"}) as laned:
        laned.stores.queue("fixits-2-poison").create_queue()
        laned.stores.put(submitted("k-1"), "fixits-2-poison")
        eventually(lambda: [row["state"] for row in laned.stores.tasks()] == [FAILED], what="the failed task")
        eventually(laned.stores.letter_texts, what="the text of its letter")
        letter = only_letter(laned)
        assert (letter["PartitionKey"], letter["lane"]) == ("fixits-2", "FixItStorage/fixits-2")
        assert redrive(laned, letter_id(letter)) == REDRIVEN
        eventually(lambda: only_task(laned)["state"] == "succeeded", what="the task")
        assert {put.target for put in laned.wire.of(op="put", service="queue")} == {goes_to}
