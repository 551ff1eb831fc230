"""Keys that the host ignores are pointed out, with the place where they would count."""

from pathlib import Path

import pytest

from tests.unit.devhost_config.loading import load

AGAIN = "means nothing there and is ignored; see"


@pytest.mark.parametrize(
    ("content", "notice"),
    [
        # HC-01
        ({"queues": {"batchSize": 1, "maxDequeueCount": 2}}, f"queues {AGAIN} extensions.queues."),
        # HC-03
        (
            {"logging": {"applicationInsights": {"samplingExcludedTypes": "Request"}}},
            f"logging.applicationInsights.samplingExcludedTypes {AGAIN} "
            "logging.applicationInsights.samplingSettings.excludedTypes.",
        ),
        ({"http": {"routePrefix": "v1"}}, f"http {AGAIN} extensions.http."),
        ({"routePrefix": "v1"}, f"routePrefix {AGAIN} extensions.http.routePrefix."),
        ({"extensions": {"queue": {"batchSize": 1}}}, f"extensions.queue {AGAIN} extensions.queues."),
        ({"extensions": {"batchSize": 1}}, f"extensions.batchSize {AGAIN} extensions.queues.batchSize."),
        (
            {"extensions": {"queues": {"maxDequeCount": 1}}},
            f"extensions.queues.maxDequeCount {AGAIN} extensions.queues.maxDequeueCount.",
        ),
        (
            {"logging": {"applicationInsights": {"excludedTypes": "Request"}}},
            f"logging.applicationInsights.excludedTypes {AGAIN} "
            "logging.applicationInsights.samplingSettings.excludedTypes.",
        ),
        ({"logLevel": {"default": "Error"}}, f"logLevel {AGAIN} logging.logLevel."),
        ({"colour": "red"}, "colour is not known to the host and is ignored."),
        (
            {"extensions": {"queues": {"colour": "red"}}},
            "extensions.queues.colour is not known to the host and is ignored.",
        ),
    ],
)
def test_misplaced_key_is_named_with_its_right_place(content: dict[str, object], notice: str, tmp_path: Path) -> None:
    assert load(tmp_path, {"version": "2.0", **content}).notices == (f"host.json: {notice}",)


def test_misplaced_queue_settings_have_no_effect(tmp_path: Path) -> None:  # HC-01
    options = load(tmp_path, {"version": "2.0", "queues": {"batchSize": 1, "maxDequeueCount": 2}})
    assert (options.queues.batch_size, options.queues.max_dequeue_count) == (16, 5)


def test_misplaced_key_in_the_environment_is_named_by_its_variable(tmp_path: Path) -> None:
    options = load(tmp_path, {"version": "2.0"}, {"AzureFunctionsJobHost__queues__batchSize": "1"})
    assert options.notices == (
        f"environment variable AzureFunctionsJobHost__queues__batchSize: queues {AGAIN} extensions.queues.",
    )


def test_keys_in_their_places_cause_no_notice(tmp_path: Path) -> None:
    content = {
        "$schema": "x",
        "version": "2.0",
        "functions": ["A"],
        "functionTimeout": "00:05:00",
        "extensionBundle": {"id": "Microsoft.Azure.Functions.ExtensionBundle", "version": "[4.*, 5.0.0)"},
        "extensions": {
            "queues": {"batchSize": 1, "messageEncoding": "none"},
            "http": {"routePrefix": "", "customHeaders": {"X-Any": "1"}, "hsts": {"isEnabled": False}},
            "durableTask": {"hubName": "x"},
            "mcp": {"instructions": "an extension of tomorrow"},
        },
        "logging": {
            "logLevel": {"default": "Information", "Function.Record": "Error"},
            "console": {"isEnabled": True},
            "applicationInsights": {
                "samplingSettings": {"isEnabled": True, "excludedTypes": "Request"},
                "enableLiveMetricsFilters": True,
            },
        },
        "singleton": {"lockPeriod": "00:00:15"},
        "concurrency": {"dynamicConcurrencyEnabled": False},
        "telemetryMode": "OpenTelemetry",
        "watchDirectories": ["shared"],
    }
    environment = {"AzureFunctionsJobHost__logging__logLevel__Function": "Debug"}
    assert load(tmp_path, content, environment).notices == ()
