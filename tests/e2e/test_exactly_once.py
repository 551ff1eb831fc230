"""However often a message is delivered, and whoever dies over it: one task, its pointers, and nothing lost."""

from collections.abc import Iterator
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, TASK_QUEUE, TASK_TABLE
from shared.storage.tasks import person_list
from tests.support.eventually import eventually
from tests.support.fault import Which
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted
from tests.support.wire import Wire

FIELDS = {"owner": "ann", "createdBy": "bob"}


def check_one_task(fixit: FixIt, key: str) -> dict[str, Any]:
    """Its row as it stands, settled well, with exactly the three pointers that it must have."""
    task_id = identity.task_id(identity.KEY_CALLER, key)
    row = fixit.stores.task(task_id)
    assert row is not None
    assert row["state"] == "succeeded"
    pointers = fixit.stores.pointers(task_id)
    assert {name for name, _ in pointers} == {
        f"all:{row['submittedAt'][:10]}",
        person_list("owner", "ann"),
        person_list("by", "bob"),
    }
    assert len({row_key for _, row_key in pointers}) == 1
    assert len(pointers) == 3
    return dict(row)


def test_message_delivered_twice_leaves_the_row_as_it_was(fixit: FixIt) -> None:
    fixit.stores.put(submitted("k-1", **FIELDS))
    fixit.idle()
    row, pointers = check_one_task(fixit, "k-1"), fixit.stores.pointers(identity.task_id("key", "k-1"))
    fixit.stores.put(submitted("k-1", **FIELDS))
    fixit.idle()
    assert check_one_task(fixit, "k-1") == row
    assert fixit.stores.pointers(row["RowKey"]) == pointers
    assert len(fixit.stores.tasks()) == 1
    assert fixit.stores.letters() == []


def test_message_delivered_ten_times_at_once_is_one_row(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="insert", target=TASK_TABLE, times=10)
    for _ in range(10):
        fixit.stores.put(submitted("k-1", **FIELDS))
    held.wait_hit(hits=9)  # all that the host runs at once (newBatchThreshold and one more) are about to write
    held.release()
    fixit.idle()
    check_one_task(fixit, "k-1")
    assert len(fixit.stores.tasks()) == 1
    assert fixit.stores.letters() == []


def test_two_hosts_competing_for_copies_leave_one_row_each(fixit: FixIt) -> None:
    keys = [f"k-{number}" for number in range(20)]
    with Wire(fixit.storage) as other_wire, fixit.another_host(other_wire) as other:
        for key in keys * 3:
            fixit.stores.put(submitted(key, **FIELDS))
        fixit.idle()
        assert other.terminate() == 0
        inserts = [len(wire.of(op="insert", target=TASK_TABLE)) for wire in (fixit.wire, other_wire)]
    assert sum(inserts) >= 60
    assert min(inserts) > 0, "one host did all the work: nothing was tried"
    assert len(fixit.stores.tasks()) == 20
    for key in keys:
        check_one_task(fixit, key)
    assert fixit.stores.letters() == []


def test_message_without_caller_in_its_lists_has_one_pointer(fixit: FixIt) -> None:
    accepted = fixit.submit()
    fixit.settled(accepted["receipt"])
    fixit.idle()
    assert len(fixit.stores.pointers(accepted["id"])) == 1


@pytest.fixture(scope="module")
def pair() -> Iterator[FixIt]:
    """A product whose messages come again after two seconds, as a killed host's do after ten minutes."""
    with FixIt(options=["--lease", "2"]) as running:
        yield running


KILLED: dict[str, Which] = {
    "before the row": {"op": "insert", "target": TASK_TABLE},
    "after the row": {"op": "insert", "target": TASK_TABLE},  # QL-03
    "before a pointer": {"op": "replace", "target": INDEX_TABLE, "nth": 2},
    "after a pointer": {"op": "replace", "target": INDEX_TABLE, "nth": 2},  # TC-05
    "before the message is gone": {"op": "delete", "service": "queue", "target": TASK_QUEUE},
    "after the message is gone": {"op": "delete", "service": "queue", "target": TASK_QUEUE},
}
QUICK = ("before the row", "after a pointer")


@pytest.mark.parametrize("when", [w if w in QUICK else pytest.param(w, marks=pytest.mark.full) for w in KILLED])
def test_killed_host_loses_nothing_and_doubles_nothing(pair: FixIt, when: str) -> None:
    pair.host.kill()
    pair.fresh()
    with Wire(pair.storage) as wire:
        held = wire.hold(after=when.startswith("after"), **KILLED[when])
        with pair.another_host(wire) as doomed:
            pair.stores.put(submitted("k-1", **FIELDS))
            held.wait_hit()
            doomed.kill()
        with pair.another_host() as heir:
            if when != "after the message is gone":
                eventually(lambda: pair.stores.tasks(), what="the row")
            pair.idle()
            held.release()  # what the dead one sent may arrive after all
            row = check_one_task(pair, "k-1")
            assert heir.terminate() == 0
        assert check_one_task(pair, "k-1") == row
    assert len(pair.stores.tasks()) == 1
    assert pair.stores.letters() == []
