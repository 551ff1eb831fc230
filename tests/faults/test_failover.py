"""However the lanes of a submit fail, and however many of them: it is accepted in the end, and is one task."""

from collections.abc import Iterator
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.lane import lanes_for, parse_lanes
from tests.faults.breaks import BREAKS, SILENCES
from tests.faults.careful import ask
from tests.faults.invariants import check_invariants
from tests.faults.stories_submit import BODY
from tests.faults.story import KEY, TASK_ID
from tests.support.eventually import eventually
from tests.support.fault import Fault
from tests.support.two_accounts import LANES, TwoAccounts

FAILURES = {name: each.damage for name, each in (BREAKS | SILENCES).items() if not each.damage.twice}
HOW = {damage: name for name, damage in reversed(FAILURES.items())}.values()
"""Each kind of damage once: here it is done to every try."""

ORDER = lanes_for(identity.task_id(identity.KEY_CALLER, KEY), "normal", parse_lanes(LANES))
FAILING = {"the first lane": 1, "all but the last": len(ORDER) - 1, "every lane": len(ORDER)}
TRIES = 6
"""Of one lane, in one submit: three, and as many again where the queue is not there and was made."""


def places() -> list[Any]:
    """Each number of lanes with each damage; quick: half of the damages, each with one number in turn."""
    params = []
    for turn, failing in enumerate(FAILING):
        for number, how in enumerate(HOW):
            marks = () if number % (2 * len(FAILING)) == turn else (pytest.mark.full,)
            params.append(pytest.param(failing, how, marks=marks, id=f"{failing}-{how}"))
    return params


@pytest.fixture(scope="module")
def running_accounts() -> Iterator[TwoAccounts]:
    # A lane that says nothing is given up after a quarter of a second.
    with TwoAccounts(FIXIT_SUBMIT_SECONDS="1", FIXIT_LANE_PAUSE_SECONDS="0.001") as running:
        yield running


@pytest.mark.parametrize(("failing", "how"), places())
def test_submit_whose_lanes_fail_is_one_task(running_accounts: TwoAccounts, failing: str, how: str) -> None:
    accounts = running_accounts
    accounts.fresh()
    faults = [break_puts(accounts, number, how) for number in range(FAILING[failing])]
    answer = ask(accounts, "POST", "/api/fixits", BODY, key=KEY)
    assert (answer.status, answer.json["id"]) == (202, TASK_ID)
    assert all(fault.hits for fault in faults)
    for fault in faults:
        fault.release()
    hits = [hit for fault in faults for hit in fault.hits]
    eventually(lambda: all(hit.seconds for hit in hits), what="the end of the broken requests")
    assert accounts.settled(answer.json["receipt"])["state"] == "succeeded"
    accounts.idle()
    check_invariants(accounts.stores, accepted=[TASK_ID])
    assert len(accounts.stores.tasks()) == 1
    assert accounts.stores.letters() == []
    assert accounts.host.returncode is accounts.work.returncode is None


def break_puts(accounts: TwoAccounts, number: int, how: str) -> Fault:
    """Break every try of one submit to put on a lane, counted in the order in which they are tried."""
    lane = ORDER[number]
    wire = accounts.wire if lane.connection == "FixItStorage" else accounts.far_wire
    return wire.damage(FAILURES[how], service="queue", op="put", target=lane.queue, times=TRIES)
