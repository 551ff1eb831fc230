"""Runs calls: the log lines around each, its outputs, the time limit, and what happens when the worker is lost."""

import asyncio
import logging
import secrets
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.console import log
from devhost.dotnet.timespan import format_timespan
from devhost.invocation import Call, Outcome
from devhost.queues.outputs import OutputFailed, Outputs
from devhost.worker import Run, Worker


class Invoker:
    """Implements Invoke.

    A run that exceeds `timeout` fails, and takes the worker with it: every other run fails too, as it does when the
    real host restarts its worker process. `on_lost` is then called, once, with the reason; calls made after that fail.
    """

    def __init__(
        self,
        worker: Worker,
        outputs: Mapping[str, Outputs],
        *,
        timeout: timedelta | None,
        on_lost: Callable[[str], None],
    ) -> None:
        """`outputs` holds each function's output bindings by function name."""
        self._worker = worker
        self._outputs = outputs
        self._timeout = timeout
        self._on_lost = on_lost
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.outstanding = 0

    def worker_lost(self, reason: str) -> None:
        """No run of this worker will end any more; those in flight fail now."""
        if not self._lost.done():
            self._lost.set_result(reason)
            self._on_lost(reason)

    async def __call__(self, call: Call) -> Outcome:
        """Run the call and log it as the host does."""
        self.outstanding += 1
        try:
            return await self._logged(call)
        finally:
            self.outstanding -= 1

    async def _logged(self, call: Call) -> Outcome:
        name, invocation_id, started = call.function.name, str(uuid.uuid4()), time.monotonic()
        log(f"Executing 'Functions.{name}' (Reason='{call.reason}', Id={invocation_id})")
        if call.details:
            log(f"Trigger Details: {call.details}")
        outcome = Outcome(ok=False, error=call.refused) if call.refused else await self._run(call, invocation_id)
        took = f"Id={invocation_id}, Duration={(time.monotonic() - started) * 1000:.0f}ms"
        if outcome.ok:
            log(f"Executed 'Functions.{name}' (Succeeded, {took})")
        else:
            log(f"Executed 'Functions.{name}' (Failed, {took})", logging.ERROR)
            log(outcome.error.rstrip(), logging.ERROR)
        return outcome

    async def _run(self, call: Call, invocation_id: str) -> Outcome:
        run = await self._limited(call, invocation_id)
        if run.error is not None:
            return Outcome(ok=False, error=run.error)
        try:
            await self._outputs[call.function.name].write(run.returned, run.outputs)
        except OutputFailed as failure:
            return Outcome(ok=False, error=str(failure))
        return Outcome(ok=True, returned=run.returned)

    async def _limited(self, call: Call, invocation_id: str) -> Run:
        if self._lost.done():
            return Run(error=self._lost.result())
        trace_parent, trace_state = _trace(call.trigger)
        run = asyncio.ensure_future(
            self._worker.run(
                call.function,
                invocation_id,
                [(call.function.trigger.name, call.trigger)],
                call.metadata,
                trace_parent=trace_parent,
                trace_state=trace_state,
            )
        )
        ends: set[asyncio.Future[Any]] = {run, self._lost}
        seconds = self._timeout.total_seconds() if self._timeout else None
        done, _ = await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if run in done:
            return _ended(run)
        run.cancel()
        if self._timeout and not done:
            name, limit = call.function.name, format_timespan(self._timeout)
            reason = f"Timeout value of {limit} exceeded by function 'Functions.{name}' (Id: '{invocation_id}')"
            self.worker_lost(reason)
            return Run(error=reason)
        return Run(error=f"The worker was restarted while the function ran: {self._lost.result()}")


def _ended(run: asyncio.Future[Run]) -> Run:
    if run.cancelled():
        return Run(error="the function ended with asyncio.CancelledError")
    failure = run.exception()
    return Run(error=repr(failure)) if failure else run.result()


def _trace(trigger: Datum) -> tuple[str, str]:
    """The W3C trace context of a call: a child of the HTTP request's, or the start of one."""
    headers: Mapping[str, Datum] = trigger.value["headers"] if trigger.type == "http" else {}
    parent = headers["traceparent"].value.split("-") if "traceparent" in headers else []
    state = headers["tracestate"].value if "tracestate" in headers else ""
    if len(parent) != 4 or len(parent[1]) != 32:
        parent, state = ["00", secrets.token_hex(16), "", "00"], ""
    return f"{parent[0]}-{parent[1]}-{secrets.token_hex(8)}-{parent[3]}", state
