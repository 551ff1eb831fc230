"""Who may see a task may see its photo: by a link of minutes to one blob, made for each look."""

from datetime import datetime
from typing import Literal

from shared.domain.errors import NotFound
from shared.domain.photo_id import photo_of
from shared.domain.record import Record
from shared.services.deadline import STORAGE, answers_within
from shared.storage.photo_links import PhotoLinks
from shared.storage.photo_names import shown_name

Form = Literal["photo", "thumbnail"]
State = Literal["waiting", "ready", "rejected", "missing", "taken", "removed"]
"""What is told of a task's photo: as `PhotoState`, and besides `waiting` (it is not known yet) and `removed` (its task
was cancelled)."""

_WHY = {
    "waiting": "The photo has not been looked at yet; ask again later.",
    "removed": "The task was cancelled, and its photo removed.",
}


def photo_state(record: Record) -> State | None:
    """How a task's photo is; None for a task that names none."""
    if not record.task.photo_id:
        return None
    if record.state == "cancelled":
        return "removed"
    return record.photo.state if record.photo else "waiting"


def why_not(record: Record) -> str:
    """Why there is no photo to be seen; empty if there is one."""
    state = photo_state(record)
    if state is None:
        return "The task has no photo."
    if state == "ready":
        return ""
    reason = record.photo.reason if record.photo and state not in _WHY else ""
    return _WHY.get(state) or reason or f"The photo is {state}."


async def link_to(record: Record, form: Form, *, links: PhotoLinks, now: datetime, seconds: float) -> str:
    """The address at which a photo that is ready can be read for some minutes.

    Raises:
        NotFound: there is none to be seen; the text says how the photo is, and why.
        DependencyDown: no link can be signed, or not within so many seconds.
    """
    if reason := why_not(record):
        raise NotFound(reason, code="no_photo")
    assert record.photo is not None
    name = shown_name(photo_of(record.task.photo_id), form, record.photo)
    async with answers_within(seconds, STORAGE):
        return await links.read_link(name, now=now)
