"""Timer functions as the worker would report them, and one who keeps the calls."""

import asyncio
import json
import time
from typing import Any

from devhost.functions import Binding, Function
from devhost.invocation import Call, Outcome
from tests.unit.devhost_timers.stepped_clock import PATIENCE_SECONDS


def timer_function(name: str, schedule: str = "0 */5 * * * *", **properties: Any) -> Function:
    """A function `name` with this timer trigger; `properties` as in function.json."""
    trigger = Binding(
        type="timerTrigger", direction="in", name="timer", properties={"schedule": schedule, **properties}
    )
    return Function(name=name, id=name, bindings=(trigger,))


class CallLog:
    """Stands where the worker is: keeps every call, and can hold runs up or fail them."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.done = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.outcome: Outcome | Exception = Outcome(ok=True)

    async def __call__(self, call: Call) -> Outcome:
        self.calls.append(call)
        await self.gate.wait()
        self.done += 1
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    async def until_called(self, count: int) -> None:
        """Wait, in real time, for so many calls in all."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(self.calls) < count:
            assert time.monotonic() < deadline, f"{len(self.calls)} calls, not {count}"
            await asyncio.sleep(0.002)

    @property
    def payloads(self) -> list[dict[str, Any]]:
        """What the functions were given."""
        return [json.loads(call.trigger.value) for call in self.calls]
