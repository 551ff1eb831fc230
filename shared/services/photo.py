"""The photo filter: from what was uploaded to what may be shown of it. A task goes on without a photo that is none."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from shared import log
from shared.domain.delivery import Delivery
from shared.domain.envelope import Envelope
from shared.domain.errors import PhotoRejected, told
from shared.domain.photo import DELIVERIES, Photo
from shared.domain.photo_id import PhotoId, photo_of, verify_photo_id
from shared.domain.record import Record
from shared.imaging.limits import MAX_BYTES, check_bytes
from shared.imaging.render import Rendered, rendered
from shared.imaging.slots import SLOTS
from shared.services.filter_work import Done, Later, Parts
from shared.storage.photo_claims import SWEEPER, PhotoClaims
from shared.storage.photos import PhotoStore

WAITS_MAX = 12
"""The longest wait for an upload, in first waits."""

UNKNOWN = Photo(
    state="rejected",
    code="photo_unknown",
    reason="Its photoId was not given to who submitted the task, or more than a day before.",
)
TAKEN = Photo(state="taken", code="photo_taken", reason="Another task had named this photo first.")
MISSING = Photo(state="missing", code="photo_missing", reason="Nothing was uploaded in time.")
CRASHED = PhotoRejected("Three tries to read it came to nothing. Send it in another form.", code="photo_crashed")


def open_photo(parts: Parts) -> "PhotoWork":
    """The work of the filter."""
    return PhotoWork(
        store=PhotoStore(parts.account),
        claims=PhotoClaims(parts.account),
        keys=parts.keys,
        upload_time=parts.upload_time,
        first_wait=parts.photo_wait_seconds,
        decode_seconds=parts.step_seconds * 0.75,
    )


class Undecoded(Exception):
    """A decode failed in a way that nobody foresaw. The text is the kind of error."""


@dataclass(frozen=True, kw_only=True)
class PhotoWork:
    """`upload_time` is how long the link is good; an upload that began by then is waited for as long again.

    A decode has `decode_seconds`. `room` is for as many photos as are decoded at once: the others wait before they are
    read, so that their bytes take no memory.
    """

    store: PhotoStore
    claims: PhotoClaims
    keys: Callable[[], Sequence[bytes]]
    upload_time: timedelta
    first_wait: float
    decode_seconds: float
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(SLOTS))

    async def do(self, record: Record, event: Envelope, delivery: Delivery, *, now: datetime) -> Done | Later:
        """Claim the photo, then make a clean copy and a thumbnail of it.

        A repeat claims what is its own already, and overwrites the same blobs.

        Raises:
            DependencyDown: a store cannot be used now. SettingsError: the keys cannot.
        """
        photo = photo_of(record.task.photo_id)
        named = verify_photo_id(record.task.photo_id, self.keys())
        if not await self._may_have(record, photo, named):
            return _ended(UNKNOWN)
        holder = await self.claims.claim(photo, record.id)
        if holder != record.id:
            return _ended(MISSING if holder == SWEEPER else TAKEN)
        found = await self.store.size_of(photo)
        if found is None:
            wait = self._wait(event.attempt, named, now)
            return Later(seconds=wait) if wait else _ended(MISSING)
        try:
            check_bytes(found.size)
            made = await self._rendered(photo, delivery)
        except PhotoRejected as error:
            return _ended(Photo(state="rejected", code=error.code, reason=error.reason))
        if made is None:  # somebody removed it since
            return _ended(MISSING)
        return _ended(
            Photo(
                state="ready",
                extension=made.extension,
                width=made.width,
                height=made.height,
                location=made.geotag,
            )
        )

    async def tidy(self, record: Record) -> None:
        """Remove the upload; of what cannot be a photo everything. What is not this task's stays."""
        photo, found = photo_of(record.task.photo_id), record.photo
        if found is None or found.state in ("taken", "missing") or found.code == UNKNOWN.code:
            return
        if found.state == "ready":
            await self.store.drop_incoming(photo)
        else:
            await self.store.remove(photo)

    async def undo(self, record: Record) -> None:
        """Remove every form of the photo, if it is this task's. It is claimed first, so that no other task gets it."""
        photo = photo_of(record.task.photo_id)
        if not photo or not await self._may_have(record, photo, verify_photo_id(record.task.photo_id, self.keys())):
            return
        if await self.claims.claim(photo, record.id) == record.id:
            await self.store.remove(photo)

    async def _may_have(self, record: Record, photo: str, named: PhotoId | None) -> bool:
        """Whether the photo was given to who submitted the task; what was claimed before a key was retired still is."""
        if named and named.is_for(record.caller, at=record.submitted_at):
            return True
        return bool(photo) and await self.claims.holder(photo) == record.id

    async def _rendered(self, photo: str, delivery: Delivery) -> Rendered | None:
        """What is made of the photo, kept beside the original; None if it is not there.

        One that ended the worker at three deliveries, or that raises what nobody foresaw at the third, is given up.
        """
        if delivery.dequeue_count > DELIVERIES:
            raise CRASHED
        async with self.room:
            data = await self.store.read(photo, most=MAX_BYTES + 1)
            if data is None:
                return None
            try:
                async with asyncio.timeout(self.decode_seconds):
                    made = await rendered(data)
            except PhotoRejected:
                raise
            except Exception as error:
                if delivery.dequeue_count < DELIVERIES:
                    # A deadline that it exceeds is no outage, which would be waited out for days: it counts too.
                    raise Undecoded(told(error)) from error
                log.exception("a photo cannot be read", error, because=told(error))
                raise CRASHED from error
            await self.store.keep(
                photo,
                original=data,
                clean=made.clean,
                extension=made.extension,
                clean_type=made.clean_type,
                thumbnail=made.thumbnail,
            )
            return made

    def _wait(self, attempt: int, named: PhotoId | None, now: datetime) -> int:
        """Whole seconds to wait for the upload; 0 once it cannot come any more."""
        ends = named.given_at + 2 * self.upload_time if named else now
        if now >= ends:
            # A task that names a photo long after the upload is looked at twice: the storage may be a moment behind.
            return math.ceil(self.first_wait) if attempt == 1 else 0
        grown = self.first_wait * min(2.0 ** min(attempt - 1, 40), WAITS_MAX)
        return math.ceil(min(grown, (ends - now).total_seconds() + self.first_wait))


def _ended(photo: Photo) -> Done:
    return Done(changes={"photo": photo})
