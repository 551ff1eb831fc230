"""`dev.py start --lanes`: several accounts, and intake and each lane in processes of their own.

A lane whose account is lost ends the process that listens to it, so these must not share one.
"""

from collections.abc import Callable
from functools import partial

from tools.dev.azurite import Azurite
from tools.dev.cors import allow_uploads, upload_origins
from tools.dev.host import Host
from tools.dev.lanes import Lanes
from tools.dev.options import Options
from tools.dev.roster import INTAKE, Roster, called
from tools.dev.say import Say
from tools.dev.setup import Setup

AWAY_SECONDS = 40
"""So long a lost account stays away: its listeners try for 27 s before they end, and that is to be seen."""


class Account:
    """An emulated account that tells its new process id when it is there again."""

    def __init__(self, name: str, azurite: Azurite, say: Callable[[str], None]) -> None:
        self._name, self._azurite, self._say = name, azurite, say
        self._again = False

    def start(self) -> None:
        self._azurite.start()
        if self._again:
            self._say(f"dev.py: Account {self._name} is there again, process {self._azurite.child.pid}.")
        self._again = True

    def wait(self) -> str:
        return self._azurite.wait()

    def stop(self) -> None:
        self._azurite.stop()


def laned(options: Options, lanes: Lanes, say: Say) -> Setup:
    """The first account is the host's and has the tables and blobs; an account's data are in a folder of its name."""
    data = options.data.resolve()
    azurites = {
        connection: Azurite(data / connection, ports=options.storage_ports(number))
        for number, connection in enumerate(lanes.connections, 1)
    }
    roster = Roster(say, lanes, azurites, data=options.data, away_seconds=AWAY_SECONDS)

    def host(name: str, *, port: int = 0, functions: tuple[str, ...] = ()) -> Host:
        line, ready = partial(_prefixed, say, roster.column(name)), partial(roster.ready, name)
        return Host(options.host, port=port, functions=functions, keys=options.keys, on_line=line, on_ready=ready)

    hosts = {INTAKE: host(INTAKE, port=options.port)}
    hosts |= {lane.short_name: host(lane.short_name, functions=lane.functions) for lane in lanes.each}
    roster.hosts = hosts

    def connect() -> None:
        allow_uploads(azurites[lanes.connections[0]].blob_port, upload_origins(options.port))
        accounts = {connection: azurite.connection_string for connection, azurite in azurites.items()}
        shared = {"AzureWebJobsStorage": accounts[lanes.connections[0]], **accounts, **lanes.settings}
        for name, each in hosts.items():
            own = lanes.intake_settings if name == INTAKE else {}
            each.extra = {**shared, **own, "AzureFunctionsWebHost__hostid": _host_id(name)}

    return Setup(
        {f"Account {name}": Account(name, azurite, say) for name, azurite in azurites.items()},
        {called(name): each for name, each in hosts.items()},
        connect=connect,
        say=say,
        away_seconds=AWAY_SECONDS,
    )


def _prefixed(say: Say, prefix: str, line: str) -> None:
    say((prefix + line).rstrip())


def _host_id(name: str) -> str:
    """Hosts with one id share one lock, and of Core Tools only its holder says that it is ready."""
    return f"fixit-{name.replace('/', '-')}"
