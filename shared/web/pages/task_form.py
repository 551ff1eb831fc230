"""The form that submits a task. It needs no script."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import azure.functions as func
import msgspec

from shared.domain import identity
from shared.domain.errors import CallerError, InvalidRequest, KeyReused, Unsure
from shared.domain.principal import Principal
from shared.domain.task import PRIORITIES, Task, parse_task
from shared.domain.text_rules import VISIBLE, matches
from shared.services.named_photo import PHOTO_MAX_BYTES, PhotoPart
from shared.web.form_body import read_form
from shared.web.multipart import as_photo, read_parts
from shared.web.pages.page import page
from shared.web.problem import RETRY_AFTER_SECONDS
from shared.web.request import is_multipart

LABELS: Mapping[str, str] = {
    "title": "Title",
    "notes": "Notes",
    "owner": "Who should do it",
    "priority": "Priority",
    "contact": "Your email address",
}
"""The fields of a task that the form has, by their names in JSON, in its order."""

_KEY, _TOKEN, _PHOTO = "key", "token", "photo"


@dataclass(frozen=True)
class Filled:
    """A form as it was sent, or is to be shown: `task` by the names of its fields. `key` makes a repeat the same task,
    `token` proves that the form is ours. `photo` came with it; a browser does not let it be filled in again."""

    task: Mapping[str, str]
    key: str
    token: str
    photo: PhotoPart | None = None
    photo_name: str = ""

    def parsed(self) -> Task:
        """The task; InvalidTask names the fields that break a rule."""
        task = parse_task({name: value for name, value in self.task.items() if value})
        return msgspec.structs.replace(task, photo_name=self.photo_name)


def read_filled(request: func.HttpRequest) -> Filled:
    """The form as it was sent, urlencoded or, as browsers send files, as multipart/form-data: that is work of up to 100
    ms, for a thread. InvalidRequest and its like for what no form of ours can send."""
    names, photo = (*LABELS, _KEY, _TOKEN), None
    if is_multipart(request):
        texts, photo = read_parts(request, photo=_PHOTO, names=names)
        fields = {name: texts.get(name, "") for name in names}
    else:
        fields = read_form(request, names)
    if not matches(VISIBLE, fields[_KEY]):
        raise InvalidRequest("The form has lost its key. Open it again.", code="invalid_form")
    task = {name: fields[name] for name in LABELS}
    if photo is None:
        return Filled(task, fields[_KEY], fields[_TOKEN])
    return Filled(task, fields[_KEY], fields[_TOKEN], as_photo(photo), photo.file or "")


def new_form(who: Principal, *, token: str) -> func.HttpResponse:
    """200: the form with nothing in it."""
    return _form(who, Filled(dict.fromkeys(LABELS, ""), identity.new_key(), token))


def form_again(who: Principal, filled: Filled, error: CallerError | Unsure, *, token: str) -> func.HttpResponse:
    """The form as it was filled in, and what is wrong with it. Its key stays while the task may have been accepted."""
    key = identity.new_key() if isinstance(error, KeyReused) else filled.key
    return _form(who, replace(filled, key=key, token=token), error)


def _form(who: Principal, filled: Filled, error: CallerError | Unsure | None = None) -> func.HttpResponse:
    found = {each.field: each.message for each in error.errors} if isinstance(error, CallerError) else {}
    return page(
        "task_form.html",
        status=error.status if error else 200,
        headers={"Retry-After": str(RETRY_AFTER_SECONDS)} if isinstance(error, Unsure) else {},
        who=who,
        here="new_task",
        labels=LABELS,
        priorities=PRIORITIES,
        filled=filled,
        most_mebibytes=PHOTO_MAX_BYTES // 1024**2,
        wrong={name: found[name] for name in LABELS if name in found},
        heading="It is not known whether it arrived" if isinstance(error, Unsure) else "It was not sent",
        told=_told(error),
    )


def _told(error: CallerError | Unsure | None) -> str:
    """What is wrong with the form as a whole."""
    match error:
        case KeyReused():
            return "This form was sent before, with other words. If you send it again now, that is a second task."
        case Unsure():
            return "Send this form again, as it is: if it did arrive, it is still one task."
        case CallerError() if not any(each.field in LABELS for each in error.errors):
            return error.detail
        case _:
            return ""
