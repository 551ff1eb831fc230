"""Uploads that no task came for: the sweeper claims them, so that none can come any more, and removes them."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from shared import log
from shared.domain.errors import told
from shared.storage.photo_claims import SWEEPER, PhotoClaims
from shared.storage.photos import PhotoStore, Upload
from shared.storage.pointers import Pointer, Pointers
from shared.storage.tasks import TaskStore

PAGE, IN_FLIGHT = 500, 4
_BOOKMARK = "uploads"


async def sweep_uploads(
    *,
    photos: PhotoStore,
    claims: PhotoClaims,
    tasks: TaskStore,
    pointers: Pointers,
    now: datetime,
    older_than: timedelta,
    seconds: float,
) -> None:
    """One run, ended after so many seconds. Never raises: one log line says how it went.

    An upload of which the sweeper has the claim is removed: no task can have it. One that a task has is removed once
    its task cannot want it any more: the photo was looked at (a resend made the upload anew, or it could not be removed
    then), or the task is settled. A task that failed and is tried again after so many days goes on without its photo
    and says so, as it does in the cloud, where a rule of the account removes uploads of that age whoever has them. A
    task that is on its way keeps its upload.

    What one run leaves over has its turn in the next ones: it goes on behind the last page that was begun.
    """
    run = _Run(photos=photos, claims=claims, tasks=tasks, pointers=pointers, before=now - older_than)
    is_cut_short, because = False, ""
    try:
        async with asyncio.timeout(seconds):
            await run.run()
    except TimeoutError:
        is_cut_short = True
    except Exception as error:
        is_cut_short, because = True, told(error)
    counts = run.counts
    because = because or run.because
    say = log.warning if because else log.info
    say(
        "uploads swept",
        lookedAt=counts.total(),
        **{name: counts[name] for name in ("removed", "kept", "foreign", "failed")},
        leftOver=is_cut_short,
        **({"because": because} if because else {}),
    )


@dataclass(kw_only=True)
class _Run:
    photos: PhotoStore
    claims: PhotoClaims
    tasks: TaskStore
    pointers: Pointers
    before: datetime
    counts: Counter[str] = field(default_factory=Counter)
    because: str = ""

    async def run(self) -> None:
        """From where the last run was cut short to the end; the next one begins at the beginning."""
        bookmark = await self.pointers.bookmark(_BOOKMARK)
        mark = bookmark.key if bookmark else None
        while True:
            page, mark = await self.photos.uploads(mark, limit=PAGE)
            if mark is not None or bookmark is not None:
                bookmark = Pointer(list=_BOOKMARK, key=mark) if mark else None
                await self.pointers.set_bookmark(_BOOKMARK, bookmark)
            await self._see_to_all([each for each in page if each.uploaded_at < self.before])
            if mark is None:
                return

    async def _see_to_all(self, uploads: list[Upload]) -> None:
        free = asyncio.Semaphore(IN_FLIGHT)

        async def see_to(upload: Upload) -> None:
            async with free:
                self.counts[await self._outcome(upload)] += 1

        await asyncio.gather(*map(see_to, uploads))

    async def _outcome(self, upload: Upload) -> str:
        """What became of it. No error of one upload ends the run."""
        if not upload.photo:
            return "foreign"  # none of our names: whoever put it there may remove it
        try:
            if not await self._is_wanted(upload.photo):
                await self.photos.drop_incoming(upload.photo)
                return "removed"
            return "kept"
        except Exception as error:
            self.because = told(error)
            return "failed"

    async def _is_wanted(self, photo: str) -> bool:
        """Whether the task that has it, if one has, may still need it. Nobody else can claim it from now on."""
        holder = await self.claims.claim(photo, SWEEPER)
        if holder == SWEEPER:
            return False
        record = await self.tasks.read(holder)
        return record is not None and record.photo is None and not record.is_settled
