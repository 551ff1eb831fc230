"""HTTP with Microsoft's worker library behind it: decorated functions, run by the host as a process."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.running import RunningHost
from tests.unit.devhost_http.serving import Reply, read_reply

APP = """
import json
import azure.functions as func

app = func.FunctionApp()


@app.route(route="echo/{id:int}/{*rest}", auth_level=func.AuthLevel.ANONYMOUS)
async def echo(req: func.HttpRequest) -> func.HttpResponse:
    seen = {
        "method": req.method, "url": req.url, "params": dict(req.params), "route": dict(req.route_params),
        "header": req.headers.get("X-A"), "body": req.get_body().decode("latin-1"),
    }
    return func.HttpResponse(json.dumps(seen), status_code=201, mimetype="application/json", headers={"X-B": "b"})


@app.route(route="text", methods=["GET"])
def text(req: func.HttpRequest) -> str:
    return '{"a": 1}'


@app.route(route="cookies")
def cookies(req: func.HttpRequest) -> func.HttpResponse:
    response = func.HttpResponse("hé")
    response.headers.add("Set-Cookie", "a=1; Path=/; HttpOnly")
    response.headers.add("Set-Cookie", "b=2; Max-Age=5")
    return response


@app.route(route="nothing")
def nothing(req: func.HttpRequest) -> func.HttpResponse:
    return None


@app.route(route="fails")
def fails(req: func.HttpRequest) -> func.HttpResponse:
    raise RuntimeError("secret")


@app.route(route="/broken")
def broken(req: func.HttpRequest) -> str:
    return "never"


@app.route(auth_level=func.AuthLevel.ADMIN)
def unrouted(req: func.HttpRequest) -> str:
    return "by its name"
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    folder = tmp_path_factory.mktemp("app")
    (folder / "function_app.py").write_text(APP, encoding="utf-8")
    (folder / "host.json").write_text('{"version": "2.0"}', encoding="utf-8")
    with RunningHost(folder, {}) as running:
        yield running


async def ask(host: RunningHost, target: str, *, method: str = "GET", body: bytes = b"", **headers: str) -> Reply:
    reader, writer = await asyncio.open_connection("127.0.0.1", host.port)
    try:
        lines = [f"{method} {target} HTTP/1.1", "Host: h", *(f"{n.replace('_', '-')}: {v}" for n, v in headers.items())]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
        return await read_reply(reader)
    finally:
        writer.close()


async def test_worker_function_sees_the_request_as_it_was_sent(host: RunningHost) -> None:
    reply = await ask(host, "/api/Echo/7/a%2Fb/c%20d?x=1&x=2&y=", method="patch", body=b"\xffhi", X_A="v")
    seen: dict[str, Any] = json.loads(reply.body)
    assert (reply.status, reply.headers["content-type"], reply.headers["x-b"]) == (201, "application/json", "b")
    assert seen == {
        "method": "PATCH",
        "url": "http://h/api/Echo/7/a%2Fb/c%20d?x=1&x=2&y=",
        "params": {"x": "1,2"},
        "route": {"id": "7", "rest": "a%2Fb/c d"},
        "header": "v",
        "body": "\xffhi",
    }


async def test_worker_function_returning_text_has_its_json_indented(host: RunningHost) -> None:
    reply = await ask(host, "/api/text")
    assert (reply.status, reply.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert reply.body == b'{\n  "a": 1\n}'
    assert (await ask(host, "/api/text", method="POST")).status == 404


async def test_worker_function_setting_cookies_sends_each(host: RunningHost) -> None:
    reply = await ask(host, "/api/cookies")
    assert reply.body.decode() == "hé"
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.cookies == ["a=1; domain=; path=/; httponly", "b=2; max-age=5; domain=; path="]


@pytest.mark.parametrize("name", ["nothing", "fails"])
async def test_worker_function_that_fails_or_returns_none_is_an_empty_500(host: RunningHost, name: str) -> None:
    reply = await ask(host, f"/api/{name}")
    assert (reply.status, reply.body) == (500, b"")


async def test_worker_function_without_a_route_is_found_by_its_name(host: RunningHost) -> None:
    assert (await ask(host, "/api/unrouted")).body == b"by its name"


async def test_worker_function_with_a_bad_route_is_reported_and_the_others_run(host: RunningHost) -> None:
    assert any("'broken' function is in error" in line for line in host.lines())
    assert (await ask(host, "/api/broken")).status == 404
    status = json.loads((await ask(host, "/admin/functions/broken/status")).body)
    assert "not valid" in status["errors"][0]
