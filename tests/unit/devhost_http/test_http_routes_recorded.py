"""Routes as Microsoft's HTTP extension on ASP.NET Core resolves them: a recording, sent again over a socket."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.devhost_http.serving import Recorder, http_function, serving

RECORDED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "http-routes.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("table", RECORDED, ids=lambda table: table["table"])
async def test_routes_of_a_recorded_table_answer_every_request_as_recorded(table: dict[str, Any]) -> None:
    functions = [http_function(entry["name"], entry["route"], entry["methods"]) for entry in table["functions"]]
    recorder = Recorder()
    differences = []
    async with serving(*functions, invoke=recorder, http={"route_prefix": table["routePrefix"]}) as served:
        assert served.server.errors == {}
        for row in table["answers"]:
            recorder.calls.clear()
            head = f"{row['method']} {row['target']} HTTP/1.1\r\nHost: localhost:{served.port}\r\n\r\n"
            reply = await served.send(head.encode())
            called = recorder.calls[-1].function.name if recorder.calls else None
            # A value of null is one the worker is not given.
            wanted = {name: value for name, value in (row["values"] or {}).items() if value is not None}
            got = (reply.status, called, dict(recorder.last["params"]) if called else {})
            if got != (row["status"], row["function"], wanted):
                differences.append((row, got))
            if not called and row["method"] != "HEAD":
                assert (reply.body, reply.headers["content-length"]) == (b"", "0")
    assert differences == []
