"""Who is let in: keys and levels, disabled functions, throttles, a host that is not running, other origins."""

import asyncio
import json
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from devhost.errors import HostConfigError
from devhost.http import pipeline
from devhost.http.cors import Cors
from devhost.http.keys import Keys, Level, load_keys, read_level
from devhost.invocation import Call, Outcome
from tests.unit.devhost_http.serving import Recorder, http_datum, http_function, serving

KEYS = Keys(function_key="fff", master_key="mmm", source="test")
LEVELS = [http_function(name, f"at/{name}", authLevel=name.upper()) for name in ("anonymous", "function", "admin")]


@pytest.mark.parametrize(
    ("headers", "query", "allowed"),
    [
        ({}, "", ["anonymous"]),
        ({"x-functions-key": "fff"}, "", ["anonymous", "function"]),
        ({"X-Functions-Key": "mmm"}, "", ["anonymous", "function", "admin"]),
        ({}, "?code=fff", ["anonymous", "function"]),
        ({}, "?CODE=mmm", ["anonymous", "function", "admin"]),
        ({"x-functions-key": "no"}, "?code=mmm", ["anonymous"]),
        ({"x-functions-key": ""}, "?code=mmm", ["anonymous"]),
        ({"x-functions-key": "é"}, "", ["anonymous"]),
        ({}, "?code=FFF", ["anonymous"]),
        ({}, "?code=", ["anonymous"]),
    ],
)
async def test_keys_decide_which_levels_a_caller_reaches(
    headers: Mapping[str, str], query: str, allowed: list[str]
) -> None:
    async with serving(*LEVELS, keys=KEYS) as served:
        replies = {function.name: await served.get(f"/api/at/{function.name}{query}", **headers) for function in LEVELS}
    assert [name for name, reply in replies.items() if reply.status == 200] == allowed
    assert {(reply.status, reply.body) for reply in replies.values() if reply.status != 200} <= {(401, b"")}


async def test_keys_off_let_everybody_in() -> None:
    async with serving(*LEVELS) as served:
        assert [(await served.get(f"/api/at/{function.name}")).status for function in LEVELS] == [200, 200, 200]


async def test_keys_in_the_query_stay_visible_to_the_function() -> None:
    recorder = Recorder()
    async with serving(*LEVELS, invoke=recorder, keys=KEYS) as served:
        assert (await served.get("/api/at/function?code=fff")).status == 200
    assert recorder.last["query"] == {"code": "fff"}


def test_level_missing_or_unknown_is_function() -> None:
    assert [read_level(text) for text in (None, "nope", "Admin")] == [Level.FUNCTION, Level.FUNCTION, Level.ADMIN]


def test_keys_are_made_once_and_kept_for_the_owner_alone(tmp_path: Path) -> None:
    keys = load_keys(tmp_path, {})
    assert load_keys(tmp_path, {}) == keys
    kept = tmp_path / ".dev" / "keys.json"
    assert keys.source == str(kept)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert [path.name for path in kept.parent.iterdir()] == ["keys.json"]
    assert len({keys.function_key, keys.master_key}) == 2
    assert keys.master_key not in repr(keys)
    assert load_keys(tmp_path, {"DEVHOST_FUNCTION_KEY": "f"}) == Keys(
        function_key="f", master_key=keys.master_key, source=str(kept)
    )


def test_keys_in_the_environment_need_no_file(tmp_path: Path) -> None:
    keys = load_keys(tmp_path, {"DEVHOST_FUNCTION_KEY": "f", "DEVHOST_MASTER_KEY": "m"})
    assert (keys.function_key, keys.master_key) == ("f", "m")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"functionKey": "", "masterKey": "m"})])
def test_keys_file_that_cannot_be_used_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / ".dev").mkdir()
    (tmp_path / ".dev" / "keys.json").write_text(text)
    with pytest.raises(HostConfigError, match=r"keys\.json.*DEVHOST_MASTER_KEY"):
        load_keys(tmp_path, {})


DISABLED = {"AzureWebJobs.f.Disabled": "true"}


async def test_disabled_function_is_404_and_hides_what_stands_behind_it() -> None:
    recorder = Recorder()
    functions = [http_function("f", "x"), http_function("g", "{x}")]
    async with serving(*functions, invoke=recorder, settings=DISABLED) as served:
        reply = await served.get("/api/x")
    assert (reply.status, reply.body, recorder.calls) == (404, b"", [])


async def test_disabled_function_answers_the_master_key() -> None:
    async with serving(http_function("f"), settings=DISABLED, keys=KEYS) as served:
        assert (await served.get("/api/f", x_functions_key="mmm")).status == 200
        assert (await served.get("/api/f", x_functions_key="fff")).status == 404


class Crowd:
    """Functions that wait to be let go; `running` and `most` count them."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.running = self.most = 0
        self.order: list[str] = []

    async def __call__(self, call: Call) -> Outcome:
        self.running += 1
        self.most = max(self.most, self.running)
        self.order.append(call.trigger.value["query"]["n"].value)
        await self.release.wait()
        self.running -= 1
        return Outcome(ok=True, returned=http_datum(b"ok"))


async def until(condition: object, *, seconds: float = 10) -> None:
    """Returns once `condition()` is true."""
    async with asyncio.timeout(seconds):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.001)


async def test_throttle_beyond_the_outstanding_limit_is_429_at_once() -> None:
    crowd = Crowd()
    limits = {"max_outstanding_requests": 2, "max_concurrent_requests": 1}
    async with serving(http_function("f"), invoke=crowd, http=limits) as served:
        inside = [asyncio.create_task(served.get(f"/api/f?n={n}")) for n in range(2)]
        await until(lambda: served.server._in_flight == 2)
        reply = await served.get("/api/f?n=2")
        assert (reply.status, reply.body, reply.headers["x-function-scaleout"]) == (429, b"", "1")
        assert (await served.get("/none")).status == 429
        crowd.release.set()
        assert [(await task).status for task in inside] == [200, 200]
        assert (await served.get("/api/f?n=3")).status == 200
    assert crowd.most == 1


async def test_throttle_lets_waiting_requests_run_in_order() -> None:
    crowd = Crowd()
    async with serving(http_function("f"), invoke=crowd, http={"max_concurrent_requests": 1}) as served:
        waiting = []
        for n in range(6):
            waiting.append(asyncio.create_task(served.get(f"/api/f?n={n}")))
            await until(lambda: served.server._in_flight == len(waiting))
        crowd.release.set()
        assert [(await task).status for task in waiting] == [200] * 6
    assert (crowd.most, crowd.order) == (1, [str(n) for n in range(6)])


async def test_host_not_running_lets_requests_wait_for_it() -> None:
    running = asyncio.Event()
    async with serving(http_function("f"), running=running) as served:
        early = asyncio.create_task(served.get("/api/f"))
        await until(lambda: served.server._in_flight == 1)
        assert not early.done()
        running.set()
        assert (await early).status == 200


async def test_host_not_running_in_time_is_503(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "NOT_READY_SECONDS", 0.01)
    async with serving(http_function("f"), running=asyncio.Event()) as served:
        reply = await served.get("/api/f")
    assert (reply.status, reply.body) == (503, b"Function host is not running.")


@pytest.mark.parametrize(
    ("setting", "status"), [(None, 404), ("false", 200), ("", 200), ("1", 200), ("true", 204), ("TRUE", 204)]
)
async def test_home_page_is_there_by_its_setting(setting: str | None, status: int) -> None:
    settings = {} if setting is None else {"AzureWebJobsDisableHomepage": setting}
    async with serving(http_function("f"), settings=settings) as served:
        reply = await served.get("/", "DELETE")
        assert reply.status == status
        assert (reply.headers.get("content-type"), b"up and running" in reply.body) == (
            ("text/html", True) if status == 200 else (None, False)
        )
        assert (await served.get("//")).status == 404


async def test_home_page_gives_way_to_a_function() -> None:
    settings = {"AzureWebJobsDisableHomepage": "true"}
    async with serving(http_function("f", "{*rest}"), settings=settings, http={"route_prefix": ""}) as served:
        assert (await served.get("/")).status == 200


SITE = "https://site.example"


async def test_cors_preflight_is_answered_without_a_function() -> None:
    recorder = Recorder()
    wanted = {"Origin": SITE, "Access_Control_Request_Method": "PATCH", "Access_Control_Request_Headers": "x-a, ETag"}
    async with serving(http_function("f"), invoke=recorder, cors=Cors((SITE, "http://b"), credentials=True)) as served:
        reply = await served.get("/api/f", "OPTIONS", **wanted)
        foreign = await served.get("/api/f", "OPTIONS", **wanted | {"Origin": "https://evil.example"})
    allowed = {name: value for name, value in reply.headers.items() if name.startswith("access-control")}
    assert reply.status == foreign.status == 204
    assert allowed == {
        "access-control-allow-origin": SITE,
        "access-control-allow-credentials": "true",
        "access-control-allow-headers": "x-a,ETag",
        "access-control-allow-methods": "PATCH",
    }
    assert reply.headers["vary"] == "Origin"
    assert not [name for name in foreign.headers if name.startswith("access-control")]
    assert recorder.calls == []


@pytest.mark.parametrize(
    ("cors", "origin", "allowed"),
    [
        (Cors((SITE,)), SITE, SITE),
        (Cors((f" {SITE}/ ",)), SITE, SITE),
        (Cors((SITE,)), "https://site.example.evil", None),
        (Cors((SITE,)), "", None),
        (Cors(("*",)), "https://any.example", "*"),
        (Cors(("*",), credentials=True), "https://any.example", "*"),
        (None, SITE, None),
    ],
)
async def test_cors_answer_names_the_origin_it_allows(cors: Cors | None, origin: str, allowed: str | None) -> None:
    async with serving(http_function("f"), cors=cors) as served:
        for path, status in (("/api/f", 200), ("/none", 404)):
            reply = await served.get(path, Origin=origin)
            assert (reply.status, reply.headers.get("access-control-allow-origin")) == (status, allowed)
            assert "access-control-allow-credentials" not in reply.headers
