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
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail, **more}
    return func.HttpResponse(
        json.dumps(body, ensure_ascii=False),
        status_code=status,
        mimetype=MEDIA_TYPE,
        headers=headers,
    )


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
                answer = _problem_of(error, _writer(request, offered))
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


def problem_data(error: Exception) -> dict[str, Any]:
    """The problem of an error as JSON holds it, where it is a part of an answer."""
    data: dict[str, Any] = json.loads(_problem_of(error, problem).get_body())
    return data


def _problem_of(error: Exception, write: Writer) -> func.HttpResponse:
    match error:
        case CallerError():
            fields = [{"field": each.field, "message": each.message} for each in error.errors]
            more: dict[str, Any] = {"errors": fields} if fields else {}
            how = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}  # RFC 9110, 15.5.2: it has to be there
            return write(error.status, error.code, error.title, error.detail, headers=how, **more)
        case Unsure():
            keyed = {"Idempotency-Key": error.key} if error.key else {}
            again = {"Retry-After": str(RETRY_AFTER_SECONDS)} if error.status == 503 else {}
            more = {"id": error.task_id, **({"key": error.key} if error.key else {})}
            return write(error.status, error.code, error.title, error.detail, headers={**again, **keyed}, **more)
        case DependencyDown():
            log.warning("answered 503", because=told(error))
            return write(
                503,
                error.code,
                "Storage cannot be read now",
                "Ask again later; nothing was changed.",
                headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
            )
        case SettingsError():
            log.error("the app is not configured", because=told(error))
            return write(
                500, error.code, "The app is not configured", "Its operator finds the missing setting in the log."
            )
        case _:
            log.exception("a request failed")
            return write(500, "internal_error", "The request failed", "The fault is ours and is logged.")
