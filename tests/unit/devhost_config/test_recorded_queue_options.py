"""Every queue option that was recorded comes out as Microsoft's own queue extension had it."""

import json
from pathlib import Path
from typing import Any

import pytest

from devhost.dotnet.timespan import format_timespan
from devhost.errors import HostConfigError
from devhost.settings.queue_options import QueueOptions
from tests.unit.devhost_config.loading import load, with_queues

ROWS = json.loads((Path(__file__).parents[2] / "data" / "queue-options.json").read_text())
VARIABLE = "AzureFunctionsJobHost__extensions__queues__"


def as_recorded(options: QueueOptions) -> dict[str, Any]:
    return {
        "batchSize": options.batch_size,
        "newBatchThreshold": options.new_batch_threshold,
        "maxPollingInterval": format_timespan(options.max_polling_interval),
        "maxDequeueCount": options.max_dequeue_count,
        "visibilityTimeout": format_timespan(options.visibility_timeout),
        "messageEncoding": options.message_encoding,
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['key']}={row['value']!r} {row['environment']}")
@pytest.mark.parametrize("place", ["host.json", "environment"])
def test_queue_option_recorded_comes_out_equal(row: dict[str, Any], place: str, tmp_path: Path) -> None:
    content = with_queues(**{row["key"]: row["value"]}) if place == "host.json" else with_queues()
    environment = {VARIABLE + row["key"]: row["value"]} if place == "environment" else {}
    development = row["environment"] == "Development"
    if row["error"] is None:
        assert as_recorded(load(tmp_path, content, environment, development=development).queues) == row["result"]
        return
    with pytest.raises(HostConfigError) as refused:
        load(tmp_path, content, environment, development=development)
    for part in (f"extensions.queues.{row['key']}", f'"{row["value"]}"', "must be", "default"):
        assert part in str(refused.value)
    assert (VARIABLE + row["key"] if environment else "host.json") in str(refused.value)
