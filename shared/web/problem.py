"""Refusals: `application/problem+json` (RFC 9457) with a stable `code`; never internals."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

import azure.functions as func

from shared import log
from shared.domain.errors import CallerError, DependencyDown, SettingsError, Unsure, told

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 5

Handler = Callable[..., Awaitable[func.HttpResponse]]


def problem(
    status: int, code: str, title: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> func.HttpResponse:
    """One refusal. `more` are extension members, for programs."""
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail, **more}
    return func.HttpResponse(
        json.dumps(body, ensure_ascii=False),
        status_code=status,
        mimetype=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def answered(handler: Handler) -> Handler:
    """A handler that turns every error into its problem: a caller never sees a traceback or an empty 500."""

    @wraps(handler)
    async def answering(*args: Any, **kwargs: Any) -> func.HttpResponse:
        try:
            return await handler(*args, **kwargs)
        except CallerError as error:
            fields = [{"field": each.field, "message": each.message} for each in error.errors]
            more: dict[str, Any] = {"errors": fields} if fields else {}
            return problem(error.status, error.code, error.title, error.detail, **more)
        except Unsure as error:
            keyed = {"Idempotency-Key": error.key} if error.key else {}
            again = {"Retry-After": str(RETRY_AFTER_SECONDS)} if error.status == 503 else {}
            more = {"id": error.task_id, **({"key": error.key} if error.key else {})}
            return problem(error.status, error.code, error.title, error.detail, headers={**again, **keyed}, **more)
        except DependencyDown as error:
            log.warning("answered 503", because=told(error))
            return problem(
                503,
                error.code,
                "Storage cannot be read now",
                "Ask again later; nothing was changed.",
                headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
            )
        except SettingsError as error:
            log.error("the app is not configured", because=told(error))
            return problem(
                500, error.code, "The app is not configured", "Its operator finds the missing setting in the log."
            )
        except Exception:
            log.exception("a request failed")
            return problem(500, "internal_error", "The request failed", "The fault is ours and is logged.")

    return answering
