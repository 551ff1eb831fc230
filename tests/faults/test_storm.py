"""Many things at once on a storage that fails at random: when it is over, everything has its one end."""

import base64
import random
import threading
from collections.abc import Iterator

import pytest

from tests.faults.breaks import BREAKS, SILENCES
from tests.faults.invariants import check_invariants
from tests.faults.story import by_the_app
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted
from tests.support.storage_request import StorageRequest
from tests.support.stores import POISON


@pytest.fixture(scope="module")
def brief() -> Iterator[FixIt]:
    """A product whose messages come again after three seconds where not even a put back was possible.

    Its steps may take five: long enough for all that are under way together, on a slow machine too.
    """
    with FixIt(options=["--lease", "3"], settings={"FIXIT_STEP_SECONDS": "5"}) as running:
        yield running


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 20))])
@pytest.mark.parametrize("share", [0.02, pytest.param(0.2, marks=pytest.mark.full)])
def test_storm_over_every_kind_of_message_ends_with_one_end_for_each(brief: FixIt, seed: int, share: float) -> None:
    brief.fresh()
    chance, guard = random.Random(seed), threading.Lock()

    def unlucky(request: StorageRequest) -> bool:
        with guard:
            return bool(by_the_app([request])) and chance.random() < share

    for how in BREAKS.values():
        brief.wire.damage(how.damage, match=unlucky, times=12)
    for how in SILENCES.values():
        brief.wire.damage(how.damage, match=unlucky, times=2)
    keys = [f"k-{number}" for number in range(20)]
    for number, key in enumerate(keys):
        brief.stores.put(submitted(key, owner="ann"))
        brief.stores.put(base64.b64encode(submitted(key, owner="ann").encode()).decode())
        brief.stores.put(f'{{"id":"b-{number}","title":"bare"}}')
        brief.stores.put(f"garbage {number}")
        brief.stores.put(f"poison {number}", POISON)
    brief.idle(90)
    brief.wire.heal()
    check_invariants(brief.stores, notes=False)
    rows = {row["RowKey"]: row["state"] for row in brief.stores.tasks()}
    texts, letters = brief.stores.letter_texts(), brief.stores.letters()
    # What the queue itself refused to take back was raised, and may have been given up; that is told, never lost.
    given_up = [letter for letter in letters if letter["class"] == "given_up" and letter["taskId"]]
    bare_lost = [text for text in texts.values() if b'"bare"' in text and b"specversion" not in text]
    assert len(rows) == 40 - len(bare_lost)
    assert {task for task, state in rows.items() if state == "failed"} <= {letter["taskId"] for letter in given_up}
    kept = list(texts.values())
    assert [kept.count(f"{kind} {number}".encode()) for kind in ("garbage", "poison") for number in range(20)] == [
        1
    ] * 40
