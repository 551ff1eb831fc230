"""A taken port is told with the way out."""

import contextlib
import errno
import socket
import sys

import pytest

from tools.dev.ports import check_free, kept_port
from tools.dev.problem import Problem


def test_port_taken_is_told_with_its_number_its_use_and_the_option() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(Problem, match=rf"Port {port} \(the app\) is taken .* --port N"):
            check_free(port, of="the app", option="--port N")


def test_port_just_left_is_free_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            server.accept()[0].close()  # leaves a connection behind that the system still remembers
    check_free(port, of="the app", option="--port N")


def test_port_zero_is_always_free() -> None:
    check_free(0, of="the app", option="--port N")


class Owner:
    pass


@pytest.mark.skipif(sys.platform != "linux", reason="no other system keeps a port")
def test_kept_port_is_there_for_those_who_ask_for_it_and_for_nobody_else() -> None:
    owner = Owner()
    port = kept_port(owner)
    for _ in range(2):  # the second comes after the first has ended
        with socket.create_server(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port)):
            pass
    given = set[int]()
    with contextlib.ExitStack() as stack:
        while len(given) < 500:
            given.add(stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1])
    assert port not in given
    # What a connection to elsewhere does when it is given a port of this number: the system passes over those in use.
    with socket.socket() as other, pytest.raises(OSError) as refused:
        other.bind(("127.0.0.1", port))
    assert refused.value.errno == errno.EADDRINUSE
    del owner
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
