"""How the demo asks the app, and waits for what comes of it."""

import json
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tools.dev.problem import Problem

PATIENCE_SECONDS = 60
SETTLED = ("succeeded", "failed", "cancelled")


def call(url: str, body: object = None, *, key: str = "") -> dict[str, Any]:
    """The JSON of the answer: to a GET, or to a POST of a body."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} if data else {}
    headers |= {"Idempotency-Key": key} if key else {}
    answered: dict[str, Any] = json.loads(exchange("GET" if data is None else "POST", url, data, headers))
    return answered


def exchange(method: str, url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    """The body of the answer; redirects are followed."""
    request = urllib.request.Request(url, body, dict(headers or {}), method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            read: bytes = answer.read()
            return read
    except OSError as error:
        raise Problem(f"{method} {url.partition('?')[0]}: {error}") from None


def follow(url: str, show: Callable[[str], None]) -> Iterator[str]:
    """Each state that the receipt shows, up to the last one."""
    began = time.monotonic()
    state = ""
    while state not in SETTLED:
        if time.monotonic() - began > PATIENCE_SECONDS:
            raise Problem(f"The task is still {state} after {PATIENCE_SECONDS} s.")
        now = str(call(url)["state"])
        if now == state:
            time.sleep(0.1)
            continue
        state = now
        show(f"   {state} after {time.monotonic() - began:.1f} s")
        yield state


def wait_for[T](look: Callable[[], T | None], what: str) -> T:
    """What the look gives in the end. Problem if that is nothing for a minute."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if (found := look()) is not None:
            return found
        time.sleep(0.1)
    raise Problem(f"There is no {what} after {PATIENCE_SECONDS} s.")
