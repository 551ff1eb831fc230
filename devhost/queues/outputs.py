"""The output bindings of one function: queue messages, written after it returned and before its call counts as done."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from azure_functions_runtime.bindings.datumdef import Datum

from devhost.errors import FunctionError
from devhost.functions import Binding, Function
from devhost.queues.client import QueueAccounts, QueueClient
from devhost.queues.message import Encoding, encode_body
from devhost.queues.name import queue_name
from devhost.queues.watchers import QueueWatchers
from devhost.settings.configuration import Configuration

RETURN = "$return"
TRIGGERS = frozenset({"httptrigger", "queuetrigger", "timertrigger"})


class OutputFailed(Exception):
    """An output could not be written, so the call failed; other outputs of it may have been written."""


class Outputs:
    """Where a function's outputs go."""

    def __init__(
        self,
        function: Function,
        configuration: Configuration,
        accounts: QueueAccounts,
        encoding: Encoding,
        watchers: QueueWatchers,
    ) -> None:
        """
        Raises:
            FunctionError: a binding is of a kind that devhost does not have, or its queue or connection is not there.
        """
        self._encoding = encoding
        self._watchers = watchers
        self._queues = {
            binding.name: _queue(binding, configuration, accounts)
            for binding in function.bindings
            if _is_queue_output(binding)
        }

    async def write(self, returned: Datum | None, outputs: Sequence[tuple[str, Datum]]) -> None:
        """Every message is in its queue; a missing queue is made. Outputs are written side by side.

        Raises:
            OutputFailed: the first failure; what else was written stays.
        """
        pairs = [*outputs, *([(RETURN, returned)] if returned is not None else [])]
        written = [self._write(self._queues[name], datum) for name, datum in pairs if name in self._queues]
        for failure in await asyncio.gather(*written, return_exceptions=True):
            if isinstance(failure, Exception):
                raise OutputFailed(f"Error while handling the function's outputs: {failure}") from failure

    async def _write(self, queue: QueueClient, datum: Datum) -> None:
        for body in messages(datum):
            await queue.send(encode_body(body, self._encoding))
            self._watchers.notify(queue.name)


def messages(datum: Datum) -> list[bytes]:
    """The bodies that a value makes: text shaped like JSON is written anew, an array is one message an element.

    Raises:
        ValueError: the text begins and ends like JSON and is not.
    Source: azure-functions-host, Binding/FunctionBinding.cs and Utility.cs.
    """
    if datum.type == "bytes":
        return [bytes(datum.value)]
    is_json = datum.type == "json" or (datum.type == "string" and _is_shaped_like_json(datum.value))
    value = json.loads(datum.value) if is_json else datum.value
    return [_text(element).encode() for element in (value if isinstance(value, list) else [value])]


def _is_shaped_like_json(text: str) -> bool:
    trimmed = text.strip()
    return trimmed[:1] + trimmed[-1:] in ("{}", "[]")


def _text(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value, indent=2, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _is_queue_output(binding: Binding) -> bool:
    kind = binding.type.lower()
    if kind == "queue" and binding.direction == "out":
        return True
    if kind in TRIGGERS or (kind == "http" and binding.direction == "out"):
        return False
    raise FunctionError(
        f"devhost does not have this binding: type '{binding.type}', direction '{binding.direction}' "
        f"(parameter '{binding.name}'). It has http, queue and timer triggers and queue output."
    )


def _queue(binding: Binding, configuration: Configuration, accounts: QueueAccounts) -> QueueClient:
    name = configuration.expand(str(binding.properties.get("queueName", "")))
    if "{" in name:
        raise FunctionError(f"queueName '{name}': devhost does not fill in {{…}} from the trigger's data")
    return accounts.queue(binding.properties.get("connection"), queue_name(name))
