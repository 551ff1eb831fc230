"""Drills: an account is lost while tasks come in. Nothing is lost or doubled, and all comes back by itself.

An account is lost by asking its emulator once to end. SIGKILL, or a second request, would end it before it has written
what it acknowledged since five seconds: no real account is like that.
"""

import json
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.faults.invariants import check_invariants
from tests.support.eventually import eventually
from tests.support.lanes import LanedFixIt, LaneHost
from tests.support.running import RunningHost
from tests.support.steady_load import SteadyLoad
from tests.support.stores import TASKS
from tests.support.tally import count
from tools.dev.lanes import Lanes

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals"),
]

FIRST, SECOND = "FixItStorage/fixits", "FixItStorage2/fixits"
DEADLINE_SECONDS = 5
PATIENCE_SECONDS = 60
SETTINGS = {
    "FIXIT_LANE_PAUSE_SECONDS": "2",  # many probes within one outage
    "FIXIT_DEFER_BASE_SECONDS": "0.5",
    "FIXIT_DEFER_CAP_SECONDS": "2",
}


@contextmanager
def drill(folder: Path) -> Iterator[tuple[LanedFixIt, SteadyLoad]]:
    """Two accounts with a lane each, and tasks that come in; on leaving no more come, and what came is all right."""
    # What a host held when it ended comes again after three seconds, not after ten minutes.
    with LanedFixIt(folder, Lanes(accounts=2, queues=1), settings=SETTINGS, options=["--lease", "3"]) as fixit:
        try:
            with SteadyLoad(fixit, pause_seconds=0.15) as load:
                load.more(25)
                yield fixit, load
            fixit.idle(PATIENCE_SECONDS)
            assert fixit.intake.returncode is None
            check(fixit, load)
        finally:
            print(*fixit.said, *fixit.intake.lines()[-50:], sep="\n")  # shown where the test failed


@contextmanager
def lost(fixit: LanedFixIt, load: SteadyLoad, number: int, lane: LaneHost) -> Iterator[None]:
    """Within, an account is away, and the host of its lane has found out; on leaving, all is as it was.

    When it is lost, messages wait in it that its lane's host has not seen.
    """
    account, host = fixit.accounts[number], lane.lives[-1]
    os.kill(host.pid, signal.SIGSTOP)
    eventually(lambda: fixit.stores[number].waiting(TASKS) >= 5, what="waiting messages")
    account.child.terminate()
    account.child.wait_line("Queue service is closing", 30)
    os.kill(host.pid, signal.SIGCONT)
    account.child.wait(30)  # not stop(): a second SIGTERM would end it before it has written
    count("accounts lost")
    began, before = time.monotonic(), len(load.submitted)
    ends_by_itself(host)
    eventually(lambda: lane.lives[-1] is not host, what="another start of the lane's host")
    yield
    account.start()
    outage, after = time.monotonic() - began, len(load.submitted)
    waited, since = slice(before), slice(after, None)
    eventually(lambda: done_later(lane) & ids(load, waited), PATIENCE_SECONDS, what="a task that waited in the account")
    eventually(lambda: done_later(lane) & ids(load, since), PATIENCE_SECONDS, what="a task over its lane since then")
    load.more(25)
    print(
        f"submitted: {before} before the loss, {after - before} during it, {len(load.submitted) - after} since; "
        f"the account was away for {outage:.1f} s"
    )


def ends_by_itself(host: RunningHost) -> None:
    """As the real one does, and saying why."""
    assert host.wait(60) == 1
    assert re.search(r"The listener of function 'record\w*' on queue '.*' cannot go on: no answer", host.lines()[-1])


def ids(load: SteadyLoad, which: slice) -> set[str]:
    """The tasks of these submits, as far as they were accepted."""
    return {each.body["id"] for each in load.submitted[which] if each.status == 202}


def done_later(lane: LaneHost) -> set[str]:
    """The tasks that the host of a lane has done in its later lives."""
    lines = (line for host in lane.lives[1:] for line in host.lines())
    return {json.loads(line.partition(" message done ")[2])["task"] for line in lines if " message done {" in line}


def check(fixit: LanedFixIt, load: SteadyLoad) -> None:
    """Each submit was accepted in time, and each task is settled once."""
    assert Counter(each.status for each in load.submitted) == {202: len(load.submitted)}
    assert max(each.seconds for each in load.submitted) < DEADLINE_SECONDS
    for stores in fixit.stores:
        check_invariants(stores)
        assert stores.letters() == []
    rows = fixit.stores[0].tasks()
    assert {row["RowKey"] for row in rows} == ids(load, slice(None))
    assert len(rows) == len(load.submitted)
    assert {row["state"] for row in rows} == {"succeeded"}


def test_account_lost_under_load_costs_nothing_and_comes_back_by_itself(tmp_path: Path) -> None:
    with drill(tmp_path) as (fixit, load):
        with lost(fixit, load, 1, fixit.lanes[SECOND]):
            assert fixit.settled(load.submitted[-1].body["receipt"], PATIENCE_SECONDS)["state"] == "succeeded"
        assert len(fixit.lanes[FIRST].lives) == 1


@pytest.mark.full
def test_account_of_the_tables_lost_under_load_stops_what_is_done_and_not_what_is_accepted(tmp_path: Path) -> None:
    with drill(tmp_path) as (fixit, load):
        with lost(fixit, load, 0, fixit.lanes[FIRST]):
            for submitted in load.submitted[-3:]:
                assert fixit.get(f"/api/receipts/{submitted.body['receipt']}").json["state"] == "accepted"
        assert len(fixit.lanes[SECOND].lives) == 1
