"""Everything that starts functions by itself: a listener for each queue and timer trigger of the app."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.arguments import Arguments
from devhost.console import log
from devhost.errors import FunctionError, HostEnded
from devhost.functions import Function
from devhost.invocation import CALLED_OVER_HTTP, Call, Invoke
from devhost.queues.call import call_for_input
from devhost.queues.client import QueueAccounts
from devhost.queues.listener import QueueListener
from devhost.queues.watchers import QueueWatchers
from devhost.settings.configuration import Configuration
from devhost.settings.host_json import HostOptions
from devhost.timers.listener import TimerListener


class Listener(Protocol):
    """What starts a function: a queue or a clock. It can be started again once it was stopped."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Triggers:
    """The listeners of an app's functions. `errors` says, by function name, why one is not listened for."""

    def __init__(
        self,
        functions: Sequence[Function],
        arguments: Arguments,
        configuration: Configuration,
        options: HostOptions,
        accounts: QueueAccounts,
        watchers: QueueWatchers,
        invoke: Invoke,
        *,
        on_end: Callable[[HostEnded], None],
    ) -> None:
        """`on_end` is called where a listener meets what the real host does not survive."""
        self._arguments = arguments
        self._configuration = configuration
        self._options = options
        self._accounts = accounts
        self._watchers = watchers
        self._invoke = invoke
        self._on_end = on_end
        self.errors: dict[str, str] = {}
        self._listening: list[Listener] = []
        self._manual: dict[str, Callable[[str], Awaitable[Call]]] = {}
        for function in functions:
            try:
                self._add(function)
            except FunctionError as error:
                self.errors[function.name] = str(error)

    async def start(self) -> None:
        """Every function that is neither in error nor disabled is listened for."""
        await asyncio.gather(*(listener.start() for listener in self._listening))

    async def stop(self) -> None:
        """Nothing is started any more, and what was has ended, its message or status dealt with."""
        await asyncio.gather(*(listener.stop() for listener in self._listening))

    async def run_manually(self, function: Function, value: str) -> None:
        """The function has run with this input, past its trigger."""
        try:
            call = await self._manual[function.name](value)
        except Exception as error:  # whatever keeps a call from being made is told to the one who asked
            log(f"'{function.name}' could not be run: {error}", logging.ERROR)
        else:
            await self._invoke(call)

    def _add(self, function: Function) -> None:
        match function.trigger.type:
            case "queueTrigger":
                self._listen(function, self._queue_listener(function))
                self._manual[function.name] = lambda value: _now(call_for_input(function, value, CALLED_OVER_HTTP))
            case "timerTrigger":
                timer = TimerListener(function, self._configuration, self._invoke, singleton=self._options.singleton)
                self._listen(function, timer)
                self._manual[function.name] = lambda _: timer.manual_call(CALLED_OVER_HTTP)
            case _:  # an HTTP function cannot be made a request from a text: the call is made, and fails
                self._manual[function.name] = lambda value: _now(
                    Call(function=function, trigger=Datum(value, "string"), reason=CALLED_OVER_HTTP)
                )

    def _listen(self, function: Function, listener: Listener) -> None:
        if not self._configuration.is_disabled(function.name):
            self._listening.append(listener)

    def _queue_listener(self, function: Function) -> QueueListener:
        if self._options.extension_bundle is None:
            raise FunctionError("host.json: without extensionBundle the host has no queueTrigger")
        return QueueListener(
            function,
            self._configuration.expand(str(function.trigger.properties.get("queueName", ""))),
            self._accounts,
            self._options.queues,
            self._watchers,
            self._invoke,
            on_end=self._on_end,
            lease=self._arguments.lease,
            poison_limit=self._arguments.poison_limit,
        )


async def _now(call: Call) -> Call:
    return call
