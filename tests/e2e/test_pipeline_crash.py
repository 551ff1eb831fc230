"""A host killed at any line of a filter loses nothing: the next one finds the stamp, hands on again, and ends the task.

Each host inherits what the one before left, and dies in its turn.
"""

import uuid
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, NOTICE_QUEUE, TASK_TABLE
from tests.support.eventually import eventually
from tests.support.fault import Which
from tests.support.pipeline import DONE, SCAN, TRANSLATE, Pipeline, app_with, queue_of
from tests.support.raw_messages import submitted
from tests.support.wire import Wire


class Dynasty(Pipeline):
    """Hosts on one account, one after the other, each with a wire of its own: `line` is that of the one that runs."""

    line: Wire

    def succeed(self, lines: ExitStack) -> None:
        """Kill the host that runs, and start its heir."""
        self.host.kill()
        self.line = lines.enter_context(Wire(self.storage))
        self.use(self.another_host(self.line))


@pytest.fixture(scope="module")
def lines() -> Iterator[ExitStack]:
    """The wires, which outlive their hosts: what a dead one sent may be under way still."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def account(lines: ExitStack) -> Iterator[Dynasty]:
    """Messages come again after two seconds, as a killed host's do after ten minutes."""
    settings = {"FIXIT_REPLY_QUEUES": "answers"}
    with Dynasty(app_with(SCAN, TRANSLATE), settings=settings, options=["--lease", "2"]) as running:
        running.stores.make_all()
        running.succeed(lines)
        yield running
        running.host.kill()


FIRST_STAMP: Which = {"op": "merge", "target": TASK_TABLE}
LAST_STAMP: Which = {"op": "merge", "target": TASK_TABLE, "nth": 2}
FIRST_MESSAGE: Which = {"op": "put", "service": "queue", "target": queue_of(SCAN)}
HAND_ON: Which = {"op": "put", "service": "queue", "target": queue_of(TRANSLATE)}
OWN_MESSAGE: Which = {"op": "delete", "service": "queue", "target": queue_of(SCAN)}
NOTICE: Which = {"op": "put", "service": "queue", "target": NOTICE_QUEUE}
POINTER: Which = {"op": "delete", "service": "table", "target": INDEX_TABLE}

LAST = "before the last stamp"
KILLED: dict[str, Which] = {
    "before the first message": FIRST_MESSAGE,
    "after the first message": FIRST_MESSAGE,
    "in the work": {"op": "replace", "target": DONE},
    "before the stamp": FIRST_STAMP,
    "after the stamp": FIRST_STAMP,
    "before the hand-on": HAND_ON,
    "after the hand-on": HAND_ON,
    "before its own message is gone": OWN_MESSAGE,
    "after its own message is gone": OWN_MESSAGE,
    LAST: LAST_STAMP,
    "after the last stamp": LAST_STAMP,
    "before the notice": NOTICE,
    "after the notice": NOTICE,
    "before the pointer goes": POINTER,
    "after the pointer goes": POINTER,
}
QUICK = ("after the stamp", "after the hand-on", "before the pointer goes")
TWICE = {
    SCAN: ("after the first message", "in the work", "before the stamp"),
    TRANSLATE: ("after the hand-on", "before its own message is gone", "after its own message is gone", LAST),
}
"""Where the work may be done once more: it was begun and not stamped, or a second message for it was there by then."""


@pytest.mark.parametrize("when", [w if w in QUICK else pytest.param(w, marks=pytest.mark.full) for w in KILLED])
def test_host_killed_at_any_line_of_a_filter_loses_and_doubles_nothing(
    account: Dynasty, lines: ExitStack, when: str
) -> None:
    key = f"k-{uuid.uuid4()}"
    task_id = identity.task_id(identity.KEY_CALLER, key)
    held = account.line.hold(after=when.startswith("after"), **KILLED[when])
    account.stores.put(submitted(key, title="scan translate", replyTo="answers"))
    held.wait_hit()
    account.succeed(lines)
    eventually(lambda: account.stores.task(task_id), what="the row")
    account.all_done(SCAN, TRANSLATE)
    check_one_end(account, task_id, when)
    held.release()  # what the dead one sent may arrive after all
    account.all_done(SCAN, TRANSLATE)
    check_one_end(account, task_id, when)


def check_one_end(account: Dynasty, task_id: str, when: str) -> None:
    """Each step is stamped once, and whoever asked for an answer has one."""
    assert (account.state(task_id), account.steps(task_id)) == ("succeeded", ["record", SCAN, TRANSLATE])
    done = account.done(task_id)
    for name in (SCAN, TRANSLATE):
        assert ("tidied", name) in done
        assert done.count(("did", name)) in ((1, 2) if when in TWICE[name] else (1,))
    assert len({answer["id"] for answer in account.answers(task_id)}) == 1
    assert account.letters(task_id) == []
    if not any(when in cases for cases in TWICE.values()):
        # A second copy may hand on while the first one ends the task: the pointer it leaves then is the sweeper's.
        assert not [each for each in account.stores.pointers(task_id) if each[0].startswith("open:")]
