"""Messages that came past HTTP: the same rules, told as dead letters, and no harm to their neighbours."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from azure.data.tables import TableEntity

from shared.domain.names import TASK_QUEUE
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import HOPELESS, event, submitted

PLAIN_AND_ENCODED = pytest.mark.parametrize("encoded", [False, True], ids=["plain", "base64"])


def bare(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


@dataclass(frozen=True)
class Buried:
    """Every hopeless text was on the queue at once, in this form, and this is what became of it."""

    encoded: bool
    letters: dict[bytes, list[TableEntity]]
    tasks: list[TableEntity]
    notes: list[TableEntity]


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "base64"])
def buried(running_fixit: FixIt, request: pytest.FixtureRequest) -> Buried:
    stores = running_fixit.stores
    running_fixit.fresh()
    for message in HOPELESS.values():
        stores.put(message.text, encoded=request.param)
    running_fixit.idle()
    texts = stores.letter_texts()
    letters: dict[bytes, list[TableEntity]] = {}
    for letter in stores.letters():
        letters.setdefault(texts.pop(f"{letter['PartitionKey']}/{letter['RowKey']}"), []).append(letter)
    assert texts == {}
    return Buried(request.param, letters, stores.tasks(), stores.notes())


@pytest.mark.parametrize("name", HOPELESS)
def test_hopeless_message_becomes_one_letter_with_its_text(buried: Buried, name: str) -> None:
    message = HOPELESS[name]
    (letter,) = buried.letters[message.stored(buried.encoded)]
    assert letter["class"] == message.code or (buried.encoded and letter["class"] == "malformed_message")
    assert message.names in letter["reason"] or buried.encoded
    assert letter["dequeueCount"] == 1  # no delivery was burned on it
    assert letter["state"] == "open"


def test_hopeless_messages_leave_nothing_but_their_letters(buried: Buried) -> None:
    assert len(buried.letters) == len({message.text for message in HOPELESS.values()})
    assert buried.tasks == buried.notes == []


@PLAIN_AND_ENCODED
def test_bare_task_is_adopted_and_recorded(fixit: FixIt, encoded: bool) -> None:  # QE-01
    fixit.stores.put('{"id":"t-100","title":"Broken lamp","owner":"ann"}', encoded=encoded)
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert (row["title"], row["owner"], row["state"], row["caller"]) == (
        "Broken lamp",
        "ann",
        "succeeded",
        f"queue:{TASK_QUEUE}",
    )
    assert len(fixit.stores.pointers(row["RowKey"])) == 2
    assert fixit.stores.letters() == []


def test_bare_tasks_with_one_id_are_one_task(fixit: FixIt) -> None:
    for spelling in ('{"id":"t-1","title":"a"}', '{ "title": "a", "id": "t-1" }'):
        fixit.stores.put(spelling)
        fixit.stores.put(spelling, encoded=True)
    fixit.idle()
    assert [row["title"] for row in fixit.stores.tasks()] == ["a"]
    assert fixit.stores.letters() == []


def test_bare_tasks_without_id_are_as_many_tasks_as_messages(fixit: FixIt) -> None:
    for _ in range(3):
        fixit.stores.put('{"title":"a","id":null}')
    fixit.idle()
    assert len(fixit.stores.tasks()) == 3


def test_bare_task_and_http_task_of_one_key_are_two(fixit: FixIt) -> None:
    fixit.submit(key="t-1", title="over HTTP")
    fixit.stores.put('{"id":"t-1","title":"past HTTP"}')
    fixit.idle()
    assert {row["title"] for row in fixit.stores.tasks()} == {"over HTTP", "past HTTP"}
    assert fixit.get("/api/fixits/by-key?key=t-1").json["title"] == "over HTTP"


def test_bare_task_of_another_content_under_one_id_is_a_letter(fixit: FixIt) -> None:
    fixit.stores.put('{"id":"t-1","title":"first"}')
    fixit.idle()
    fixit.stores.put('{"id":"t-1","title":"second"}')
    fixit.idle()
    assert [row["title"] for row in fixit.stores.tasks()] == ["first"]
    (letter,) = fixit.stores.letters()
    assert letter["class"] == "idempotency_conflict"


def test_contact_of_10_000_characters_costs_nobody_else_anything(fixit: FixIt) -> None:
    contact = "a@" + "b" * 9_998
    for number in range(8):
        fixit.stores.put(bare(title=f"Before {number}", contact="ann@example.com"))
        fixit.stores.put(bare(title=f"Long {number}", contact=contact), encoded=number % 2 == 0)
        fixit.stores.put(event(data={"title": f"Longer {number}", "contact": contact}))
        fixit.stores.put(bare(title=f"After {number}"))
    fixit.idle()
    assert {row["title"] for row in fixit.stores.tasks()} == {f"{w} {n}" for w in ("Before", "After") for n in range(8)}
    letters = fixit.stores.letters()
    assert len(letters) == len(fixit.stores.letter_texts()) == 16
    assert all("contact" in letter["reason"] and len(letter["reason"]) < 1_000 for letter in letters)


def test_event_with_trace_counters_and_unknown_attributes_is_recorded(fixit: FixIt) -> None:
    extra = {"traceparent": "broken", "deferrals": 7, "vendor": {"x": [1]}, "dequeueCount": "x", "popReceipt": None}
    fixit.stores.put(event(**extra))
    fixit.idle()
    assert [row["state"] for row in fixit.stores.tasks()] == ["succeeded"]
    assert fixit.stores.letters() == []


def test_same_hopeless_text_twice_is_one_letter(fixit: FixIt) -> None:
    for _ in range(2):
        fixit.stores.put("not json")
    fixit.idle()
    assert len(fixit.stores.letters()) == len(fixit.stores.letter_texts()) == 1


def test_two_hopeless_texts_with_one_event_id_are_two_letters(fixit: FixIt) -> None:
    texts = [event(type="fixit.unknown.v9"), event(type="fixit.unknown.v8")]
    for text in texts:
        fixit.stores.put(text)
        fixit.idle()
    assert len(fixit.stores.letters()) == 2
    assert set(fixit.stores.letter_texts().values()) == {text.encode() for text in texts}


def test_function_never_failed_over_a_message(fixit: FixIt) -> None:
    """A hopeless message is no error of the function: no alert, no retry."""
    failed = len(failures(fixit))
    fixit.stores.put("not json")
    fixit.stores.put("not json", "fixits-poison")
    fixit.idle()
    assert len(failures(fixit)) == failed


def failures(fixit: FixIt) -> list[str]:
    return [line for line in fixit.host.lines() if "(Failed" in line]


def test_reply_queue_that_is_not_allowed_fails_a_raw_task_as_it_is_refused_over_http(fixit: FixIt) -> None:
    fixit.stores.put(submitted("k-1", replyTo="not-on-the-list"))
    fixit.stores.put('{"id":"r1","title":"t","replyTo":"not-on-the-list"}')
    fixit.idle()
    assert [(row["state"], row["errorCode"]) for row in fixit.stores.tasks()] == [("failed", "invalid_task")] * 2
    assert [letter["class"] for letter in fixit.stores.letters()] == ["invalid_task"] * 2
    fixit.stores.put(submitted("k-1", replyTo="not-on-the-list"))
    fixit.idle()
    assert len(fixit.stores.letters()) == 2
    refused = fixit.post(b'{"title":"t","replyTo":"not-on-the-list"}')
    assert (refused.status, [each["field"] for each in refused.json["errors"]]) == (400, ["replyTo"])


def test_letter_that_is_met_again_says_when(fixit: FixIt) -> None:
    fixit.stores.put("not json")
    fixit.idle()
    [first] = fixit.stores.letters()
    fixit.stores.put("not json")
    fixit.idle()
    [again] = fixit.stores.letters()
    assert again["firstSeen"] == first["firstSeen"] == first["lastSeen"] < again["lastSeen"]
