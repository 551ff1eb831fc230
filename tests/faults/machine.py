"""All that can happen to a few tasks, in any order: what Hypothesis draws from, and what must hold at the end."""

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from shared.domain import identity
from shared.domain.errors import KeyReused, NotKnownAccepted, NotKnownCancelled
from shared.domain.task import Task, fingerprint
from tests.faults.breaks import BREAKS, SILENCES, Break
from tests.faults.invariants import SETTLED, check_invariants
from tests.faults.machine_host import MAX_DEQUEUE_COUNT, MachineHost
from tests.support.raw_messages import event, submitted
from tests.support.stores import POISON, TASKS

KEYS, BARE_KEYS, TITLES, OWNER = ("a", "b"), ("x", "y"), ("one", "other"), "ann"
OTHERS = (
    *(f'{{"id":"{key}","title":"bare","owner":"{OWNER}"}}' for key in BARE_KEYS),
    *(submitted("a", title=title, owner=OWNER) for title in TITLES),
    event(type="fixit.nothing.v1"),
    event(data={}),
    "garbage",
)
"""What other producers put on the queue: bare tasks, events as we would make them, and nonsense."""

AT_ONCE = 3
"""Messages under way together."""

DRAIN_ROUNDS = 200

keys, titles = st.sampled_from(KEYS), st.sampled_from(TITLES)
orders = st.permutations(range(AT_ONCE))
requests = st.integers(1, 8)
# Those that the SDK tries three times take long, and are like the others to the app.
faults = st.none() | st.sampled_from([name for name, how in BREAKS.items() if how.times == 1])
deaths = st.sampled_from(list(SILENCES))


def key_id(key: str) -> str:
    return identity.task_id(identity.KEY_CALLER, key)


def bare_id(key: str) -> str:
    return identity.task_id(identity.queue_caller(TASKS), key)


class TaskMachine(RuleBasedStateMachine):
    """`host` is given by whoever runs it, and swept clean for each run."""

    host: ClassVar[MachineHost]

    def __init__(self) -> None:
        super().__init__()
        self.host.fresh()
        self.receipts: dict[str, tuple[str, str]] = {}  # task id and fingerprint by token
        self.cancelled: set[str] = set()
        self.perhaps_cancelled: set[str] = set()
        self.rows: dict[str, tuple[str, str, str]] = {}  # state, fingerprint and caller by id
        self.waiting = {TASKS: 0, POISON: 0}

    # What callers and other producers do

    @rule(key=keys, title=titles, fault=faults, nth=st.integers(1, 2))
    def submit(self, key: str, title: str, fault: str | None, nth: int) -> None:
        task = Task(title=title, owner=OWNER)
        work = self.host.app.submit(task, key=key, is_new_key=False, traceparent="")
        try:
            receipt, token, _ = self.host.run(work, _break(fault), nth)
        except NotKnownAccepted:
            return
        except KeyReused:
            assert self.rows[key_id(key)][1] not in ("", fingerprint(task)), "refused for the content that it has"
            return
        self.receipts[token] = receipt.task_id, fingerprint(task)

    @rule(text=st.sampled_from(OTHERS), encoded=st.booleans())
    def put(self, text: str, encoded: bool) -> None:
        self.host.stores.put(text, encoded=encoded)

    @precondition(lambda self: self.waiting[TASKS])
    @rule(number=st.integers(0, AT_ONCE - 1))
    def duplicate(self, number: int) -> None:
        waiting = self.host.stores.queue(TASKS).peek_messages(AT_ONCE)
        self.host.stores.put(waiting[number % len(waiting)].content)

    @rule(key=keys, fault=faults, nth=st.integers(1, 3))
    def cancel(self, key: str, fault: str | None, nth: int) -> None:
        if self._cancel(key_id(key), fault, nth):
            self.cancelled.add(key_id(key))

    @rule(key=st.sampled_from(BARE_KEYS), fault=faults, nth=st.integers(1, 3))
    def cancel_what_another_put(self, key: str, fault: str | None, nth: int) -> None:
        self._cancel(bare_id(key), fault, nth)  # comes to nothing where it has not come yet

    def _cancel(self, task_id: str, fault: str | None, nth: int) -> bool:
        self.perhaps_cancelled.add(task_id)
        try:
            self.host.run(self.host.app.cancel(task_id, traceparent=""), _break(fault), nth)
        except NotKnownCancelled:
            return False
        return True

    # What the platform does

    @precondition(lambda self: self.waiting[TASKS])
    @rule(order=orders, at_once=st.booleans(), fault=faults, nth=requests)
    def deliver(self, order: list[int], at_once: bool, fault: str | None, nth: int) -> None:
        self._deliver(TASKS, order, at_once, fault, nth)

    @precondition(lambda self: self.waiting[POISON])
    @rule(order=orders, at_once=st.booleans(), fault=faults, nth=requests)
    def deliver_poison(self, order: list[int], at_once: bool, fault: str | None, nth: int) -> None:
        self._deliver(POISON, order, at_once, fault, nth)

    def _deliver(self, queue: str, order: list[int], at_once: bool, fault: str | None, nth: int) -> None:
        messages = self.host.receive(queue, AT_ONCE)
        ordered = [messages[place] for place in order if place < len(messages)]
        self.host.deliver(queue, ordered, at_once=at_once, how=_break(fault), nth=nth)

    @precondition(lambda self: self.waiting[TASKS])
    @rule(death=deaths, nth=requests)
    def die(self, death: str, nth: int) -> None:
        self.host.die(TASKS, self.host.receive(TASKS, AT_ONCE), how=SILENCES[death], nth=nth)

    @precondition(lambda self: self.waiting[POISON])
    @rule(death=deaths, nth=requests)
    def die_over_poison(self, death: str, nth: int) -> None:
        self.host.die(POISON, self.host.receive(POISON, AT_ONCE), how=SILENCES[death], nth=nth)

    @precondition(lambda self: self.waiting[TASKS])
    @rule()
    def give_up(self) -> None:
        for message in self.host.receive(TASKS, 1):
            self.host.give_up(message)

    @rule(fault=faults, nth=st.integers(1, 3))
    def sweep(self, fault: str | None, nth: int) -> None:
        self.host.run(self.host.app.sweep(), _break(fault), nth)

    # What must hold

    @invariant()
    def changes_are_legal(self) -> None:
        """No row is lost, and what is settled stays so, unless it is cancelled."""
        self.waiting = {queue: self.host.stores.waiting(queue) for queue in self.waiting}
        now = {row["RowKey"]: (row["state"], row["fingerprint"], row["caller"]) for row in self.host.stores.tasks()}
        for task, was in self.rows.items():
            assert _is_legal(was, now[task]), (task, was, now[task])
        self.rows = now

    def teardown(self) -> None:
        """Once it has come to rest, every task has its one end, and every receipt tells it."""
        for _ in range(DRAIN_ROUNDS):
            for queue in (TASKS, POISON):
                self.host.deliver(queue, self.host.receive(queue, 2 * AT_ONCE), at_once=True)
            self.changes_are_legal()
            if not any(self.waiting.values()):
                break
        accepted = {task for task, _ in self.receipts.values()}
        check_invariants(self.host.stores, accepted=accepted | self.cancelled)
        assert self.rows.keys() <= {*map(key_id, KEYS), *map(bare_id, BARE_KEYS)}
        given_up = {each["taskId"] for each in self.host.stores.letters() if each["class"] == "given_up"}
        assert not given_up or self.host.burned >= MAX_DEQUEUE_COUNT
        for task, (state, _, _) in self.rows.items():
            assert state == "cancelled" or task not in self.cancelled
            assert state != "cancelled" or task in self.perhaps_cancelled
            assert state != "failed" or task in given_up
        for token, (task, content) in self.receipts.items():
            self._check_receipt(token, self.rows[task], content)

    def _check_receipt(self, token: str, row: tuple[str, str, str], content: str) -> None:
        told = self.host.run(self.host.app.status(token))
        state, stored, _ = row
        if stored in ("", content):
            assert told.state == state
        else:
            assert told.failure is not None
            assert (told.state, told.failure.code) == ("failed", "idempotency_conflict")


def _break(name: str | None) -> Break | None:
    return BREAKS[name] if name else None


def _is_legal(was: tuple[str, str, str], now: tuple[str, str, str]) -> bool:
    """Whether a row may change so. A tombstone stays, unless a task comes of which its caller knew nothing."""
    if was[1] != now[1]:
        return was[1] == "" and now[2] not in was[2].split("\n")
    return was[0] not in SETTLED or now[0] in (was[0], "cancelled")
