"""The app in tests/apps/queues on a host of its own, with queues of its own behind a wire."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.storage.queue import QueueClient

from tests.support.eventually import eventually
from tests.support.running import RunningHost
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

FOLDER = Path(__file__).resolve().parents[1] / "apps/queues"


class QueueApp:
    """One or more functions of that app, listening from the start of the context. Leaving it kills the host."""

    folder = FOLDER

    def __init__(
        self,
        azurite: Azurite,
        wire: Wire,
        name: str,
        *functions: str,
        host_json: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        ready: bool = True,
    ) -> None:
        """`name` is the input queue's. `host_json` overrides its leaves, by their path with colons.

        The queues here are for the test's own use, past the wire: what it does is not recorded and cannot be broken.
        """
        self.input, self.output, self.poison = (
            QueueClient.from_connection_string(azurite.connection_string, f"{name}{end}")
            for end in ("", "-out", "-poison")
        )
        with suppress(ResourceExistsError):
            self.input.create_queue()
        self._functions = functions
        self._options = options
        self._ready = ready
        self._env = {
            "Work": wire.connection_string,
            "IN_QUEUE": name,
            "OUT_QUEUE": f"{name}-out",
            **{f"AzureFunctionsJobHost__{key.replace(':', '__')}": value for key, value in (host_json or {}).items()},
            **(env or {}),
        }

    def __enter__(self) -> Self:
        self.host = RunningHost(FOLDER, self._env, functions=self._functions, options=self._options, ready=self._ready)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        print(*self.host.lines(), sep="\n")  # shown where the test failed
        self.host.kill()
        for queue in (self.input, self.output, self.poison):
            queue.close()

    def saw(self) -> list[dict[str, Any]]:
        """What the functions told so far, in order."""
        lines = (re.search(r"SAW (\{.*\})", line) for line in self.host.lines())
        return [json.loads(match[1]) for match in lines if match]

    def wait_saw(self, count: int = 1) -> list[dict[str, Any]]:
        """What the functions told, once they told that many things."""
        return eventually(lambda: seen if len(seen := self.saw()) >= count else None, what=f"{count} lines SAW")

    def wait_empty(self) -> None:
        """The input queue holds no message any more, not even a hidden one."""
        eventually(lambda: waiting(self.input) == 0, what="an empty input queue")


def waiting(queue: QueueClient) -> int:
    """Messages on the queue, hidden ones too; 0 where it does not exist."""
    try:
        return queue.get_queue_properties().approximate_message_count or 0
    except ResourceNotFoundError:
        return 0


def texts(queue: QueueClient) -> list[str]:
    """The visible messages' texts, sorted."""
    try:
        return sorted(message.content for message in queue.peek_messages(32))
    except ResourceNotFoundError:
        return []
