"""The host's own endpoints."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from devhost.functions import Binding, Function
from devhost.http.admin import AdminApi
from devhost.http.host_control import HostControl
from devhost.http.keys import Keys
from tests.unit.devhost_http.serving import Recorder, Served, http_function, serving

QUEUE = Function(
    name="Work",
    id="1",
    bindings=(Binding(type="queueTrigger", direction="in", name="msg", properties={"queueName": "q"}),),
)
FUNCTIONS = (QUEUE, http_function("web", "items/{id}"), http_function("lost"))


class Host:
    """A host that does what it is told, and remembers it."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, str]] = []
        self.ran = asyncio.Event()
        self.draining = False
        self.state = "Running"
        self.outstanding = 2

    async def manual(self, function: Function, value: str) -> None:
        self.runs.append((function.name, value))
        self.ran.set()

    async def drain(self) -> None:
        self.draining = True

    async def resume(self) -> None:
        self.draining = False

    def control(self) -> HostControl:
        return HostControl(
            host_id="host-1",
            functions=FUNCTIONS,
            errors=lambda: {"lost": "no route"},
            is_disabled=lambda name: name == "web",
            manual=self.manual,
            state=lambda: self.state,
            outstanding=lambda: self.outstanding,
            is_draining=lambda: self.draining,
            drain=self.drain,
            resume=self.resume,
            bundle_version="4.38.0",
        )


@asynccontextmanager
async def administered(host: Host, **options: Any) -> AsyncIterator[Served]:
    async with serving(*FUNCTIONS, admin=AdminApi(host.control()), **options) as served:
        yield served


async def read(served: Served, path: str) -> Any:
    reply = await served.get(path)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json; charset=utf-8")
    return json.loads(reply.body)


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_admin_ping_is_an_empty_200_for_anybody(method: str) -> None:
    async with administered(Host(), keys=Keys(function_key="f", master_key="m", source="")) as served:
        reply = await served.get("/ADMIN/host/ping/", method)
        assert (reply.status, reply.body) == (200, b"")
        assert (await served.get("/admin/warmup")).status == 200


async def test_admin_host_status_tells_what_runs() -> None:
    async with administered(Host()) as served:
        status = await read(served, "/admin/host/status")
    assert (status["id"], status["state"]) == ("host-1", "Running")
    assert status["extensionBundle"] == {"id": "Microsoft.Azure.Functions.ExtensionBundle", "version": "4.38.0"}
    assert status["processUptime"] >= 0
    assert {
        "version",
        "versionDetails",
        "instanceId",
        "computerName",
        "functionAppContentEditingState",
    } <= status.keys()


async def test_admin_functions_are_listed_and_described() -> None:
    async with administered(Host()) as served:
        listed = {entry["name"]: entry for entry in await read(served, "/admin/functions")}
        one = await read(served, "/admin/functions/WEB")
        assert (await served.get("/admin/functions/none")).status == 404
        base = f"http://localhost:{served.port}"
    assert list(listed) == ["Work", "web", "lost"]
    assert one == listed["web"]
    assert one["invoke_url_template"] == f"{base}/api/items/{{id}}"
    assert one["href"] == f"{base}/admin/functions/web"
    assert (one["isDisabled"], one["language"]) == (True, "python")
    assert listed["Work"]["invoke_url_template"] is None
    assert listed["Work"]["config"]["bindings"] == [{"queueName": "q"}]


async def test_admin_function_status_tells_its_error() -> None:
    async with administered(Host()) as served:
        assert await read(served, "/admin/functions/lost/status") == {"isDisabled": False, "errors": ["no route"]}
        assert await read(served, "/admin/functions/web/status") == {"isDisabled": True}
        assert (await served.get("/admin/functions/none/status")).status == 404


async def test_admin_run_answers_202_at_once_and_runs_the_function_once() -> None:
    host = Host()
    async with administered(host) as served:
        reply = await served.post("/admin/functions/work", b'{"input": "{\\"a\\": 1}"}')
        assert (reply.status, reply.body) == (202, b"")
        await asyncio.wait_for(host.ran.wait(), 10)
    assert host.runs == [("Work", '{"a": 1}')]


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("Work", b"", 400),
        ("Work", b"{", 400),
        ("Work", b"null", 400),
        ("Work", b"[]", 400),
        ("Work", b'{"input": {}}', 400),
        ("Work", b"[" * 100_000, 400),
        ("none", b'{"input": "x"}', 404),
        ("lost", b'{"input": "x"}', 404),
        ("Work", b"{}", 202),
    ],
)
async def test_admin_run_looks_at_body_and_name(name: str, body: bytes, status: int) -> None:
    host = Host()
    async with administered(host) as served:
        assert (await served.post(f"/admin/functions/{name}", body)).status == status
    assert len(host.runs) == (status == 202)


async def test_admin_drain_and_resume_are_passed_on() -> None:
    host = Host()
    async with administered(host) as served:
        assert (await read(served, "/admin/host/drain/status"))["state"] == "Disabled"
        assert (await served.post("/admin/host/drain", b"")).status == 202
        assert await read(served, "/admin/host/drain/status") == {
            "state": "InProgress",
            "outstandingInvocations": 2,
            "outstandingRetries": 0,
        }
        host.outstanding = 0
        assert (await read(served, "/admin/host/drain/status"))["state"] == "Completed"
        assert json.loads((await served.post("/admin/host/resume", b"")).body) == {"state": "Running"}
        assert not host.draining
        host.state = "Stopping"
        assert (await served.post("/admin/host/resume", b"")).status == 409


@pytest.mark.parametrize(
    ("headers", "status"), [({}, 401), ({"x_functions_key": "f"}, 401), ({"x_functions_key": "m"}, 200)]
)
async def test_admin_asks_for_the_master_key_where_keys_are_on(headers: Mapping[str, str], status: int) -> None:
    async with administered(Host(), keys=Keys(function_key="f", master_key="m", source="")) as served:
        for path in ("/admin/host/status", "/admin/functions", "/admin/functions/web"):
            assert (await served.get(path, **headers)).status == status


async def test_admin_goes_before_functions_and_past_throttle_and_waiting() -> None:
    recorder = Recorder()
    catch_all = http_function("all", "{*rest}")
    limits = {"route_prefix": "", "max_outstanding_requests": 0}
    admin = AdminApi(Host().control())
    async with serving(catch_all, invoke=recorder, http=limits, admin=admin, running=asyncio.Event()) as served:
        assert (await served.get("/admin/host/ping")).status == 200
    async with serving(catch_all, invoke=recorder, http={"route_prefix": ""}, admin=admin) as served:
        assert (await served.get("/admin/host/ping", "DELETE")).status == 200
    assert [call.trigger.value["params"]["rest"].value for call in recorder.calls] == ["admin/host/ping"]


async def test_server_stop_waits_for_what_admin_started() -> None:
    host = Host()
    async with administered(host) as served:
        await served.post("/admin/functions/work", b'{"input": "x"}')
        await served.server.stop(10)
        assert host.runs == [("Work", "x")]
