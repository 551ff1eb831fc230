"""Microsoft's worker library, run as the cloud runs it: one event loop of its own, away from the host's.

The loop has its own thread, so that a function that blocks it stalls the other functions (as it would deployed) but not
lease renewals, timeouts or the drain. The library keeps one registry a process: there is one worker a process.
"""

import asyncio
import json
import os
import threading
import urllib.request
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import azure_functions_runtime as runtime
from azure_functions_runtime.bindings.datumdef import Datum
from azure_functions_runtime.native_invocation import invocation_request_native

from devhost.functions import Binding, Function
from devhost.protos import PROTOS


class IndexingFailed(Exception):
    """The app could not be loaded; the message holds the app's own traceback."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What the library said about one invocation; `error` is None where the function succeeded."""

    returned: Datum | None = None
    outputs: Sequence[tuple[str, Datum]] = ()
    error: str | None = None


class Worker:
    """The app in this folder, loaded and ready to run its functions."""

    def __init__(self, folder: Path, *, on_crash: Callable[[str], None]) -> None:
        """`on_crash` is called on the host's loop if a function tears the worker down (`sys.exit`)."""
        self._folder = folder
        self._on_crash = on_crash
        self._host_loop = asyncio.get_running_loop()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="worker", daemon=True)

    async def start(self) -> tuple[Function, ...]:
        """The app's functions, in the order in which it declares them.

        Raises:
            IndexingFailed: importing the app or reading its decorators raised.
        """
        self._thread.start()
        return await self._on_worker(self._index())

    async def run(
        self,
        function: Function,
        invocation_id: str,
        inputs: Sequence[tuple[str, Datum]],
        metadata: Mapping[str, Datum],
        *,
        trace_parent: str,
        trace_state: str,
    ) -> Run:
        """Run the function once. Its own failure is in the answer; cancelling cancels an async function."""
        request = invocation_request_native(
            invocation_id, function.id, list(inputs), dict(metadata), trace_parent, trace_state
        )
        ok, returned, outputs, error, trace = await self._on_worker(request)
        if not ok:
            return Run(error=trace or error or "the function failed")
        try:
            return Run(returned=as_sent(returned), outputs=[(name, _required(datum)) for name, datum in outputs])
        except NotImplementedError as failure:
            return Run(error=str(failure))

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        runtime.start_threadpool_executor()
        try:
            self._loop.run_forever()
        except BaseException as crash:  # SystemExit out of a function is not an Exception
            reason = f"the worker ended: {crash!r}"
            self._host_loop.call_soon_threadsafe(self._on_crash, reason)

    async def _on_worker[T](self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def _index(self) -> tuple[Function, ...]:
        os.chdir(self._folder)
        init = SimpleNamespace(capabilities={}, function_app_directory=str(self._folder))
        request = SimpleNamespace(
            request=SimpleNamespace(worker_init_request=init),
            properties={"host": "127.0.0.1", "protos": PROTOS},
        )
        try:
            answer = await runtime.worker_init_request(request)
        except SystemExit as leaving:  # an app that exits while it is imported
            raise IndexingFailed(repr(leaving)) from leaving
        if answer.result.status != PROTOS.StatusResult.Success:
            raise IndexingFailed(answer.result.exception.stack_trace or answer.result.exception.message)
        _warm_up()
        listed = await runtime.functions_metadata_request(None)
        return tuple(_function(metadata) for metadata in listed.function_metadata_results or ())


def _warm_up() -> None:
    """Make urllib's opener, unless the app has: otherwise each thread that asks first makes one, 0.1 s of work each."""
    if getattr(urllib.request, "_opener", "unknown") is None:
        urllib.request.install_opener(urllib.request.build_opener())


def _function(metadata: Any) -> Function:
    raw = [json.loads(text) for text in metadata.raw_bindings]
    bindings = tuple(
        Binding(
            type=binding["type"],
            direction=binding["direction"].lower(),
            name=binding["name"],
            properties=binding,
        )
        for binding in raw
    )
    return Function(name=metadata.name, id=metadata.function_id, bindings=bindings)


def as_sent(datum: Datum | None) -> Datum | None:
    """The datum as it would arrive over the worker's wire: no dict, list or bool there.

    Raises:
        NotImplementedError: the wire has no form for it.
    Source: azure-functions-runtime 1.3.0, bindings/datumdef.py, datum_as_proto.
    """
    if datum is None or datum.type is None:
        return None
    if datum.type in ("string", "bytes", "json", "http", "int", "double"):
        return datum
    if datum.type in ("dict", "list"):
        return Datum(json.dumps(datum.value), "json")
    if datum.type == "bool":
        return Datum(int(datum.value), "int")
    raise NotImplementedError(f"unexpected Datum type: {datum.type}")


def _required(datum: Datum) -> Datum:
    sent = as_sent(datum)
    if sent is None:
        raise NotImplementedError("an output binding was given a value without a type")
    return sent
