"""`dev.py start`: the emulator and the app, until Ctrl-C."""

import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from tools.dev.azurite import Azurite
from tools.dev.host import GRACE_SECONDS, Host
from tools.dev.kept import Kept
from tools.dev.ports import check_free
from tools.dev.prepare import prepare
from tools.dev.say import Say
from tools.dev.stop_signal import on_stop_signal

STORAGE_PORT = 10000
"""The first of the three ports that `UseDevelopmentStorage=true` stands for."""

CONNECTIONS = ("AzureWebJobsStorage", "FixItStorage")


@dataclass(frozen=True, kw_only=True)
class Options:
    """What `dev.py start` was asked for; its --help says what they mean."""

    host: str
    port: int
    storage_port: int
    data: Path
    functions: tuple[str, ...]
    keys: bool

    @property
    def storage_ports(self) -> tuple[int, int, int]:
        """Blob, queue, table. 0: any."""
        first = self.storage_port
        return (first, first + 1, first + 2) if first else (0, 0, 0)


def start(options: Options) -> int:
    """Run everything until Ctrl-C or SIGTERM, then leave nothing running. 0 once it has ended so.

    Raises:
        Problem: something stands in the way; nothing is running.
    """
    stop = threading.Event()
    say = Say(on_closed=stop.set)
    host = Host(
        options.host,
        port=options.port,
        functions=options.functions,
        keys=options.keys,
        on_line=say,
        on_ready=_Announcement(say),
    )
    check_free(options.port, of="the app", option="--port N")
    for port in options.storage_ports:
        check_free(port, of="the storage emulator", option="--storage-port N")
    prepare()
    azurite = Azurite(options.data.resolve(), ports=options.storage_ports)
    on_stop_signal(stop, hurry=host.kill)
    kept = [Kept("Azurite", azurite, say=say)]
    try:
        kept[0].start()
        if options.storage_port != STORAGE_PORT:
            host.extra = dict.fromkeys(CONNECTIONS, azurite.connection_string)
        say(f"Storage emulator on ports {azurite.blob_port}, {azurite.queue_port}, {azurite.table_port}; "
            f"its data is in {options.data}")  # fmt: skip
        kept.append(Kept("The host", host, say=say))
        kept[1].start()
        while not stop.wait(0.5):  # with a timeout, or Windows would not see Ctrl-C
            pass
        say(f"dev.py: Stopping; running functions have {GRACE_SECONDS} s to finish (Ctrl-C again ends them now).")
    finally:
        for service in reversed(kept):
            service.stop()
    say("dev.py: Stopped.")
    return 0


class _Announcement:
    """Says once how to try it, and afterwards only that it is there again."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._said = False

    def __call__(self, port: int) -> None:
        if self._said:
            self._say(f"dev.py: Ready again at http://localhost:{port}")
            return
        self._said = True
        quote, inner = ('"', r"\"") if sys.platform == "win32" else ("'", '"')
        body = '{"title": "The lamp in room 4 is broken"}'.replace('"', inner)
        self._say()
        self._say("Ready; Ctrl-C stops everything. Try it:")
        self._say()
        self._say(f'  curl -i http://localhost:{port}/api/fixits -H "Content-Type: application/json" \\')
        self._say(f"    -d {quote}{body}{quote}")
        self._say()
