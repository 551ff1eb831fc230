"""Whatever a task says within its limits is stored and read back exactly, and found by whom it belongs to."""

import json
from typing import Any

import pytest

from shared.storage.tasks import person_list
from tests.support.fixit_app import FixIt

EMOJI = "\U0001f600"

TASKS: dict[str, dict[str, Any]] = {
    "keys of a table": {"title": "Door", "owner": "facilities/building #2?", "notes": "C:\\shed"},  # TK-01
    "an apostrophe": {"title": "Gate", "owner": "O'Brien", "createdBy": "D''Arcy"},  # TK-03
    "a short one": {"title": "t", "owner": "ann"},  # QS-05
    "percent and plus": {"title": "50%25 + 1&2=3", "owner": "%2F%00", "createdBy": "a+b"},
    "every field": {
        "title": "Tap drips",
        "notes": "tab\tline\r\nend\u2028\u00a0",
        "owner": "ann",
        "createdBy": "bob",
        "contact": "ann+fixit@example.com",
        "callbackUrl": "https://example.com/hook?a=b&c=%20",
        "replyTo": "answers",
        "correlationId": "c-1/2?3#4",
        "priority": "high",
        "isDone": True,
    },
    "the longest of each": {
        "title": EMOJI * 80,
        "notes": "x" * 16_000,
        "owner": "\ufffd" * 80,
        "createdBy": "ß" * 80,
        "contact": "a" * 64 + "@" + "b" * 189,
        "callbackUrl": "https://example.com/" + "p" * 1_980,
        "correlationId": "~" * 255,
    },
    "notes of 40 KiB": {"title": "t", "notes": "\u20ac" * 13_653 + "x"},  # TV-01: more units than bytes would say
    "notes of the most UTF-16 units": {"title": "t", "notes": EMOJI * 10_240},
    "what looks like another type": {"title": "2026-11-30T12:00:00Z", "owner": "true", "notes": "1e999"},
    "what looks like storage": {"title": "PartitionKey", "owner": "odata.etag", "notes": "' or 1 eq 1"},
    "right to left and joined": {"title": "\u202eabc\u202c \U0001f468\u200d\U0001f469\u200d\U0001f467", "owner": "ה"},
}
DEFAULTS = {"notes": "", "owner": "", "createdBy": "", "contact": "", "priority": "normal", "isDone": False}


@pytest.fixture(scope="module")
def reading(running_fixit: FixIt) -> dict[str, dict[str, Any]]:
    """Every task above, submitted and read back."""
    running_fixit.fresh()
    accepted = {name: running_fixit.submit(**fields) for name, fields in TASKS.items() if name != "every field"}
    running_fixit.idle()
    return {name: running_fixit.get(answer["links"]["task"]).json for name, answer in accepted.items()}


@pytest.mark.parametrize("name", [name for name in TASKS if name != "every field"])
def test_task_is_read_back_as_it_was_given(reading: dict[str, dict[str, Any]], name: str) -> None:
    read = reading[name]
    assert {field: read[field] for field in TASKS[name]} == TASKS[name]
    assert {field: read[field] for field in DEFAULTS if field not in TASKS[name]} == {
        field: value for field, value in DEFAULTS.items() if field not in TASKS[name]
    }
    assert (read["state"], read["error"], read["lastCompletedStep"]) == ("succeeded", None, "record")


def test_task_that_asks_for_an_answer_is_taken_where_its_queue_is_allowed() -> None:
    with FixIt(settings={"FIXIT_REPLY_QUEUES": "other, answers"}) as allowing:
        accepted = allowing.submit(**TASKS["every field"])
        allowing.settled(accepted["receipt"])
        read = allowing.get(accepted["links"]["task"]).json
    assert {field: read[field] for field in TASKS["every field"]} == TASKS["every field"]


def test_notes_not_given_read_alike_however_they_were_left_out(fixit: FixIt) -> None:  # TV-11
    accepted = [fixit.submit(**fields) for fields in ({"notes": None}, {}, {"notes": ""})]
    fixit.idle()
    answers = [fixit.get(each["links"]["task"]) for each in accepted]
    assert [(answer.status, answer.json["notes"]) for answer in answers] == [(200, "")] * 3
    assert len(fixit.stores.tasks()) == 3


def test_owners_that_are_alike_share_a_list_and_keep_their_spelling(fixit: FixIt) -> None:  # TK-05
    owners = ["Jose\u0301", "jos\u00e9 ", "JOS\u00c9"]
    accepted = [fixit.submit(owner=owner) for owner in owners]
    fixit.idle()
    shared = person_list("owner", "jos\u00e9")
    for each, owner in zip(accepted, owners, strict=True):
        assert shared in {name for name, _ in fixit.stores.pointers(each["id"])}
        assert fixit.get(each["links"]["task"]).json["owner"] == owner


def test_newest_task_comes_first_in_a_list(fixit: FixIt) -> None:
    ids = [fixit.submit(owner="ann", title=f"Task {number}")["id"] for number in range(5)]
    fixit.idle()
    name = person_list("owner", "ann")
    keys = sorted(key for task_id in ids for list_name, key in fixit.stores.pointers(task_id) if list_name == name)
    assert [key[-36:] for key in keys] == ids[::-1]


def test_same_content_has_one_fingerprint_however_it_travelled(fixit: FixIt) -> None:
    fields = {"title": "café \u00a0", "notes": "a\r\nb", "owner": "ann"}
    for number, raw in enumerate((json.dumps(fields), json.dumps(fields, ensure_ascii=False, indent=2))):
        assert fixit.post(raw.encode(), {"Idempotency-Key": f"k-{number}"}).status == 202
        fixit.stores.put(raw, encoded=number == 0)
    fixit.idle()
    assert len({row["fingerprint"] for row in fixit.stores.tasks()}) == 1
    assert len(fixit.stores.tasks()) == 4
