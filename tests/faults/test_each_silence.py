"""Whichever storage request of whichever flow is never answered: the client's own limits end it, nothing is lost."""

from collections.abc import Iterator

import pytest

from tests.faults.breaks import SILENCES
from tests.faults.test_each_request import check_break, places
from tests.support.fixit_app import FixIt

SHORT = {
    "FIXIT_SWEEP_SECONDS": "5",
    "FIXIT_OPERATOR_SECONDS": "3",
    "FIXIT_STEP_SECONDS": "1",
    "FIXIT_READ_SECONDS": "1",
    "FIXIT_SUBMIT_SECONDS": "1",
}


@pytest.fixture(scope="module")
def running_hasty() -> Iterator[FixIt]:
    """A product whose steps, reads and submits may take one second."""
    with FixIt(settings=SHORT) as running:
        yield running


@pytest.fixture
def hasty(running_hasty: FixIt) -> Iterator[FixIt]:
    running_hasty.fresh()
    yield running_hasty
    running_hasty.wire.heal()
    assert running_hasty.host.returncode is None, "\n".join(running_hasty.host.lines()[-20:])


@pytest.mark.parametrize(("name", "place", "how"), places(SILENCES, quick=15))
def test_request_that_is_never_answered_costs_nothing(hasty: FixIt, name: str, place: str, how: str) -> None:
    check_break(hasty, name, place, SILENCES[how])
