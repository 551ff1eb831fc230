"""The command line of the local host."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import cast

from devhost.queues.processor import PoisonLimit

DEFAULT_PORT = 7071
DEFAULT_ADDRESS = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What was asked for. `port` and `address` are None where local.settings.json or the default decides."""

    app: Path
    port: int | None
    address: str | None
    functions: tuple[str, ...]
    keys: bool
    lease: timedelta
    poison_limit: PoisonLimit


def parse_arguments(words: Sequence[str]) -> Arguments:
    """The arguments in these words; wrong ones end the process with status 2 and a usage line."""
    parser = argparse.ArgumentParser(
        prog="python -m devhost", description="Runs the functions of an Azure Functions app (Python, v2 model) locally."
    )
    parser.add_argument("--app", type=_folder, default=Path(), metavar="FOLDER", help="the app (default: this folder)")
    parser.add_argument(
        "--port", type=_port, help=f"0 takes a free one (default: Host.LocalHttpPort, else {DEFAULT_PORT})"
    )
    parser.add_argument("--address", help=f"where to listen (default: Host.LocalHttpAddress, else {DEFAULT_ADDRESS})")
    parser.add_argument("--functions", nargs="+", default=(), metavar="NAME", help="load only these")
    parser.add_argument("--keys", action="store_true", help="ask for function and admin keys, as deployed")
    parser.add_argument(
        "--lease", type=_lease, default=timedelta(seconds=600), metavar="SECONDS",
        help="how long a received queue message stays hidden, renewed at half of it (default: 600, as the real host)",
    )  # fmt: skip
    parser.add_argument(
        "--poison-limit", choices=("new", "old"), default="new",
        help="old: as the queue extension up to 5.3.7, a *-poison queue's trigger ignores what exceeds maxDequeueCount",
    )  # fmt: skip
    given = parser.parse_args(words)
    return Arguments(
        app=given.app.resolve(),
        port=given.port,
        address=given.address,
        functions=tuple(given.functions),
        keys=given.keys,
        lease=given.lease,
        poison_limit=cast(PoisonLimit, given.poison_limit),
    )


def _folder(text: str) -> Path:
    folder = Path(text)
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text}")
    return folder


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("0 to 65535")
    return port


def _lease(text: str) -> timedelta:
    seconds = int(text)
    if not 1 <= seconds <= 7 * 24 * 3600:
        raise argparse.ArgumentTypeError("1 second to 7 days")
    return timedelta(seconds=seconds)
