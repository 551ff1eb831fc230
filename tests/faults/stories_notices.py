"""Somebody is told of a task: by mail, SMS, callback and on a queue, at once or at last, or not at all."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from shared.domain import identity
from shared.domain.envelope import encode
from shared.domain.names import NOTICE_QUEUE, PEOPLE_TABLE
from shared.domain.notice import Channel, Notice, notice_event
from shared.domain.tag import tag_of
from tests.faults.careful import ask
from tests.faults.mailing import LATER, NOBODY
from tests.faults.stories_photo import photo_id, upload
from tests.faults.stories_reopen import order, retry
from tests.faults.story import KEY, TASK_ID, unheard
from tests.faults.telling import ANSWERS, Tale, Telling, news, state_of
from tests.support.dead_letters import only_letter, only_task
from tests.support.raw_messages import cancelled, submitted
from tests.support.receiver import reply, reset
from tests.support.stores import POISON

BOB = {"person": "bob", "email": "bob@example.com", "phone": "+4930654321"}
ANN = {"person": "ann", "email": "ann@example.com", "phone": "+4930765432"}

type Act = Callable[[Telling], None]


def know(*people: dict[str, str]) -> Act:
    """These people are in the directory."""

    def before(told: Telling) -> None:
        for person in people:
            key = hashlib.sha256(person["person"].encode()).hexdigest()
            told.stores.put_row(PEOPLE_TABLE, {"PartitionKey": "person", "RowKey": key, **person})

    return before


def message(channel: Channel, to: str = "", *, is_person: bool = False, task_id: str = TASK_ID, **more: Any) -> str:
    """The message of one notice that a task succeeded."""
    notice = Notice(
        id=identity.notice_event_id(task_id, "settled", channel),
        task_id=task_id,
        kind="state" if channel == "callback" else "settled",
        channel=channel,
        to=to,
        is_person=is_person,
        correlation_id="c-1",
        task={"id": task_id, "title": "Tap drips", "state": "succeeded", "owner": "ann", "error": None, "photo": None},
        at=datetime.now(UTC),
    )
    return encode(notice_event(notice, caller=identity.KEY_CALLER, **more))


def tell(channel: Channel, to: str = "", *, is_person: bool = False) -> Act:
    """The message of such a notice comes. A callback is for the receiver."""

    def act(told: Telling) -> None:
        url = told.receiver.url("/hook") if channel == "callback" else to
        told.stores.put(message(channel, url, is_person=is_person), NOTICE_QUEUE)

    return act


def ends(state: str, *tries: str) -> Act:
    """The only notice ended so, without a letter; in the end each of its tries was answered so."""

    def check(told: Telling) -> None:
        _is(told, state, *tries)
        assert told.stores.letters() == []

    return check


def _is(told: Telling, state: str, *tries: str) -> None:
    (row,) = told.notices()
    found, answered = state_of(row)
    assert found in (state, "unknown") if row["channel"] in ("mail", "sms") else found == state
    # A try that its row could not tell of is made again, unless what it came to is known from elsewhere.
    assert set(answered) <= set(tries), answered
    assert answered[-1:] == list(tries[-1:]) or found == "gone", answered


def _is_refused(*tries: str) -> Act:
    """It can never be delivered: its letter says so."""

    def check(told: Telling) -> None:
        _is(told, "failed", *tries)
        letter = only_letter(told)
        assert (letter["state"], letter["class"]) == ("open", told.notices()[0]["code"])

    return check


def _is_told_at_last(told: Telling) -> None:
    (row,) = told.notices()
    assert (row["state"], row["redrives"]) == ("sent", 1)
    assert only_letter(told)["state"] == "redriven"


def _answers(*statuses: int) -> Act:
    return lambda told: told.receiver.behave(*(reply(status) for status in statuses))


def _refused_once(told: Telling) -> None:
    """The receiver refused the callback, and takes the next one."""
    told.receiver.behave(reply(400), reply(200))
    tell("callback")(told)
    told.idle()
    assert only_letter(told)["class"] == "callback_refused"


def _cuts(told: Telling) -> None:
    """The receiver has it, and cuts the connection; then it takes it."""
    told.receiver.behave(reset(), reply())


def _mails(*turns: Any) -> Act:
    return lambda told: told.mails.behave(*turns)


def _all_on(told: Telling, **more: str) -> dict[str, str]:
    """The fields of a task of which everybody is told over every channel."""
    url = told.receiver.url("/hook")
    return {"owner": "ann", "createdBy": "bob", "callbackUrl": url, "replyTo": ANSWERS, **more}


def _submit_with_all_on(told: Telling) -> None:
    told.stores.put(submitted(KEY, **_all_on(told, contact="contact@example.com")))


def _submit_photo_with_all_on(told: Telling) -> None:
    told.stores.put(submitted(KEY, **_all_on(told), photoId=photo_id()))


def _cancel(told: Telling) -> None:
    told.stores.put(cancelled(KEY))


def _failed(told: Telling) -> None:
    """A task that failed, of which a callback told."""
    told.stores.put(submitted(KEY, callbackUrl=told.receiver.url("/hook")), POISON)
    told.idle()
    assert only_task(told)["state"] == "failed"


def _recorded(told: Telling) -> None:
    know(ANN, BOB)(told)
    told.stores.put(submitted(KEY))
    told.idle()


def _reassign(told: Telling) -> None:
    row = told.stores.task(TASK_ID)
    assert row is not None
    headers = {"If-Match": tag_of(str(row.metadata["etag"]))}
    with unheard(told):
        answer = ask(told, "PATCH", f"/api/fixits/{TASK_ID}", json.dumps({"owner": "ann"}).encode(), headers=headers)
        assert answer.status == 200, answer


def _both(*acts: Act) -> Act:
    def before(told: Telling) -> None:
        for act in acts:
            act(told)
        told.idle()

    return before


SETTLED = news(
    *("assigned mail succeeded", "assigned sms succeeded", "state callback succeeded"),
    *("settled mail succeeded", "settled sms succeeded", "settled reply succeeded"),
)
WITH_PHOTO = news(
    *("assigned mail processing", "assigned sms processing", "state callback processing", "state callback succeeded"),
    *("settled mail succeeded", "settled sms succeeded", "settled reply succeeded"),
)
REJECTED = news(*(f"photo_rejected {channel} succeeded" for channel in ("mail", "sms", "callback")))
CANCELLED = news(
    *("state callback cancelled", "settled mail cancelled", "settled sms cancelled", "settled reply cancelled")
)
MAIL, SMS = news("settled mail succeeded"), news("settled sms succeeded")
CALLBACK, ANSWER = news("state callback succeeded"), news("settled reply succeeded")
ASSIGNED = news("assigned mail succeeded", "assigned sms succeeded")

to_contact = tell("mail", "contact@example.com")
callback = tell("callback")

TALES: dict[str, Tale] = {
    "mail": Tale(act=to_contact, requests=4, check=ends("sent", "sent"), news=MAIL),
    "mail to a person": Tale(
        before=know(BOB), act=tell("mail", "bob", is_person=True), requests=5, check=ends("sent", "sent"), news=MAIL
    ),
    "mail to nobody known": Tale(act=tell("mail", "bob", is_person=True), requests=3, check=ends("skipped"), news=MAIL),
    "mail that comes later": Tale(
        before=_mails(LATER), act=to_contact, requests=10, check=ends("sent", "not taken", "sent"), news=MAIL
    ),
    "mail that is refused": Tale(
        before=_mails(*[NOBODY] * 9), act=to_contact, requests=6, check=_is_refused("refused"), news=MAIL
    ),
    "sms": Tale(
        before=know(BOB), act=tell("sms", "bob", is_person=True), requests=5, check=ends("sent", "sent"), news=SMS
    ),
    "callback": Tale(act=callback, requests=3, check=ends("sent", "200"), news=CALLBACK),
    "callback that is refused": Tale(
        before=_answers(400), act=callback, requests=5, check=_is_refused("400"), news=CALLBACK
    ),
    "callback that is cut": Tale(
        before=_cuts, act=callback, requests=8, check=ends("sent", "cut", "200"), news=CALLBACK
    ),
    "callback that comes later": Tale(
        before=_answers(503, 200), act=callback, requests=8, check=ends("sent", "503", "200"), news=CALLBACK
    ),
    "callback to who is gone": Tale(
        before=_answers(410), act=callback, requests=4, check=ends("gone", "410"), news=CALLBACK
    ),
    "answer": Tale(act=tell("reply", ANSWERS), requests=3, check=ends("sent", "sent"), news=ANSWER),
    "redrive of a callback": Tale(
        before=_refused_once, act=order("redrive"), requests=10, check=_is_told_at_last, news=CALLBACK
    ),
    "reassign and tell": Tale(before=_recorded, act=_reassign, requests=18, news=ASSIGNED),
    "tell everybody": Tale(before=know(ANN, BOB), act=_submit_with_all_on, requests=35, every=6, news=SETTLED),
    "tell everybody of a photo": Tale(
        before=_both(know(ANN, BOB), upload), act=_submit_photo_with_all_on, requests=52, every=6, news=WITH_PHOTO
    ),
    "tell everybody of no photo": Tale(
        before=know(ANN, BOB), act=_submit_photo_with_all_on, requests=70, every=6, news=WITH_PHOTO | REJECTED
    ),
    "tell everybody of a cancel": Tale(
        before=_both(know(ANN, BOB), upload, _submit_photo_with_all_on),
        act=_cancel,
        requests=30,
        every=6,
        news=WITH_PHOTO | CANCELLED,
    ),
    "retry and tell": Tale(
        before=_failed,
        act=retry,
        requests=20,
        every=3,
        news=news("state callback failed", "state callback queued", "state callback succeeded"),
    ),
}
