"""The port that the host answers on."""

import socket

from devhost.errors import HostConfigError


def find_port(address: str, port: int) -> int:
    """The port, or for 0 one that is free at this moment: the app is told it before the server starts.

    Raises:
        HostConfigError: it is taken, or the address is not this machine's.
    """
    try:
        with socket.create_server((address, port)) as server:
            return int(server.getsockname()[1])
    except OSError as error:
        raise port_unusable(address, port, error) from None


def port_unusable(address: str, port: int, error: OSError) -> HostConfigError:
    """What to tell somebody who cannot have this port."""
    return HostConfigError(
        f"Port {port} at {address} cannot be used ({error.strerror or error}). "
        "Stop the program that has it, or choose another: --port N, or Host.LocalHttpPort in local.settings.json."
    )
