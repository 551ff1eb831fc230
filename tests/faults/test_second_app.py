"""A region is lost: a second app elsewhere, with the lanes in the other order, takes what comes."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Self

import pytest

from tests.faults.invariants import check_invariants
from tests.support.eventually import eventually
from tests.support.fixit_app import INTAKE, NO_STEPS, FixIt
from tests.support.fixit_client import FixItClient
from tests.support.stores import Stores
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

FIRST = "FixItStorage/fixits,FixItStandby/fixits:standby"
SECOND = "FixItStandby/fixits,FixItStorage/fixits:standby"
"""As the infrastructure sets FIXIT_LANES of the two apps."""


class TwoApps(FixIt):
    """Intake of the first app, whose region has the tables, and intake and a worker of the second one."""

    def __init__(self) -> None:
        super().__init__(settings={**NO_STEPS, "FIXIT_LANES": FIRST, "FIXIT_LANE_PAUSE_SECONDS": "1"}, functions=INTAKE)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            far = stack.enter_context(Azurite())
            self._settings["FixItStandby"] = far.connection_string
            super().__enter__()
            stack.push(super().__exit__)
            self.far = stack.enter_context(Stores(far.connection_string))
            self.far.make_queues()
            self.far_view = stack.enter_context(Wire(self.storage))
            second = {"AzureWebJobsStorage": far.connection_string, "FIXIT_LANES": SECOND}
            intake = stack.enter_context(self.another_host(self.far_view, functions=INTAKE, **second))
            lane = ("record_FixItStandby_fixits", "record_FixItStandby_fixits_poison")
            self.far_worker = stack.enter_context(self.another_host(self.far_view, functions=lane, **second))
            self.second = FixItClient(intake.url)
            self._all = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._all.__exit__(*error)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def apps() -> Iterator[TwoApps]:
    with TwoApps() as running:
        yield running


def test_region_that_is_lost_loses_no_task_and_no_receipt(apps: TwoApps) -> None:
    before = apps.submit(key="before")
    assert apps.stores.waiting("fixits") == 1 and apps.far.waiting("fixits") == 0

    for service in ("queue", "table", "blob"):
        apps.far_view.down(service)  # its own intake is lost with the region
    receipt = apps.second.get(before["links"]["receipt"])
    assert (receipt.status, receipt.json["state"]) == (200, "accepted")
    during = apps.second.submit(key="during")
    again = apps.second.submit(key="before")
    assert again["id"] == before["id"]
    apps.far_worker.wait_line("message deferred .*FixItStandby/fixits")
    eventually(lambda: apps.far.waiting("fixits") == 2, what="both copies put back")

    for service in ("queue", "table", "blob"):
        apps.far_view.up(service)
    near = ("record", "record_poison")
    with apps.another_host(functions=near):
        for accepted in (before, during, again):
            assert apps.second.settled(accepted["receipt"])["state"] == "succeeded"
        eventually(lambda: apps.stores.is_idle() and apps.far.is_idle(), what="empty queues")
    check_invariants(apps.stores, accepted=[before["id"], during["id"]])
    assert len(apps.stores.tasks()) == 2
