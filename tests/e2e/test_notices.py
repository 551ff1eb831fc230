"""Mails and texts: to whom, once, and never to somebody whom a task smuggled in."""

import json
import uuid
from typing import Any

import pytest

from shared.domain.envelope import NOTICE
from shared.domain.names import NOTICE_QUEUE, NOTICE_TABLE, POISON_SUFFIX
from tests.support.edits import MERGE_PATCH
from tests.support.raw_messages import MADE_AT
from tests.support.telling import ANSWERS, Telling

TASK_ID = "3f2a9c1e-0000-5000-8000-000000000001"


def done(told: Telling, **fields: str) -> str:
    """A task that is done, and everybody told; its id."""
    task = told.fixit.submit(**fields)
    told.fixit.settled(task["receipt"])
    told.fixit.idle()
    task_id: str = task["id"]
    return task_id


def test_submitter_is_told_at_the_contact(told: Telling) -> None:
    task_id = done(told, title="Tap drips", contact="bob@example.com")
    (mail,) = told.mails()
    assert (mail["To"], mail["Subject"]) == ("bob@example.com", "Recorded: Tap drips")
    assert task_id in mail.get_content()
    (notice,) = told.notices(task_id)
    assert (notice["kind"], notice["channel"], notice["state"]) == ("settled", "mail", "sent")


def test_owner_and_submitter_are_told_where_the_directory_says(told: Telling) -> None:
    told.knows("ann", email="ann@example.com", phone="+4930123456")
    told.knows("bob", email="bob@example.com")
    task_id = done(told, owner="ann", createdBy="bob")
    assert {(mail["To"], mail["Subject"].partition(":")[0]) for mail in told.mails()} == {
        ("ann@example.com", "Assigned to you"),
        ("bob@example.com", "Recorded"),
    }
    (text,) = told.texts()
    assert "+4930123456" in text
    assert [each["code"] for each in told.notices(task_id, state="skipped")] == ["no_address"]  # bob has no number


def test_contact_beats_the_directory(told: Telling) -> None:
    told.knows("bob", email="bob@example.com")
    done(told, createdBy="bob", contact="other@example.com")
    assert [mail["To"] for mail in told.mails()] == ["other@example.com"]


def test_nobody_whom_the_directory_does_not_know_is_told_and_the_task_says_so(told: Telling) -> None:
    task_id = done(told, owner="nobody-here")
    assert not told.mails()
    assert {(each["state"], each["code"]) for each in told.notices(task_id)} == {("skipped", "no_address")}
    assert not told.fixit.stores.letters()


def test_new_owner_is_told_and_told_once(told: Telling) -> None:
    for name in ("ann", "carl"):
        told.knows(name, email=f"{name}@example.com")
    task_id = done(told, owner="ann")
    patch = json.dumps({"owner": "carl"}).encode()
    for _ in range(2):
        headers = {**MERGE_PATCH, "If-Match": "*"}
        assert told.fixit.request("PATCH", f"/api/fixits/{task_id}", patch, headers).status == 200
    told.fixit.idle()
    assert sorted(mail["To"] for mail in told.mails()) == ["ann@example.com", "carl@example.com"]


def test_repeat_of_the_submit_mails_nobody_again_although_the_task_was_edited(told: Telling) -> None:
    told.knows("ann", email="ann@example.com")
    fields = {"title": "Tap drips", "owner": "ann", "contact": "bob@example.com"}
    task = told.fixit.submit("key-1", **fields)
    told.fixit.settled(task["receipt"])
    told.fixit.idle()
    headers = {**MERGE_PATCH, "If-Match": "*"}
    told.fixit.request("PATCH", f"/api/fixits/{task['id']}", b'{"notes": "more"}', headers)
    before = {mail["Message-ID"] for mail in told.mails()}
    for file in told.outbox.iterdir():
        file.unlink()
    text = next(each.body for each in told.fixit.wire.requests if b"MessageText" in each.body)
    told.fixit.stores.put(text.decode().partition("<MessageText>")[2].partition("</MessageText>")[0])
    told.fixit.idle()
    assert len(before) == 2
    assert not told.mails()


def test_cancelled_task_is_told(told: Telling) -> None:
    task_id = done(told, contact="bob@example.com")
    assert told.fixit.request("DELETE", f"/api/fixits/{task_id}").status == 200
    told.fixit.idle()
    assert sorted(mail["Subject"].partition(":")[0] for mail in told.mails()) == ["Cancelled", "Recorded"]


def test_title_cannot_add_a_header_or_a_recipient(told: Telling) -> None:  # NT-01
    answer = told.fixit.post(b'{"title":"Leak\\r\\nBcc: spy@example.net","contact":"bob@example.com"}')
    assert answer.status == 400
    assert not told.mails()
    done(told, title="Leak Bcc: spy@example.net =?utf-8?q?=0ABcc:_x=40example.net?=", contact="bob@example.com")
    (mail,) = told.mails()
    assert (mail["To"], mail["Bcc"], mail["Cc"]) == ("bob@example.com", None, None)
    assert len(mail.get_all("Subject") or []) == 1


@pytest.mark.parametrize(
    "contact",
    [
        "a@example.com, b@example.net",
        "a@example.com\r\nBcc: b@example.net",
        '"x" <a@example.com>,',
        "a@example.com;b@c",
    ],
)
def test_contact_is_one_address(told: Telling, contact: str) -> None:  # NT-03
    answer = told.fixit.post(json.dumps({"title": "t", "contact": contact}).encode())
    assert (answer.status, [error["field"] for error in answer.json["errors"]]) == (400, ["contact"])


@pytest.mark.parametrize(
    ("fields", "requests"),
    [
        ({}, []),
        (
            {"contact": "bob@example.com"},
            [
                ("queue", "delete", "fixit-notices"),
                ("queue", "put", "fixit-notices"),
                ("table", "get", "fixitnotices"),  # whether the address may be used
                ("table", "insert", "fixitnotices"),
                *[("table", "merge", "fixitnotices")] * 2,  # the claim, and how it went
            ],
        ),
        (
            {"replyTo": ANSWERS},
            [
                ("queue", "delete", "fixit-notices"),
                ("queue", "put", ANSWERS),
                ("queue", "put", "fixit-notices"),
                ("table", "insert", "fixitnotices"),
                ("table", "merge", "fixitnotices"),
            ],
        ),
    ],
    ids=["nobody", "mail", "reply"],
)
def test_notice_makes_these_requests_and_no_other(
    told: Telling, fields: dict[str, str], requests: list[tuple[str, str, str]]
) -> None:
    task = told.fixit.submit(**fields)
    told.fixit.idle()
    told.fixit.settled(task["receipt"])
    told.fixit.idle()
    made = [(each.service, each.op, each.target) for each in told.fixit.wire.requests]
    of_notices = [each for each in made if each[2] in ("fixit-notices", "fixitnotices", ANSWERS) and each[1] != "get"]
    asked = [each for each in made if each == ("table", "get", "fixitnotices")]
    assert sorted(of_notices + asked) == requests


def test_notice_of_another_producer_that_nobody_could_be_told_is_refused_at_once(told: Telling) -> None:
    task_id = done(told)
    news = {"id": task_id, "title": "t", "state": "succeeded"}
    wrong: list[dict[str, Any]] = [
        {"kind": "state", "channel": "mail", "to": "ann@example.com", "task": news},
        {"kind": "settled", "channel": "mail", "to": "ann@example.com", "task": {**news, "state": "done"}},
        {"kind": "settled", "channel": "mail", "to": "ann@example.com", "task": {**news, "error": "x"}},
        {"kind": "state", "channel": "callback", "to": told.receiver.url(), "task": {**news, "title": "\ud800"}},
        {"kind": "settled", "channel": "reply", "to": ANSWERS, "task": {**news, "title": "x" * 58_000}},
    ]
    for data in wrong:
        told.fixit.stores.put(notice_of(task_id, **data), NOTICE_QUEUE)
    told.fixit.idle()
    assert [letter["class"] for letter in told.fixit.stores.letters()] == ["malformed_message"] * len(wrong)
    assert (told.mails(), told.receiver.requests, told.notices(task_id)) == ([], [], [])


@pytest.mark.parametrize(
    ("channel", "to", "code"),
    [
        ("callback", "https://169.254.169.254/latest", "callback_address"),  # WS-01
        ("callback", "https://[64:ff9b::a9fe:a9fe]/", "callback_address"),
        ("callback", "http://localhost/", "callback_address"),
        ("reply", "fixit-photos", "reply_refused"),
        ("mail", "a@example.com, b@example.net", "mail_refused"),  # NT-03
        ("mail", "a@example.com\r\nBcc: b@example.net", "mail_refused"),
        ("sms", "0491 570 006", "sms_refused"),  # NT-08
    ],
)
def test_target_that_another_producer_names_is_checked_as_any(told: Telling, channel: str, to: str, code: str) -> None:
    news = {"id": TASK_ID, "title": "t", "state": "succeeded"}
    kind = "state" if channel == "callback" else "settled"
    told.fixit.stores.put(notice_of(TASK_ID, kind=kind, channel=channel, to=to, task=news), NOTICE_QUEUE)
    told.fixit.idle()
    (letter,) = told.fixit.stores.letters()
    assert letter["class"] == code
    assert (told.mails(), told.texts(), told.receiver.connections) == ([], [], 0)
    assert not [line for line in told.fixit.host.lines() if TASK_ID in line and to in line]


def test_row_that_cannot_be_read_hides_no_other(told: Telling) -> None:
    task_id = done(told, contact="bob@example.com", replyTo=ANSWERS)
    first, second = told.notices(task_id)
    told.fixit.stores.change_row(NOTICE_TABLE, task_id, first["id"], attempts="damaged")
    assert told.notices(task_id) == [second]


@pytest.mark.parametrize(
    ("redrives", "ends"), [(0, ("failed", "given_up")), (1, ("waiting", None))], ids=["its own", "an old copy"]
)
def test_notice_whose_message_is_given_up_says_so(told: Telling, redrives: int, ends: tuple[str, str | None]) -> None:
    task_id = done(told, contact="bob@example.com")
    (notice,) = told.notices(task_id)
    told.fixit.stores.change_row(NOTICE_TABLE, task_id, notice["id"], state="waiting", redrives=redrives)
    data = {"kind": "settled", "channel": "mail", "to": "bob@example.com", "task": {"state": "succeeded"}}
    told.fixit.stores.put(notice_of(task_id, notice["id"], **data), NOTICE_QUEUE + POISON_SUFFIX)
    told.fixit.idle()
    (after,) = told.notices(task_id)
    assert (after["state"], after["code"]) == ends
    (letter,) = told.fixit.stores.letters()
    assert (letter["step"], letter["class"], letter["state"]) == ("notice", "given_up", "open")
    (row,) = told.fixit.stores.tasks()
    assert row["state"] == "succeeded"


def notice_of(task_id: str, notice_id: str = "", **data: Any) -> str:
    """The message of a notice as some producer puts it."""
    event = {
        "specversion": "1.0",
        "id": notice_id or str(uuid.uuid4()),
        "source": "/elsewhere",
        "type": NOTICE,
        "subject": task_id,
        "time": MADE_AT,
        "caller": "key",
        "data": data,
    }
    return json.dumps(event)
