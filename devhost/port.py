"""The port that the host answers on."""

import socket
import sys

from devhost.errors import HostConfigError

_kept: list[socket.socket] = []


def find_port(address: str, port: int) -> int:
    """The port, or for 0 a free one: the app is told it before the server starts.

    On Linux nobody else is given that free one until then; elsewhere somebody may be.

    Raises:
        HostConfigError: it is taken, or the address is not this machine's.
    """
    try:
        if port == 0 and sys.platform == "linux":
            return _keep_free_port(address)
        with socket.create_server((address, port)) as server:
            return int(server.getsockname()[1])
    except OSError as error:
        raise port_unusable(address, port, error) from None


def _keep_free_port(address: str) -> int:
    """Bound and not listened at, it is taken for whoever asks for a free one, and open to who asks for it by number."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        kept.bind((address, 0))
    except OSError:
        kept.close()
        raise
    _kept.append(kept)
    return int(kept.getsockname()[1])


def port_unusable(address: str, port: int, error: OSError) -> HostConfigError:
    """What to tell somebody who cannot have this port."""
    return HostConfigError(
        f"Port {port} at {address} cannot be used ({error.strerror or error}). "
        "Stop the program that has it, or choose another: --port N, or Host.LocalHttpPort in local.settings.json."
    )
