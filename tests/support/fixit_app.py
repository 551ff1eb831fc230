"""Fix-It as users run it: the app on the local host, an emulator of its own, and a wire between the two."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from tests.support.eventually import eventually
from tests.support.fixit_client import FixItClient
from tests.support.running import RunningHost
from tests.support.stores import Stores
from tests.support.wire import Wire
from tools.dev.azurite import Azurite
from tools.dev.paths import ROOT

# Deliveries, deferrals and probes follow each other at once, so that a test sees the end of a story in a second.
QUICK = {
    "FUNCTIONS_WORKER_RUNTIME": "python",
    "FIXIT_RECEIPT_KEYS": "a-receipt-key-of-the-tests-of-forty-characters",
    "FIXIT_DEFER_BASE_SECONDS": "0.001",
    "FIXIT_DEFER_CAP_SECONDS": "0.001",
    "FIXIT_LANE_PAUSE_SECONDS": "0.001",
    # Nothing happens that a test did not ask for: the clock starts no sweep and no report.
    "AzureWebJobs.sweep.Disabled": "true",
    "AzureWebJobs.report.Disabled": "true",
    "AzureFunctionsJobHost__extensions__queues__visibilityTimeout": "00:00:00",
    "AzureFunctionsJobHost__extensions__queues__maxPollingInterval": "00:00:00.1000000",
}
NO_STEPS = {f"AzureWebJobs.{name}.Disabled": "true" for name in ("photo", "photo_poison", "notify", "notify_poison")}
"""Settings of a product whose tests have neither photos nor notices: each queue that is polled costs processor time."""

INTAKE = (
    *("submit", "get_receipt", "get_task", "get_task_by_key", "edit_task", "cancel", "retry_task"),
    *("list_letters", "get_letter", "redrive_letters", "discard_letters", "health", "zz_anything_else"),
    *("list_tasks", "submit_batch"),
    *("offer_photo", "get_photo", "get_thumbnail"),
    *("get_person", "put_person", "delete_person"),
    *("list_notices", "resend_callbacks", "resend_callbacks_of_range"),
    *("health_details", "get_stats", "openapi", "docs"),
)
PAGES = ("my_tasks", "new_task", "my_task")
"""What there is besides with FIXIT_AUTH=easyauth."""


class FixIt(FixItClient):
    """The product, running, and a client of it.

    `storage`: the emulator. `wire`: the way of the first host to the app's storage (its own goes straight there).
    `stores`: what the account holds.
    """

    def __init__(
        self, *, settings: Mapping[str, str] | None = None, options: Sequence[str] = (), functions: Sequence[str] = ()
    ) -> None:
        self._settings = dict(settings or {})
        self._options = options
        self._functions = functions
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.storage = stack.enter_context(Azurite())
            self.wire = stack.enter_context(Wire(self.storage))
            self.stores = stack.enter_context(Stores(self.storage.connection_string))
            self.stores.make_queues()
            self.host = stack.enter_context(self.another_host(self.wire, functions=self._functions))
            super().__init__(self.host.url)
            self._stack = stack.pop_all()
        return self

    def another_host(self, wire: Wire | None = None, *, functions: Sequence[str] = (), **settings: str) -> RunningHost:
        """One more host on the same account, over the given wire or straight.

        It ends by a kill: what it holds then is hidden for ten minutes. A test that gives it work waits with `idle`.
        """
        straight = self.storage.connection_string
        accounts = {"AzureWebJobsStorage": straight, "FixItStorage": wire.connection_string if wire else straight}
        env = {**QUICK, **accounts, **self._settings, **settings}
        return RunningHost(ROOT, env, options=self._options, functions=functions)

    def sweep(self, timeout: float = 60) -> dict[str, Any]:
        """Let the first host sweep now; what it counted."""
        seen = len(self._sweeps())
        asked = self.request("POST", "/admin/functions/sweep", b"{}")
        assert asked.status == 202, asked
        said: str = eventually(lambda: self._sweeps()[seen:], timeout, what="the end of a sweep")[0]
        counts: dict[str, Any] = json.loads(said.partition("sweep done ")[2])
        return counts

    def _sweeps(self) -> list[str]:
        return [line for line in self.host.lines() if "sweep done {" in line]

    def idle(self, timeout: float = 30) -> None:
        """Return once no message is left on the queues."""
        eventually(self.stores.is_idle, timeout, what="empty queues")

    def fresh(self) -> None:
        """Heal the wire, make what is missing, wait for what is under way, and forget every row, letter and request."""
        self.wire.heal()
        self.stores.make_all()
        self.idle()
        self.stores.clear()
        self.wire.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)
