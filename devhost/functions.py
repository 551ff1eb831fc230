"""What the worker says an app consists of: functions and their bindings, names not yet expanded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Binding:
    """One binding of a function, as the worker library reports it.

    `type` as in function.json (`httpTrigger`, `queueTrigger`, `timerTrigger`, `queue`, `http` …), `direction` in lower
    case (`in`, `out`), `properties` the whole JSON object with the worker's spelling of its keys (`queueName` …).
    """

    type: str
    direction: str
    name: str
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Function:
    """One function of the app. `id` is what the worker library is invoked with."""

    name: str
    id: str
    bindings: tuple[Binding, ...]

    @property
    def trigger(self) -> Binding:
        """The one binding that starts the function."""
        return next(binding for binding in self.bindings if binding.type.lower().endswith("trigger"))
