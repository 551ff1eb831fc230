"""The lock that lets one host at a time listen for a timer: a lease on a blob.

Source: WebJobs SDK, Host/Singleton (SingletonManager.cs, BlobLeaseDistributedLockManager.cs, SingletonListener.cs).
"""

import asyncio
import logging
import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from azure.core.exceptions import AzureError, HttpResponseError, ResourceNotFoundError

from devhost.console import log
from devhost.timers.clock import Clock
from devhost.timers.host_blobs import HostBlobs

if TYPE_CHECKING:
    from azure.storage.blob.aio import BlobLeaseClient

FASTEST_RENEWAL = timedelta(seconds=1)


class SingletonLock:
    """A lock that dies with its holder: whoever is killed holds it for the rest of the period at most.

    While it is held, `lost` is not set. It is set when the lease was not renewed in time or now belongs to another.
    """

    def __init__(self, blobs: HostBlobs, path: str, *, clock: Clock, period: timedelta) -> None:
        """`path` names the blob, `period` is whole seconds, 15 to 60."""
        self.lost = asyncio.Event()
        self._blobs = blobs
        self._path = path
        self._clock = clock
        self._period = period
        # Chosen here, so that asking again after an answer that was lost finds the lease to be ours.
        self._lease_id = str(uuid.uuid4())
        self._asked = False
        self._keeper: asyncio.Task[None] | None = None

    async def acquire(self) -> bool:
        """Take the lock and keep it; False if another holds it.

        Raises:
            AzureError: perhaps taken; safe to repeat, and `release` gives it back.
        """
        if self._keeper is not None and not self.lost.is_set():
            return True
        self._asked = True
        asked_at = self._clock.now()
        try:
            await self._acquire_lease()
        except HttpResponseError as error:
            if error.status_code != 409:
                raise
            self._asked = False
            return False
        self.lost.clear()
        self._keeper = asyncio.create_task(self._keep(asked_at))
        return True

    async def release(self) -> None:
        """The lock is free for others, or was not ours. If storage does not answer it ends by itself."""
        was_held = self._keeper is not None
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._keeper = None
        if not self._asked:
            return
        self._asked = False
        try:
            await self._lease().release()
        except AzureError as error:
            is_anothers = isinstance(error, HttpResponseError) and error.status_code in (404, 409)
            if was_held and not is_anothers:
                self._tell(f"could not be released, and ends within {self._period}: {_first_line(error)}")

    async def _acquire_lease(self) -> None:
        seconds = int(self._period.total_seconds())
        try:
            await self._lease().acquire(lease_duration=seconds)
        except ResourceNotFoundError:
            await self._blobs.put(self._path, b"", overwrite=False)
            await self._lease().acquire(lease_duration=seconds)

    async def _keep(self, held_since: datetime) -> None:
        """Renew at half-time, faster after a failure, until the lease is lost."""
        pause = self._period / 2
        while True:
            await self._clock.sleep(min(pause, held_since + self._period - self._clock.now()))
            asked_at = self._clock.now()
            try:
                await self._lease().renew()
            except AzureError as error:
                refused = isinstance(error, HttpResponseError) and 400 <= (error.status_code or 0) < 500
                if refused or self._clock.now() >= held_since + self._period:
                    self._tell(f"is lost: {_first_line(error)}")
                    self.lost.set()
                    return
                self._tell(f"was not renewed and is tried again: {_first_line(error)}")
                pause = max(pause / 2, FASTEST_RENEWAL)
            else:
                held_since, pause = asked_at, self._period / 2

    def _lease(self) -> "BlobLeaseClient":
        from azure.storage.blob.aio import BlobLeaseClient  # here: only apps with timers pay for it

        return BlobLeaseClient(self._blobs.blob(self._path), self._lease_id)

    def _tell(self, what: str) -> None:
        log(f"The singleton lock {self._path} {what}", logging.WARNING)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
