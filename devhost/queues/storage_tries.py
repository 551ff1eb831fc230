"""How often and how fast a storage call is tried: as the .NET storage client does it.

Six tries, about 0, 0.8, 2.4, 5.6, 12 and 25 seconds after the first; a server that says when to come back is obeyed.
Source: Azure.Core's RetryPolicy with Storage's five retries and classifier, 0.8 s base, 60 s cap, jitter 0.8 … 1.2;
measured.
"""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import ClientConnectorError, ClientOSError, ServerDisconnectedError
from azure.core.exceptions import HttpResponseError, IncompleteReadError, ServiceRequestError, ServiceResponseError

from devhost.queues.storage_failure import StorageFailure, TriesEnded

RETRIES = 5
BASE_SECONDS = 0.8
LONGEST_SECONDS = 60.0
STATUSES_TRIED_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
CODES_TRIED_AGAIN = frozenset({"InternalError", "OperationTimedOut", "ServerBusy"})  # whatever the status


async def try_as_dotnet[T](
    send: Callable[[], Awaitable[T]], *, has_body: bool = False, until: asyncio.Event | None = None
) -> T:
    """The answer of the first try that is not to be repeated.

    Args:
        send: makes the call once, without retries of its own.
        has_body: whether the request has one; without, a connection that is cut costs no try at first.
        until: once set, what has failed is not tried again.
    Raises:
        TriesEnded: the last try's failure, with tries left when `until` was set.
        StorageFailure: the last try's failure.
    """
    for number in range(RETRIES + 1):
        try:
            return await (send() if has_body else _send_again_if_cut(send))
        except (ServiceRequestError, ServiceResponseError, IncompleteReadError) as error:
            failure, wait = StorageFailure(0, "", error.message), 0.0
        except HttpResponseError as error:
            failure = _answered(error)
            if failure.status not in STATUSES_TRIED_AGAIN and failure.code not in CODES_TRIED_AGAIN:
                raise failure from error
            wait = _asked_to_wait(error)
        if number == RETRIES:
            raise failure
        jitter = random.uniform(0.8, 1.2)  # noqa: S311 - no secret
        wait = max(wait, min(BASE_SECONDS * 2**number * jitter, LONGEST_SECONDS))
        await _sleep(wait, until)
        if until and until.is_set():
            raise TriesEnded(failure.status, failure.code, failure.text)
    raise AssertionError("unreachable")


async def _send_again_if_cut[T](send: Callable[[], Awaitable[T]]) -> T:
    """What .NET's HTTP client does below the tries: at once again, three times. aiohttp itself does it one time."""
    try:
        return await send()
    except (ServiceRequestError, ServiceResponseError) as error:
        cut, refused = (ServerDisconnectedError, ClientOSError), ClientConnectorError
        if not isinstance(error.inner_exception, cut) or isinstance(error.inner_exception, refused):
            raise
    return await send()


async def _sleep(seconds: float, until: asyncio.Event | None) -> None:
    if until is None:
        await asyncio.sleep(seconds)
        return
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(until.wait(), seconds)


def _answered(error: HttpResponseError) -> StorageFailure:
    code = getattr(error, "error_code", None)
    return StorageFailure(error.status_code or 0, str(getattr(code, "value", code) or ""), error.message)


def _asked_to_wait(error: HttpResponseError) -> float:
    headers: Mapping[str, str] = getattr(error.response, "headers", {})
    for name, unit in (("retry-after-ms", 1000), ("x-ms-retry-after-ms", 1000), ("Retry-After", 1)):
        with contextlib.suppress(KeyError, ValueError):
            return float(headers[name]) / unit
    return 0.0
