"""How the photo of a task is told."""

from typing import Any

from shared.domain.record import Record
from shared.services.photo_view import photo_state, why_not
from shared.web.routes import photo_path, thumbnail_path


def photo_data(record: Record) -> dict[str, Any] | None:
    """How a task's photo is, as JSON holds it; None for a task without one."""
    state = photo_state(record)
    if state is None:
        return None
    photo = record.photo if state != "removed" else None
    place = photo.location if photo else None
    links = {"photo": photo_path(record.id), "thumbnail": thumbnail_path(record.id)}
    return {
        "state": state,
        "code": photo.code if photo else "",
        "reason": (photo.reason if photo else "") or why_not(record),
        "width": photo.width if photo else 0,
        "height": photo.height if photo else 0,
        "location": {"latitude": place[0], "longitude": place[1]} if place else None,
        "links": links if state == "ready" else None,
    }
