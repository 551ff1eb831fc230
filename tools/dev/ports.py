"""Which ports are free."""

import socket
import sys

from tools.dev.problem import Problem


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens at now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def check_free(port: int, *, of: str, option: str) -> None:
    """Nothing listens at this port of 127.0.0.1 now; 0 is always right.

    Raises:
        Problem: something does. `of` says what wants it, `option` how to choose another.
    """
    with socket.socket() as probe:
        if sys.platform != "win32":  # there it would mean to take a port that is in use
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen()
        except OSError:
            raise Problem(
                f"Port {port} ({of}) is taken by another program: end that one "
                f"(another `dev.py start`?), or choose another port with {option}."
            ) from None
