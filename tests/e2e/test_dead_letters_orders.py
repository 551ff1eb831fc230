"""Many letters in one call: a selection or whatever fits a filter, in a bounded time, and no bad one ends it."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, LETTER_CONTAINER, LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from tests.support.dead_letters import bury, change_letter, done, every_letter, letter_id, look, order
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import cancelled
from tests.support.stores import POISON

KEYS = [f"k-{number}" for number in range(5)]


def states(fixit: FixIt) -> list[str]:
    return sorted(row["state"] for row in fixit.stores.tasks())


def letter_states(fixit: FixIt) -> list[str]:
    return sorted(letter["state"] for letter in fixit.stores.letters())


def bury_garbage(fixit: FixIt, count: int) -> None:
    for number in range(count):
        fixit.stores.put(f"not json {number}")
    fixit.idle()


@pytest.fixture(scope="module")
def hasty() -> Iterator[FixIt]:
    """A product in which one call of an operator may work two seconds."""
    with FixIt(settings={"FIXIT_OPERATOR_SECONDS": "2"}) as running:
        yield running


def test_whole_group_is_redriven_and_nothing_else(fixit: FixIt) -> None:
    bury(fixit, *KEYS)
    bury_garbage(fixit, 2)
    (group,) = [each for each in look(fixit, group="cause")["causes"] if each["class"] == "given_up"]
    chosen = {name: group[name] for name in ("queue", "class", "step", "cause")}
    dry = done(fixit, "redrive", filter=chosen, dryRun=True)
    assert (dry["dryRun"], dry["counts"]) == (True, {"selected": 5, "skipped": 0, "failed": 0})
    assert (states(fixit), letter_states(fixit)) == (["failed"] * 5, ["open"] * 7)
    fixit.wire.clear()
    answer = done(fixit, "redrive", filter=chosen)
    assert answer["counts"] == {"redriven": 5, "skipped": 0, "failed": 0}
    fixit.idle()
    # One list, and for each letter its text, its row, two pointers, a put and two changes; then the record steps.
    made = Counter((each.service, each.op, each.target) for each in fixit.wire.requests)
    assert made["table", "query", LETTER_TABLE] == 1
    assert made["blob", "get", LETTER_CONTAINER] == made["queue", "put", TASK_QUEUE] == 5
    assert made["table", "merge", LETTER_TABLE] == 5
    assert made["table", "get", LETTER_TABLE] == 0
    assert made["table", "merge", TASK_TABLE] == made["table", "get", TASK_TABLE] == 10
    assert (made["table", "insert", INDEX_TABLE], made["table", "replace", INDEX_TABLE]) == (5, 10)
    assert (states(fixit), letter_states(fixit)) == (["succeeded"] * 5, ["open"] * 2 + ["redriven"] * 5)


def test_one_task_alone_is_redriven_by_its_id(fixit: FixIt) -> None:
    bury(fixit, *KEYS)
    task_id = identity.task_id("key", "k-3")
    assert done(fixit, "redrive", filter={"task": task_id})["counts"]["redriven"] == 1
    fixit.idle()
    assert [row["RowKey"] for row in fixit.stores.tasks() if row["state"] == "succeeded"] == [task_id]


def test_only_what_the_operator_saw_is_taken(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    seen = max(letter["lastSeen"] for letter in every_letter(fixit))
    bury(fixit, "k-2")
    later = done(fixit, "redrive", filter={}, seenBefore=seen)
    assert later["counts"] == {"redriven": 0, "skipped": 0, "failed": 0}
    ids = [letter_id(letter) for letter in fixit.stores.letters()]
    cut_off = max(letter["lastSeen"] for letter in every_letter(fixit))
    by_id = done(fixit, "discard", ids=ids, seenBefore=cut_off, reason="seen")
    assert sorted(each.get("code", "") for each in by_id["letters"]) == ["", "seen_since"]
    assert letter_states(fixit) == ["discarded", "open"]


def test_letter_that_fails_again_is_not_taken_twice_by_one_order(fixit: FixIt) -> None:
    bury_garbage(fixit, 3)
    first = done(fixit, "redrive", filter={}, maxPerSecond=3)
    fixit.idle()
    assert first["counts"]["redriven"] == 3
    assert {letter["count"] for letter in fixit.stores.letters()} == {2}


def test_call_ends_in_time_and_its_cursor_goes_on_where_it_ended(hasty: FixIt) -> None:
    hasty.fresh()
    bury_garbage(hasty, 10)
    by_ids = {"ids": [letter_id(letter) for letter in hasty.stores.letters()]}
    chosen: dict[str, Any]
    for chosen in ({"filter": {}}, by_ids):
        taken: list[str] = []
        cursor: dict[str, Any] = {}
        calls, began = 0, time.monotonic()
        while calls == 0 or cursor["cursor"]:
            answer = done(hasty, "redrive", dryRun=True, maxPerSecond=3, **chosen, **cursor)
            taken += [each["id"] for each in answer["letters"]]
            cursor, calls = {"cursor": answer["cursor"]}, calls + 1
            assert len(answer["letters"]) <= 6
        assert sorted(taken) == sorted(letter_id(letter) for letter in hasty.stores.letters())
        assert (calls, time.monotonic() - began > 2) == (2, True)


def test_cursor_keeps_the_cut_off_of_the_first_call(hasty: FixIt) -> None:
    hasty.fresh()
    bury_garbage(hasty, 6)
    first = done(hasty, "redrive", filter={}, maxPerSecond=2)
    assert first["cursor"]
    hasty.idle()  # those that were redriven have failed again
    last = done(hasty, "redrive", filter={}, maxPerSecond=2, cursor=first["cursor"])
    assert last["seenBefore"] == first["seenBefore"]
    assert len(first["letters"]) + len(last["letters"]) == 6
    hasty.idle()
    assert {letter["count"] for letter in hasty.stores.letters()} == {2}


def test_cursor_is_good_for_its_own_order_alone(hasty: FixIt) -> None:
    hasty.fresh()
    bury_garbage(hasty, 10)
    cursor = done(hasty, "redrive", filter={}, maxPerSecond=1, dryRun=True)["cursor"]
    for action, body in (
        ("redrive", {"filter": {"class": "given_up"}}),
        ("redrive", {"ids": [letter_id(hasty.stores.letters()[0])]}),
        ("redrive", {"filter": {}, "seenBefore": "2030-01-01T00:00:00Z"}),
        ("discard", {"filter": {}, "reason": "no use"}),
    ):
        answer = order(hasty, action, **body, cursor=cursor, dryRun=True)
        assert (answer.status, answer.json["code"]) == (400, "invalid_cursor"), body


def test_letter_that_hangs_costs_itself_and_no_other(hasty: FixIt) -> None:
    hasty.fresh()
    bury_garbage(hasty, 5)
    held = hasty.wire.hold(op="put", service="queue", target=TASK_QUEUE, nth=2)
    answer = done(hasty, "redrive", filter={})
    assert answer["counts"] == {"redriven": 4, "skipped": 0, "failed": 1}
    assert [each["code"] for each in answer["letters"] if each["outcome"] == "failed"] == ["dependency_down"]
    held.release()
    hasty.idle()
    assert done(hasty, "redrive", filter={})["counts"]["redriven"] == 5


def test_batch_of_slow_puts_moves_every_letter(fixit: FixIt) -> None:  # QP-08
    keys = [f"k-{number}" for number in range(32)]
    bury(fixit, *keys)
    fixit.wire.slow(1, op="put", service="queue", target=TASK_QUEUE, times=32)
    answer = done(fixit, "redrive", filter={})
    assert (answer["counts"], answer["cursor"]) == ({"redriven": 32, "skipped": 0, "failed": 0}, None)
    fixit.idle()
    assert states(fixit) == ["succeeded"] * 32
    assert fixit.stores.waiting(POISON) == 0
    assert letter_states(fixit) == ["redriven"] * 32


def test_bad_letters_of_a_batch_are_told_one_by_one(fixit: FixIt) -> None:  # QP-08
    bury(fixit, *KEYS)
    refused = fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, status=400, code="InvalidInput", nth=2)
    gone = fixit.wire.fail(op="get", service="blob", target=LETTER_CONTAINER, status=403, code="AuthorizationFailure")
    answer = done(fixit, "redrive", filter={})
    assert answer["counts"] == {"redriven": 3, "skipped": 0, "failed": 2}
    assert len(refused.hits) == len(gone.hits) == 1
    told = sorted(each["code"] for each in answer["letters"] if each["outcome"] == "failed")
    assert told == ["dependency_down"] * 2
    fixit.idle()
    assert done(fixit, "redrive", filter={})["counts"]["redriven"] == 2  # a row that is queued goes on from the put
    fixit.idle()
    assert states(fixit) == ["succeeded"] * 5
    assert {row["redrives"] for row in fixit.stores.tasks()} == {1}


def test_letter_that_cannot_be_redriven_says_why_and_ends_nothing_else(fixit: FixIt) -> None:
    bury(fixit, *KEYS[:4])
    letters = {row["taskId"]: row for row in fixit.stores.letters()}
    good, damaged, textless, discarded = (letters[identity.task_id("key", key)] for key in KEYS[:4])
    fixit.stores.change_task(damaged["taskId"], steps="?")
    fixit.stores.remove_text(letter_id(textless).replace("~", "/"))
    assert done(fixit, "discard", ids=[letter_id(discarded)], reason="no use")["counts"]["discarded"] == 1
    before = {row["RowKey"]: row for row in fixit.stores.tasks()}
    unknown = [f"fixits~{identity.new_key()}", "fixits~../..", "no id"]
    ids = [*unknown, *(letter_id(letter) for letter in (damaged, textless, discarded, good))]
    answer = done(fixit, "redrive", ids=[*ids, *ids])
    assert [(each["id"], each["outcome"], each.get("code")) for each in answer["letters"]] == [
        *((each, "failed", "unknown_letter") for each in unknown),
        (letter_id(damaged), "failed", "damaged_row"),
        (letter_id(textless), "failed", "text_missing"),
        (letter_id(discarded), "redriven", None),  # an operator may change his mind
        (letter_id(good), "redriven", None),
    ]
    fixit.idle()
    assert done(fixit, "redrive", ids=[letter_id(good)])["letters"][0]["code"] == "not_open"
    after = {row["RowKey"]: row for row in fixit.stores.tasks()}
    assert [after[letter["taskId"]] == before[letter["taskId"]] for letter in (damaged, textless)] == [True] * 2
    assert [after[letter["taskId"]]["state"] for letter in (discarded, good)] == ["succeeded"] * 2


def test_discarded_letters_are_closed_with_who_and_why_and_their_tasks_stay_failed(fixit: FixIt) -> None:
    bury(fixit, *KEYS)
    rows = fixit.stores.tasks()
    fixit.wire.clear()
    answer = done(fixit, "discard", filter={"class": "given_up"}, reason="a test of ours", by="ann")
    assert answer["counts"] == {"discarded": 5, "skipped": 0, "failed": 0}
    assert fixit.stores.tasks() == rows
    assert fixit.wire.of(op="put", service="queue") == fixit.wire.of(service="table", target=TASK_TABLE) == []
    for letter in fixit.stores.letters():
        assert (letter["state"], letter["closedBy"], letter["closedReason"]) == ("discarded", "ann", "a test of ours")
        assert letter["keptUntil"][:10] in {name[5:] for name, _ in fixit.stores.pointers(letter["RowKey"])}
    assert done(fixit, "discard", filter={}, reason="again")["letters"] == []


def test_letters_of_every_queue_are_found_and_notes_are_none(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    fixit.stores.put(cancelled("k-2"), POISON)
    fixit.idle()
    fixit.stores.put_note(TASK_QUEUE, identity.new_key(), error="E", message="m", dequeueCount=1)
    assert done(fixit, "redrive", filter={}, dryRun=True)["counts"]["selected"] == 2
    assert done(fixit, "redrive", filter={"queue": "fixits-2"}, dryRun=True)["counts"]["selected"] == 0


def test_order_while_the_letters_cannot_be_listed_is_a_503_that_did_nothing(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    fixit.wire.fail(op="query", target=LETTER_TABLE, status=503, code="ServerBusy", times=3)
    answer = order(fixit, "redrive", filter={})
    assert (answer.status, answer.json["code"]) == (503, "dependency_down")
    assert letter_states(fixit) == ["open"]
    change_letter(fixit, fixit.stores.letters()[0], lane="Elsewhere/fixits-2")
    assert done(fixit, "redrive", filter={})["counts"]["redriven"] == 1  # by another lane: its own is listed no more
    fixit.idle()
    assert states(fixit) == ["succeeded"]
