"""A task submitted over HTTP, by a client that sends it again until it knows."""

import json

from tests.faults.story import FIELDS, KEY, POINTERS, PUT, READ_ROW, ROW, Story, asked, is_recorded
from tests.support.fixit_app import FixIt

BODY = json.dumps({"title": "Tap drips", **FIELDS}).encode()


def _is_one_task(fixit: FixIt) -> None:
    (row,) = fixit.stores.tasks()
    assert (row["state"], row["title"]) == ("succeeded", "Tap drips")
    assert fixit.stores.letters() == []


STORIES: dict[str, Story] = {
    "submit": Story(
        act=asked("POST", "/api/fixits", BODY, status=202),
        requests={"put": PUT, "row": ROW, **POINTERS},
        check=_is_one_task,
    ),
    "submit with a key": Story(
        act=asked("POST", "/api/fixits", BODY, key=KEY, status=202),
        requests={"what the key stands for": READ_ROW, "put": PUT, "row": ROW, **POINTERS},
        check=is_recorded,
    ),
}
