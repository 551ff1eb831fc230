"""Timers against real storage: the lock that hosts share, and the status that outlives them."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from azure.core.exceptions import HttpResponseError
from azure.storage.blob import BlobLeaseClient, BlobServiceClient

from devhost.errors import FunctionError
from devhost.settings.configuration import Configuration
from devhost.timers.listener import TimerListener
from tests.support.storage_request import StorageRequest
from tests.support.wire import Wire
from tests.unit.devhost_timers.stepped_clock import SteppedClock
from tests.unit.devhost_timers.timers import CallLog, timer_function
from tools.dev.azurite import Azurite

START = datetime(2026, 11, 30, 13, 58, 9, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
CONTAINER = "azure-webjobs-hosts"
HOLDING = 2  # sleepers of a listener that has the lock: the next time to fire, the next renewal
STANDING_BY = 1  # of one that has not: the next attempt


class Account:
    """The storage account that the hosts of one test share, and what is kept there under their host id."""

    def __init__(self, connection_string: str, host_id: str) -> None:
        self.host_id = host_id
        self.connection_string = connection_string
        self._service = BlobServiceClient.from_connection_string(connection_string, retry_total=0)

    def status(self, function: str = "tick") -> dict[str, str]:
        """What the status blob holds."""
        blob = self._service.get_blob_client(CONTAINER, self.status_path(function))
        status: dict[str, str] = json.loads(blob.download_blob().readall())
        return status

    def put_status(self, text: str) -> None:
        self._service.get_blob_client(CONTAINER, self.status_path("tick")).upload_blob(text, overwrite=True)

    def status_path(self, function: str) -> str:
        return f"timers/{self.host_id}/Host.Functions.{function}/status"

    def blobs(self) -> list[str]:
        """The names of all blobs of this host id."""
        container = self._service.get_container_client(CONTAINER)
        return sorted(blob.name for blob in container.list_blobs() if self.host_id in blob.name)

    def lock(self) -> BlobLeaseClient:
        """For taking the lock away, or for seeing whether it is free."""
        path = f"locks/{self.host_id}/Host.Functions.tick.Listener"
        return BlobLeaseClient(self._service.get_blob_client(CONTAINER, path))

    def close(self) -> None:
        self._service.close()


@pytest.fixture
def account(azurite: Azurite, unique_name: Callable[[str], str]) -> Any:
    found = Account(azurite.connection_string, unique_name("host"))
    yield found
    found.close()


@asynccontextmanager
async def host(
    account: Account,
    clock: SteppedClock,
    *,
    schedule: str = "0 */5 * * * *",
    storage: str | None = None,
    zone: tzinfo = UTC,
    **properties: Any,
) -> AsyncIterator[tuple[TimerListener, CallLog]]:
    """A started listener for the function `tick` and what it called; stopped at the end."""
    settings = {
        "AzureWebJobsStorage": storage or account.connection_string,
        "AzureFunctionsWebHost__hostid": account.host_id,
    }
    log = CallLog()
    function = timer_function("tick", schedule, **properties)
    listener = TimerListener(function, Configuration(settings), log, clock=clock, zone=zone)
    try:
        await listener.start()
        yield listener, log
    finally:
        await listener.stop()


def fired(log: CallLog) -> list[str]:
    return [call.reason.removeprefix("Timer fired at 2026-").partition(".")[0] for call in log.calls]


async def test_timer_started_for_the_first_time_writes_its_status_and_does_not_fire(account: Account) -> None:
    clock = SteppedClock(START)
    async with host(account, clock) as (_, log):
        await clock.until_sleeping(HOLDING)
        assert account.status() == {
            "Last": "0001-01-01T00:00:00+00:00",
            "Next": "2026-11-30T14:00:00+00:00",
            "LastUpdated": "2026-11-30T13:58:09+00:00",
        }
        assert log.calls == []
    assert account.blobs() == [
        f"locks/{account.host_id}/Host.Functions.tick.Listener",
        f"timers/{account.host_id}/Host.Functions.tick/status",
    ]


async def test_timer_that_fires_passes_its_status_on_and_stores_the_new_one(account: Account) -> None:
    clock = SteppedClock(START)
    async with host(account, clock, zone=ZoneInfo("Europe/Berlin")) as (_, log):
        await clock.until_sleeping(HOLDING)
        await clock.advance(7 * MINUTE)
        assert [payload["ScheduleStatus"]["Next"] for payload in log.payloads] == [
            "2026-11-30T15:00:00+01:00",
            "2026-11-30T15:05:00+01:00",
        ]
        assert log.payloads[1]["ScheduleStatus"]["Last"] == "2026-11-30T15:00:00+01:00"
        assert account.status() == {
            "Last": "2026-11-30T15:05:00+01:00",
            "Next": "2026-11-30T15:10:00+01:00",
            "LastUpdated": "2026-11-30T15:05:00+01:00",
        }


async def test_timer_started_late_makes_up_once_in_place_of_its_run_on_startup(account: Account) -> None:
    async with host(account, SteppedClock(START)):
        pass
    clock = SteppedClock(START + timedelta(hours=1))
    async with host(account, clock, runOnStartup=True) as (_, log):
        await log.until_called(1)
        await clock.until_sleeping(HOLDING)
        await clock.advance(2 * MINUTE)
        assert fired(log) == ["11-30T14:58:09", "11-30T15:00:00"]
        assert [payload["IsPastDue"] for payload in log.payloads] == [True, False]
        assert log.calls[0].details == (
            "UnscheduledInvocationReason: IsPastDue, OriginalSchedule: 2026-11-30T14:00:00.0000000+00:00"
        )
        assert log.payloads[0]["ScheduleStatus"]["Next"] == "2026-11-30T14:00:00+00:00"


async def test_timer_started_in_time_does_not_make_up(account: Account) -> None:
    async with host(account, SteppedClock(START)):
        pass
    clock = SteppedClock(START + MINUTE)
    async with host(account, clock) as (_, log):
        await clock.until_sleeping(HOLDING)
        await clock.advance(MINUTE)
        assert fired(log) == ["11-30T14:00:00"]


async def test_timer_whose_schedule_was_edited_takes_the_new_one_and_makes_up_nothing(account: Account) -> None:
    async with host(account, SteppedClock(START)):
        pass
    clock = SteppedClock(START + timedelta(hours=1))
    async with host(account, clock, schedule="0 0 9 * * *") as (_, log):
        await clock.until_sleeping(HOLDING)
        assert account.status()["Next"] == "2026-12-01T09:00:00+00:00"
        assert log.calls == []


async def test_timer_whose_run_fails_stores_its_status_and_goes_on(account: Account) -> None:
    clock = SteppedClock(START)
    async with host(account, clock) as (_, log):
        log.outcome = RuntimeError("boom")
        await clock.until_sleeping(HOLDING)
        await clock.advance(7 * MINUTE)
        assert len(log.calls) == 2
        assert account.status()["Last"] == "2026-11-30T14:05:00+00:00"


@pytest.mark.parametrize(
    ("schedule", "properties"),
    [("*/20 * * * * *", {}), ("00:00:20", {"useMonitor": True}), ("0 */5 * * * *", {"useMonitor": False})],
)
async def test_timer_that_is_not_monitored_keeps_no_status(
    account: Account, schedule: str, properties: dict[str, Any]
) -> None:
    clock = SteppedClock(START)
    async with host(account, clock, schedule=schedule, **properties) as (_, log):
        await clock.until_sleeping(HOLDING)
        await clock.advance(5 * MINUTE)
        assert log.calls
        assert {payload["ScheduleStatus"] for payload in log.payloads} == {None}
    assert account.blobs() == [f"locks/{account.host_id}/Host.Functions.tick.Listener"]


async def test_timer_of_two_hosts_fires_in_one_and_the_other_takes_over(account: Account) -> None:
    # TM-01: one slot, one run, however many hosts there are
    clock = SteppedClock(START)
    async with host(account, clock) as (first, first_log):
        async with host(account, clock) as (_, second_log):
            await clock.until_sleeping(HOLDING + STANDING_BY)
            await clock.advance(7 * MINUTE)
            assert (fired(first_log), fired(second_log)) == (["11-30T14:00:00", "11-30T14:05:00"], [])
            await first.stop()
            await clock.until_sleeping(STANDING_BY)
            clock.wake_first()
            await clock.until_sleeping(HOLDING)
            await clock.advance(10 * MINUTE)
            assert fired(second_log) == ["11-30T14:10:00", "11-30T14:15:00"]
            assert {payload["IsPastDue"] for payload in second_log.payloads} == {False}
        assert len(first_log.calls) == 2


async def test_timer_of_two_hosts_with_ids_of_their_own_fires_in_both(
    account: Account, unique_name: Callable[[str], str]
) -> None:
    # TM-03: that is why each app has a host id, or an account, of its own
    other = Account(account.connection_string, unique_name("host"))
    clock = SteppedClock(START)
    async with host(account, clock) as (_, log), host(other, clock) as (_, other_log):
        await clock.until_sleeping(2 * HOLDING)
        await clock.advance(2 * MINUTE)
        assert fired(log) == fired(other_log) == ["11-30T14:00:00"]
    other.close()


async def test_timer_of_a_host_that_was_killed_is_made_up_for_by_the_next(account: Account) -> None:
    # A killed host leaves its lock and a status whose next time passes; a broken lease is one that ran out.
    clock = SteppedClock(START)
    async with host(account, clock) as (_, dead_log):
        await clock.until_sleeping(HOLDING)
        account.lock().break_lease(0)
        later = SteppedClock(START + timedelta(hours=1))
        async with host(account, later) as (_, log):
            await log.until_called(1)
            await later.until_sleeping(HOLDING)
            assert [payload["IsPastDue"] for payload in log.payloads] == [True]
            # The dead one wakes up: it learns at its renewal that the timer is another's, and leaves it alone.
            clock.wake_first()
            await clock.until_alarms(clock.now() + MINUTE)
            await clock.advance(10 * MINUTE)
            assert dead_log.calls == []


async def test_timer_whose_lock_was_lost_and_is_free_takes_it_back(account: Account) -> None:
    clock = SteppedClock(START)
    async with host(account, clock) as (_, log):
        await clock.until_sleeping(HOLDING)
        account.lock().break_lease(0)
        await clock.advance(7 * MINUTE)
        assert fired(log) == ["11-30T14:00:00", "11-30T14:05:00"]
        with pytest.raises(HttpResponseError, match="LeaseAlreadyPresent"):
            account.lock().acquire(15)


async def test_timer_that_stops_leaves_its_lock_free(account: Account) -> None:
    clock = SteppedClock(START)
    async with host(account, clock):
        await clock.until_sleeping(HOLDING)
        with pytest.raises(HttpResponseError, match="LeaseAlreadyPresent"):
            account.lock().acquire(15)
    account.lock().acquire(15)


async def test_timer_that_was_stopped_starts_again_and_takes_its_lock(account: Account) -> None:
    clock = SteppedClock(START)
    async with host(account, clock) as (listener, _):
        await clock.until_sleeping(HOLDING)
        await listener.stop()
        await listener.start()
        await clock.until_sleeping(HOLDING)
        with pytest.raises(HttpResponseError, match="LeaseAlreadyPresent"):
            account.lock().acquire(15)


async def test_timer_that_stops_during_a_run_stores_its_status_before_it_frees_the_lock(
    account: Account, wire: Wire
) -> None:
    clock = SteppedClock(START)
    async with host(account, clock, storage=wire.connection_string) as (_, log):
        await clock.until_sleeping(HOLDING)
        await clock.advance(MINUTE)
        log.gate.clear()
        clock.wake_first()  # a renewal
        await clock.until_sleeping(HOLDING)
        clock.wake_first()
        await log.until_called(1)
        wire.clear()
        log.gate.set()
    assert [_lease_action(request) or request.op for request in wire.requests] == ["put", "release"]


async def test_timer_whose_renewal_fails_renews_faster_and_keeps_the_lock(account: Account, wire: Wire) -> None:
    clock = SteppedClock(START)
    async with host(account, clock, storage=wire.connection_string) as (_, log):
        await clock.until_sleeping(HOLDING)
        wire.fail(match=lambda request: _lease_action(request) == "renew", status=503, code="ServerBusy", times=2)
        await clock.advance(7 * MINUTE)
        assert len(log.calls) == 2
        renewals = [request for request in wire.requests if _lease_action(request) == "renew"]
        assert [request.status for request in renewals[:4]] == [503, 503, 200, 200]
        assert [_lease_action(request) for request in wire.requests].count("acquire") == 2  # the first found no blob


async def test_timer_whose_lock_cannot_be_renewed_in_time_stops_firing(
    account: Account, wire: Wire, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SteppedClock(START)
    async with host(account, clock, storage=wire.connection_string) as (_, log):
        await clock.until_sleeping(HOLDING)
        wire.down("blob")
        for seconds in (30, 45, 52.5, 56.25, 58.125, 59.125, 60):
            await clock.until_alarms(START + seconds * SECOND, datetime(2026, 11, 30, 14, 0, tzinfo=UTC))
            clock.wake_first()
        await clock.until_alarms(START + 62 * SECOND)
        assert "is lost" in capsys.readouterr().out
        await clock.advance(10 * MINUTE)
        assert log.calls == []
        # Storage is back: it asks for the lock again, and makes up for what was missed.
        wire.up("blob")
        clock.wake_first()
        await log.until_called(1)
        assert log.payloads[0]["IsPastDue"] is True


async def test_timer_without_storage_starts_when_it_comes(
    account: Account, wire: Wire, capsys: pytest.CaptureFixture[str]
) -> None:
    wire.down("blob")
    clock = SteppedClock(START)
    async with host(account, clock, storage=wire.connection_string) as (_, log):
        assert "The listener for function 'Functions.tick' was unable to start" in capsys.readouterr().out
        assert clock.alarms == [START + 2 * SECOND]
        wire.up("blob")
        clock.wake_first()
        await clock.until_sleeping(HOLDING)
        await clock.advance(2 * MINUTE)
        assert fired(log) == ["11-30T14:00:00"]


async def test_timer_without_a_storage_setting_names_it_and_goes_on_trying(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = SteppedClock(START)
    listener = TimerListener(timer_function("tick"), Configuration({}), CallLog(), clock=clock, zone=UTC)
    await listener.start()
    assert "AzureWebJobsStorage" in capsys.readouterr().out
    waits = []
    for _ in range(9):
        waits.append((clock.alarms[0] - clock.now()).total_seconds())
        clock.wake_first()
        await clock.until_sleeping(1)
    assert waits[0] == 2
    assert waits == sorted(waits)
    assert waits[-1] == 120
    await listener.stop()


async def test_timer_whose_lock_was_granted_in_an_answer_that_was_lost_finds_it_to_be_its_own(
    account: Account, wire: Wire
) -> None:
    async with host(account, SteppedClock(START)):
        pass  # the lock's blob is there now
    wire.fail(op="lease", after=True, status=503, code="ServerBusy")
    clock = SteppedClock(START)
    async with host(account, clock, storage=wire.connection_string):
        assert clock.alarms == [START + 2 * SECOND]
        clock.wake_first()
        await clock.until_sleeping(HOLDING)


async def test_timer_whose_status_cannot_be_written_goes_on(
    account: Account, wire: Wire, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SteppedClock(START)
    async with host(account, clock, storage=wire.connection_string) as (_, log):
        await clock.until_sleeping(HOLDING)
        wire.fail(op="put", status=403, code="AuthorizationFailure")
        await clock.advance(7 * MINUTE)
        assert len(log.calls) == 2
        assert "Function 'tick' failed to update the timer trigger status" in capsys.readouterr().out
        assert account.status()["Last"] == "2026-11-30T14:05:00+00:00"


async def test_timer_whose_status_is_something_else_says_so_and_tries_again(
    account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    async with host(account, SteppedClock(START)):
        pass
    account.put_status("what?")
    clock = SteppedClock(START)
    async with host(account, clock):
        assert f"{CONTAINER}/{account.status_path('tick')} does not hold a timer's status" in capsys.readouterr().out
        account.put_status("")
        clock.wake_first()
        await clock.until_sleeping(HOLDING)
        assert account.status()["Next"] == "2026-11-30T14:00:00+00:00"


async def test_timer_called_by_hand_gets_the_stored_status_and_keeps_it(account: Account) -> None:
    clock = SteppedClock(START)
    async with host(account, clock) as (listener, _):
        await clock.until_sleeping(HOLDING)
        call = await listener.manual_call("asked for")
        assert call.reason == "asked for"
        assert json.loads(call.trigger.value) == {
            "Schedule": {"AdjustForDST": True},
            "ScheduleStatus": account.status(),
            "IsPastDue": False,
        }


def test_timer_whose_schedule_is_a_setting_takes_it() -> None:
    settings = Configuration({"EVERY": "00:00:20"})
    TimerListener(timer_function("tick", "%EVERY%"), settings, CallLog(), zone=UTC)


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("0 0 0 * * 7", "'0 0 0 \\* \\* 7' was not recognized"),
        ("", "'' was not recognized"),
        ("%EMPTY%", "'' was not recognized"),
        ("%MISSING%", "%MISSING%"),
    ],
)
def test_timer_with_a_bad_schedule_is_refused(schedule: str, reason: str) -> None:
    with pytest.raises(FunctionError, match=reason):
        TimerListener(timer_function("tick", schedule), Configuration({"EMPTY": ""}), CallLog(), zone=UTC)


def _lease_action(request: StorageRequest) -> str:
    headers = {name.lower(): value for name, value in request.headers.items()}
    return headers.get("x-ms-lease-action", "")
