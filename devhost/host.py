"""The local host: one app, its triggers, and everything between its start and its end."""

import asyncio
import logging
import os
import signal
from collections.abc import Sequence

from devhost.arguments import Arguments
from devhost.console import log, say
from devhost.errors import FunctionError, HostEnded
from devhost.functions import Function
from devhost.host_id import host_id
from devhost.http.admin import AdminApi
from devhost.http.cors import Cors
from devhost.http.host_control import HostControl
from devhost.http.keys import Keys
from devhost.http.routes import check_names
from devhost.http.server import HttpServer
from devhost.invoker import Invoker
from devhost.listing import list_functions
from devhost.port import port_unusable
from devhost.queues.client import QueueAccounts
from devhost.queues.outputs import Outputs
from devhost.queues.watchers import QueueWatchers
from devhost.settings.configuration import Configuration
from devhost.settings.host_json import HostOptions
from devhost.triggers import Triggers
from devhost.worker import IndexingFailed, Worker


class WorkerLost(Exception):
    """The worker has to be started anew, which takes a new process; what was in flight has failed and is dealt with."""


class Host:
    """One app on one worker. `run` once."""

    def __init__(
        self,
        arguments: Arguments,
        configuration: Configuration,
        options: HostOptions,
        *,
        keys: Keys | None,
        cors: Cors | None,
    ) -> None:
        self._arguments = arguments
        self._configuration = configuration
        self._options = options
        self._keys = keys
        self._cors = cors
        self._accounts = QueueAccounts(configuration)
        self._watchers = QueueWatchers()
        self._errors: dict[str, str] = {}
        self._outputs: dict[str, Outputs] = {}
        self._running = asyncio.Event()
        self._draining = False
        self._switching = asyncio.Lock()  # a resume waits until the drain before it has stopped every listener
        self._failure: HostEnded | None = None

    async def run(self, address: str, port: int) -> None:
        """The host has served until it was asked to stop (SIGTERM, Ctrl-C), and has dealt with all that was in flight.

        A second request to stop ends the process at once, with status 130.

        Raises:
            HostConfigError: the port cannot be had.
            HostEnded: the host ends by itself, as the real one would; nothing was drained.
            WorkerLost: the worker is gone; everything in flight was dealt with.
        """
        loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = loop.create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        worker = Worker(self._arguments.app, on_crash=lambda reason: self._invoker.worker_lost(reason))
        self._invoker = Invoker(
            worker, self._outputs, timeout=self._options.function_timeout, on_lost=self._lose_worker
        )
        functions = await self._load(worker)
        self._triggers = Triggers(
            self._bind_outputs(functions),
            self._arguments,
            self._configuration,
            self._options,
            self._accounts,
            self._watchers,
            self._invoker,
            on_end=self._end,
        )
        self._errors |= self._triggers.errors
        self._http = HttpServer(
            [function for function in functions if function.name not in self._errors],
            self._options,
            self._configuration,
            self._invoker,
            keys=self._keys,
            admin=AdminApi(self._control(functions)),
            cors=self._cors,
            running=self._running,
        )
        self._errors |= self._http.errors
        await self._serve(functions, address, port)

    async def _serve(self, functions: Sequence[Function], address: str, port: int) -> None:
        try:
            await self._http.start(address, port)
        except OSError as error:
            raise port_unusable(address, port, error) from None
        await self._triggers.start()
        self._running.set()
        self._report(functions, f"http://localhost:{port}")
        try:
            await self._over
        except WorkerLost:
            await self._drain()
            raise
        await self._drain()

    async def _load(self, worker: Worker) -> list[Function]:
        functions: tuple[Function, ...] = ()
        try:
            functions = await worker.start()
        except IndexingFailed as failure:
            log(f"Worker failed to index functions\n{failure}", logging.ERROR)
        chosen = None if self._options.functions is None else {name.lower() for name in self._options.functions}
        found = [function for function in functions if chosen is None or function.name.lower() in chosen]
        unknown = (chosen or set()) - {function.name.lower() for function in functions}
        if functions and unknown:
            log(f"The app has no function named {', '.join(sorted(unknown))}.", logging.WARNING)
        if not found:
            log("No functions were found. Is this the app's folder, and does its script load?", logging.WARNING)
        return found

    def _bind_outputs(self, functions: Sequence[Function]) -> list[Function]:
        """The functions whose names and bindings can be had; the others are in error."""
        encoding = self._options.queues.message_encoding
        for function in functions:
            try:
                check_names(function)
                self._outputs[function.name] = Outputs(
                    function, self._configuration, self._accounts, encoding, self._watchers
                )
            except FunctionError as error:
                self._errors[function.name] = str(error)
        return [function for function in functions if function.name in self._outputs]

    def _report(self, functions: Sequence[Function], base_url: str) -> None:
        disabled = [function for function in functions if self._configuration.is_disabled(function.name)]
        running = [function for function in functions if function.name not in self._errors and function not in disabled]
        prefix = self._options.http.route_prefix
        for line in list_functions(running, disabled, base_url=base_url, route_prefix=prefix):
            say(line)
        for name, error in self._errors.items():
            log(f"The '{name}' function is in error: {error}", logging.ERROR)
        say(f"Host ready: {base_url}")

    def _control(self, functions: Sequence[Function]) -> HostControl:
        return HostControl(
            host_id=host_id(self._configuration),
            functions=functions,
            errors=lambda: self._errors,
            is_disabled=self._configuration.is_disabled,
            manual=self._triggers.run_manually,
            state=lambda: "Running" if self._running.is_set() else "Starting",
            outstanding=lambda: self._invoker.outstanding,
            is_draining=lambda: self._draining,
            drain=self._start_draining,
            resume=self._resume,
            route_prefix=self._options.http.route_prefix,
            bundle_version=self._options.extension_bundle,
        )

    async def _start_draining(self) -> None:
        self._draining = True
        async with self._switching:
            await self._triggers.stop()

    async def _resume(self) -> None:
        async with self._switching:
            await self._triggers.start()
            self._draining = False

    async def _drain(self) -> None:
        await asyncio.gather(self._http.stop(), self._triggers.stop())
        await self._accounts.close()
        if self._failure:
            raise self._failure

    def _stop(self) -> None:
        if self._over.done():
            os._exit(130)
        log("Stopping: no new work is taken, and what runs is let finish. Once more ends the host at once.")
        self._over.set_result(None)

    def _end(self, reason: HostEnded) -> None:
        if self._over.done():
            self._failure = reason
        else:
            self._over.set_exception(reason)

    def _lose_worker(self, reason: str) -> None:
        if not self._over.done():
            self._over.set_exception(WorkerLost(reason))
