"""The queue trigger as a function meets it: what it gets, what its failures do, what its outputs become."""

from collections.abc import Callable

import pytest
import requests

from tests.support.eventually import eventually
from tests.support.queue_app import QueueApp, texts, waiting
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

type Name = Callable[[str], str]
ONE_TRY = {"extensions:queues:maxDequeueCount": "1"}


def test_queue_trigger_by_default_gives_text_with_the_bodys_properties_merged_in(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "text") as app:
        message = app.input.send_message('{"ID": "mine", "popReceipt": 7, "nested": {"id": "not this"}, "list": [1]}')
        [seen] = app.wait_saw()
        assert (seen["id"], seen["pop_receipt"], seen["dequeue_count"]) == ("mine", "7", 1)
        assert message.inserted_on
        assert seen["inserted"] == message.inserted_on.isoformat()
        app.wait_empty()


def test_queue_trigger_with_binary_data_gives_bytes_and_metadata_to_trust(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "binary") as app:
        message = app.input.send_message('{"id": "mine", "dequeueCount": "x"}')
        [seen] = app.wait_saw()
        assert (seen["id"], seen["dequeue_count"]) == (message.id, 1)
        assert seen["body"] == '{"id": "mine", "dequeueCount": "x"}'


def test_queue_trigger_with_a_property_of_the_wrong_kind_fails_before_the_function_runs(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "text", host_json=ONE_TRY) as app:
        app.input.send_message('{"dequeueCount": "x"}')
        eventually(lambda: texts(app.poison) == ['{"dequeueCount": "x"}'])
        assert app.saw() == []


def test_queue_trigger_with_bytes_that_are_no_text_runs_binary_functions_only(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    base64 = {"extensions:queues:messageEncoding": "base64", **ONE_TRY}
    with QueueApp(azurite, wire, unique_name("q"), "binary", host_json=base64) as app:
        app.input.send_message("/w==")
        assert app.wait_saw()[0]["body"] == "\xff"
    with QueueApp(azurite, wire, unique_name("q"), "text", host_json=base64) as app:
        app.input.send_message("/w==")
        eventually(lambda: texts(app.poison) == ["/w=="])
        assert app.saw() == []
        app.host.wait_line("Exception binding parameter 'msg'")


def test_function_that_returns_a_value_without_an_output_fails_though_it_ran(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    two_tries = {"extensions:queues:maxDequeueCount": "2"}
    with QueueApp(azurite, wire, unique_name("q"), "returns_value", host_json=two_tries) as app:
        app.input.send_message("x")
        eventually(lambda: texts(app.poison) == ["x"])
        assert [seen["dequeue_count"] for seen in app.saw()] == [1, 2]
        app.host.wait_line("returned a non-None value")


def test_function_without_async_runs_on_a_thread_and_knows_its_context(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "threaded", env={"PYTHON_THREADPOOL_THREAD_COUNT": "2"}) as app:
        for _ in range(6):
            app.input.send_message("x")
        seen = app.wait_saw(6)
        assert len({one["thread"] for one in seen}) <= 2
        assert all("ThreadPoolExecutor" in one["thread"] for one in seen)
        assert len({one["invocation"] for one in seen}) == 6
        assert len({one["trace_parent"] for one in seen}) == 6
        assert (seen[0]["function"], seen[0]["directory"]) == ("threaded", str(app.folder))
        assert seen[0]["trace_parent"].startswith("00-")


def test_queue_output_that_is_returned_is_sent_and_its_queue_is_made(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "returns_message") as app:
        app.input.send_message("passed on")
        eventually(lambda: texts(app.output) == ["passed on"])
        app.wait_empty()
        assert [request.op for request in wire.of(target=app.output.queue_name)] == ["put", "create", "put"]


def test_queue_output_of_a_list_is_a_message_each_before_the_trigger_is_deleted(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "sets_outputs") as app:
        app.input.send_message("a,b,c")
        app.wait_empty()
        assert texts(app.output) == ["a", "b", "c"]
        assert wire.of(op="delete")[0].at > wire.of(op="put")[-1].at


def test_queue_output_that_cannot_be_written_fails_the_function(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    name = unique_name("q")
    with QueueApp(azurite, wire, name, "returns_message", host_json=ONE_TRY) as app:
        wire.fail(op="put", target=f"{name}-out", status=403, code="AuthorizationPermissionMismatch", times=None)
        app.input.send_message("x")
        eventually(lambda: texts(app.poison) == ["x"])
        assert app.host.returncode is None
        app.host.wait_line(r"Executed 'Functions\.returns_message' \(Failed")


def test_queue_output_wakes_the_listener_of_that_queue_at_once(azurite: Azurite, wire: Wire, unique_name: Name) -> None:
    slow_polls = {"extensions:queues:maxPollingInterval": "00:00:25"}
    name = unique_name("q")
    with QueueApp(azurite, wire, name, "returns_message", "second", host_json=slow_polls) as app:
        app.output.create_queue()
        # By the sixth empty poll, the next one is at least 1.5 s away.
        eventually(lambda: len(wire.of(op="get", target=f"{name}-out")) >= 6)
        app.input.send_message("news")
        assert app.wait_saw()[0]["second"] == "news"
        [put] = wire.of(op="put", target=f"{name}-out")
        polls = [request.at for request in wire.of(op="get", target=f"{name}-out") if request.at > put.at]
        assert polls[0] - put.at < 0.5


def test_undecodable_message_goes_to_poison_as_it_came_without_a_run(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    base64 = {"extensions:queues:messageEncoding": "base64"}
    with QueueApp(azurite, wire, unique_name("q"), "text", host_json=base64) as app:
        app.input.send_message('{"raw": true}')
        eventually(lambda: texts(app.poison) == ['{"raw": true}'])
        app.wait_empty()
        assert app.saw() == []
        app.host.wait_line("messageEncoding")


@pytest.mark.parametrize("text", ["a\r\nb\rc", "  spaces  ", "]]> & <x> \U0001f600 \x85\u2028", ""])
def test_poison_copy_has_the_text_of_its_original(azurite: Azurite, wire: Wire, unique_name: Name, text: str) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "returns_value", host_json=ONE_TRY) as app:
        app.input.send_message(text)
        eventually(lambda: waiting(app.poison) == 1)
        kept = app.input.peek_messages() or app.poison.peek_messages()
        assert kept[0].content == text


def test_manual_call_runs_the_function_without_touching_the_queue(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:

    with QueueApp(azurite, wire, unique_name("q"), "text") as app:
        answer = requests.post(f"{app.host.url}/admin/functions/text", json={"input": "by hand"}, timeout=30)
        [seen] = app.wait_saw()
        assert (answer.status_code, seen["body"], seen["id"], seen["dequeue_count"]) == (202, "by hand", None, 0)
        assert not wire.of(op="delete")
