"""`python -m devhost`: run an app's functions until told to stop.

Exit status: 0 after a drain, 1 where the host refuses to start or ends by itself, 2 for wrong arguments, 130 when
it was told twice to stop.
"""

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from devhost.arguments import DEFAULT_ADDRESS, DEFAULT_PORT, parse_arguments
from devhost.configuration import Configuration
from devhost.console import listen_to_logging, log, say
from devhost.environment import ENVIRONMENT, processors, set_variables
from devhost.errors import HostConfigError, HostError
from devhost.host import Host, WorkerLost
from devhost.host_json import load_host_options
from devhost.local_settings import load_local_settings


def main(words: Sequence[str]) -> int:
    """The exit status of a host with these arguments; a host whose worker is lost starts anew in this process."""
    arguments = parse_arguments(words)
    folder, environment = Path.cwd(), dict(os.environ)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    try:
        settings = load_local_settings(arguments.app, os.environ)
        address = arguments.address or settings.host.address or DEFAULT_ADDRESS
        wanted = arguments.port if arguments.port is not None else settings.host.port
        port = free_port(address, DEFAULT_PORT if wanted is None else wanted)
        set_variables(os.environ, settings.variables, app=arguments.app, port=port, functions=arguments.functions)
        configuration = Configuration.from_environment(os.environ)
        options = load_host_options(
            arguments.app,
            configuration,
            development=os.environ[ENVIRONMENT].lower() == "development",
            cpu_count=processors(os.environ),
        )
        for notice in (*settings.notices, *options.notices):
            say(notice)
        listen_to_logging()
        asyncio.run(Host(arguments, configuration, options).run(address, port))
    except HostError as error:
        log(f"{error}", logging.ERROR)
        return 1
    except WorkerLost as loss:
        log(f"Restarting the worker: {loss}", logging.WARNING)
        os.chdir(folder)
        again = [*sys.orig_argv, "--port", str(port)]
        os.execve(sys.executable, again, environment)  # noqa: S606 - a new worker takes a new process
    return 0


def free_port(address: str, port: int) -> int:
    """The port, or a free one for 0, at this moment.

    Raises:
        HostConfigError: another program has it.
    """
    with socket.create_server((address, 0)) if port == 0 else _server(address, port) as server:
        return int(server.getsockname()[1])


def _server(address: str, port: int) -> socket.socket:
    try:
        return socket.create_server((address, port))
    except OSError as error:
        raise HostConfigError(
            f"Port {port} at {address} cannot be used ({error.strerror}). "
            "Stop the program that has it, or choose another: --port N, Host.LocalHttpPort in local.settings.json."
        ) from None


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    # Not sys.exit: the worker's threads belong to the app, and one that is stuck must not keep the process.
    os._exit(status)
