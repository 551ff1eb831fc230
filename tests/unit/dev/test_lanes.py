"""`dev.py` does not import the app: what it knows of lanes must be what the app makes of them."""

from itertools import product

import pytest

from shared.domain.lane import parse_lanes
from tools.dev.lanes import Lanes


@pytest.mark.parametrize(("accounts", "queues"), list(product(range(1, 5), repeat=2)))
def test_lanes_are_the_apps_and_so_are_their_functions(accounts: int, queues: int) -> None:
    lanes = Lanes(accounts, queues)
    theirs = parse_lanes(lanes.settings["FIXIT_LANES"])
    assert len(theirs) == accounts * queues
    for our, their in zip(lanes.each, theirs, strict=True):
        assert (our.connection, our.queue, "primary") == (their.connection, their.queue, their.use)
        assert our.functions == (their.function, f"{their.function}_poison")
    assert list(lanes.connections) == list(dict.fromkeys(lane.connection for lane in theirs))
