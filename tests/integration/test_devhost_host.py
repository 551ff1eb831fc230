"""The host around its triggers: how it starts, what it refuses, how it ends."""

import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from tests.support.eventually import eventually
from tests.support.queue_app import QueueApp, waiting
from tests.support.running import RunningHost
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

type Name = Callable[[str], str]
HOST_JSON = {
    "version": "2.0",
    "extensionBundle": {"id": "Microsoft.Azure.Functions.ExtensionBundle", "version": "[4.*, 5.0.0)"},
}
HELLO = """
import azure.functions as func
app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)

@app.route("hello")
async def hello(req: func.HttpRequest) -> str:
    {body}
"""


@pytest.fixture
def hello_app(tmp_path: Path) -> Path:
    """A folder with one HTTP function and nothing else."""
    (tmp_path / "host.json").write_text(json.dumps(HOST_JSON))
    (tmp_path / "function_app.py").write_text(HELLO.format(body="return 'hello'"))
    return tmp_path


def get(host: RunningHost, path: str) -> requests.Response:
    return requests.get(host.url + path, timeout=30)


def test_host_lists_its_functions_as_core_tools_does(azurite: Azurite, wire: Wire, unique_name: Name) -> None:
    with QueueApp(
        azurite, wire, unique_name("q"), "echo", "text", "slow", env={"AzureWebJobs.slow.Disabled": "1"}
    ) as app:
        lines = app.host.lines()
        assert f"\techo: http://localhost:{app.host.port}/api/echo" in lines
        assert "\ttext: queueTrigger" in lines
        assert "Function slow is disabled." in lines
        assert lines.index("Functions:") < lines.index(f"Host ready: http://localhost:{app.host.port}")


def test_host_that_is_told_to_stop_lets_what_runs_finish_and_deletes_it(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "slow") as app:
        app.input.send_message("ok 2")
        app.input.send_message("fail 2")
        app.wait_saw(2)
        assert app.host.terminate() == 0
        assert {"ended": "ok 2"} in app.saw()
        # The failed one was released at once: it is the only one left, and visible.
        assert [(m.content, m.dequeue_count) for m in app.input.peek_messages(5)] == [("fail 2", 1)]
        assert waiting(app.input) == 1


def test_host_that_is_told_twice_to_stop_ends_at_once(azurite: Azurite, wire: Wire, unique_name: Name) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "slow") as app:
        app.input.send_message("ok 60")
        app.wait_saw()
        os.kill(app.host.pid, signal.SIGINT)
        app.host.wait_line("Stopping")
        os.kill(app.host.pid, signal.SIGINT)
        assert app.host.wait(10) == 130
        assert waiting(app.input) == 1


def test_host_whose_port_is_taken_says_so_in_one_line(hello_app: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with RunningHost(hello_app, {}, options=["--port", str(port)], ready=False) as host:
            assert host.wait() == 1
            assert [line for line in host.lines() if f"Port {port}" in line]
            assert len(host.lines()) == 1


def test_host_takes_its_port_from_the_option_then_local_settings(hello_app: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    settings = {"IsEncrypted": False, "Values": {}, "Host": {"LocalHttpPort": port}}
    (hello_app / "local.settings.json").write_text(json.dumps(settings))
    with RunningHost(hello_app, {}) as host:  # with --port 0
        assert host.port != port


def test_host_json_with_a_value_out_of_range_is_refused_by_file_and_key(hello_app: Path) -> None:
    broken = {**HOST_JSON, "extensions": {"queues": {"batchSize": 33}}}
    (hello_app / "host.json").write_text(json.dumps(broken))
    with RunningHost(hello_app, {}, ready=False) as host:
        assert host.wait() == 1
        assert [line for line in host.lines() if "host.json" in line and "batchSize" in line and "33" in line]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("unconnected", "AzureWebJobsNotThere"),
        ("unnamed", "%NO_SUCH_SETTING%"),
        ("misnamed", "No_Queue_Name"),
        ("has_blob", "devhost does not have this binding"),
        ("mistimed", "not a schedule"),
    ],
)
def test_function_that_cannot_be_listened_for_is_named_and_the_others_go_on(
    azurite: Azurite, wire: Wire, unique_name: Name, function: str, reason: str
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), function, "echo") as app:
        [error] = [line for line in app.host.lines() if "in error" in line]
        assert f"The '{function}' function is in error" in error
        assert reason in error
        assert get(app.host, "/api/echo").status_code == 200
        assert get(app.host, f"/admin/functions/{function}/status").json()["errors"]


def test_host_without_an_extension_bundle_has_no_queue_trigger(hello_app: Path) -> None:
    (hello_app / "host.json").write_text('{"version": "2.0"}')
    (hello_app / "function_app.py").write_text(
        HELLO.format(body="return 'hello'")
        + "@app.queue_trigger(arg_name='m', queue_name='q-q', connection='X')\n"
        + "def work(m: func.QueueMessage) -> None: ...\n"
    )
    with RunningHost(hello_app, {}) as host:
        host.wait_line("'work' function is in error.*extensionBundle")
        assert get(host, "/api/hello").text == "hello"


def test_app_that_cannot_be_imported_leaves_a_host_without_functions_that_says_why(hello_app: Path) -> None:
    (hello_app / "function_app.py").write_text("import no_such_module_anywhere\n")
    with RunningHost(hello_app, {}) as host:
        host.wait_line("no_such_module_anywhere")
        host.wait_line("No functions were found")
        assert get(host, "/api/hello").status_code == 404
        assert get(host, "/admin/host/status").json()["state"] == "Running"
        assert host.terminate() == 0


def test_app_has_its_own_modules_whatever_their_names(hello_app: Path) -> None:
    (hello_app / "shared").mkdir()
    (hello_app / "shared/__init__.py").write_text("ORIGIN = 'the app'\n")
    modules = ["console", "errors", "host", "tools", "worker"]
    for name in modules:
        (hello_app / f"{name}.py").write_text("ORIGIN = 'the app'\n")
    names = ", ".join((*modules, "shared"))
    body = f"import {names}\n    return repr({{module.ORIGIN for module in ({names})}})"
    (hello_app / "function_app.py").write_text(HELLO.format(body=body))
    with RunningHost(hello_app, {}) as host:
        assert get(host, "/api/hello").text == "{'the app'}"


def test_app_gets_its_settings_from_the_environment_first(hello_app: Path) -> None:
    values = {"BOTH": "file", "FILE": "file", "AZURE_FUNCTIONS_ENVIRONMENT": "Staging"}
    (hello_app / "local.settings.json").write_text(json.dumps({"IsEncrypted": False, "Values": values}))
    names = ["BOTH", "FILE", "AZURE_FUNCTIONS_ENVIRONMENT"]
    body = f"import os\n    return '|'.join(os.environ[name] for name in {names})"
    (hello_app / "function_app.py").write_text(HELLO.format(body=body))
    with RunningHost(hello_app, {"BOTH": "environment"}) as host:
        assert get(host, "/api/hello").text == "environment|file|Development"
        host.wait_line("BOTH")


def test_request_with_a_trace_is_the_parent_of_its_function(azurite: Azurite, wire: Wire, unique_name: Name) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    with QueueApp(azurite, wire, unique_name("q"), "echo") as app:
        header = {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}
        seen = requests.get(f"{app.host.url}/api/echo", headers=header, timeout=30).text.split("-")
        assert (seen[0], seen[1], seen[3]) == ("00", trace, "01")
        assert seen[2] != "b7ad6b7169203331"
        assert get(app.host, "/api/echo").text.split("-")[1] != trace


def test_host_with_keys_asks_for_them(hello_app: Path) -> None:
    source = HELLO.format(body="return 'hello'").replace("ANONYMOUS", "FUNCTION")
    (hello_app / "function_app.py").write_text(source)
    keys = {"DEVHOST_FUNCTION_KEY": "the-key", "DEVHOST_MASTER_KEY": "the-master"}
    with RunningHost(hello_app, keys, options=["--keys"]) as host:
        assert get(host, "/api/hello").status_code == 401
        assert get(host, "/api/hello?code=the-key").status_code == 200
        assert get(host, "/admin/host/status").status_code == 401


def test_host_that_storage_refuses_ends_with_the_reason(azurite: Azurite, wire: Wire, unique_name: Name) -> None:
    wire.fail(op="metadata", status=403, code="AuthorizationPermissionMismatch", times=None)
    name = unique_name("q")
    with QueueApp(azurite, wire, name, "text", ready=False) as app:
        assert app.host.wait() == 1
        app.host.wait_line(f"'text'.*queue '{name}'.*403 AuthorizationPermissionMismatch")


def test_host_that_receives_no_list_of_messages_ends_with_the_reason(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "text") as app:
        wire.fail(service="queue", op="get", status=200)  # answered with an error's XML
        assert app.host.wait() == 1
        assert "the answer to a receive is no list of messages" in app.host.lines()[-1]


def test_drain_through_admin_stops_the_queue_and_resume_starts_it(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "text") as app:

        def state() -> str:
            return str(get(app.host, "/admin/host/drain/status").json()["state"])

        assert requests.post(f"{app.host.url}/admin/host/drain", timeout=30).status_code == 202
        eventually(lambda: state() == "Completed")
        polls = len(wire.of(op="get"))
        app.input.send_message("waits")
        assert requests.post(f"{app.host.url}/admin/host/resume", timeout=30).status_code == 200
        assert app.wait_saw()[0]["body"] == "waits"
        assert len(wire.of(op="get")) > polls
