"""What a client prefers (RFC 7240), and what it relies on: how long to wait, and what to do when that is over."""

import re

import azure.functions as func

from shared.domain.errors import FieldError, InvalidRequest

WAIT_MAX_SECONDS = 25
"""Well below the time after which proxies and load balancers give a request up."""

_PREFERENCE = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+')
_HEADER_MAX = 1_000
"""Characters of a `Prefer` that are read: with quotes that are never closed, each further one costs the ones before."""


def read_wait(request: func.HttpRequest) -> int:
    """The seconds of `Prefer: wait=N`, 25 at most; 0 where there is none or it cannot be understood (RFC 7240, 2)."""
    for preference in _PREFERENCE.findall(request.headers.get("Prefer", "")[:_HEADER_MAX]):
        name, _, value = preference.partition(";")[0].partition("=")
        if name.strip().lower() == "wait":  # the first one counts
            digits = re.fullmatch(r'\s*("?)0*([0-9]*)\1\s*', value)
            return min(int(digits[2][:3] or 0), WAIT_MAX_SECONDS) if digits else 0
    return 0


def read_on_timeout(request: func.HttpRequest, wait: int) -> bool:
    """Whether the query says `onTimeout=cancel`: the client relies on it, so unlike a preference it is never ignored.

    Raises:
        InvalidRequest: it says anything else, or there is no time to wait.
    """
    value = next((value for name, value in request.params.items() if name.lower() == "ontimeout"), None)
    if value is None:
        return False
    if value != "cancel":
        raise _refusal("onTimeout", "must be cancel, or not be there")
    if not wait:
        raise _refusal("Prefer", f"must say wait=N, 1 to {WAIT_MAX_SECONDS} seconds, where the query says onTimeout")
    return True


def refuse_on_timeout(request: func.HttpRequest) -> None:
    """InvalidRequest if the query says `onTimeout` where no two-state call is offered."""
    if any(name.lower() == "ontimeout" for name in request.params):
        raise _refusal("onTimeout", "is for a submit of one task; a batch does not wait")


def _refusal(name: str, rule: str) -> InvalidRequest:
    return InvalidRequest(f"{name} {rule}.", code="invalid_preference", errors=[FieldError(name, rule)])
