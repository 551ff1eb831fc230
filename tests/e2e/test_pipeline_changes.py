"""The list of filters changes while tasks are under way: each ends well, and each filter did its part of it once."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from shared.domain import identity, instants
from shared.domain.names import POISON_SUFFIX
from tests.support.dead_letters import letter_id, redrive
from tests.support.eventually import eventually
from tests.support.pipeline import SCAN, TRANSLATE, Pipeline, app_with, queue_of, step_event
from tests.support.raw_messages import submitted
from tests.support.stores import TASKS

WEIGH = "weigh"
OLD = app_with(SCAN, TRANSLATE)
ALL = (SCAN, TRANSLATE, WEIGH)
TITLE = " ".join(ALL)


@pytest.fixture(scope="module")
def account() -> Iterator[Pipeline]:
    with Pipeline(OLD, settings={"FIXIT_SWEEP_MINUTES": "0"}) as running:
        running.stores.make_all()
        assert running.host.terminate() == 0
        yield running


@pytest.fixture
def waiting(account: Pipeline) -> dict[str, str]:
    """Tasks that the old app left waiting: at each of its filters, and to be recorded. Their ids by where they wait."""
    account.stores.clear()
    keys = {place: f"{place}-{uuid.uuid4()}" for place in (TRANSLATE, SCAN, "record")}
    with account.host_of(OLD) as old:
        account.use(old)
        account.order(SCAN, "work")
        account.order(TRANSLATE, "down")
        account.submit(key=keys[TRANSLATE], title=TITLE)
        account.waits(TRANSLATE)
        account.order(SCAN, "down")
        account.submit(key=keys[SCAN], title=TITLE)
        account.waits(SCAN)
        assert old.terminate() == 0
    account.stores.put(submitted(keys["record"], title=TITLE))
    for name in ALL:
        account.order(name, "work")
    return {place: identity.task_id("key", key) for place, key in keys.items()}


def ended(account: Pipeline, ids: dict[str, str]) -> None:
    """Each of these tasks ends well; no filter did its work twice, or stamped it without doing it."""
    for task_id in ids.values():
        eventually(partial(has_succeeded, account, task_id), what="the task's end")
    account.all_done(*ALL)
    for task_id in ids.values():
        steps = account.steps(task_id)
        assert steps[0] == "record"
        assert len(steps) == len(set(steps))
        assert sorted(name for what, name in account.done(task_id) if what == "did") == sorted(steps[1:])
        assert account.letters(task_id) == []
        assert not [each for each in account.stores.pointers(task_id) if each[0].startswith("open:")]


def has_succeeded(account: Pipeline, task_id: str) -> bool:
    row = account.stores.task(task_id)
    return row is not None and row["state"] == "succeeded"


CHANGES = {
    "added at the front": (WEIGH, SCAN, TRANSLATE),
    "added in the middle": (SCAN, WEIGH, TRANSLATE),
    "added at the end": (SCAN, TRANSLATE, WEIGH),
    "reordered": (TRANSLATE, SCAN),
    "reordered and added": (WEIGH, TRANSLATE, SCAN),
}
QUICK = ("added at the front", "reordered")


@pytest.mark.parametrize("change", [c if c in QUICK else pytest.param(c, marks=pytest.mark.full) for c in CHANGES])
def test_tasks_under_way_go_through_the_changed_list(account: Pipeline, waiting: dict[str, str], change: str) -> None:
    names = CHANGES[change]
    with account.host_of(app_with(*names)) as changed:
        account.use(changed)
        ended(account, waiting)
        assert account.steps(waiting["record"]) == ["record", *names]  # it met the changed list alone
        for place in (SCAN, TRANSLATE):
            assert set(account.steps(waiting[place])) == {"record", *names}


def test_filter_is_removed_in_two_steps_and_nobody_waits_for_it(account: Pipeline, waiting: dict[str, str]) -> None:
    with account.host_of(app_with(SCAN, TRANSLATE, unneeded=(SCAN,))) as first:
        account.use(first)
        ended(account, waiting)
        assert account.steps(waiting[SCAN]) == ["record", TRANSLATE] == account.steps(waiting["record"])
        assert account.steps(waiting[TRANSLATE]) == ["record", SCAN, TRANSLATE]  # what was done stays told
        fail_by(account, SCAN, waiting["record"])
        letter = fail_by(account, SCAN, waiting[SCAN])
        assert first.terminate() == 0
    assert account.stores.waiting(queue_of(SCAN)) == 0
    with account.host_of(app_with(TRANSLATE)) as second:
        account.use(second)
        accepted = account.submit(title=TITLE)
        assert account.settled(accepted["receipt"])["state"] == "succeeded"
        assert account.steps(accepted["id"]) == ["record", TRANSLATE]
        # The submitter of one that the filter had failed tries again: that goes by the row.
        assert account.request("POST", f"/api/fixits/{waiting['record']}/retry").status == 202
        eventually(partial(has_succeeded, account, waiting["record"]), what="the task's end")
        # So does an operator's redrive, although nobody listens to the queue of the letter any more.
        assert redrive(account, letter_id(letter)) == [("redriven", None)]
        eventually(partial(has_succeeded, account, waiting[SCAN]), what="the task's end")
        assert account.request("DELETE", f"/api/fixits/{waiting[TRANSLATE]}").status == 200
        account.all_done(TRANSLATE)
        assert account.steps(waiting[TRANSLATE]) == ["record", SCAN, TRANSLATE, "cancel"]


def test_task_whose_last_filter_is_removed_is_done(account: Pipeline, waiting: dict[str, str]) -> None:
    with account.host_of(app_with(SCAN, TRANSLATE, unneeded=(TRANSLATE,))) as changed:
        account.use(changed)
        ended(account, waiting)
        for task_id in waiting.values():
            assert account.steps(task_id) == ["record", SCAN]
        # One that the filter had failed before is done when its letter is redriven.
        letter = fail_by(account, TRANSLATE, waiting[TRANSLATE])
        assert redrive(account, letter_id(letter)) == [("redriven", None)]
        eventually(partial(has_succeeded, account, waiting[TRANSLATE]), what="the task's end")


def fail_by(account: Pipeline, name: str, task_id: str) -> dict[str, Any]:
    """The letter of a message that the platform gave up, and with which this filter failed a task."""
    content = account.row(task_id)["fingerprint"]
    account.stores.change_task(task_id, state="failed", errorCode="given_up", errorMessage="It broke.", errorStep=name)
    account.stores.put(step_event(name, task_id, data={"fingerprint": content}), queue_of(name) + POISON_SUFFIX)
    (letter,) = eventually(lambda: account.letters(task_id), what="the letter")
    account.all_done(*ALL)
    return letter


def test_filter_that_was_removed_at_once_stops_its_tasks_until_the_sweeper_comes(account: Pipeline) -> None:
    account.stores.clear()
    account.order(SCAN, "down")
    task_id = identity.task_id("key", "k-1")
    hour_ago = instants.to_text(datetime.now(UTC) - timedelta(hours=1))
    with account.host_of(OLD) as old:
        account.stores.put(json.dumps({**json.loads(submitted("k-1", title=TITLE)), "time": hour_ago}))
        account.waits(SCAN)
        eventually(lambda: account.stores.waiting(TASKS) == 0, what="the end of the record step")
        assert old.terminate() == 0
    account.order(TRANSLATE, "work")
    with account.host_of(app_with(TRANSLATE)) as changed:
        account.use(changed)
        assert account.sweep()["resent"] == 1
        eventually(lambda: account.state(task_id) == "succeeded", what="the task's end")
        account.all_done(TRANSLATE)
        assert account.steps(task_id) == ["record", TRANSLATE]
        row = account.row(task_id)
        assert changed.terminate() == 0
    assert account.stores.waiting(queue_of(SCAN)) == 1  # nobody listens there any more
    with account.host_of(OLD) as back:
        account.use(back)
        account.all_done(SCAN, TRANSLATE)
        assert account.row(task_id) == row  # what had waited comes too late, and does no harm
        assert [name for what, name in account.done(task_id) if what == "did"] == [TRANSLATE]
