"""The host's own endpoints under /admin: is it alive, what does it run, run this function now, drain.

Source: the host's HostController and FunctionsController. Not here: files, keys, logs, restarts (404).
"""

import asyncio
import json
import logging
import platform
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from devhost.functions import Function
from devhost.http.host_control import HostControl
from devhost.http.keys import Level
from devhost.http.response import Answer
from devhost.http.route_matcher import RouteMatcher
from devhost.http.routes import route_template

VERSION = "4.1052.200"
"""The release of the real host that this one follows."""

_BUNDLE = "Microsoft.Azure.Functions.ExtensionBundle"
_STARTED = time.monotonic()

_log = logging.getLogger("devhost.http")


@dataclass(frozen=True, kw_only=True)
class _Endpoint:
    methods: tuple[str, ...]
    route: RouteMatcher
    level: Level
    answer: Callable[..., Awaitable[Answer]]


class AdminApi:
    """The endpoints of one host."""

    def __init__(self, control: HostControl) -> None:
        self._control = control
        self._background: set[asyncio.Future[None]] = set()
        self._endpoints = [
            _Endpoint(methods=methods, route=RouteMatcher(route), level=level, answer=answer)
            for methods, route, level, answer in (
                (("GET", "POST"), "admin/host/ping", Level.ANONYMOUS, self._ping),
                (("GET",), "admin/warmup", Level.ANONYMOUS, self._ping),
                (("GET",), "admin/host/status", Level.ADMIN, self._host_status),
                (("POST",), "admin/host/drain", Level.ADMIN, self._drain),
                (("GET",), "admin/host/drain/status", Level.ADMIN, self._drain_status),
                (("POST",), "admin/host/resume", Level.ADMIN, self._resume),
                (("GET",), "admin/functions", Level.ADMIN, self._list),
                (("GET",), "admin/functions/{name}", Level.ADMIN, self._get),
                (("POST",), "admin/functions/{name}", Level.ADMIN, self._run),
                (("GET",), "admin/functions/{name}/status", Level.ADMIN, self._status),
            )
        ]

    async def answer(self, method: str, path: str, *, level: Level, base_url: str, body: bytes) -> Answer | None:
        """The answer for a caller of this level; None where there is no such endpoint."""
        for endpoint in self._endpoints:
            values = endpoint.route.match(path) if method.upper() in endpoint.methods else None
            if values is not None:
                if level < endpoint.level:
                    return Answer(status=401)
                return await endpoint.answer(**values, base_url=base_url, body=body)
        return None

    async def finish(self) -> None:
        """Everything that was started here in the background has ended."""
        while self._background:
            await asyncio.wait(self._background)

    def _in_background(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Future[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("What /admin started has failed: %s", error)

    async def _ping(self, **_: object) -> Answer:
        return Answer(status=200, headers=(("Cache-Control", "no-store"),))

    async def _host_status(self, **_: object) -> Answer:
        control = self._control
        status: dict[str, Any] = {
            "id": control.host_id,
            "state": control.state(),
            "version": VERSION,
            "versionDetails": VERSION,
            "platformVersion": "",
            "instanceId": control.host_id,
            "computerName": platform.node(),
            "processUptime": int((time.monotonic() - _STARTED) * 1000),
            "functionAppContentEditingState": "Allowed",
        }
        if control.bundle_version is not None:
            status["extensionBundle"] = {"id": _BUNDLE, "version": control.bundle_version}
        return _json(status)

    async def _drain(self, **_: object) -> Answer:
        self._in_background(self._control.drain())
        return Answer(status=202)

    async def _drain_status(self, **_: object) -> Answer:
        outstanding = self._control.outstanding()
        state = "Disabled"
        if self._control.is_draining():
            state = "InProgress" if outstanding else "Completed"
        return _json({"state": state, "outstandingInvocations": outstanding, "outstandingRetries": 0})

    async def _resume(self, **_: object) -> Answer:
        if self._control.state() != "Running":
            return Answer(status=409)
        if self._control.is_draining():
            await self._control.resume()
        return _json({"state": self._control.state()})

    async def _list(self, *, base_url: str, **_: object) -> Answer:
        return _json([self._described(function, base_url) for function in self._control.functions])

    async def _get(self, *, name: str, base_url: str, **_: object) -> Answer:
        function = self._find(name)
        return _json(self._described(function, base_url)) if function else Answer(status=404)

    async def _status(self, *, name: str, **_: object) -> Answer:
        function = self._find(name)
        if function is None:
            return Answer(status=404)
        status: dict[str, Any] = {"isDisabled": self._control.is_disabled(function.name)}
        if error := self._control.errors().get(function.name):
            status["errors"] = [error]
        return _json(status)

    async def _run(self, *, name: str, body: bytes, **_: object) -> Answer:
        try:
            wanted = json.loads(body)
        except (ValueError, RecursionError):
            return Answer(status=400)
        value = wanted.get("input", "") if isinstance(wanted, dict) else None
        if not isinstance(value, str):
            return Answer(status=400)
        function = self._find(name)
        if function is None or function.name in self._control.errors():
            return Answer(status=404)
        self._in_background(self._control.manual(function, value))
        return Answer(status=202)

    def _find(self, name: str) -> Function | None:
        return next((f for f in self._control.functions if f.name.lower() == name.lower()), None)

    def _described(self, function: Function, base_url: str) -> dict[str, Any]:
        invoke_url = None
        if function.trigger.type.lower() == "httptrigger":
            path = "/".join(filter(None, (self._control.route_prefix, route_template(function).strip("/"))))
            invoke_url = f"{base_url}/{path}"
        return {
            "name": function.name,
            "script_root_path_href": None,
            "script_href": None,
            "config_href": None,
            "test_data_href": None,
            "href": f"{base_url}/admin/functions/{function.name}",
            "invoke_url_template": invoke_url,
            "language": "python",
            "config": {"name": function.name, "bindings": [dict(binding.properties) for binding in function.bindings]},
            "files": None,
            "test_data": "",
            "isDisabled": self._control.is_disabled(function.name),
            "isDirect": False,
            "isProxy": False,
        }


def _json(content: object) -> Answer:
    headers = (("Content-Type", "application/json; charset=utf-8"),)
    return Answer(status=200, headers=headers, body=json.dumps(content).encode())
