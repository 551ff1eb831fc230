"""The host is killed again and again while it is busy: every accepted task is settled once all the same."""

import json
import random
from collections import Counter
from contextlib import ExitStack
from itertools import batched

import pytest

from shared.domain import identity
from tests.faults.invariants import check_invariants
from tests.faults.load import submitting
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import FixItClient
from tests.support.stores import Stores
from tests.support.tally import count

MARKED = (pytest.mark.full, pytest.mark.timeout(300))


@pytest.mark.parametrize(
    ("tasks", "kills", "seed"),
    [(60, 2, 1), *(pytest.param(500, 12, seed, marks=MARKED) for seed in (2, 3))],
)
def test_host_killed_at_random_under_load_loses_and_doubles_nothing(tasks: int, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    keys = [f"k-{seed}-{number}" for number in range(tasks)]
    # In waves: the emulator becomes slow with hundreds of waiting messages.
    waves = list(batched(keys, -(-tasks // (kills + 1)), strict=False))
    # A killed host's messages come again after three seconds instead of ten minutes.
    with FixIt(options=["--lease", "3"]) as fixit, ExitStack() as heirs:
        for wave in waves:
            with submitting(lambda: FixItClient(fixit.host.url), wave, owner="ann", createdBy="bob"):
                if wave is not waves[-1]:
                    kill_at_random(fixit, chance, requests=4 * len(wave))
                    fixit.host = heirs.enter_context(fixit.another_host(fixit.wire))
        fixit.idle(60)
        check_invariants(fixit.stores, accepted=[identity.task_id(identity.KEY_CALLER, key) for key in keys])
        assert len(fixit.stores.tasks()) == tasks
        check_given_up(fixit.stores)


def kill_at_random(fixit: FixIt, chance: random.Random, *, requests: int) -> None:
    """Kill the host before or after storage does one of so many requests to come; that one may arrive late."""
    nth, after = chance.randint(1, requests), chance.random() < 0.5
    held = fixit.wire.hold(nth=nth, after=after)
    held.wait_hit()
    fixit.host.kill()
    count("kills")
    held.release()
    (hit,) = held.hits
    print(f"killed {'after' if after else 'before'} request {nth}, a {hit.op} of {hit.target}")


def check_given_up(stores: Stores) -> None:
    """A kill burns a delivery of each message that is under way. After the fifth it is given up, and that is told."""
    rows = stores.tasks()
    failed = {row["RowKey"] for row in rows if row["state"] == "failed"}
    told = {letter["taskId"] for letter in stores.letters() if letter["class"] == "given_up"}
    assert failed == told
    assert len(told) == len(stores.letters())
    attempts = Counter(
        max(step["attempt"] for step in json.loads(row["steps"])) for row in rows if row["steps"] != "[]"
    )
    print(f"tasks by the delivery that recorded them: {dict(attempts)}; given up: {len(told)}")
