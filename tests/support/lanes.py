"""Fix-It over several accounts: intake and each lane in host processes of their own, kept as a platform keeps them."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Self

from shared.domain import identity
from shared.domain.lane import lanes_for, parse_lanes
from tests.support.eventually import eventually
from tests.support.fixit_app import QUICK
from tests.support.fixit_client import FixItClient
from tests.support.running import RunningHost
from tests.support.stores import Stores
from tools.dev.azurite import Azurite
from tools.dev.kept import Kept
from tools.dev.lanes import Lanes
from tools.dev.paths import ROOT


def spread(lanes: str, *, each: int, prefix: str = "k") -> list[str]:
    """Idempotency keys whose tasks of normal priority go, `each` to every lane that FIXIT_LANES lists so."""
    parsed = parse_lanes(lanes)
    keys: dict[str, list[str]] = {lane.name: [] for lane in parsed}
    for number in count():
        key = f"{prefix}-{number}"
        chosen = keys[lanes_for(identity.task_id(identity.KEY_CALLER, key), "normal", parsed)[0].name]
        if len(chosen) < each:
            chosen.append(key)
        if all(len(found) == each for found in keys.values()):
            return [key for found in keys.values() for key in found]
    raise AssertionError("unreachable")


class LaneHost:
    """The host of one lane, with a life for each time that it was started."""

    def __init__(self, env: Mapping[str, str], *, functions: Sequence[str], options: Sequence[str]) -> None:
        self._env, self._functions, self._options = env, functions, options
        self.lives: list[RunningHost] = []

    def start(self) -> None:
        self.lives.append(RunningHost(ROOT, self._env, functions=self._functions, options=self._options, ready=False))

    def wait(self) -> str:
        host = self.lives[-1]
        return f"exit status {host.wait(timeout=3600)}; {host.lines()[-1]}"

    def stop(self) -> None:
        for host in self.lives:
            host.kill()


class LanedFixIt(FixItClient):
    """The product with these lanes, each started again whenever it ends, and a client of its intake.

    `accounts` keep their data in `folder`, so that one may be stopped and started again; `stores` says what each holds;
    tables and blobs are in the first. `lanes` are the hosts by the lane's name; `said` is what their keepers say.
    """

    def __init__(
        self,
        folder: Path,
        lanes: Lanes,
        *,
        settings: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self._lanes = lanes
        self._settings = dict(settings or {})
        self._options = options
        self.accounts = [Azurite(folder / connection) for connection in lanes.connections]
        self.said: list[str] = []

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for account in self.accounts:
                stack.enter_context(account)
            addresses = [account.connection_string for account in self.accounts]
            self.stores = [stack.enter_context(Stores(address)) for address in addresses]
            accounts = dict(zip(self._lanes.connections, addresses, strict=True))
            env = {**QUICK, "AzureWebJobsStorage": addresses[0], **accounts, **self._lanes.settings, **self._settings}
            self.lanes: dict[str, LaneHost] = {}
            for lane in self._lanes.each:
                host = self.lanes[lane.name] = LaneHost(env, functions=lane.functions, options=self._options)
                kept = Kept(lane.name, host, say=self.said.append, first=0.5, longest=2)
                kept.start()
                stack.callback(kept.stop)
            self.intake = stack.enter_context(RunningHost(ROOT, {**env, **self._lanes.intake_settings}))
            super().__init__(self.intake.url)
            for host in self.lanes.values():
                assert host.lives[0].port
            self._stack = stack.pop_all()
        return self

    def waiting(self) -> int:
        """Messages on all queues of all accounts, hidden ones too."""
        return sum(store.waiting(name) for store in self.stores for name in store.queue_names())

    def idle(self, timeout: float = 30) -> None:
        """Return once no message is left on any queue."""
        eventually(lambda: self.waiting() == 0, timeout, what="empty queues")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
