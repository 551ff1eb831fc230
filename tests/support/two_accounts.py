"""Fix-It over two accounts with two lanes each, with a wire for every way to storage."""

from collections import Counter
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import Self

from azure.core.exceptions import ResourceExistsError

from tests.support.eventually import eventually
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.running import RunningHost
from tests.support.stores import Stores
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

QUEUES = ("fixits", "fixits-2", "fixits-poison", "fixits-2-poison")
LANES = "FixItStorage/fixits,FixItStorage/fixits-2,FixItStorage2/fixits,FixItStorage2/fixits-2"


class TwoAccounts(FixIt):
    """One host takes tasks in, another one works; `far` is the second account, in which there is nothing but queues.

    `wire` and `far_wire` are the ways of intake, `work_wire` and `far_work_wire` those of the host that works.
    """

    def __init__(self, **settings: str) -> None:
        super().__init__(settings={"FIXIT_LANES": LANES, **settings}, functions=INTAKE)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            far_storage = stack.enter_context(Azurite())
            self.far = stack.enter_context(Stores(far_storage.connection_string))
            self.far_wire, self.far_work_wire = (stack.enter_context(Wire(far_storage)) for _ in range(2))
            self._settings["FixItStorage2"] = self.far_wire.connection_string
            super().__enter__()
            stack.push(super().__exit__)
            for stores in self.all_stores:
                for name in QUEUES:
                    with suppress(ResourceExistsError):
                        stores.queue(name).create_queue()
            self.work_wire = stack.enter_context(Wire(self.storage))
            far = {"FixItStorage2": self.far_work_wire.connection_string}
            self.work = stack.enter_context(self.another_host(self.work_wire, **far))
            self._all = stack.pop_all()
        return self

    def another_intake(self, lanes: str) -> RunningHost:
        """One more host that takes tasks in, over the same wires, with other uses of the same lanes."""
        return self.another_host(self.wire, functions=INTAKE, FIXIT_LANES=lanes)

    @property
    def all_stores(self) -> tuple[Stores, Stores]:
        return self.stores, self.far

    @property
    def wires(self) -> tuple[Wire, ...]:
        return self.wire, self.far_wire, self.work_wire, self.far_work_wire

    def idle(self, timeout: float = 30) -> None:
        """Return once no message is left on any queue."""
        eventually(self._is_idle, timeout, what="empty queues")

    def _is_idle(self) -> bool:
        return not any(stores.waiting(name) for stores in self.all_stores for name in stores.queue_names())

    def fresh(self) -> None:
        """Heal all wires, wait for what is under way, and forget every row, letter and request."""
        for wire in self.wires:
            wire.heal()
        super().fresh()
        for wire in self.wires:
            wire.clear()

    def taken(self) -> Counter[str]:
        """How often intake asked each lane to take a message, acknowledged or not; lanes as FIXIT_LANES writes them."""
        near, far = (wire.of(service="queue", op="put") for wire in (self.wire, self.far_wire))
        return Counter(
            [f"FixItStorage/{each.target}" for each in near] + [f"FixItStorage2/{each.target}" for each in far]
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._all.__exit__(kind, error, trace)
