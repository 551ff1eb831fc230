"""Which ports are free."""

import socket
import sys
import weakref

from tools.dev.problem import Problem


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens at now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def kept_port(owner: object) -> int:
    """A free port of 127.0.0.1 that, as long as `owner` lives, nobody else is given who asks for a free one.

    Programs that ask for this very port may listen at it, one after another. Where a system knows no such thing (all
    but Linux) this is 0: any free port.
    """
    if sys.platform != "linux":
        return 0
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))  # without listening: connections are refused
    weakref.finalize(owner, kept.close)
    return int(kept.getsockname()[1])


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
