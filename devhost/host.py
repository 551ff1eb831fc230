"""The local host: one app, its triggers, and everything between its start and its end."""

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from typing import Protocol

from devhost.arguments import Arguments
from devhost.configuration import Configuration
from devhost.console import log, say
from devhost.errors import FunctionError, HostEnded
from devhost.functions import Function
from devhost.host_json import HostOptions
from devhost.invoker import Invoker
from devhost.listing import list_functions
from devhost.outputs import Outputs
from devhost.queue_client import QueueAccounts
from devhost.queue_listener import QueueListener
from devhost.queue_watchers import QueueWatchers
from devhost.worker import IndexingFailed, Worker


class Listener(Protocol):
    """What starts a function by itself: a queue or a clock."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class WorkerLost(Exception):
    """The worker has to be started anew, which takes a new process; what was in flight has failed and is dealt with."""


class Host:
    """One app on one worker. `run` once."""

    def __init__(self, arguments: Arguments, configuration: Configuration, options: HostOptions) -> None:
        self._arguments = arguments
        self._configuration = configuration
        self._options = options
        self._accounts = QueueAccounts(configuration)
        self._watchers = QueueWatchers()
        self._errors: dict[str, str] = {}
        self._outputs: dict[str, Outputs] = {}
        self._listeners: list[Listener] = []

    async def run(self, address: str, port: int) -> None:
        """The host has served until it was asked to stop (SIGTERM, Ctrl-C), and has dealt with all that was in flight.

        A second request to stop ends the process at once, with status 130.

        Raises:
            HostEnded: the host ends by itself, as the real one would; nothing was drained.
            WorkerLost: the worker is gone; everything in flight was dealt with.
        """
        loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = loop.create_future()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        worker = Worker(self._arguments.app, on_crash=lambda reason: invoker.worker_lost(reason))
        invoker = Invoker(worker, self._outputs, timeout=self._options.function_timeout, on_lost=self._lose_worker)
        functions = await self._load(worker)
        for function in functions:
            self._prepare(function, invoker)
        for listener in self._listeners:
            await listener.start()
        self._report(functions, f"http://localhost:{port}")
        say("Host ready")
        try:
            await self._over
        except WorkerLost:
            await self._drain()
            raise
        await self._drain()

    async def _load(self, worker: Worker) -> list[Function]:
        try:
            functions = await worker.start()
        except IndexingFailed as failure:
            log(f"Worker failed to index functions:\n{failure}", logging.ERROR)
            functions = ()
        chosen = self._options.functions
        found = [function for function in functions if chosen is None or function.name in chosen]
        if not found:
            log("No functions were found. Is this the app's folder, and does function_app.py import?", logging.WARNING)
        return found

    def _prepare(self, function: Function, invoker: Invoker) -> None:
        try:
            self._outputs[function.name] = Outputs(
                function, self._configuration, self._accounts, self._options.queues.message_encoding, self._watchers
            )
            if self._configuration.is_disabled(function.name):
                return
            if function.trigger.type == "queueTrigger":
                self._listeners.append(self._queue_listener(function, invoker))
        except FunctionError as error:
            self._errors[function.name] = str(error)

    def _queue_listener(self, function: Function, invoker: Invoker) -> QueueListener:
        if self._options.extension_bundle is None:
            raise FunctionError("host.json has no extensionBundle, and without it the host has no queueTrigger")
        return QueueListener(
            function,
            self._configuration.expand(str(function.trigger.properties.get("queueName", ""))),
            self._accounts,
            self._options.queues,
            self._watchers,
            invoker,
            on_end=self._end,
            lease=self._arguments.lease,
            poison_limit=self._arguments.poison_limit,
        )

    def _report(self, functions: Sequence[Function], base_url: str) -> None:
        running = [
            function
            for function in functions
            if function.name not in self._errors and not self._configuration.is_disabled(function.name)
        ]
        disabled = [function for function in functions if self._configuration.is_disabled(function.name)]
        prefix = self._options.http.route_prefix
        for line in list_functions(running, disabled, base_url=base_url, route_prefix=prefix):
            say(line)
        say(f"Listening at {base_url}")
        for name, error in self._errors.items():
            log(f"The '{name}' function is in error: {error}", logging.ERROR)

    async def _drain(self) -> None:
        await asyncio.gather(*(listener.stop() for listener in self._listeners))
        await self._accounts.close()

    def _stop(self) -> None:
        if self._over.done():
            os._exit(130)
        log("Stopping: no new work is taken; what is running is let finish (again to end at once).")
        self._over.set_result(None)

    def _end(self, reason: HostEnded) -> None:
        if not self._over.done():
            self._over.set_exception(reason)

    def _lose_worker(self, reason: str) -> None:
        if not self._over.done():
            self._over.set_exception(WorkerLost(reason))
