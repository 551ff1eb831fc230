"""host.json: every value has its reason in a decision record, and nothing stands where the host would not read it."""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HOST = json.loads((ROOT / "host.json").read_text("utf-8"))
REASONS = (ROOT / "docs" / "decisions" / "0006-values-of-host-json.md").read_text("utf-8")

# What the host reads (https://learn.microsoft.com/azure/azure-functions/functions-host-json); it ignores all else.
READ_BY_THE_HOST = {
    "version",
    "telemetryMode",
    "functionTimeout",
    "extensions.http.routePrefix",
    "extensions.queues.batchSize",
    "extensions.queues.newBatchThreshold",
    "extensions.queues.maxPollingInterval",
    "extensions.queues.maxDequeueCount",
    "extensions.queues.visibilityTimeout",
    "extensions.queues.messageEncoding",
    "extensionBundle.id",
    "extensionBundle.version",
    "logging.logLevel.default",
}


def _leaves(value: Any, path: str = "") -> dict[str, str]:
    if not isinstance(value, dict):
        return {path: str(value)}
    return {
        leaf: text
        for key, below in value.items()
        for leaf, text in _leaves(below, f"{path}.{key}" if path else key).items()
    }


def test_host_json_has_only_keys_that_the_host_reads() -> None:  # HC-01, HC-03
    assert set(_leaves(HOST)) == READ_BY_THE_HOST


def test_host_json_values_all_have_their_reason() -> None:
    reasons = dict(re.findall(r"^\| `([\w.]+)` \| `([^`]+)` \| \S", REASONS, re.MULTILINE))
    given = {key: text for key, text in _leaves(HOST).items() if key not in {"version", "extensionBundle.id"}}
    assert reasons == given


def test_host_json_brings_the_extension_that_has_the_queue_trigger() -> None:
    assert HOST["extensionBundle"] == {
        "id": "Microsoft.Azure.Functions.ExtensionBundle",
        "version": "[4.*, 5.0.0)",
    }


def test_function_timeout_is_longer_than_a_step_may_take() -> None:
    hours, minutes, seconds = map(int, HOST["functionTimeout"].split(":"))
    example = json.loads((ROOT / "local.settings.example.json").read_text("utf-8"))["Values"]
    assert (hours * 60 + minutes) * 60 + seconds > 2 * float(example["FIXIT_STEP_SECONDS"])
