"""docs/decisions/0020: what a waiting target means in instances, with the numbers that are deployed."""

import json
import math
import re
from pathlib import Path

import pytest

from shared.imaging.limits import MAX_BYTES, MAX_PIXELS
from shared.imaging.slots import SLOTS
from shared.web.prefer import WAIT_MAX_SECONDS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "decisions" / "0020-scale.md").read_text("utf-8")
QUEUES = json.loads((ROOT / "host.json").read_text("utf-8"))["extensions"]["queues"]
BATCH = QUEUES["batchSize"]
AT_ONCE = BATCH + QUEUES["newBatchThreshold"]
PARAMETERS = ("maximumInstanceCount", "instanceMemoryMB", "perInstanceConcurrency", "alwaysReady")
QUEUE_RATE = 2_000
"""Messages that one queue gives a second (https://learn.microsoft.com/azure/storage/queues/scalability-targets)."""


def _number(text: str) -> int:
    return int(text.replace(",", ""))


CHOSEN = {name: _number(value) for name, value in re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", TEXT, re.MULTILINE)}
MOST = CHOSEN["maximumInstanceCount"]
WAITING = [
    tuple(map(_number, row)) for row in re.findall(r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", TEXT, re.MULTILINE)
]


def test_numbers_of_the_queues_are_those_of_host_json() -> None:
    assert (CHOSEN["batchSize"], CHOSEN["newBatchThreshold"]) == (BATCH, QUEUES["newBatchThreshold"])
    assert f"`maxPollingInterval` ({QUEUES['maxPollingInterval'].removeprefix('00:00:0')} s;" in TEXT


@pytest.mark.parametrize("name", PARAMETERS)
def test_numbers_of_the_app_are_the_defaults_of_the_template(name: str) -> None:
    main = (ROOT / "infra" / "bicep" / "main.bicep").read_text("utf-8")
    assert re.findall(rf"^param {name} int = (\d+)$", main, re.MULTILINE) == [str(CHOSEN[name])]


def test_each_waiting_number_makes_so_many_instances() -> None:
    assert len(WAITING) > 5
    for waiting, instances, at_once in WAITING:
        assert instances == min(math.ceil(waiting / BATCH), MOST), waiting
        assert at_once == min(waiting, instances * AT_ONCE), waiting


def test_what_the_text_works_out_is_so() -> None:
    step = 0.1
    assert f"{MOST} instances have {AT_ONCE} each in hand" in TEXT
    assert f"{MOST * AT_ONCE / step:,.0f} tasks a second" in TEXT
    assert f"are {7 * MOST} instances" in TEXT
    assert f"that is {AT_ONCE / step:.0f} tasks a second, at a second each {AT_ONCE}" in TEXT
    assert f"take {10_000 * step / AT_ONCE:.0f} s on the one instance" in TEXT
    assert f"and {10_000 / QUEUE_RATE:.0f} s where there are enough" in TEXT
    assert MOST * AT_ONCE / step > QUEUE_RATE


def test_what_is_done_at_once_fits_the_memory() -> None:
    photos, forms = SLOTS * MAX_PIXELS * 16 // 10**6, CHOSEN["perInstanceConcurrency"] * 3 * MAX_BYTES // 2**20
    assert f"take {photos:,} MB at worst" in TEXT
    assert f"{CHOSEN['perInstanceConcurrency']} at once are {forms} MiB of {CHOSEN['instanceMemoryMB']:,} MB" in TEXT
    assert max(photos, forms) < CHOSEN["instanceMemoryMB"] * 2 / 3
    assert f"for up to {WAIT_MAX_SECONDS} s" in TEXT
