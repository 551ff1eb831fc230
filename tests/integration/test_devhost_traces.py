"""The queue trigger held against recordings of Microsoft's own: the same calls, in the same order, the same answers.

tests/data/queue-traces.json holds what the real extension did (WebJobs 3.0.48, Storage.Queues 5.3.10);
docs/local-host.md says how it was recorded and what is not compared.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.storage.queue import QueueClient

from tests.support.bench import Bench
from tests.support.eventually import eventually
from tests.support.recorder import Recording
from tests.support.scenarios import SCENARIOS, Scenario
from tests.support.trace import differences, empty_receives, lines
from tools.dev.azurite import Azurite

RECORDED: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data/queue-traces.json").read_text())
QUICK = {
    "success",
    "fail_once",
    "poison_limit1",
    "undecodable",
    "short_word_base64",
    "receipt_changed",
    "deleted_then_fails",
    "poison_trigger_fails",
    "encoding_none",
    "get_404",
    "get_403",
    "update_403",
    "delete_500",
}
# How batches fill there, and who makes the poison queue first, depends on timing.
RACING = ("batch_default", "failing_stream", "idle_after_traffic")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in SCENARIOS]
)
def test_queue_trigger_makes_the_calls_that_the_real_one_makes(
    name: str, azurite: Azurite, unique_name: Callable[[str], str], request: pytest.FixtureRequest
) -> None:
    expected, scenario = RECORDED[name], SCENARIOS[name]
    bench = make_bench(azurite, scenario, scenario.queue.format(unique_name("q")))
    request.addfinalizer(bench.close)
    break_wire(bench, expected["faults"])
    if scenario.exists:
        bench.queue.create_queue()
    if scenario.poison_exists:
        bench.poison.create_queue()
    scenario.prepare(bench)
    with bench.recording.host(expected["options"]) as host:
        bench.host = host
        if scenario.during:
            scenario.during(bench)
        eventually(lambda: scenario.until(bench) or bench.has_ended(), timeout=100)
        ended = bench.has_ended()
        status = host.terminate()
        print(*host.lines(), sep="\n")
    compare_calls(name, expected, bench.recording)
    assert ended == expected["ended"]
    assert not ended or status == 1
    assert seen(bench) == expected["runs"]
    assert left(bench) == normal(expected["left"])


def make_bench(azurite: Azurite, scenario: Scenario, name: str) -> Bench:
    client = partial(QueueClient.from_connection_string, azurite.connection_string)
    recording = Recording(azurite, name, lambda run, message: scenario.judge(bench, run, message), lease=scenario.lease)
    bench = Bench(queue=client(name.lower()), poison=client(f"{name.lower()}-poison"), recording=recording)
    return bench


def break_wire(bench: Bench, faults: list[dict[str, Any]]) -> None:
    for fault in faults:
        which = {"target": bench.poison.queue_name} if fault.get("poison") else {}
        bench.recording.wire.fail(
            op=fault["op"],
            status=fault["status"],
            code=fault.get("code", "InternalError"),
            cut=fault["status"] == 0,
            after=fault.get("after", False),
            times=fault["times"],
            **which,  # type: ignore[arg-type]
        )


def compare_calls(name: str, expected: dict[str, Any], recording: Recording) -> None:
    real, here = expected["calls"], lines(recording.wire.journal)
    if racing := name.startswith(RACING):
        real, here = ([line for line in calls if is_certain(line)] for calls in (real, here))
    assert not differences(real, here, any_order=racing or expected["overlaps"])
    if polls := expected.get("polls"):
        assert empty_receives(recording.wire.journal) == pytest.approx(polls, abs=max(2, polls / 4))


def is_certain(line: str) -> bool:
    return not line.startswith(("get", "create")) and "-> 404" not in line


def seen(bench: Bench) -> list[list[Any]]:
    return sorted(
        [one.dequeue_count, one.body.decode(errors="replace")[:80], len(one.body)] for one in bench.recording.deliveries
    )


def left(bench: Bench) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, queue in (("queue", bench.queue), ("poison", bench.poison)):
        try:
            found[key] = queue.get_queue_properties().approximate_message_count or 0
            messages = queue.peek_messages(32)
            found[f"{key}_messages"] = [{"text": m.content, "dequeueCount": m.dequeue_count or 0} for m in messages]
        except ResourceNotFoundError:
            found[key] = found[f"{key}_messages"] = None
    return normal(found)


def normal(queues: dict[str, Any]) -> dict[str, Any]:
    return {key: sorted(map(repr, value)) if isinstance(value, list) else value for key, value in queues.items()}
