"""What each kind of step states, and that the policy heeds it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.errors import HopelessMessage, StepFailed
from shared.domain.lane import Lane
from shared.services import kinds, policy
from shared.services.kinds import Kind
from shared.services.policy import Handle, Policy
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.letters import LetterStore
from shared.storage.queues import Queues
from tests.support.raw_messages import event
from tests.support.stores import Stores
from tools.dev.azurite import Azurite

ALL = [kinds.RECORD, kinds.CANCEL, kinds.REASSIGN, kinds.ADOPT, kinds.REFUSE, kinds.POISON]
HOST = json.loads((Path(__file__).resolve().parents[2] / "host.json").read_text("utf-8"))


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_kind_ends_before_the_platform_ends_it(kind: Kind) -> None:
    hours, minutes, seconds = map(int, HOST["functionTimeout"].split(":"))
    limit = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    assert timedelta(seconds=kind.seconds) < limit - timedelta(seconds=30)  # which the put back may take
    assert kind.deliveries is None or kind.deliveries < HOST["extensions"]["queues"]["maxDequeueCount"]
    assert kind.repeat_costs


@pytest.fixture
async def account(azurite: Azurite) -> AsyncIterator[Account]:
    opened = Account(StorageConnections.resolve({"X": azurite.connection_string}, "X"))
    yield opened
    await opened.close()


@pytest.fixture
def lane(unique_name: Callable[[str], str]) -> Lane:
    return Lane(connection="X", queue=unique_name("q"))


@pytest.fixture
def stores(azurite: Azurite) -> Stores:
    return Stores(azurite.connection_string)


def delivery(lane: Lane, count: int = 1) -> Delivery:
    return Delivery(lane=lane, raw=event().encode(), message_id="m", dequeue_count=count, inserted_at=datetime.now(UTC))


async def settle(account: Account, monkeypatch: pytest.MonkeyPatch, kind: Kind, what: Delivery, handle: Handle) -> None:
    """Let the policy settle a delivery as if its message were of this kind."""
    monkeypatch.setattr(policy, "kind_of", lambda contents, delivery: kind)
    queues, letters = Queues(lambda _: account), LetterStore(account)
    settling = Policy(
        queues=queues, letters=letters, step_seconds=60, defer_base_seconds=0.001, defer_cap_seconds=0.001
    )
    await settling.settle(what, handle)


async def fail(contents: Contents, delivery: Delivery) -> None:
    raise KeyError("a fault of ours")


async def refuse(contents: Contents, delivery: Delivery) -> None:
    raise HopelessMessage("it can never be done", code="malformed_message")


async def hang(contents: Contents, delivery: Delivery) -> None:
    await asyncio.Event().wait()


async def test_step_with_fewer_deliveries_gives_up_by_the_count_of_the_platform(
    account: Account, stores: Stores, lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    thrice = replace(kinds.RECORD, deliveries=3)
    for count in (1, 2):
        with pytest.raises(StepFailed):
            await settle(account, monkeypatch, thrice, delivery(lane, count), fail)
    assert stores.waiting(f"{lane.queue}-poison") == 0
    await settle(account, monkeypatch, thrice, delivery(lane, 3), fail)
    (given_up,) = stores.queue(f"{lane.queue}-poison").peek_messages()
    assert given_up.content == event()


async def test_step_that_hangs_gives_its_message_back_after_its_own_time(
    account: Account, stores: Stores, lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = replace(kinds.RECORD, seconds=0.2)
    async with asyncio.timeout(20):
        await settle(account, monkeypatch, brief, delivery(lane), hang)
    assert stores.waiting(lane.queue) == 1


@pytest.mark.parametrize("kept", [True, False])
async def test_hopeless_message_leaves_a_letter_only_where_its_kind_wants_one(
    account: Account, stores: Stores, lane: Lane, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    await settle(account, monkeypatch, replace(kinds.RECORD, keeps_letters=kept), delivery(lane), refuse)
    letters = [letter for letter in stores.letters() if letter["PartitionKey"] == lane.queue]
    assert [letter["class"] for letter in letters] == ["malformed_message"] * kept
