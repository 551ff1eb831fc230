"""A task is edited by somebody who asks until he knows that it is done; what its message does besides."""

import json
from typing import Any

from shared.domain.names import INDEX_TABLE
from shared.domain.tag import tag_of
from shared.storage.tasks import person_list
from tests.faults.careful import ask
from tests.faults.stories_reopen import STORIES as REOPEN
from tests.faults.stories_reopen import retry
from tests.faults.story import (
    EVENT,
    POINTERS,
    PUT,
    READ_ROW,
    STAMP,
    TASK_ID,
    Act,
    Story,
    first,
    is_recorded,
    pointer,
    record_once,
    then,
    unheard,
)
from tests.support.dead_letters import only_task
from tests.support.edits import PATH, reassigned
from tests.support.fault import Kind
from tests.support.fixit_app import FixIt
from tests.support.storage_request import StorageRequest
from tests.support.stores import POISON

NEW_OWNER: dict[str, Any] = {"owner": "eve", "isDone": True}
_TAGS: list[str] = []
"""That of the task before it was edited."""


def _tag(fixit: FixIt) -> str:
    row = fixit.stores.task(TASK_ID)
    assert row is not None
    return tag_of(str(row.metadata["etag"]))


def _recorded(fixit: FixIt) -> None:
    record_once(fixit)
    _TAGS[:] = [_tag(fixit)]


def _edit(**patch: Any) -> Act:
    """A careful client edits the version that was recorded."""

    def act(fixit: FixIt) -> None:
        with unheard(fixit):
            answer = ask(fixit, "PATCH", PATH, json.dumps(patch).encode(), headers={"If-Match": _TAGS[0]})
            assert (answer.status, {name: answer.json[name] for name in patch}) == (200, patch)

    return act


def _reassigned(fixit: FixIt) -> None:
    _recorded(fixit)
    _edit(**NEW_OWNER)(fixit)
    fixit.idle()


def _put_alone(fixit: FixIt) -> None:
    """The message of an edit comes, and its request ended after the put."""
    fixit.stores.put(reassigned(_TAGS[0], **NEW_OWNER))


def _failed_and_edited(fixit: FixIt) -> None:
    fixit.stores.put(EVENT, POISON)
    fixit.idle()
    _TAGS[:] = [_tag(fixit)]
    _edit(**NEW_OWNER, notes="second")(fixit)
    fixit.idle()


def _is_edited(**columns: Any) -> Act:
    def check(fixit: FixIt) -> None:
        is_recorded(fixit)
        row = only_task(fixit)
        assert {name: row[name] for name in columns} == columns
        assert row["editedFrom"] == _TAGS[0]

    return check


def _is_retried(fixit: FixIt) -> None:
    REOPEN["retry"].check(fixit)
    row = only_task(fixit)
    assert (row["owner"], row["notes"], row["isDone"]) == ("eve", "second", True)


def _looks_again(request: StorageRequest) -> bool:
    """A look at the owner alone."""
    return "$select" in request.query


_POINTER = pointer(person_list("owner", "eve"))
_READ: Kind = {**READ_ROW, "match": lambda request: then()["match"](request) and not _looks_again(request)}
_FIT: dict[str, Kind] = {
    "pointer of the new owner": _POINTER,
    "pointer of the old one": {"op": "delete", "target": INDEX_TABLE},
    "owner again": {**READ_ROW, "match": _looks_again},
}

STORIES: dict[str, Story] = {
    "edit": Story(
        before=_recorded,
        act=_edit(notes="second"),
        requests={"row": READ_ROW, "stamp": STAMP},
        check=_is_edited(notes="second", owner="ann"),
    ),
    "reassign": Story(
        before=_recorded,
        act=_edit(**NEW_OWNER),
        requests={"row": first(**READ_ROW), "put": PUT, "stamp": STAMP, "read": _READ, **_FIT},
        check=_is_edited(**NEW_OWNER),
    ),
    "reassign again": Story(
        before=_reassigned,
        act=_edit(**NEW_OWNER),
        requests={"row": READ_ROW},
        check=_is_edited(**NEW_OWNER),
    ),
    "reassign by its message": Story(
        before=_recorded,
        act=_put_alone,
        requests={"read": {**READ_ROW, "match": lambda request: not _looks_again(request)}, "stamp": STAMP, **_FIT},
        check=_is_edited(**NEW_OWNER),
    ),
    "retry of an edited one": Story(
        before=_failed_and_edited,
        act=retry,
        requests={
            **{place: kind for place, kind in REOPEN["retry"].requests.items() if place not in POINTERS},
            **POINTERS,
            "pointer of the owner": _POINTER,
        },
        check=_is_retried,
    ),
}
