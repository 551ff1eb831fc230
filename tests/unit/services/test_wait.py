"""What is news to a client who waits for a task."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.domain.errors import DependencyDown
from shared.domain.record import Record, State
from shared.domain.task import Task
from shared.services.status import Reading
from shared.services.wait import is_news
from shared.storage.columns import DamagedRow

RECORD = Record(
    id="0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11",
    task=Task(title="Tap drips"),
    caller="key",
    fingerprint="0" * 64,
    submitted_at=datetime.now(UTC),
    state="queued",
    etag="1",
)
DOWN = Reading(error=DependencyDown("down"))


def read(state: State | None, etag: str = "1") -> Reading:
    return Reading(record=replace(RECORD, state=state, etag=etag) if state else None)


def told(*readings: Reading, knows: str | None = None) -> list[bool]:
    is_known = (lambda record: record.etag == knows) if knows else None
    judge = is_news(lambda reading: reading.record, is_known)
    return [judge(reading) for reading in readings]


@pytest.mark.parametrize(
    ("readings", "news"),
    [
        ([read("queued"), read("queued", "2"), read("processing")], [False, False, True]),
        ([read("succeeded")], [True]),
        ([read(None), read(None), read("queued")], [False, False, True]),
        ([DOWN, read("queued"), DOWN, read("queued"), read("failed")], [False, False, False, False, True]),
        ([Reading(error=DamagedRow("it cannot be read"))], [True]),
    ],
)
def test_another_state_than_at_first_is_news_and_so_is_a_settled_one(readings: list[Reading], news: list[bool]) -> None:
    assert told(*readings) == news


@pytest.mark.parametrize(
    ("readings", "news"),
    [
        ([read("queued"), read("queued", "2")], [False, True]),
        ([read("queued", "2")], [True]),
        ([read(None), DOWN, read("queued")], [False, False, False]),
        ([read("succeeded")], [True]),  # though it is known: nothing else will come
    ],
)
def test_to_who_says_what_they_know_anything_else_is_news(readings: list[Reading], news: list[bool]) -> None:
    assert told(*readings, knows="1") == news
