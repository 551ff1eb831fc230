"""What a monitored timer remembers from one start to the next.

Source: WebJobs.Extensions, Timers/Scheduling/ScheduleMonitor.cs and StorageScheduleMonitor.cs.
"""

import json
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Self

from azure.core.exceptions import ResourceNotFoundError

from devhost.dotnet.iso_time import UNSET, json_time, parse_time
from devhost.queues.storage_tries import try_as_dotnet
from devhost.timers.host_blobs import CONTAINER, HostBlobs
from devhost.timers.schedule import Schedule


@dataclass(frozen=True, kw_only=True)
class TimerStatus:
    """When it fired last, when it fires next, and from which moment `next` was found. UNSET where there is none."""

    last: datetime = UNSET
    next: datetime = UNSET
    last_updated: datetime = UNSET

    def to_dict(self, zone: tzinfo) -> dict[str, str]:
        """As it is stored, and as the function gets it."""
        return {
            "Last": json_time(self.last, zone),
            "Next": json_time(self.next, zone),
            "LastUpdated": json_time(self.last_updated, zone),
        }

    @classmethod
    def from_json(cls, text: str, zone: tzinfo) -> Self | None:
        """None where nothing was stored.

        Raises:
            ValueError: the text is no status.
        """
        stored = json.loads(text) if text.strip() else None
        if stored is None:
            return None
        if not isinstance(stored, dict):
            raise ValueError("not a JSON object")
        times = {name.lower(): parse_time(str(value), zone) for name, value in stored.items()}
        return cls(
            last=times.get("last", UNSET),
            next=times.get("next", UNSET),
            last_updated=times.get("lastupdated", UNSET),
        )


def status_at_start(stored: TimerStatus | None, schedule: Schedule, now: datetime) -> TimerStatus:
    """The status to go on from. It is to be stored if it is not the stored one, and `next` before now means past due.

    A first start waits for the first time after now. When `next` is not what the schedule says, it was edited: what the
    new one would have missed does not count as missed.
    """
    if stored is None:
        return TimerStatus(next=schedule.next_after(now), last_updated=now)
    since = next((moment for moment in (stored.last, stored.last_updated) if moment != UNSET), now)
    expected = schedule.next_after(since)
    if stored.next == expected:
        return stored
    if now > expected:
        since, expected = now, schedule.next_after(now)
    return TimerStatus(next=expected, last_updated=since)


class TimerStatusStore:
    """The status of one function, in the blob `timers/<host id>/Host.Functions.<function>/status`."""

    def __init__(self, blobs: HostBlobs, host_id: str, function_name: str, zone: tzinfo) -> None:
        self._blobs = blobs
        self._zone = zone
        self._path = f"timers/{host_id}/Host.Functions.{function_name}/status"

    async def read(self) -> TimerStatus | None:
        """The status that was stored; None if there is none.

        Raises:
            AzureError: it cannot be read.
            ValueError: the blob holds something else; the message names it.
        """
        try:
            content = await (await self._blobs.blob(self._path).download_blob()).readall()
        except ResourceNotFoundError:
            return None
        try:
            return TimerStatus.from_json(content.decode(), self._zone)
        except ValueError as error:
            raise ValueError(f"The blob {CONTAINER}/{self._path} does not hold a timer's status: {error}") from error

    async def write(self, status: TimerStatus) -> None:
        """The status is stored.

        Raises:
            StorageFailure: perhaps stored; it was tried six times.
        """
        text = json.dumps(status.to_dict(self._zone), separators=(",", ":"))
        await try_as_dotnet(lambda: self._blobs.put(self._path, text.encode(), overwrite=True))
