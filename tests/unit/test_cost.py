"""docs/cost.md: every cost follows from its tables of prices and of what one task does."""

import json
import math
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COST = (ROOT / "docs" / "cost.md").read_text("utf-8")
PROSE = " ".join(COST.split())
HOURS = 730
SECONDS = HOURS * 3_600
MEMORY_GB = 2
KINDS = ("plain", "photo and mail")
TASKS = (1_000_000, 100_000_000)
CASES = [(kind, tasks) for kind in KINDS for tasks in TASKS]


def _table(*heads: str) -> list[list[str]]:
    """The rows of the table whose head begins with these cells."""
    lines = COST.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| " + " | ".join(heads) + " |"))
    rows: list[list[str]] = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().strip("`") for cell in line.strip("|").split(" | ")])
    return rows


def _number(text: str) -> float:
    return float(text.replace(",", ""))


UNITS = {"million": 1e6, "10,000": 1e4}
PRICE = {key: _number(price) / UNITS.get(per, 1) for key, _, per, price, _ in _table("price", "what", "per", "US$")}
EACH = {key: dict(zip(KINDS, map(_number, counts), strict=True)) for key, *counts, _ in _table("quantity", *KINDS)}
FUNCTIONS = {
    name: (dict(zip(KINDS, map(_number, counts), strict=True)), _number(seconds), _number(at_once))
    for name, *counts, seconds, at_once in _table("function", *KINDS)
}


def _gets(said: str) -> float:
    """What the page says of the gets for each message, behind these words."""
    found = re.search(rf"{re.escape(said)} ([\d.]+)", PROSE)
    assert found, said
    return float(found[1])


GETS = {
    TASKS[0]: _gets(f"so a task in {SECONDS / TASKS[0]:.1f} s costs"),
    TASKS[1]: _gets(f"{TASKS[1] / SECONDS:.0f} a second come by several at a time,"),
}

REPORTS, SWEEPS = HOURS * 60, HOURS * 12
IDLE_GETS = 6 * SECONDS / 2
LOG_RECORD = 1_000
REPORT_LOG, SWEEP_LOG = 7 * LOG_RECORD + 920, 5 * LOG_RECORD + 569


def _billed_seconds(kind: str, tasks: int) -> float:
    total = 0.0
    for counts, seconds, at_once in FUNCTIONS.values():
        if calls := counts[kind] * tasks:
            never_rests = max(1, math.ceil(calls / SECONDS * seconds / at_once)) * SECONDS
            total += min(calls * max(1, seconds), never_rests)
    return total + REPORTS + SWEEPS


def _alerts() -> float:
    every = [each["every"] for each in json.loads((ROOT / "infra" / "common" / "alerts.json").read_text("utf-8"))]
    assert set(every) <= {"PT5M", "PT1H"}
    return every.count("PT5M") * PRICE["alert_5"] + every.count("PT1H") * PRICE["alert_15"]


def _costs(kind: str, tasks: int) -> dict[str, float]:
    def of(quantity: str) -> float:
        return EACH[quantity][kind] * tasks

    calls = sum(counts[kind] for counts, *_ in FUNCTIONS.values()) * tasks + REPORTS + SWEEPS
    queue = of("queue") + GETS[tasks] * of("messages") + IDLE_GETS + 9 * REPORTS
    logged = of("log_records") * LOG_RECORD + of("log_bytes") + REPORTS * REPORT_LOG + SWEEPS * SWEEP_LOG
    blobs = of("blob_write") * PRICE["blob_write"] + of("blob_read") * PRICE["blob_read"]
    return {
        "Functions: calls": max(0, calls - 250_000) * PRICE["executions"],
        "Functions: memory": max(0, _billed_seconds(kind, tasks) * MEMORY_GB - 100_000) * PRICE["gb_seconds"],
        "queues": queue * PRICE["queue"],
        "tables": (of("table") + REPORTS + 5 * SWEEPS) * PRICE["table"],
        "blobs": blobs + SWEEPS * PRICE["blob_write"],
        "capacity": of("table_bytes") / 1e9 * PRICE["table_gb"] + of("blob_bytes") / 1e9 * PRICE["blob_gb"],
        "log": max(0, logged / 1e9 - 5) * PRICE["log_gb"],
        "alerts": _alerts(),
        "the host's locks, vault": 40 * HOURS * 60 * PRICE["blob_read"] + 1_000 * PRICE["vault"],
        "mails": of("mail") * PRICE["mail"],
        "data out": max(0, of("out_bytes") / 1e9 - 100) * PRICE["out_gb"],
    }


def _dollars(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 100 else f"{amount:.2f}"


def test_each_cost_and_each_sum_follows() -> None:
    columns = [_costs(kind, tasks) for kind, tasks in CASES]
    expected = [[part, *(_dollars(column[part]) for column in columns)] for part in columns[0]]
    expected.append(["**all**", *(f"**{_dollars(sum(column.values()))}**" for column in columns)])
    per_thousand = (sum(column.values()) / tasks * 1_000 for column, (_, tasks) in zip(columns, CASES, strict=True))
    expected.append(["a thousand tasks", *(f"{each:.3f}" for each in per_thousand)])
    assert _table("US$ a month") == expected


def test_figures_of_the_text_follow() -> None:
    assert f"is found by its {GETS[TASKS[0]]:.0f}th get" in PROSE
    assert f"at worst each has its own, ${MEMORY_GB * PRICE['gb_seconds'] * 1e6:.0f} a million calls" in PROSE
    assert f"{2 * TASKS[1] * MEMORY_GB * PRICE['gb_seconds']:,.0f} dollars for a hundred million plain tasks" in PROSE
    assert f"An instance kept ready*: {PRICE['always_ready'] * MEMORY_GB * SECONDS:.0f} dollars a month" in PROSE
    assert f"always waits that is {PRICE['gb_seconds'] * MEMORY_GB * SECONDS:.0f} dollars a month for each 32" in PROSE
    assert f"the log gets {(REPORTS * REPORT_LOG + SWEEPS * SWEEP_LOG) / 1e9:.1f} GB" in PROSE
    assert f"the timers use {(REPORTS + SWEEPS) * MEMORY_GB:,} GB-seconds" in PROSE
    idle = (IDLE_GETS + 9 * REPORTS) * PRICE["queue"]
    assert f"at the queues without any task costs {idle:.2f} dollars" in PROSE


def test_private_network_costs_what_its_endpoints_and_zones_do() -> None:
    text = (ROOT / "infra" / "bicep" / "snapshots" / "everything.snapshot.json").read_text("utf-8")
    made = [each["type"].rpartition("/")[2] for each in json.loads(text)["predictedResources"]]
    endpoints, zones = made.count("privateEndpoints") // 2, made.count("privateDnsZones") // 2  # of one app of two
    by_number = {
        count: count * PRICE["endpoint"] * HOURS + zones * PRICE["zone"] for count in (endpoints - 1, endpoints)
    }
    assert list(by_number) == [7, 8]
    assert zones == 4
    assert f"seven endpoints and four zones, {by_number[7]:.0f} dollars a month, for each app" in PROSE
    assert f"with a standby eight endpoints, and {by_number[8]:.0f} dollars" in PROSE


def test_what_dominates_does() -> None:
    few, many = (_costs("plain", tasks) for tasks in TASKS)
    assert few["Functions: memory"] / sum(few.values()) == pytest.approx(0.8, abs=0.04)
    assert many["log"] / sum(many.values()) == pytest.approx(0.8, abs=0.04)
    for tasks in TASKS:
        mailed = _costs("photo and mail", tasks)
        assert max(mailed, key=mailed.__getitem__) == "mails"


def test_requests_are_those_of_decision_8() -> None:
    decided = (ROOT / "docs" / "decisions" / "0008-requests-of-a-plain-task.md").read_text("utf-8")
    plain = len(re.findall(r"^\| (?:put|get|create|upsert)[^|]* \|", decided, re.MULTILINE)) + 1  # and delete
    photo = int(re.findall(r"^\| a photo \| (\d+) \|", decided, re.MULTILINE)[0])
    mails = re.findall(r"^\| a mail or an SMS \| (\d+), or (\d+) to a person \|", decided, re.MULTILINE)[0]
    made = {kind: sum(EACH[key][kind] for key in ("queue", "table", "blob_write", "blob_read")) for kind in KINDS}
    assert made["plain"] == plain - 1  # a get is counted by `messages`
    assert made["photo and mail"] == made["plain"] + photo + sum(map(int, mails))  # the upload, not the removal


def test_functions_are_the_apps() -> None:
    app = (ROOT / "function_app.py").read_text("utf-8")
    queues = json.loads((ROOT / "host.json").read_text("utf-8"))["extensions"]["queues"]
    for name, (_, _, at_once) in FUNCTIONS.items():
        if f'function_name("{name}")' in app:
            assert at_once == 32, name
        else:
            assert at_once in (1, queues["batchSize"] + queues["newBatchThreshold"]), name
    assert EACH["messages"] == {
        kind: sum(counts[kind] for name, (counts, *_) in FUNCTIONS.items() if name in ("record", "photo", "notify"))
        for kind in KINDS
    }


@pytest.mark.parametrize(("tasks", "gets"), GETS.items(), ids=["rare", "many"])
def test_gets_for_each_message_are_those_of_the_back_off(tasks: int, gets: float) -> None:
    gap, latency, now, arrived, made = SECONDS / tasks, 0.01, 0.0, 0, 0
    empty = 0
    while arrived < 1_000:
        due = int(now / gap) - arrived
        made += 1
        if due > 0:
            arrived, empty, now = arrived + min(due, 16), 0, now + latency
            continue
        wait = 0.1 if empty == 0 else min(0.1 + 0.1 * 2 ** (empty - 1), 2)
        empty, now = empty + 1, now + latency + wait
    assert made / arrived == pytest.approx(gets, rel=0.1)
