"""Many clients at once, each of which submits its tasks one after the other until it knows that they are accepted."""

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from tests.faults.careful import ask
from tests.support.fixit_client import FixItClient

CLIENTS = 8


@contextmanager
def submitting(client: Callable[[], FixItClient], keys: Iterable[str], **fields: Any) -> Iterator[list[dict[str, Any]]]:
    """Within, a task is being submitted for each key; on leaving, all are accepted, and their answers in the list."""
    body = json.dumps({"title": "Tap drips", **fields}).encode()
    answers: list[dict[str, Any]] = []

    def submit(key: str) -> None:
        answer = ask(client, "POST", "/api/fixits", body, key=key, timeout=60)
        assert answer.status == 202, answer
        answers.append(answer.json)

    with ThreadPoolExecutor(CLIENTS) as clients:
        submits = [clients.submit(submit, key) for key in keys]
        yield answers
        for each in submits:
            each.result()
