"""What the endpoints under /admin need of the host that they speak for."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from devhost.functions import Function


class Manual(Protocol):
    """Runs a function with this input as its trigger's value, past the trigger: no queue or schedule is touched.

    Returns when it has run; a function that fails is no error here.
    """

    async def __call__(self, function: Function, value: str) -> None: ...


@dataclass(frozen=True, kw_only=True)
class HostControl:
    """What the endpoints ask of the host.

    `functions` are all that were loaded, those in error and the disabled ones too. `errors`: why a function is lost, by
    name. `outstanding`: invocations that have not ended. `drain` stops every listener, `resume` starts them again.
    """

    host_id: str
    functions: Sequence[Function]
    errors: Callable[[], Mapping[str, str]]
    is_disabled: Callable[[str], bool]
    manual: Manual
    state: Callable[[], str]
    outstanding: Callable[[], int]
    is_draining: Callable[[], bool]
    drain: Callable[[], Awaitable[None]]
    resume: Callable[[], Awaitable[None]]
    route_prefix: str = "api"
    bundle_version: str | None = None
