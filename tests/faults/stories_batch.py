"""A batch submitted over HTTP, by a client that sends it again whole until every task of it is taken."""

import json

from shared.domain import identity
from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.faults.story import KEY, Story
from tests.support.eventually import eventually
from tests.support.fault import Kind
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tests.support.storage_request import StorageRequest
from tests.support.stores import decoded, message_text

TITLES = ("Tap drips", "Lamp flickers")
BODY = json.dumps({"tasks": [{"task": {"title": title}} for title in TITLES]}).encode()
IDS = tuple(identity.task_id(identity.KEY_CALLER, f"{KEY}.{number}") for number, _ in enumerate(TITLES, 1))


def _read_once(fixit: FixIt) -> None:
    """What a key stands for was read, so that the table is not left alone for what happened before."""
    fixit.submit(key="before")
    fixit.idle()


def _send(fixit: FixIt) -> None:
    def look() -> bool:
        answer = fixit.request("POST", "/api/fixits/batch", BODY, {**JSON, "Idempotency-Key": KEY})
        assert {each["status"] for each in answer.json["results"]} <= {202, 503}, answer
        return answer.status == 202

    eventually(look, what="a batch that is taken whole")


def _are_recorded(fixit: FixIt) -> None:
    rows = {row["RowKey"]: (row["title"], row["state"]) for row in fixit.stores.tasks()}
    assert len(rows) == len(IDS) + 1
    assert {task: rows[task] for task in IDS} == {
        task: (title, "succeeded") for task, title in zip(IDS, TITLES, strict=True)
    }
    assert fixit.stores.letters() == []


def _of(task: str, kind: Kind) -> Kind:
    """The requests of a kind that name a task."""

    def names(request: StorageRequest) -> bool:
        put = request.service == "queue" and request.op == "put"
        return task in (decoded(message_text(request))["subject"] if put else f"{request.path}{request.body!r}")

    return {**kind, "match": names}


def _requests() -> dict[str, Kind]:
    kinds: dict[str, Kind] = {
        "what the key stands for": {"op": "get", "service": "table", "target": TASK_TABLE},
        "put": {"op": "put", "service": "queue", "target": TASK_QUEUE},
        "row": {"op": "insert", "target": TASK_TABLE},
        "pointer of the day": {"op": "replace", "service": "table"},
    }
    return {
        f"{place} of task {number}": _of(task, kind)
        for number, task in enumerate(IDS, 1)
        for place, kind in kinds.items()
    }


STORIES: dict[str, Story] = {
    "submit a batch": Story(before=_read_once, act=_send, requests=_requests(), check=_are_recorded)
}
