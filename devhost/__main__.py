"""`python -m devhost`: run an app's functions until told to stop.

Exit status: 0 after a drain, 1 where the host refuses to start or ends by itself, 2 for wrong arguments, 130 when
it was told twice to stop.
"""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from devhost.arguments import DEFAULT_ADDRESS, DEFAULT_PORT, Arguments, parse_arguments
from devhost.console import listen_to_logging, log, say
from devhost.errors import HostError
from devhost.host import Host, WorkerLost
from devhost.http.cors import Cors
from devhost.http.keys import load_keys
from devhost.port import find_port
from devhost.settings.configuration import Configuration
from devhost.settings.environment import ENVIRONMENT, processors, set_variables
from devhost.settings.host_json import load_host_options
from devhost.settings.local_settings import HostSection, load_local_settings


def main(words: Sequence[str]) -> int:
    """The exit status of a host with these arguments. One whose worker is lost starts anew and does not come back."""
    arguments = parse_arguments(words)
    folder, environment = Path.cwd(), dict(os.environ)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        settings = load_local_settings(arguments.app, os.environ)
        address, port = _choose_address(arguments, settings.host)
        set_variables(os.environ, settings.variables, app=arguments.app, port=port, functions=arguments.functions)
        _import_from(arguments.app)
        host = _prepare(arguments, settings.host, settings.notices)
        asyncio.run(host.run(address, port))
    except HostError as error:
        log(str(error), logging.ERROR)
        return 1
    except KeyboardInterrupt:  # before the host was there to take it: nothing runs yet
        return 130
    except WorkerLost as loss:
        log(f"Restarting the worker: {loss}", logging.WARNING)
        os.chdir(folder)
        again = [sys.executable, *sys.orig_argv[1:], "--port", str(port)]
        os.execve(sys.executable, again, environment)  # noqa: S606 - a new worker takes a new process
    return 0


def _import_from(app: Path) -> None:
    """The app's folder is where imports look first, in place of the one that this process was started in."""
    if not sys.flags.safe_path:
        del sys.path[0]
    sys.path.insert(0, str(app))


def _choose_address(arguments: Arguments, file: HostSection) -> tuple[str, int]:
    address = arguments.address or file.address or DEFAULT_ADDRESS
    port = arguments.port if arguments.port is not None else file.port
    return address, find_port(address, DEFAULT_PORT if port is None else port)


def _prepare(arguments: Arguments, file: HostSection, notices: Sequence[str]) -> Host:
    configuration = Configuration.from_environment(os.environ)
    options = load_host_options(
        arguments.app,
        configuration,
        development=os.environ[ENVIRONMENT].lower() == "development",
        cpu_count=processors(os.environ),
    )
    for notice in (*notices, *options.notices):
        say(notice)
    keys = load_keys(arguments.app, os.environ) if arguments.keys else None
    if keys:
        say(f"Keys are asked for; they are in {keys.source}")
    listen_to_logging()
    cors = Cors(file.cors, file.cors_credentials) if file.cors else None
    return Host(arguments, configuration, options, keys=keys, cors=cors)


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    # Not sys.exit: the worker's threads belong to the app, and one that is stuck must not keep the process.
    os._exit(status)
