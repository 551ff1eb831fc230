"""One worker over many tasks: its sockets stay bounded, its loop stays free, and it ends without complaint."""

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="counts sockets in /proc")


@pytest.fixture
def product() -> Iterator[FixIt]:
    """A product of its own: it is watched from its start to its end."""
    with FixIt() as running:
        yield running


def sockets(pid: int) -> int:
    """Open sockets of a process."""
    links = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(str(entry.readlink()))
        except OSError:  # closed meanwhile
            continue
    return len([link for link in links if link.startswith("socket:")])


@linux_only
@pytest.mark.parametrize("tasks", [100, pytest.param(1_000, marks=pytest.mark.full)])
@pytest.mark.timeout(300)
def test_many_tasks_in_one_worker_leave_bounded_sockets_and_no_warning(product: FixIt, tasks: int) -> None:  # WR-01
    most = 0
    for start in range(0, tasks, 50):  # the emulator slows down under hundreds of waiting messages
        for number in range(start, start + 50):
            product.stores.put(submitted(f"k-{number}", owner=f"owner {number % 7}"))
        product.stores.put(f"not json {start}")
        most = max(most, sockets(product.host.pid))
        product.idle()
    assert most < 60
    assert len(product.stores.tasks()) == tasks
    assert product.host.terminate() == 0
    complaints = ("Unclosed", "Warning", "was never awaited", "never retrieved", "Traceback", "Task was destroyed")
    assert [line for line in product.host.lines() if any(word in line for word in complaints)] == []


def test_parallel_submits_while_the_worker_is_busy_are_answered_soon(product: FixIt) -> None:  # WR-03
    for number in range(100):
        product.stores.put(submitted(f"k-{number}", owner="ann", notes="x" * 10_000))
    body = json.dumps({"title": "t", "owner": "ann"}).encode()

    def submit(_: int) -> tuple[int, float]:
        began = time.monotonic()
        return product.post(body).status, time.monotonic() - began

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(submit, range(20)))
    assert not product.stores.is_idle(), "the worker was not busy: nothing was tried"
    assert {status for status, _ in answers} == {202}
    assert sorted(seconds for _, seconds in answers)[18] < 3  # not behind all that the worker has to do
    product.idle()
    assert len(product.stores.tasks()) == 120
