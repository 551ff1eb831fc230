"""The page of one task, with what the person may do with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import azure.functions as func

from shared.domain.errors import CallerError, FieldError, InvalidRequest, StaleEdit
from shared.domain.principal import Principal
from shared.domain.record import Record
from shared.domain.tag import tag_of
from shared.services.photo_view import photo_state, why_not
from shared.web.form_body import read_form
from shared.web.pages.page import page
from shared.web.routes import photo_path, task_page_path, thumbnail_path

Act = Literal["finish", "unfinish", "cancel", "retry"]
"""What the buttons do: mark it done, or not done; cancel it; try it again."""

_SAID: Mapping[str, tuple[str, Callable[[Record], bool]]] = {
    "finish": ("It is marked as done.", lambda record: record.task.is_done),
    "unfinish": ("It is marked as not done.", lambda record: not record.task.is_done),
    "cancel": ("It is cancelled.", lambda record: record.state == "cancelled"),
    "retry": ("It is tried again.", lambda record: record.reopened_at is not None and record.state != "cancelled"),
}
"""What the page that follows a button says, where the row bears it out: anybody can make a link to such a page."""


@dataclass(frozen=True)
class Press:
    """A button that was pressed. `tag` is the version of the task beside which it stood."""

    act: Act
    tag: str
    token: str

    def is_for(self, tag: str) -> bool:
        """Whether it is for the version of a tag."""
        return tag == self.tag

    def done_at(self, task_id: str) -> str:
        """The page that shows what became of it."""
        return f"{task_page_path(task_id)}?said={self.act}"


def read_press(request: func.HttpRequest) -> Press:
    """The button that was pressed; InvalidRequest and its like for what no page of ours can send."""
    fields = read_form(request, ("act", "tag", "token"))
    act = next((each for each in get_args(Act) if each == fields["act"]), None)
    if act is None:
        rule = f"must be one of {', '.join(get_args(Act))}"
        raise InvalidRequest(f"act {rule}.", code="invalid_form", errors=[FieldError("act", rule)])
    return Press(act, fields["tag"], fields["token"])


def shows_photo(record: Record) -> bool:
    """Whether there is a photo to be seen on the page."""
    return photo_state(record) == "ready"


def my_task(
    who: Principal,
    record: Record,
    *,
    token: str,
    said: str = "",
    error: CallerError | None = None,
    shown_from: str = "",
) -> func.HttpResponse:
    """The task, what was just done with it or why that could not be done, and what may be done now.

    `shown_from` is the origin of links to photos, where there is one to be seen.
    """
    has_photo = photo_state(record) is not None
    return page(
        "my_task.html",
        status=error.status if error else 200,
        shown_from=shown_from,
        photo=(photo_path(record.id), thumbnail_path(record.id)) if shows_photo(record) else (),
        no_photo=why_not(record) if has_photo else "",
        who=who,
        here="",
        record=record,
        acts=_acts(who, record),
        tag=tag_of(record.etag),
        token=token,
        said="" if error else _said(said, record),
        error=error,
        told="Somebody changed it since you looked; here it is as it is now."
        if isinstance(error, StaleEdit)
        else error and error.detail,
    )


def _said(act: str, record: Record) -> str:
    words, is_so = _SAID.get(act, ("", bool))
    return words if is_so(record) else ""


def will_be_cancelled(who: Principal, task_id: str) -> func.HttpResponse:
    """202: the task cannot be read now, and the command to cancel it is on the queue."""
    return page("will_be_cancelled.html", status=202, who=who, here="", task_page=task_page_path(task_id))


def _acts(who: Principal, record: Record) -> tuple[Act, ...]:
    if record.state == "cancelled":
        return ()
    finish: Act = "unfinish" if record.task.is_done else "finish"
    if not who.may_change(record):
        return (finish,)
    return (finish, "retry", "cancel") if record.state == "failed" else (finish, "cancel")
