"""What the storage SDKs raise, told in our terms: `error_table` says what it means, here is what follows."""

import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    DeserializationError,
    HttpResponseError,
    SerializationError,
)

from shared.domain.errors import DependencyDown
from shared.storage.error_table import CLASSES, CODES, DOWN_STATUSES, Meaning

SDK_ERRORS = (AzureError, SerializationError, DeserializationError, TimeoutError)
"""The classes under which everything is that an SDK raises on purpose."""

_CODE = re.compile(r"[A-Za-z0-9]{1,100}")
_CODE_IN_BODY = re.compile(r'"code"\s*:\s*"([A-Za-z0-9]+)"|<(?:\w+:)?code>([A-Za-z0-9]+)</', re.IGNORECASE)


def error_code(error: HttpResponseError) -> str:
    """The service's own code of a failed answer, or nothing."""
    code = getattr(error, "error_code", None) or _code_in_response(error)
    text = str(getattr(code, "value", code))
    return text if _CODE.fullmatch(text) else ""


def _code_in_response(error: HttpResponseError) -> str:
    # The table SDK (12.7.0) raises the error of a refused insert before it has read the code, so we read it.
    if code := getattr(error.response, "headers", {}).get("x-ms-error-code"):
        return str(code)
    try:
        found = _CODE_IN_BODY.search(error.response.text())  # type: ignore[union-attr]
    except (AttributeError, AzureError, LookupError, ValueError):  # no response, no body, or one that is no text
        return ""
    return (found[1] or found[2]) if found else ""


def meaning_of(error: BaseException) -> Meaning:
    """What the table says: by the service's code; without one by the status; else by the class.

    A refusal with a code that is not in the table is OURS, whatever class the SDK made of its status.
    """
    if isinstance(error, HttpResponseError):
        code = error_code(error)
        if code in CODES:
            return CODES[code]
        if _has_down_status(error):
            return Meaning.DOWN
        if code:
            return Meaning.OURS
    kinds = (kind.__name__ for kind in type(error).__mro__)
    return next((CLASSES[kind] for kind in kinds if kind in CLASSES), Meaning.OURS)


def _has_down_status(error: BaseException) -> bool:
    return isinstance(error, HttpResponseError) and (error.status_code or 0) in DOWN_STATUSES


@contextmanager
def told_as_down() -> Iterator[None]:
    """Inside, an SDK error that means "this store cannot be used now" leaves as DependencyDown, any other as it is.

    The text names the status and the service's code, never an address or a body.
    """
    try:
        yield
    except (*SDK_ERRORS, AttributeError) as raised:
        error = _behind(raised)
        if not _is_down(error):
            raise
        raise DependencyDown(_told(error)) from raised


def _behind(error: BaseException) -> BaseException:
    # Where an insert fails before there is an answer (no sign-in), the table SDK (12.7.0) reads one and breaks.
    hidden = error.__context__ if isinstance(error, AttributeError) else None
    return hidden if isinstance(hidden, HttpResponseError) else error


def _is_down(error: BaseException) -> bool:
    meaning = meaning_of(error)
    if meaning is Meaning.EXPECTED:  # and yet nobody was ready for it
        return _has_down_status(error)
    return meaning in {Meaning.DOWN, Meaning.MISSING}


def _told(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "storage did not answer in time"
    answer = f"{error.status_code or ''} {error_code(error)}".strip() if isinstance(error, HttpResponseError) else ""
    if isinstance(error, ClientAuthenticationError):
        return f"storage did not accept the sign-in {answer}".rstrip()
    if answer:
        return f"storage answered {answer}"
    return "storage could not be reached, or its answer was cut or is none of its own"


async def made_if_missing[T](call: Callable[[], Awaitable[T]], make: Callable[[], Awaitable[object]]) -> T:
    """What the call answers; if its queue, table or container is not there, that is made first, the call repeated."""
    try:
        return await call()
    except HttpResponseError as error:
        if meaning_of(error) is not Meaning.MISSING:
            raise
    try:
        await make()
    except HttpResponseError as error:
        if meaning_of(error) is not Meaning.EXPECTED:  # that is: another host made it meanwhile
            raise
    return await call()
