"""Refusals: `application/problem+json` (RFC 9457) with a stable `code`; never internals."""

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any

import azure.functions as func

from shared import log
from shared.domain.errors import (
    CallerError,
    DependencyDown,
    NotKnownAccepted,
    NotKnownCancelled,
    NotKnownReopened,
    Reversed,
    SettingsError,
    told,
)

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
        except NotKnownAccepted as error:
            return problem(
                503,
                error.code,
                "Not known to be accepted",
                "The queue did not acknowledge the task in time. Send it again with this Idempotency-Key: "
                "if it did arrive, it is still done once.",
                headers={"Retry-After": str(RETRY_AFTER_SECONDS), "Idempotency-Key": error.key},
                id=error.task_id,
                key=error.key,
            )
        except Reversed as error:
            return problem(
                504,
                error.code,
                "Not done in time, and reversed",
                "The task was cancelled: whatever was done of it is undone, and it is not done later. "
                "Its key stays used; to try again, send it with a new one.",
                headers={"Idempotency-Key": error.key},
                id=error.task_id,
                key=error.key,
            )
        except NotKnownCancelled as error:
            keyed = {"Idempotency-Key": error.key} if error.key else {}
            more = {"key": error.key} if error.key else {}
            return problem(
                503,
                error.code,
                "Not known to be cancelled",
                "The queue did not acknowledge the command to cancel the task in time. "
                f"Send the same request again{', with this Idempotency-Key' if keyed else ''}: that is safe.",
                headers={"Retry-After": str(RETRY_AFTER_SECONDS), **keyed},
                id=error.task_id,
                **more,
            )
        except NotKnownReopened as error:
            return problem(
                503,
                error.code,
                "Not known to be queued again",
                "Storage did not do its part in time. Send the same request again: it goes on where this one ended.",
                headers={"Retry-After": str(RETRY_AFTER_SECONDS)},
                id=error.task_id,
            )
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
