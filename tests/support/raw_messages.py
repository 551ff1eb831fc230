"""Texts that a queue may hold, by what is wrong with them."""

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from shared.domain import identity, instants
from shared.domain.task import fingerprint, parse_task

MADE_AT = instants.to_text(datetime.now(UTC) - timedelta(minutes=1))
"""When the events of the tests were made: just now, since a task of more than seven days ago is given up."""
DAY = MADE_AT[:10]

TASK_ID = "0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11"


def event(**changes: Any) -> str:
    """The JSON of a submitted event, right but for the changes; a change to None leaves the attribute out."""
    attributes = {
        "specversion": "1.0",
        "id": "7c0e5c1e-51ab-5f5e-8d3f-3a4a52a6a001",
        "source": "/fixit",
        "type": "fixit.task.submitted.v1",
        "subject": TASK_ID,
        "time": MADE_AT,
        "caller": "key",
        "data": {"title": "Tap drips", "owner": "ann", "createdBy": "bob"},
    }
    changed = {**attributes, **changes}
    return json.dumps({name: value for name, value in changed.items() if value is not None})


def submitted(key: str, **fields: Any) -> str:
    """The JSON of the event that submitting a task under a key makes."""
    task_id, task = identity.task_id(identity.KEY_CALLER, key), {"title": "Tap drips", **fields}
    event_id = identity.submitted_event_id(task_id, fingerprint(parse_task(task)))
    return event(id=event_id, subject=task_id, data=task)


def cancelled(key: str, **changes: Any) -> str:
    """The JSON of the event that cancelling the task of a key makes."""
    task_id = identity.task_id(identity.KEY_CALLER, key)
    attributes = {"id": identity.cancelled_event_id(task_id), "type": "fixit.task.cancelled.v1", "subject": task_id}
    return event(**{**attributes, "data": {}, **changes})


@dataclass(frozen=True)
class Hopeless:
    """A text that can never be settled; `code` and a part of the reason of its letter."""

    text: str
    code: str = "malformed_message"
    names: str = ""

    def stored(self, encoded: bool) -> bytes:
        """The text as it lies on the queue."""
        return base64.b64encode(self.text.encode()) if encoded else self.text.encode()


def _broken(names: str, **changes: Any) -> Hopeless:
    return Hopeless(event(**changes), names=names)


def _invalid(names: str, **fields: Any) -> Hopeless:
    return Hopeless(json.dumps(fields), "invalid_task", names)


HOPELESS: dict[str, Hopeless] = {
    "a Python literal": Hopeless("b'eyJpZCI6InQtMSJ9'", names="neither"),  # QE-03
    "a short word": Hopeless("test", names="not UTF-8 JSON"),  # QE-06
    "no JSON": Hopeless("not json", names="neither"),
    "empty": Hopeless(""),
    "blanks": Hopeless("   "),
    "an array": Hopeless("[1]", names="neither"),
    "half an object": Hopeless('{"title":"t"', names="not valid JSON"),
    "a repeated key": Hopeless('{"title":"a","title":"b"}', names="'title'"),
    "NaN": Hopeless('{"title":"t","lat":NaN}', names="NaN"),
    "deep": Hopeless('{"a":' * 5_000 + "1" + "}" * 5_000, "invalid_task", "a"),
    "deeper": Hopeless('{"a":' + "[" * 20_000 + "]" * 20_000 + "}", names="nested"),
    "XML and emoji": Hopeless("<a>&amp;]]> \U0001f600 \u2028\ufffd", names="neither"),
    "line ends": Hopeless("a\r\nb\rc\nd\t", names="neither"),
    # Events
    "version unknown": _broken("specversion", specversion="2.0"),
    "version a number": _broken("specversion", specversion=1.0),
    "type unknown": Hopeless(event(type="fixit.task.submitted.v99"), "unknown_type", "v99"),
    "type of a later version": Hopeless(event(type="fixit.nothing.v1"), "unknown_type"),
    "type missing": _broken("type", type=None),
    "id missing": _broken("id", id=None),
    "id a number": _broken("id", id=5),
    "id no UUID": _broken("id", id="../../etc"),
    "id in capitals": _broken("id", id="7C0E5C1E-51AB-5F5E-8D3F-3A4A52A6A001"),
    "subject missing": _broken("subject", subject=None),
    "subject a list": _broken("subject", subject=[]),
    "time missing": _broken("time", time=None),
    "time without offset": _broken("time", time="2026-11-30T12:00:00"),
    "time before all": _broken("time", time="0001-01-01T00:00:00+14:00"),
    "caller missing": _broken("caller", caller=None),
    "caller with a line feed": _broken("caller", caller="key\nx"),
    "source missing": _broken("source", source=None),
    "data missing": _broken("data", data=None),
    "data a list": _broken("data", data=["title"]),
    "deferrals a text": _broken("deferrals", deferrals="x"),
    "deferrals negative": _broken("deferrals", deferrals=-1),
    "redrives a truth": _broken("redrives", redrives=True),
    "task without title": Hopeless(event(data={}), "invalid_task", "title"),
    "task with unknown field": Hopeless(event(data={"title": "t", "due": 1}), "invalid_task", "due"),
    "task with a long contact": Hopeless(
        event(data={"title": "t", "contact": "a@" + "b" * 9_998}), "invalid_task", "contact"
    ),
    "task with half a character": Hopeless(event(data={"title": "\ud800"}), "invalid_task", "title"),
    # Bare tasks
    "no fields": _invalid("title"),
    "a count": _invalid("dequeueCount", dequeueCount="x"),
    "an id that is a number": _invalid("id", id=5, title="t"),
    "an id with blanks": _invalid("id", id="a b", title="t"),
    "an empty id": _invalid("id", id="", title="t"),
    "an id of 256": _invalid("id", id="i" * 256, title="t"),
    "title of 81": _invalid("title", title="x" * 81),
    "title of blanks": _invalid("title", title="  "),
    "notes of 16,001": _invalid("notes", title="t", notes="x" * 16_001),
    "contact of 10,000": _invalid("contact", title="t", contact="a@" + "b" * 9_998),
    "owner a number": _invalid("owner", title="t", owner=5),
    "unknown fields": _invalid("insertionTime", id="i", title="t", insertionTime="y", popReceipt="z"),
}
