"""What a function does to its worker, and what the host makes of it."""

from collections.abc import Callable

import requests

from tests.support.eventually import eventually
from tests.support.queue_app import QueueApp, texts
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

type Name = Callable[[str], str]
THREE_SECONDS = {"functionTimeout": "00:00:03"}


def test_function_that_exceeds_its_timeout_fails_and_the_worker_starts_anew(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    two_tries = {**THREE_SECONDS, "extensions:queues:maxDequeueCount": "2"}
    with QueueApp(azurite, wire, unique_name("q"), "slow", "echo", host_json=two_tries) as app:
        app.input.send_message("ok 60")
        app.wait_saw()
        other = requests.get(f"{app.host.url}/api/echo?seconds=60", timeout=30)
        assert other.status_code == 500  # it ran on the same worker
        app.host.wait_line(r"Timeout value of 00:00:03 exceeded by function 'Functions\.slow'")
        app.host.wait_line("Restarting the worker")
        assert app.wait_saw(2)[1] == {"begun": "ok 60", "dequeue_count": 2}
        eventually(lambda: texts(app.poison) == ["ok 60"])
        app.wait_empty()
        eventually(lambda: answers(app, "/api/echo"))
        assert app.host.returncode is None


def test_function_that_blocks_its_loop_beyond_its_timeout_is_ended_too(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "blocking", host_json=THREE_SECONDS, env={"SECONDS": "60"}) as app:
        app.input.send_message("x")
        app.wait_saw()
        app.host.wait_line("exceeded by function")
        assert app.wait_saw(2)[1]["dequeue_count"] == 2


def test_function_that_exits_takes_the_worker_along_and_is_tried_again_on_a_new_one(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "leaves") as app:
        app.input.send_message("x")
        app.wait_empty()
        assert [seen["dequeue_count"] for seen in app.saw()] == [1, 2]
        app.host.wait_line("the worker ended")


def answers(app: QueueApp, path: str) -> bool:
    try:
        return requests.get(app.host.url + path, timeout=30).status_code == 200
    except requests.ConnectionError:
        return False
