"""Looking up what a key stands for: what it costs while the table is down, and what it makes of odd rows."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.domain import identity
from shared.domain.errors import KeyReused
from shared.domain.receipt import Receipt
from shared.domain.record import Record
from shared.domain.task import Task
from shared.services.replay import Replays
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.tasks import TaskStore
from tests.support.stores import Stores
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

READ_SECONDS = 0.3
FINGERPRINT, OTHER = "0" * 64, "1" * 64
WHEN = datetime(2026, 11, 30, 15, 24, 46, 123456, tzinfo=UTC)


@pytest.fixture
async def tasks(wire: Wire) -> AsyncIterator[TaskStore]:
    """The table of tasks, over the wire, that is already there."""
    account = Account(StorageConnections.resolve({"A": wire.connection_string}, "A"))
    store = TaskStore(account)
    await store.read(identity.new_key())
    wire.clear()
    yield store
    wire.heal()
    await account.close()


def replays(tasks: TaskStore, *, pause: float = 3_600) -> Replays:
    return Replays(tasks, read_seconds=READ_SECONDS, pause_seconds=pause)


async def look(found: Replays, task_id: str = "", fingerprint: str = FINGERPRINT) -> Receipt | None:
    return await found.first_receipt(task_id or identity.new_key(), fingerprint, deadline_seconds=5)


def row(fingerprint: str) -> Record:
    task = Task(title="Tap drips")
    return Record(
        id=identity.new_key(),
        task=task,
        caller=identity.KEY_CALLER,
        fingerprint=fingerprint,
        submitted_at=WHEN,
        state="succeeded",
    )


async def test_row_of_the_same_content_gives_its_receipt_and_of_another_is_refused(tasks: TaskStore) -> None:
    stored, found = row(FINGERPRINT), replays(tasks)
    await tasks.create(stored)
    assert await look(found, stored.id) == Receipt(
        task_id=stored.id,
        fingerprint=FINGERPRINT,
        accepted_at=WHEN,
        caller_digest=identity.caller_digest(identity.KEY_CALLER),
    )
    with pytest.raises(KeyReused):
        await look(found, stored.id, OTHER)
    assert await look(found) is None


async def test_tombstone_is_no_first_task(tasks: TaskStore) -> None:
    stored = replace(row(""), state="cancelled")
    await tasks.create(stored)
    assert await look(replays(tasks), stored.id) is None


async def test_table_that_says_nothing_costs_one_look_in_a_pause(tasks: TaskStore, wire: Wire) -> None:
    wire.silence(service="table", op="get", times=None)
    found, began = replays(tasks), time.monotonic()
    assert await look(found) is None
    assert READ_SECONDS - 0.05 < time.monotonic() - began < READ_SECONDS + 0.5
    asked = len(wire.requests)
    began = time.monotonic()
    for _ in range(20):
        assert await look(found) is None
    assert time.monotonic() - began < READ_SECONDS
    assert len(wire.requests) == asked


async def test_table_is_asked_again_after_a_pause(tasks: TaskStore, wire: Wire) -> None:
    stored, found = row(FINGERPRINT), replays(tasks, pause=0.001)
    await tasks.create(stored)
    wire.fail(service="table", op="get", status=403)
    assert await look(found, stored.id) is None
    async with asyncio.timeout(10):
        while not await look(found, stored.id):
            await asyncio.sleep(0)


async def test_look_ends_with_the_deadline_of_the_submit(tasks: TaskStore, wire: Wire) -> None:
    wire.silence(service="table", op="get", times=None)
    began = time.monotonic()
    found = Replays(tasks, read_seconds=60, pause_seconds=1)
    assert await found.first_receipt(identity.new_key(), FINGERPRINT, deadline_seconds=0.2) is None
    assert time.monotonic() - began < 0.2 + 0.5


async def test_damaged_row_is_not_known_and_is_no_outage(tasks: TaskStore, azurite: Azurite) -> None:
    damaged, stored, found = row(FINGERPRINT), row(FINGERPRINT), replays(tasks)
    for each in (damaged, stored):
        await tasks.create(each)
    with Stores(azurite.connection_string) as stores:
        stores.change_task(damaged.id, steps="no json")
    assert await look(found, damaged.id) is None
    assert await look(found, stored.id) is not None
