"""Reading requests: what is not exactly right is refused with the name of the part, the limit and the way out."""

import uuid
from collections.abc import Callable
from email.message import Message
from functools import partial
from typing import Any

import azure.functions as func

from shared.domain.envelope import clean_traceparent
from shared.domain.errors import (
    CallerError,
    FieldError,
    IfMatchNeeded,
    InvalidRequest,
    NotFound,
    TaskTooLarge,
    UnsupportedMedia,
)
from shared.domain.strict_json import parse_json
from shared.domain.text_rules import VISIBLE, matches
from shared.web.accept import JSON
from shared.web.etags import matches_any, none_match

MAX_BODY_BYTES = 256 * 1024
"""Of a JSON task. It is over five times the largest message, so that escapes never make a legal task too large."""


MERGE_PATCH = "application/merge-patch+json"
"""RFC 7396."""

MULTIPART = "multipart/form-data"
"""RFC 7578."""


def read_object(
    request: func.HttpRequest,
    *,
    taken: tuple[str, ...] = (JSON,),
    most: int = MAX_BODY_BYTES,
    too_large: type[CallerError] = TaskTooLarge,
) -> dict[str, Any]:
    """The JSON object in the body, sent as one of the media types that are taken, of so many bytes at most.

    Raises:
        UnsupportedMedia: the content type is none of them, or not in UTF-8.
        InvalidRequest: no body, not UTF-8, not JSON, not an object.
        TaskTooLarge, or what stands for it: over the limit.
    """
    body = read_body(request, taken=taken, most=most, too_large=too_large)
    try:
        value = parse_json(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"The body is not UTF-8 at byte {error.start}.", code="malformed_json") from None
    except ValueError as error:
        raise InvalidRequest(f"The body cannot be read: {error}.", code="malformed_json") from None
    if not isinstance(value, dict):
        raise InvalidRequest('The body must be a JSON object, like {"title": "…"}.', code="malformed_json")
    return value


def read_body(
    request: func.HttpRequest,
    *,
    taken: tuple[str, ...],
    most: int = MAX_BODY_BYTES,
    too_large: type[CallerError] = TaskTooLarge,
) -> bytes:
    """The body, sent as one of the media types that are taken, of 1 byte to the limit; errors as `read_object`."""
    _expect_type(request.headers.get("Content-Type", ""), taken)
    if request.headers.get("Content-Encoding", "identity").strip().lower() not in {"", "identity"}:
        raise UnsupportedMedia("Send the body as it is, without Content-Encoding.")
    body = request.get_body()
    if not body:
        raise InvalidRequest(
            "The body is empty. Send one with Content-Length (a chunked body does not reach the app).",
            code="empty_body",
        )
    if len(body) > most:
        raise too_large(f"The body has {len(body):,} bytes; at most {most:,} are taken.")
    return body


_CONTENT_TYPE_MAX = 200


def _expect_type(content_type: str, taken: tuple[str, ...]) -> None:
    if len(content_type) > _CONTENT_TYPE_MAX:
        raise UnsupportedMedia(f"A Content-Type of over {_CONTENT_TYPE_MAX} characters is not read.")
    header = Message()
    header["Content-Type"] = content_type.replace("\r", " ").replace("\n", " ")
    charset = (header.get_param("charset") or "utf-8") if content_type else "utf-8"
    if header.get_content_type() not in taken or not content_type:
        raise UnsupportedMedia(f"Send it as Content-Type: {' or '.join(taken)}.")
    if str(charset).strip("'\"").lower() not in {"utf-8", "utf8"}:
        raise UnsupportedMedia("Send it in UTF-8; other character sets are not taken.")


def is_multipart(request: func.HttpRequest) -> bool:
    """Whether the body says that it is `multipart/form-data`."""
    content_type: str = request.headers.get("Content-Type", "")
    return content_type.partition(";")[0].strip().lower() == MULTIPART


def read_idempotency_key(request: func.HttpRequest) -> str | None:
    """The `Idempotency-Key` header, or None if there is none.

    Raises:
        InvalidRequest: it is not 1 to 255 visible ASCII characters.
    """
    key = request.headers.get("Idempotency-Key")
    return None if key is None else read_key("Idempotency-Key", key, "header")


def read_key_parameter(request: func.HttpRequest) -> str:
    """The `key` of the query; InvalidRequest if it is missing or could not have been a key."""
    return read_key("key", request.params.get("key", ""), "query parameter")


def read_key(name: str, value: object, kind: str) -> str:
    """An idempotency key that stands somewhere; InvalidRequest if it could not be one."""
    if not isinstance(value, str) or not matches(VISIBLE, value):
        rule = "must be 1 to 255 visible ASCII characters without blanks"
        raise InvalidRequest(
            f"The {kind} {name} {rule}.", code="invalid_idempotency_key", errors=[FieldError(name, rule)]
        )
    return value


def read_if_match(request: func.HttpRequest) -> Callable[[str], bool]:
    """Whether the header `If-Match` is for the version of a tag; IfMatchNeeded without one."""
    header = request.headers.get("If-Match")
    if header is None:
        raise IfMatchNeeded
    return partial(matches_any, header)


def read_if_none_match(request: func.HttpRequest) -> Callable[[str], bool] | None:
    """Whether the header `If-None-Match` says that the client knows the version of a tag; None without one."""
    header = request.headers.get("If-None-Match")
    return None if header is None else lambda tag: not none_match(header, tag)


def read_task_id(request: func.HttpRequest) -> str:
    """The task id in the path, in whichever form of a GUID it is written."""
    try:
        return str(uuid.UUID(request.route_params.get("id", "").strip("(){}")))
    except ValueError:
        raise NotFound("A task id is a UUID.", code="unknown_task") from None


def read_traceparent(request: func.HttpRequest, context: func.Context) -> str:
    """The W3C trace context to carry on: the platform's, else the caller's, else none."""
    own = context.trace_context.trace_parent if context.trace_context else ""
    return clean_traceparent(own or "") or clean_traceparent(request.headers.get("traceparent", ""))
