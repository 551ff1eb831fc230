"""The seam between triggers and the worker: a trigger hands over data, and learns whether the function succeeded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.functions import Function

CALLED_OVER_HTTP = "This function was programmatically called via the host APIs."
"""What the host logs as the reason of a call that came by HTTP, to a route or to /admin."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One invocation to make.

    `reason` and `details` are what the host logs about it; `metadata` goes to the trigger's converter. `refused` says
    why the trigger's data does not fit the function: then the call fails before the function runs.
    """

    function: Function
    trigger: Datum
    reason: str
    details: str = ""
    metadata: Mapping[str, Datum] = field(default_factory=dict)
    refused: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of an invocation: `returned` is the `$return` datum, `error` a text for the log when it failed."""

    ok: bool
    returned: Datum | None = None
    error: str = ""


class Invoke(Protocol):
    """Runs one call. Never raises for a failing function: that is an Outcome with `ok` false."""

    async def __call__(self, call: Call) -> Outcome: ...
