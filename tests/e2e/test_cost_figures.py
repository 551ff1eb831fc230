"""What docs/cost.md says of the bytes of a plain task is what one makes."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.unit.test_cost import EACH

TASK = {
    "title": "The lamp in room 4 is broken",
    "notes": "It flickers since Monday, and went out today.",
    "owner": "Facilities",
    "createdBy": "reception",
}
TIME = len("[2026-12-01T12:48:53.975Z] ")


def _size(row: Mapping[str, Any]) -> int:
    """In bytes, as the service counts: https://learn.microsoft.com/azure/storage/tables/table-storage-design-for-query."""
    properties = {name: value for name, value in row.items() if name not in ("PartitionKey", "RowKey")}
    keys = 4 + 2 * len(row["PartitionKey"] + row["RowKey"])
    return keys + sum(
        8 + 2 * len(name) + (4 + 2 * len(value) if isinstance(value, str) else 8) for name, value in properties.items()
    )


def test_plain_task_makes_as_many_bytes_as_its_cost_is_reckoned_with(fixit: FixIt) -> None:
    since = len(fixit.host.lines())

    def until_recorded() -> list[str]:
        lines = [line for line in fixit.host.lines()[since:] if "a channel is off" not in line]  # once in a process
        return lines if any("Executed 'Functions.record'" in line for line in lines) else []

    task = fixit.submit(**TASK)
    lines = eventually(until_recorded, what="the end of the delivery")
    assert len(lines) == EACH["log_records"]["plain"] - 2  # and a record of each call
    assert sum(len(line) - TIME for line in lines) == pytest.approx(EACH["log_bytes"]["plain"], rel=0.05)
    keys = [{"PartitionKey": list_name, "RowKey": key} for list_name, key in fixit.stores.pointers(task["id"])]
    rows = [*fixit.stores.tasks(), *keys]
    assert len(rows) == EACH["table"]["plain"]
    assert sum(map(_size, rows)) == pytest.approx(EACH["table_bytes"]["plain"], rel=0.05)
