"""All that can happen to a few tasks, in any order: what Hypothesis draws from, and what must hold at the end."""

import base64
import binascii
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Literal

from azure.data.tables import TableEntity
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from shared.domain import identity
from shared.domain.errors import (
    CannotEdit,
    DependencyDown,
    KeyReused,
    NotFailed,
    NotKnownAccepted,
    NotKnownCancelled,
    NotKnownChanged,
    NotKnownReopened,
    StaleEdit,
)
from shared.domain.letter import letter_id
from shared.domain.patch import Patch, parse_patch
from shared.domain.principal import SERVICE
from shared.domain.record import CANCEL_STEP, REASSIGN_STEP
from shared.domain.tag import tag_of
from shared.domain.task import Task, fingerprint
from shared.services.order import Order
from tests.faults.breaks import BREAKS, SILENCES, Break
from tests.faults.invariants import SETTLED, check_invariants
from tests.faults.machine_host import MAX_DEQUEUE_COUNT, Died, MachineHost
from tests.support.raw_messages import event, submitted
from tests.support.stores import POISON, TASKS

KEYS, TITLES, OWNER, OTHER_OWNER = ("a", "b"), ("one", "other"), "ann", "eve"
PATCHES = tuple(
    parse_patch(patch) for patch in ({"owner": OTHER_OWNER}, {"owner": OWNER, "isDone": True}, {"notes": "n"}, {})
)
KEY_IDS = {key: identity.task_id(identity.KEY_CALLER, key) for key in KEYS}
BARE, BARE_ID = f'{{"id":"x","title":"bare","owner":"{OWNER}"}}', identity.task_id(identity.queue_caller(TASKS), "x")
CANCELLABLE = (KEY_IDS["b"], BARE_ID)
"""The other one lives on, to be failed and reopened."""

OTHERS: dict[str, str] = {
    BARE: BARE_ID,
    **{submitted("a", title=title, owner=OWNER): KEY_IDS["a"] for title in TITLES},
    event(type="fixit.nothing.v1"): "",
    event(data={}): "",
    "no JSON": "",
}
"""What other producers put on the queue, with the task that it becomes: a bare task, events like ours, and nonsense."""

COUNTERS = ("deferrals", "redrives", "reopenedat")

ENDS = ("given_up", "gave_up")
"""Classes of letters that tell of a task which failed though nothing is wrong with it."""

HOURS, DAYS = timedelta(hours=2), timedelta(days=8)
"""After which the sweeper sends a message again, and gives a task up."""

AT_ONCE = 3
"""Messages under way together."""

ROWS = 6
"""With so many no further task is made to fail."""

ROUNDS = 100
"""After so many it should long have come to rest."""

keys, titles = st.sampled_from(KEYS), st.sampled_from(TITLES)
orders = st.permutations(range(AT_ONCE))
# Those that the SDK tries three times take long, and are like the others to the app. Of the silent ones it dies.
FAULTS = {name: how for name, how in BREAKS.items() if how.times == 1} | SILENCES
faults = st.sampled_from([*[None] * len(FAULTS), *FAULTS])  # every other time
nths = st.integers(1, 8)


@dataclass(frozen=True)
class Act:
    """Something that may happen: when it can, and what is drawn for it."""

    do: Callable[..., None]
    is_possible: Callable[[Any], Any]
    drawn: st.SearchStrategy[dict[str, Any]]


ACTS: dict[str, Act] = {}


def act[F: Callable[..., None]](is_possible: Callable[[Any], Any], **drawn: st.SearchStrategy[Any]) -> Callable[[F], F]:
    """Make a method of the machine one of the acts."""

    def register(do: F) -> F:
        ACTS[do.__name__] = Act(do, is_possible, st.fixed_dictionaries(drawn))
        return do

    return register


def always(machine: Any) -> bool:
    return True


class TaskMachine(RuleBasedStateMachine):
    """`host` is given by whoever runs it, and swept clean for each run.

    It has one rule. Of several, Hypothesis leaves out some at random in each run, and mostly nobody would deliver.
    """

    host: ClassVar[MachineHost]

    def __init__(self) -> None:
        super().__init__()
        self.host.fresh()
        self.receipts: dict[str, tuple[str, str]] = {}  # task id and fingerprint by token
        self.put_by_others: set[str] = set()
        self.cancelled: set[str] = set()
        self.perhaps_cancelled: set[str] = set()
        self.perhaps_reopened: set[str] = set()
        self.last_edit: tuple[str, str, Patch] | None = None  # task, tag of its row, patch
        self.edits: dict[str, str] = {}  # the edit that a task must have, where that is known
        self.ids = {*KEY_IDS.values(), BARE_ID}
        # What is stored, as the last step left it
        self.rows: dict[str, TableEntity] = {}
        self.letters: list[TableEntity] = []
        self.open_pointers = 0
        self.waiting = {TASKS: 0, POISON: 0}

    @rule(data=st.data())
    def happens(self, data: st.DataObject) -> None:
        """One of the things that may happen now."""
        possible = [name for name, act in ACTS.items() if act.is_possible(self)]
        chosen = ACTS[data.draw(st.sampled_from(possible), "what happens")]
        chosen.do(self, **data.draw(chosen.drawn, "with"))

    # What callers and other producers do

    @act(always, key=keys, title=titles, fault=faults, nth=st.integers(1, 2))
    def submit(self, key: str, title: str, fault: str | None, nth: int) -> None:
        with suppress(NotKnownAccepted, Died):
            self.host.run(self._submit(key, title), _break(fault), nth)

    async def _submit(self, key: str, title: str) -> None:
        task = Task(title=title, owner=OWNER)
        try:
            receipt, token, _ = await self.host.app.submissions.submit(
                task, who=SERVICE, key=key, is_new_key=False, traceparent=""
            )
        except KeyReused:
            assert self.rows[KEY_IDS[key]]["fingerprint"] not in ("", fingerprint(task)), "refused for what it has"
            return
        self.receipts[token] = receipt.task_id, fingerprint(task)

    @act(always, text=st.sampled_from(list(OTHERS)), encoded=st.booleans())
    def put(self, text: str, encoded: bool) -> None:
        self.host.stores.put(text, encoded=encoded)
        self.put_by_others.add(text)

    @act(lambda self: self.waiting[TASKS], number=st.integers(0, AT_ONCE - 1))
    def duplicate(self, number: int) -> None:
        waiting = self.host.stores.queue(TASKS).peek_messages(AT_ONCE)
        self.host.stores.put(waiting[number % len(waiting)].content)

    @act(always, task=st.sampled_from(CANCELLABLE), fault=faults, nth=st.integers(1, 3))
    def cancel(self, task: str, fault: str | None, nth: int) -> None:
        self.perhaps_cancelled.add(task)
        with suppress(NotKnownCancelled, Died):
            self.host.run(self.host.app.submissions.cancel(task, who=SERVICE, traceparent=""), _break(fault), nth)
            if task != BARE_ID:  # what another caller put, and what has not come yet, goes on
                self.cancelled.add(task)

    @act(
        lambda self: any(row["state"] in ("failed", "queued") for row in self.rows.values()),
        number=st.integers(0, 3),
        fault=faults,
        nth=nths,
    )
    def retry(self, number: int, fault: str | None, nth: int) -> None:
        tasks = sorted(task for task, row in self.rows.items() if row["state"] in ("failed", "queued"))
        task = tasks[number % len(tasks)]
        self.perhaps_reopened.add(task)
        with suppress(NotFailed, NotKnownReopened, DependencyDown, Died):
            self.host.run(self.host.app.retry(task, who=SERVICE), _break(fault), nth)

    @act(
        lambda self: self.rows,
        number=st.integers(0, 3),
        patch=st.sampled_from(PATCHES),
        again=st.booleans(),
        fault=faults,
        nth=st.integers(1, 4),
    )
    def edit(self, number: int, patch: Patch, again: bool, fault: str | None, nth: int) -> None:
        """Somebody edits a task as it is, or repeats the last edit, of which he perhaps heard nothing."""
        task = sorted(self.rows)[number % len(self.rows)]
        if not again or not self.last_edit:
            self.last_edit = task, tag_of(str(self.rows[task].metadata["etag"])), patch
        task, tag, patch = self.last_edit
        editing = self.host.app.edit(task, patch, matches=lambda found: found == tag, who=SERVICE, traceparent="")
        try:
            self.edits[task] = self.host.run(editing, _break(fault), nth).edit_id
        except (NotKnownChanged, Died):
            self.edits.pop(task, None)
        except (CannotEdit, StaleEdit, DependencyDown):
            pass

    @act(lambda self: not any(self.waiting.values()) and len(self.rows) < ROWS, title=titles)
    def fail(self, title: str) -> None:
        """A new task fails, and has its letter: by chance there would seldom be one."""
        key = f"f{len(self.ids)}"
        self.ids.add(identity.task_id(identity.KEY_CALLER, key))
        self.host.run(self._submit(key, title))
        self.give_up()
        self.deliver_poison([0], at_once=False, fault=None, nth=1)

    # What operators do

    @act(
        lambda self: self.letters,
        action=st.sampled_from(("redrive", "discard")),
        number=st.integers(0, 3),
        fault=faults,
        nth=nths,
    )
    def end_letter(self, action: Literal["redrive", "discard"], number: int, fault: str | None, nth: int) -> None:
        letter = self.letters[number % len(self.letters)]
        self.perhaps_reopened.add(letter["taskId"])
        ids = (letter_id(letter["PartitionKey"], letter["RowKey"]),)
        order = Order(action=action, ids=ids, by="an operator", reason="drawn")
        with suppress(Died):
            self.host.run(self.host.app.operations.carry_out(order, cursor=""), _break(fault), nth)

    # What the platform does

    @act(lambda self: self.waiting[TASKS], order=orders, at_once=st.booleans(), fault=faults, nth=nths)
    def deliver(self, order: list[int], at_once: bool, fault: str | None, nth: int) -> None:
        self._deliver(TASKS, order, at_once, fault, nth)

    @act(lambda self: self.waiting[TASKS], fault=st.sampled_from(list(FAULTS)), nth=st.integers(1, 5))
    def deliver_in_trouble(self, fault: str, nth: int) -> None:
        self.host.deliver(TASKS, self.host.receive(TASKS, 1), at_once=False, how=FAULTS[fault], nth=nth)

    @act(lambda self: self.waiting[POISON], order=orders, at_once=st.booleans(), fault=faults, nth=nths)
    def deliver_poison(self, order: list[int], at_once: bool, fault: str | None, nth: int) -> None:
        self._deliver(POISON, order, at_once, fault, nth)

    def _deliver(self, queue: str, order: list[int], at_once: bool, fault: str | None, nth: int) -> None:
        messages = self.host.receive(queue, AT_ONCE)
        ordered = [messages[place] for place in order if place < len(messages)]
        self.host.deliver(queue, ordered, at_once=at_once, how=_break(fault), nth=nth)

    @act(lambda self: self.waiting[TASKS])
    def give_up(self) -> None:
        for message in self.host.receive(TASKS, 1):
            self.host.give_up(message)

    @act(lambda self: self.open_pointers, later=st.sampled_from((timedelta(0), HOURS, DAYS)), fault=faults, nth=nths)
    def sweep(self, later: timedelta, fault: str | None, nth: int) -> None:
        with suppress(Died):
            self.host.sweep(later, _break(fault), nth)

    # What must hold

    @invariant()
    def changes_are_legal(self) -> None:
        """No row is lost, and what is settled stays as it is, unless somebody may have cancelled or reopened it."""
        stores = self.host.stores
        now = {row["RowKey"]: row for row in stores.tasks()}
        for task, was in self.rows.items():
            assert self._is_legal(was, now[task]), (was, now[task])
        self.rows = now
        self.letters = sorted(stores.letters(), key=lambda letter: letter["RowKey"])
        self.open_pointers = sum(name.startswith("open:") for name, _ in stores.pointers(""))
        self.waiting = {queue: stores.waiting(queue) for queue in self.waiting}

    def _is_legal(self, was: TableEntity, now: TableEntity) -> bool:
        if was["fingerprint"] != now["fingerprint"]:  # a tombstone gives way to a task of which its caller knew nothing
            return was["fingerprint"] == "" and now["caller"] not in was["caller"].split("\n")
        if was["state"] == now["state"] == "succeeded":
            return _unedited(was) == _unedited(now)
        if now["redrives"] < was["redrives"]:
            return False
        later = {"cancelled"} if was["RowKey"] in self.perhaps_cancelled else set()
        if was["state"] == "failed" and was["RowKey"] in self.perhaps_reopened:
            later |= {"queued"}
        return was["state"] not in SETTLED or now["state"] in {was["state"], *later}

    @act(always)
    def rest(self) -> None:
        """Nothing new happens for a while: every task has its one end, and every receipt tells it."""
        self._come_to_rest()
        # A command that the platform gave up is not carried out, and a letter tells of it.
        open_letters = [each for each in self.letters if each["state"] != "redriven"]
        cancelled = self.cancelled - {each["taskId"] for each in open_letters if each["step"] == CANCEL_STEP}
        accepted = {task for task, _ in self.receipts.values()}
        # Nor is such an edit, if its request did not do it; then a list may lack the task.
        given_up = {each["taskId"] for each in open_letters if each["step"] == REASSIGN_STEP}
        check_invariants(self.host.stores, accepted=accepted | cancelled, owners=(OWNER, OTHER_OWNER), unfit=given_up)
        assert self.rows.keys() <= self.ids
        assert self.host.burned >= MAX_DEQUEUE_COUNT or "given_up" not in {each["class"] for each in self.letters}
        told = {each["taskId"] for each in open_letters if each["class"] in ENDS}
        for task, row in self.rows.items():
            assert row["state"] == "cancelled" or task not in cancelled, row
            assert row["state"] != "cancelled" or task in self.perhaps_cancelled, row
            assert row["state"] != "failed" or task in told, (row, self.letters)
            self._check_edit(task, row)
        for token, (task, content) in self.receipts.items():
            self._check_receipt(token, self.rows[task], content)
        kept = {_said(raw) for raw in self.host.stores.letter_texts().values()}
        for text in self.put_by_others:
            assert OTHERS[text] in self.rows or _said(text.encode()) in kept, f"neither a row nor a letter of {text}"

    def teardown(self) -> None:
        self.rest()

    def _come_to_rest(self) -> None:
        for _ in range(ROUNDS):
            for queue in (TASKS, POISON):
                self.host.deliver(queue, self.host.receive(queue, 2 * AT_ONCE), at_once=True)
            self.changes_are_legal()
            if not any(self.waiting.values()):
                if not self.open_pointers:
                    return
                self.host.sweep(HOURS)
        raise AssertionError("it never came to rest")

    def _check_edit(self, task: str, row: TableEntity) -> None:
        """What was edited stays so, and what was submitted is still known."""
        assert task not in self.edits or row.get("editId", "") == self.edits[task]
        if row["fingerprint"]:
            record = self.host.run(self.host.app.task(task, who=SERVICE))
            assert fingerprint(record.submitted_task) == record.fingerprint

    def _check_receipt(self, token: str, row: TableEntity, content: str) -> None:
        told = self.host.run(self.host.app.submissions.status(token))
        if row["fingerprint"] in ("", content):
            assert told.state == row["state"]
        else:
            assert told.failure is not None
            assert (told.state, told.failure.code) == ("failed", "idempotency_conflict")


def _unedited(row: TableEntity) -> dict[str, Any]:
    """A row without what an edit may change."""
    changed = ("owner", "notes", "isDone", "edit", "submittedOwner", "submittedNotes", "submittedIsDone")
    return {name: value for name, value in row.items() if not name.startswith(changed)}


def _break(name: str | None) -> Break | None:
    return FAULTS[name] if name else None


def _said(raw: bytes) -> str:
    """What a message says, whichever copy of it this is."""
    with suppress(binascii.Error):
        raw = base64.b64decode(raw, validate=True)
    try:
        message = json.loads(raw)
    except ValueError:
        return repr(raw)
    return json.dumps({name: value for name, value in message.items() if name not in COUNTERS}, sort_keys=True)
