"""Edits over HTTP and by message, and what came of them."""

import json
from collections.abc import Mapping
from typing import Any

from shared.domain import identity
from shared.domain.patch import Edit, parse_patch
from shared.storage.tasks import person_list
from tests.faults.invariants import check_invariants
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import FixItClient
from tests.support.raw_messages import event, submitted
from tests.support.web_client import Answer, HeaderValue

KEY = "k-1"
TASK_ID = identity.task_id(identity.KEY_CALLER, KEY)
PATH = f"/api/fixits/{TASK_ID}"
MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}


def record(fixit: FixIt, **fields: Any) -> str:
    """The task of KEY is recorded; its tag."""
    fixit.stores.put(submitted(KEY, **{"owner": "ann", "createdBy": "bob", **fields}))
    fixit.idle()
    return tag(fixit)


def tag(client: FixItClient) -> str:
    """That of the task as it is now."""
    return client.get(PATH).headers["etag"]


def edit(client: FixItClient, if_match: HeaderValue | None, **patch: Any) -> Answer:
    """A patch of the task of KEY, whatever it is answered."""
    return send(client, json.dumps(patch).encode(), {} if if_match is None else {"If-Match": if_match})


def send(client: FixItClient, body: bytes, headers: Mapping[str, HeaderValue]) -> Answer:
    """These bytes, as a merge patch unless the headers say otherwise."""
    return client.request("PATCH", PATH, body, {**MERGE_PATCH, **headers})


def edited(client: FixItClient, if_match: str = "*", **patch: Any) -> Answer:
    """A patch that must be done."""
    answer = edit(client, if_match, **patch)
    assert answer.status == 200, answer
    return answer


def reassigned(if_match: str, before: str = "ann", **patch: Any) -> str:
    """The JSON of the event that an edit of the task of KEY makes."""
    made = Edit(task_id=TASK_ID, tag=if_match, patch=parse_patch(patch))
    data = {"patch": patch, "etag": if_match, "from": before}
    return event(id=made.id, type="fixit.task.reassigned.v1", subject=TASK_ID, data=data)


def row(fixit: FixIt) -> dict[str, Any]:
    """The row of the only task there is."""
    (found,) = fixit.stores.tasks()
    return dict(found)


def check_at_rest(fixit: FixIt, owner: str) -> None:
    """The task has this owner, stands in the lists of nobody else, and nothing was buried or left over."""
    fixit.idle()
    assert row(fixit)["owner"] == owner
    lists = {name for name, _ in fixit.stores.pointers(TASK_ID) if not name.startswith("all:")}
    assert lists == {person_list("by", "bob"), *([person_list("owner", owner)] if owner else [])}
    assert fixit.stores.letters() == []
    check_invariants(fixit.stores)
