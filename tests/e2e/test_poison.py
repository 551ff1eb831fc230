"""Whatever lands on the poison queue ends as one dead letter, byte for byte, whatever storage does meanwhile."""

import base64
import json
import time
import uuid
from typing import Any

import pytest
from azure.data.tables import TableEntity

from shared.domain.names import LETTER_CONTAINER, LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import HOPELESS, event, submitted
from tests.support.stores import POISON, QUEUES

TEXTS: dict[str, str] = {
    **{f"hopeless: {name}": message.text for name, message in HOPELESS.items()},
    "a bare task": '{"id":"t-100","title":"Broken lamp","owner":"ann"}',
    "an event": event(id=str(uuid.UUID(int=1))),
    "an event in base64": base64.b64encode(event(id=str(uuid.UUID(int=2))).encode()).decode(),
    "an event with white space": f"\r\n  {event(id=str(uuid.UUID(int=3)))}\t \n",
    "metadata names of the wrong kind": '{"id":5,"insertionTime":"y","popReceipt":null,"expirationTime":{}}',
    "64 KiB of plain text": "x" * 65_536,
    "64 KiB of JSON": json.dumps({"title": "t", "notes": "y" * (65_536 - 27)}),
    "48 KiB in base64": base64.b64encode(b"z" * 49_152).decode(),
    # The emulator reads a body in pieces of 64 KiB, and breaks the character that lies between two of them.
    "four-byte characters": "\U0001f600" * 16_000,
    "blanks around": "  \t not json \n ",
    "carriage returns": "a\r\nb\rc\r",
    "a carriage return alone": "\r",
    "mark-up": "<QueueMessage><MessageText>&lt;&amp;&#13;]]></MessageText>\"'",
    "characters that XML just permits": "\x7f\x80\x84\x85\x9f\ud7ff\ue000\ufdd0\ufffd\U00010000\U0010ffff",
    "a byte order mark": "\ufeff{}",
    "bytes that are no text, in base64": base64.b64encode(bytes(range(256))).decode(),
}
QUICK_WITH_STORE_DOWN = ("an event", "carriage returns", "hopeless: empty", "64 KiB of plain text")


def one_letter(fixit: FixIt, text: str) -> dict[str, Any]:
    """The only letter there is, which must hold the text byte for byte."""
    (letter,) = fixit.stores.letters()
    blob = f"{letter['PartitionKey']}/{letter['RowKey']}"
    assert fixit.stores.letter_texts() == {blob: text.encode()}
    assert letter["PartitionKey"] == TASK_QUEUE
    assert "fixits-poison-poison" not in fixit.stores.queue_names()
    return dict(letter)


type Kept = tuple[dict[str, bytes], list[TableEntity]]
"""The texts of all letters by blob name, and the letters."""


@pytest.fixture(scope="module")
def kept(running_fixit: FixIt) -> tuple[Kept, Kept]:
    """What was kept when every text had been on the poison queue at once, and after all came a second time."""
    running_fixit.fresh()

    def deliver() -> Kept:
        for text in TEXTS.values():
            running_fixit.stores.put(text, POISON)
        running_fixit.idle()
        return running_fixit.stores.letter_texts(), running_fixit.stores.letters()

    return deliver(), deliver()


@pytest.mark.parametrize("name", TEXTS)
def test_poison_message_is_one_letter_byte_for_byte(kept: tuple[Kept, Kept], name: str) -> None:  # QP-03
    texts, letters = kept[0]
    blobs = [blob for blob, text in texts.items() if text == TEXTS[name].encode()]
    (letter,) = [row for row in letters if f"{row['PartitionKey']}/{row['RowKey']}" in blobs]
    assert letter["class"]
    assert letter["reason"]


def test_poison_messages_delivered_again_change_nothing_but_when_they_were_last_seen(
    running_fixit: FixIt, kept: tuple[Kept, Kept]
) -> None:
    (texts, letters), (texts_again, letters_again) = kept
    assert texts == texts_again
    assert [{**row, "lastSeen": ""} for row in letters] == [{**row, "lastSeen": ""} for row in letters_again]
    assert len(kept[0][0]) == len(kept[0][1]) == len(set(TEXTS.values()))
    assert running_fixit.stores.queue_names() == set(QUEUES)  # QP-01: none behind the poison queue


@pytest.mark.parametrize("service", ["table", "blob"])
@pytest.mark.parametrize(
    "name", [name if name in QUICK_WITH_STORE_DOWN else pytest.param(name, marks=pytest.mark.full) for name in TEXTS]
)
def test_poison_message_is_put_back_while_a_store_is_down(fixit: FixIt, service: str, name: str) -> None:  # QP-01
    fixit.wire.down(service)
    began = time.monotonic()
    fixit.stores.put(TEXTS[name], POISON)
    eventually(lambda: fixit.wire.of(service="queue", op="put", target=POISON), what="a put back")
    put = fixit.wire.of(service="queue", op="put", target=POISON)[0]
    assert put.query["messagettl"] == "-1"  # QP-03: it does not expire while it waits
    assert b"\r" not in put.body  # XML would make a line feed of it
    fixit.wire.heal()
    fixit.idle()
    assert time.monotonic() - began < 60  # a raise would have hidden it for 600 s
    one_letter(fixit, TEXTS[name])


def test_poison_message_waits_from_one_to_five_minutes_by_default() -> None:
    with FixIt(settings={"FIXIT_DEFER_BASE_SECONDS": "", "FIXIT_DEFER_CAP_SECONDS": ""}) as patient:
        patient.wire.down("table")
        for number in range(20):
            patient.stores.put(f"not json {number}", POISON)
        eventually(lambda: len(patient.wire.of(op="put", target=POISON)) >= 20)
        delays = [int(put.query["visibilitytimeout"]) for put in patient.wire.of(op="put", target=POISON)]
    assert min(delays) >= 60
    assert max(delays) <= 300
    assert len(set(delays)) > 5


def test_poison_message_that_meets_an_unforeseen_error_is_put_back_too(fixit: FixIt) -> None:  # QP-01
    refusal = fixit.wire.fail(service="table", op="insert", status=400, code="InvalidInput", times=3)
    fixit.stores.put("not json", POISON)
    eventually(lambda: len(refusal.hits) == 3, what="three refusals")
    fixit.idle()
    one_letter(fixit, "not json")


BAD_ROW: dict[str, Any] = {"status": 400, "code": "InvalidInput"}


def test_task_that_cannot_be_recorded_fails_with_its_noted_error_and_stays_failed(fixit: FixIt) -> None:
    refusal = fixit.wire.fail(service="table", op="insert", target=TASK_TABLE, times=5, **BAD_ROW)
    accepted = fixit.submit(key="k-1", owner="ann", createdBy="bob")
    status = fixit.settled(accepted["receipt"])
    fixit.idle()
    assert len(refusal.hits) == 5  # as often as maxDequeueCount says
    assert (status["state"], status["error"]["code"], status["error"]["step"]) == ("failed", "given_up", "record")
    assert status["error"]["message"]
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["dequeueCount"], letter["taskId"]) == ("given_up", 5, accepted["id"])
    assert "InvalidInput" in letter["reason"]
    assert fixit.stores.notes() == []
    assert len(fixit.stores.pointers(accepted["id"])) == 3
    # The original, once more: a failed task is never reopened by a repeat.
    row = fixit.stores.task(accepted["id"])
    fixit.submit(key="k-1", owner="ann", createdBy="bob")
    fixit.stores.put(submitted("k-1", owner="ann", createdBy="bob"))
    fixit.idle()
    assert fixit.stores.task(accepted["id"]) == row
    assert fixit.settled(accepted["receipt"]) == status
    assert len(fixit.stores.letters()) == 1


def test_task_that_is_recorded_at_its_last_delivery_leaves_no_letter_and_no_note(fixit: FixIt) -> None:
    refusal = fixit.wire.fail(service="table", op="insert", target=TASK_TABLE, times=4, **BAD_ROW)
    accepted = fixit.submit()
    status = fixit.settled(accepted["receipt"])
    fixit.idle()
    assert len(refusal.hits) == 4
    assert status["steps"] == [{"step": "record", "at": status["steps"][0]["at"], "attempt": 5}]
    assert fixit.stores.letters() == fixit.stores.notes() == []


def test_error_that_cannot_be_noted_is_retried_and_buried_all_the_same(fixit: FixIt) -> None:
    fixit.wire.fail(service="table", op="insert", target=TASK_TABLE, times=5, **BAD_ROW)
    unnoted = fixit.wire.fail(service="table", op="replace", target=LETTER_TABLE, times=None, **BAD_ROW)
    accepted = fixit.submit()
    assert fixit.settled(accepted["receipt"])["state"] == "failed"
    fixit.idle()
    assert len(unnoted.hits) == 5
    (letter,) = fixit.stores.letters()
    assert "no error was noted" in letter["reason"]


def test_poison_copy_of_a_settled_task_keeps_a_letter_and_changes_nothing_else(fixit: FixIt) -> None:
    accepted = fixit.submit(key="k-1")
    fixit.settled(accepted["receipt"])
    fixit.idle()
    row = fixit.stores.task(accepted["id"])
    fixit.stores.put(submitted("k-1"), POISON)
    fixit.idle()
    one_letter(fixit, submitted("k-1"))
    assert fixit.stores.task(accepted["id"]) == row


def test_poison_copy_from_before_a_redrive_changes_nothing(fixit: FixIt) -> None:
    accepted = fixit.submit(key="k-1")
    fixit.settled(accepted["receipt"])
    fixit.idle()
    fixit.stores.change_task(accepted["id"], redrives=1, state="queued")
    row = fixit.stores.task(accepted["id"])
    fixit.stores.put(submitted("k-1"), POISON)
    fixit.idle()
    assert fixit.stores.letters() == []
    assert fixit.stores.task(accepted["id"]) == row


def test_poison_of_a_conflicting_task_leaves_the_first_alone(fixit: FixIt) -> None:
    first = fixit.submit(key="k-1", title="first")
    fixit.settled(first["receipt"])
    fixit.idle()
    row = fixit.stores.task(first["id"])
    fixit.stores.put(submitted("k-1", title="second"), POISON)
    fixit.idle()
    one_letter(fixit, submitted("k-1", title="second"))
    assert fixit.stores.task(first["id"]) == row


def test_letters_are_kept_on_an_account_that_has_nothing_yet() -> None:
    with FixIt() as empty:
        empty.stores.put("not json", POISON)
        empty.idle()
        one_letter(empty, "not json")
        made = {(each.op, each.target) for each in empty.wire.requests if each.op.startswith("create")}
    assert made == {("create_table", "Tables"), ("create_container", LETTER_CONTAINER)}


def test_poison_of_another_content_under_a_redriven_id_is_no_old_copy(fixit: FixIt) -> None:
    fixit.stores.put(json.dumps({**json.loads(submitted("k-1")), "redrives": 1}))
    fixit.idle()
    fixit.stores.put(submitted("k-1", notes="another content"), POISON)
    fixit.idle()
    assert len(fixit.stores.letters()) == 1
    assert [row["state"] for row in fixit.stores.tasks()] == ["succeeded"]
