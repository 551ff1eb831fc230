"""The photo that a task names as it is submitted: one that was given to its caller, or that comes with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec.structs import replace

from shared.domain import identity
from shared.domain.errors import FieldError, InvalidTask
from shared.domain.photo_id import sign_photo_id, verify_photo_id
from shared.domain.task import Task
from shared.imaging.limits import MAX_BYTES

PHOTO_MAX_BYTES = MAX_BYTES
"""What is larger is refused here already, where its length is known."""


@dataclass(frozen=True, kw_only=True, repr=False)
class PhotoPart:
    """A photo that came with its task in one request. `digest` is the SHA-256 of its bytes, in hex."""

    data: bytes
    digest: str
    media_type: str

    def name(self, task_id: str) -> str:
        """The photo that it is for a task: sent again, it is the same."""
        return identity.multipart_photo(task_id, self.digest)


def naming(task: Task, photo: str, caller: str, *, now: datetime, keys: Sequence[bytes]) -> Task:
    """The task with a photo that is put for it."""
    return replace(task, photo_id=sign_photo_id(photo, caller, now=now, keys=keys))


def check_photo_id(task: Task, caller: str, *, keys: Sequence[bytes]) -> None:
    """InvalidTask for a task that names a photo which this caller was not given."""
    given = verify_photo_id(task.photo_id, keys) if task.photo_id else None
    if task.photo_id and (given is None or given.caller_digest != identity.caller_digest(caller)):
        raise _refusal("is not one that this app gave to you; ask for one with POST /api/photos")


def check_photo_age(task: Task, caller: str, *, now: datetime, keys: Sequence[bytes]) -> None:
    """InvalidTask for a new task whose photo was given too long ago. One that is sent again may be older."""
    given = verify_photo_id(task.photo_id, keys) if task.photo_id else None
    if given and not given.is_for(caller, at=now):
        raise _refusal("is older than a day; ask for another one with POST /api/photos, and upload the photo anew")


def _refusal(rule: str) -> InvalidTask:
    return InvalidTask(f"photoId {rule}.", errors=[FieldError("photoId", rule)])
