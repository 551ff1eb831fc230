"""What a client does with photos over HTTP."""

import json
from typing import Any
from urllib.parse import urlsplit

from tests.support.eventually import eventually
from tests.support.fixit_client import JSON, FixItClient
from tests.support.multipart import HEADERS, form
from tests.support.web_client import Answer, exchange


def offered(client: FixItClient, **wish: Any) -> dict[str, Any]:
    """A link to upload a photo, and the id of it."""
    answer = client.request("POST", "/api/photos", json.dumps(wish).encode(), JSON)
    assert answer.status == 201, answer
    return answer.json


def upload(offer: dict[str, Any], data: bytes, **headers: str) -> Answer:
    """Put the photo as the offer says."""
    wanted = offer["upload"]
    return exchange(wanted["url"], wanted["method"], body=data, headers={**wanted["headers"], **headers})


def photo_name(offer: dict[str, Any]) -> str:
    """The photo that an offer is for: 32 hex digits."""
    url: str = offer["upload"]["url"]
    return urlsplit(url).path.rpartition("/")[2]


def submit_form(
    client: FixItClient, photo: bytes | None, *, key: str = "", file: str = "a.gif", **fields: str
) -> Answer:
    """Submit a task as a form."""
    keyed = {"Idempotency-Key": key} if key else {}
    raw = form({"title": "Roof leaks", **fields}, photo, file=file)
    return client.request("POST", "/api/fixits", raw, {**HEADERS, **keyed})


def looked_at(client: FixItClient, task: str, timeout: float = 30) -> dict[str, Any]:
    """What is told of a task's photo once that is known; `task` is the address."""

    def look() -> dict[str, Any] | None:
        answer = client.get(task)
        photo = answer.json.get("photo") if answer.status == 200 else None
        return photo if photo and photo["state"] != "waiting" else None

    return eventually(look, timeout, what="a photo that was looked at")
