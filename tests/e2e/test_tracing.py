"""One trace from the request to the row, through every put back, as an exporter sees it."""

import json
import re
from pathlib import Path
from typing import Any

from shared.domain.names import TASK_TABLE
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tools.dev.paths import ROOT

EXPORTING = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

provider = TracerProvider()
exporter = ConsoleSpanExporter(formatter=lambda span: "SPAN " + span.to_json(indent=None) + chr(10))
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
"""
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def spans(fixit: FixIt) -> list[dict[str, Any]]:
    found = (re.search(r"SPAN (\{.*\})", line) for line in fixit.host.lines())
    return [json.loads(match[1]) for match in found if match]


def test_queue_side_continues_the_trace_of_the_request(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(EXPORTING)
    with FixIt(settings={"PYTHONPATH": f"{tmp_path}:{ROOT}"}) as traced:
        traced.wire.fail(op="insert", target=TASK_TABLE, status=403)
        traced.wire.fail(op="insert", target=TASK_TABLE, nth=2, status=400, code="InvalidInput")
        answer = traced.post(b'{"title":"secret text"}', {"traceparent": f"00-{TRACE}-{PARENT}-01"})
        traced.idle()
        traced.stores.put("not json")
        traced.idle()
        eventually(lambda: len(spans(traced)) >= 4, what="four spans")
        found = spans(traced)
    of_task = [span for span in found if span["attributes"]["fixit.task"] == answer.json["id"]]
    assert [span["context"]["trace_id"] for span in of_task] == [f"0x{TRACE}"] * 3
    assert len({span["context"]["span_id"] for span in of_task}) == 3
    assert len({span["parent_id"] for span in of_task}) == 1  # the request's
    assert {span["kind"] for span in found} == {"SpanKind.CONSUMER"}
    assert {span["name"] for span in of_task} == {"record fixits"}
    assert [span["status"].get("description") for span in of_task] == [None, "HttpResponseError", None]
    assert [span["attributes"]["fixit.deferrals"] for span in of_task] == [0, 1, 1]
    (other,) = [span for span in found if span not in of_task]
    assert other["context"]["trace_id"] != f"0x{TRACE}"
    assert "secret text" not in json.dumps(found)


def test_without_an_exporter_nothing_is_traced_and_nothing_is_missing(fixit: FixIt) -> None:
    accepted = fixit.submit()
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"
    assert spans(fixit) == []
