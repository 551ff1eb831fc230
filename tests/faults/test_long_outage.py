"""The table is down for ten minutes while tasks come in, with every wait of the product scaled down alike."""

import re
import time
from collections.abc import Callable
from functools import partial

import pytest

from tests.faults.invariants import check_invariants
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.stores import POISON, TASKS, decoded, message_text

OUTAGE, BASE, CAP = 600.0, 1.0, 300.0
TASK_COUNT = 30
MAX_DEQUEUE_COUNT = 5
MARKER = "only-in-the-notes"

BY_THE_HOST = re.compile(r"^\[\S+\] (Executing '|Executed '|Trigger Details: )")
TRY = re.compile(r"^\[\S+\] Executing 'Functions\.record'")

DOWN: dict[str, Callable[[FixIt], object]] = {
    "503": lambda fixit: fixit.wire.fail(service="table", status=503, code="ServerBusy", times=None),
    "refused": lambda fixit: fixit.wire.down("table"),
}


@pytest.mark.parametrize(
    ("how", "scale"),
    [
        ("503", 100),
        pytest.param("503", 20, marks=pytest.mark.full),
        pytest.param("refused", 100, marks=pytest.mark.full),
    ],
)
def test_ten_minutes_without_a_table_poison_nothing_and_fill_no_log(how: str, scale: int) -> None:  # QR-01, OB-01
    waits = {"FIXIT_DEFER_BASE_SECONDS": f"{BASE / scale}", "FIXIT_DEFER_CAP_SECONDS": f"{CAP / scale}"}
    with FixIt(settings=waits) as fixit:
        fixit.stores.make_all()
        DOWN[how](fixit)
        seen, receipts = len(fixit.host.lines()), submit_evenly(fixit, seconds=OUTAGE / scale)
        eventually(lambda: max(deferrals(fixit)) > MAX_DEQUEUE_COUNT, 60, what="an outage longer than all deliveries")
        assert fixit.get(f"/api/receipts/{receipts[0]}").json["state"] == "accepted"
        said = fixit.host.lines()[seen:]
        fixit.wire.heal()
        fixit.idle(90)
        assert {fixit.settled(receipt)["state"] for receipt in receipts} == {"succeeded"}
        check_invariants(fixit.stores)
        assert len(fixit.stores.tasks()) == TASK_COUNT
        assert fixit.stores.letters() == []
        puts = fixit.wire.of(service="queue", op="put")
        assert [put for put in puts if put.target == POISON] == []
        check_log(said)
        assert [line for line in fixit.host.lines() if MARKER in line] == []


def submit_evenly(fixit: FixIt, *, seconds: float) -> list[str]:
    """The receipts of tasks that are submitted one by one over this time."""
    began, receipts = time.monotonic(), []
    for number in range(1, TASK_COUNT + 1):
        receipts.append(fixit.submit(notes=MARKER, owner="ann")["receipt"])
        eventually(partial(is_over, began + number * seconds / TASK_COUNT), seconds)
    return receipts


def is_over(moment: float) -> bool:
    return time.monotonic() >= moment


def deferrals(fixit: FixIt) -> list[int]:
    """The counters of all events that were put."""
    return [decoded(message_text(put))["deferrals"] for put in fixit.wire.of(op="put", target=TASKS)]


def check_log(said: list[str]) -> None:
    """At most about one line of ours a try, beside the host's own."""
    tries = [line for line in said if TRY.match(line)]
    ours = [line for line in said if line.strip() and not BY_THE_HOST.match(line)]
    print(f"{len(tries)} tries, {len(ours)} lines of the app's own")
    assert len(tries) > TASK_COUNT
    assert len(ours) <= 1.1 * len(tries) + 10, ours[:20]
