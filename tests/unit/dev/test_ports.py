"""A taken port is told with the way out."""

import socket

import pytest

from tools.dev.ports import check_free
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
