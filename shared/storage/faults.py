"""What the storage SDKs raise, told in our terms: which failures mean that a store is down."""

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from azure.core.exceptions import (
    ClientAuthenticationError,
    DeserializationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
    ServiceRequestError,
    ServiceResponseError,
)

from shared.domain.errors import DependencyDown

DOWN_STATUSES = frozenset({401, 403, 404, 408, 429})
"""Answers that say "not now" whatever was asked; so does every 5xx. A 404 that means "no such row" never comes here."""

MISSING_CODES = frozenset({"QueueNotFound", "TableNotFound", "ContainerNotFound"})
DOWN_CODES = frozenset({"QueueBeingDeleted", "TableBeingDeleted", "ContainerBeingDeleted", "QueueDisabled"})


def error_code(error: HttpResponseError) -> str:
    """The service's own code of a failed answer, or nothing."""
    code = getattr(error, "error_code", None)
    return str(getattr(code, "value", code)) if code else _code_in_body(error)


def _code_in_body(error: HttpResponseError) -> str:
    # The table SDK (12.7.0) raises the error of a refused insert before it has read the code, so we read it.
    try:
        return str(json.loads(error.response.text())["odata.error"]["code"])  # type: ignore[union-attr]
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""


@contextmanager
def told_as_down() -> Iterator[None]:
    """Inside, an SDK error that means "this store cannot be used now" leaves as DependencyDown, any other as it is.

    The text names the status and the service's code, never an address or a body.
    """
    try:
        yield
    except TimeoutError as error:
        raise DependencyDown("storage did not answer in time") from error
    except ClientAuthenticationError as error:
        raise DependencyDown("storage did not accept the sign-in") from error
    except HttpResponseError as error:
        if not _is_down(error):
            raise
        raise DependencyDown(f"storage answered {error.status_code} {error_code(error)}".rstrip()) from error
    except (ServiceRequestError, ServiceResponseError, DeserializationError) as error:
        raise DependencyDown("storage could not be reached, or its answer was cut or is none of its own") from error


def _is_down(error: HttpResponseError) -> bool:
    # An error although the status is a good one: the answer was cut, or is not what storage says (a proxy's page).
    status = error.status_code or 0
    return status < 400 or status in DOWN_STATUSES or status >= 500 or error_code(error) in DOWN_CODES


async def made_if_missing[T](call: Callable[[], Awaitable[T]], make: Callable[[], Awaitable[object]]) -> T:
    """What the call answers; if its queue, table or container is not there, that is made first, the call repeated."""
    try:
        return await call()
    except ResourceNotFoundError as error:
        if error_code(error) not in MISSING_CODES:
            raise
    with suppress(ResourceExistsError):  # another host made it meanwhile
        await make()
    return await call()
