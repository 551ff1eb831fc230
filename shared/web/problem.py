"""Refusals: `application/problem+json` (RFC 9457) with a stable `code`; never internals."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import azure.functions as func

from shared import log
from shared.domain.errors import CallerError, DependencyDown, NotAcceptable, SettingsError, Unsure, told
from shared.web.accept import HTML, JSON, choose

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5

Handler = Callable[..., Awaitable[func.HttpResponse]]
Writer = Callable[..., func.HttpResponse]
"""Called as `problem` is."""


def problem(
    status: int, code: str, title: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> func.HttpResponse:
    """One refusal. `more` are extension members, for programs."""
    return func.HttpResponse(
        json.dumps(_members(status, code, title, detail, **more), ensure_ascii=False),
        status_code=status,
        mimetype=MEDIA_TYPE,
        headers=headers,
    )


def _members(status: int, code: str, title: str, detail: str, **more: Any) -> dict[str, Any]:
    return {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail, **more}


_SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""On every answer that says nothing else: it is not guessed at, not kept, not framed, and loads nothing."""


def answered(handler: Handler) -> Handler:
    """A handler of JSON that turns every error into its problem: a caller never sees a traceback or an empty 500."""
    return answered_as(JSON)(handler)


def answered_as(*offered: str) -> Callable[[Handler], Handler]:
    """As `answered`, of a handler that can answer with these media types; it finds out itself which one is wanted."""

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        async def answering(*args: Any, **kwargs: Any) -> func.HttpResponse:
            request = kwargs.get("req") or args[0]
            try:
                choose(request.headers.get("Accept"), offered)
                answer = await handler(*args, **kwargs)
            except Exception as error:
                log_refusal(error)
                data, headers = problem_of(error)
                members = {name: value for name, value in data.items() if name != "type"}
                answer = _writer(request, offered)(**members, headers=headers)
            if len(offered) > 1:
                answer.headers["Vary"] = "Accept"
            for name, value in _SECURITY.items():
                answer.headers.setdefault(name, value)
            return answer

        return answering

    return decorate


def _writer(request: func.HttpRequest, offered: Sequence[str]) -> Writer:
    """What writes a refusal: a page for whoever wanted a page."""
    try:
        as_page = choose(request.headers.get("Accept"), offered) == HTML
    except NotAcceptable:
        as_page = False
    if not as_page:
        return problem
    from shared.web.pages.problem import problem_page  # few need it

    return problem_page


def problem_of(error: Exception) -> tuple[dict[str, Any], dict[str, str]]:
    """The problem of an error, as JSON holds it, and the headers of an answer that is it."""
    again = {"Retry-After": str(RETRY_AFTER_SECONDS)}
    match error:
        case CallerError():
            fields = [{"field": each.field, "message": each.message} for each in error.errors]
            more: dict[str, Any] = {"errors": fields} if fields else {}
            how = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}  # RFC 9110, 15.5.2: it has to be there
            return _members(error.status, error.code, error.title, error.detail, **more), how
        case Unsure():
            keyed = {"Idempotency-Key": error.key} if error.key else {}
            more = {name: value for name, value in (("id", error.task_id), ("key", error.key)) if value}
            headers = {**(again if error.status == 503 else {}), **keyed}
            return _members(error.status, error.code, error.title, error.detail, **more), headers
        case DependencyDown():
            told_so = "Ask again later; nothing was changed."
            return _members(503, error.code, "Storage cannot be read now", told_so), again
        case SettingsError():
            told_so = "Its operator finds the missing setting in the log."
            return _members(500, error.code, "The app is not configured", told_so), {}
        case _:
            return _members(500, "internal_error", "The request failed", "The fault is ours and is logged."), {}


def log_refusal(error: Exception) -> None:
    """Say in the log what whoever runs the app has to know of an error that is answered."""
    match error:
        case CallerError() | Unsure():
            pass
        case DependencyDown():
            log.warning("answered 503", because=told(error))
        case SettingsError():
            log.error("the app is not configured", because=told(error))
        case _:
            log.exception("a request failed", error)
