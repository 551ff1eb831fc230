"""Copies of the app with filters that do as a test says, and what they did."""

import atexit
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from azure.core.exceptions import ResourceExistsError
from azure.data.tables import TableClient

from shared.domain import identity
from shared.domain.envelope import step_type
from shared.domain.names import POISON_SUFFIX
from tests.support.app_copy import app_copy
from tests.support.eventually import eventually
from tests.support.fixit_app import QUICK, FixIt
from tests.support.raw_messages import MADE_AT
from tests.support.running import RunningHost
from tests.support.stores import decoded
from tests.support.wire import Wire

LIST = "FILTERS: tuple[Filter, ...] = (PHOTO,)\n"
"""The line of `filters.py` that a changed copy has otherwise."""

WORK = Path(__file__).with_name("scripted_filter.py")
SCAN, TRANSLATE = "scan", "translate"
DONE, ORDERS = "filterwork", "filterorders"


def queue_of(name: str) -> str:
    """The queue of a filter of a copy."""
    return f"fixit-{name}"


@cache
def app_with(*names: str, unneeded: tuple[str, ...] = ()) -> Path:
    """A copy of the app with these filters behind the photo's, in this order.

    A task needs those that its title names; nobody needs an `unneeded` one.
    """
    entries = "".join(
        f"    Filter(name={name!r}, queue={queue_of(name)!r}, open=_scripted({name!r}), "
        f"is_needed=lambda task: {f'{name!r} in task.title.split()' if name not in unneeded else 'False'}),\n"
        for name in names
    )
    return changed_app(f"{_OPEN}FILTERS: tuple[Filter, ...] = (\n    PHOTO,\n{entries})\n", scripted=WORK.read_text())


_OPEN = """def _scripted(name: str) -> Callable[[Parts], Work]:
    def opened(parts: Parts) -> Work:
        from shared.services.scripted import open_scripted

        return open_scripted(name, parts)

    return opened


"""


def changed_app(declared: str, **files: str) -> Path:
    """A copy of the app with another list of filters, and with further files among its services."""
    folder = Path(tempfile.mkdtemp(prefix="fixit-pipeline-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(app_copy(), folder, dirs_exist_ok=True)
    declaration = folder / "shared/services/filters.py"
    text = declaration.read_text("utf-8")
    assert text.count(LIST) == 1
    declaration.write_text(text.replace(LIST, declared), "utf-8")
    for name, content in files.items():
        (folder / f"shared/services/{name}.py").write_text(content, "utf-8")
    return folder


class Pipeline(FixIt):
    """The product with a changed app. The queues of `scan` and `translate` are there from the beginning."""

    def __init__(
        self,
        app: Path,
        *,
        settings: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        super().__init__(settings=settings, options=options)
        self._app = app

    def __enter__(self) -> Self:
        super().__enter__()
        self._done, self._orders = (
            TableClient.from_connection_string(self.storage.connection_string, name) for name in (DONE, ORDERS)
        )
        for table in (self._done, self._orders):
            table.create_table()
        for name in (SCAN, TRANSLATE):
            for queue in (queue_of(name), queue_of(name) + POISON_SUFFIX):
                with suppress(ResourceExistsError):
                    self.stores.queue(queue).create_queue()
        return self

    def another_host(self, wire: Wire | None = None, *, functions: Sequence[str] = (), **settings: str) -> RunningHost:
        return self.host_of(self._app, wire, functions=functions, **settings)

    def host_of(
        self, app: Path, wire: Wire | None = None, *, functions: Sequence[str] = (), **settings: str
    ) -> RunningHost:
        """A host of some copy of the app, on the same account."""
        straight = self.storage.connection_string
        accounts = {"AzureWebJobsStorage": straight, "FixItStorage": wire.connection_string if wire else straight}
        env = {**QUICK, **accounts, **self._settings, **settings}
        return RunningHost(app, env, options=self._options, functions=functions)

    def use(self, host: RunningHost) -> None:
        """From now on be a client of this host."""
        self.host, self.url = host, host.url

    def order(self, name: str, what: str) -> None:
        """From now on the filter does so: `work`, `down`, `refuse`, `break`, `later`."""
        self._orders.upsert_entity({"PartitionKey": "filter", "RowKey": name, "what": what})

    def done(self, task_id: str) -> list[tuple[str, str]]:
        """What filters did for a task, in its order: (what, filter)."""
        rows = self._done.query_entities("PartitionKey eq @task", parameters={"task": task_id})
        return [(row["what"], row["filter"]) for row in rows]

    def steps(self, task_id: str) -> list[str]:
        """The timeline of a task's row, which must be there."""
        answer = self.get(f"/api/fixits/{task_id}")
        assert answer.status == 200, answer
        return [step["step"] for step in answer.json["steps"]]

    def waits(self, name: str, count: int = 1) -> None:
        """Return once so many messages lie on the queue of a filter."""
        eventually(lambda: self.stores.waiting(queue_of(name)) >= count, what=f"a message for {name}")

    def all_done(self, *names: str, timeout: float = 30) -> None:
        """Return once no message is left, on the queues of these filters neither."""

        def is_idle() -> bool:
            queues = [queue_of(name) + suffix for name in names for suffix in ("", POISON_SUFFIX)]
            return self.stores.is_idle() and not any(map(self.stores.waiting, queues)) and self.stores.is_idle()

        eventually(is_idle, timeout, what="empty queues")

    def answers(self, task_id: str) -> list[dict[str, Any]]:
        """What was put on the reply queue `answers` for a task."""
        events = [decoded(message.content) for message in self.stores.queue("answers").peek_messages(32)]
        return [event for event in events if event["subject"] == task_id]

    def letters(self, task_id: str) -> list[dict[str, Any]]:
        """The dead letters of a task."""
        return [dict(letter) for letter in self.stores.letters() if letter["taskId"] == task_id]

    def state(self, task_id: str) -> str:
        return str(self.row(task_id)["state"])

    def host_said(self, text: str, task_id: str) -> int:
        """How many log lines of the first host say so of a task."""
        return sum(text in line and task_id in line for line in self.host.lines())

    def row(self, task_id: str) -> dict[str, Any]:
        """The row of a task, which must be there."""
        row = self.stores.task(task_id)
        assert row is not None
        return dict(row)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for table in (self._done, self._orders):
            table.close()
        super().__exit__(kind, error, trace)


def step_event(step: str, task_id: str, **changes: Any) -> str:
    """The JSON of the event with which another source has a filter work for a task."""
    event = {
        "specversion": "1.0",
        "id": identity.step_event_id(task_id, step),
        "source": "/scanner",
        "type": step_type(step),
        "subject": task_id,
        "time": MADE_AT,
        "caller": "key",
        "data": {},
    }
    return json.dumps({**event, **changes})


def disabled(*functions: str) -> dict[str, str]:
    """The settings with which a host leaves these functions to others."""
    return {f"AzureWebJobs.{name}.Disabled": "true" for name in functions}
