"""The sections of host.json besides the queues': which functions, how long, HTTP, locks."""

from datetime import timedelta
from pathlib import Path

import pytest

from devhost.errors import HostConfigError
from tests.unit.devhost_config.loading import load

EMPTY = {"version": "2.0"}
JOB_HOST = "AzureFunctionsJobHost__"


def test_functions_list_is_overridden_item_by_item(tmp_path: Path) -> None:
    content = {"version": "2.0", "functions": ["A", "B"]}
    environment = {f"{JOB_HOST}functions__1": "C", f"{JOB_HOST}functions__10": "E", f"{JOB_HOST}functions__9": "D"}
    assert load(tmp_path, content).functions == ("A", "B")
    assert load(tmp_path, content, environment).functions == ("A", "C", "D", "E")


@pytest.mark.parametrize("functions", [[], "A", None])
def test_functions_that_are_no_list_of_names_mean_all(functions: object, tmp_path: Path) -> None:
    assert load(tmp_path, {"version": "2.0", "functions": functions}).functions is None


@pytest.mark.parametrize(
    ("text", "timeout"),
    [
        ("00:05:00", timedelta(minutes=5)),
        ("00:00:01", timedelta(seconds=1)),
        ("-1", None),
        (-1, None),
        ("-1.00:00:00", None),
        ("1", timedelta(days=1)),
        ("", timedelta(minutes=30)),
        (None, timedelta(minutes=30)),
    ],
)
def test_function_timeout_allowed_is_taken(text: object, timeout: timedelta | None, tmp_path: Path) -> None:
    assert load(tmp_path, {"version": "2.0", "functionTimeout": text}).function_timeout == timeout


@pytest.mark.parametrize("text", ["00:00:00.999", "0", "-2", "-00:00:01", "5m", "24:00", " "])
def test_function_timeout_other_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match=r'host\.json: functionTimeout is .*at least 00:00:01, or "-1"'):
        load(tmp_path, {"version": "2.0", "functionTimeout": text})


def test_function_timeout_on_consumption_is_five_minutes_and_at_most_ten(tmp_path: Path) -> None:
    consumption = {"WEBSITE_SKU": "Dynamic"}
    assert load(tmp_path, EMPTY, consumption).function_timeout == timedelta(minutes=5)
    assert load(tmp_path, {"version": "2.0", "functionTimeout": "00:10:00"}, consumption).function_timeout
    for text in ("00:10:01", "-1"):
        with pytest.raises(HostConfigError, match="from 00:00:01 to 00:10:00"):
            load(tmp_path, {"version": "2.0", "functionTimeout": text}, consumption)


def test_http_section_is_read(tmp_path: Path) -> None:
    http = {
        "routePrefix": "",
        "maxOutstandingRequests": 20,
        "maxConcurrentRequests": "10",
        "customHeaders": {"X-A": "1"},
    }
    options = load(tmp_path, {"version": "2.0", "extensions": {"http": http}}).http
    assert options.route_prefix == ""
    assert (options.max_outstanding_requests, options.max_concurrent_requests) == (20, 10)
    assert options.custom_headers == {"X-A": "1"}


@pytest.mark.parametrize(
    ("key", "value"), [("maxOutstandingRequests", 0), ("maxConcurrentRequests", -2), ("dynamicThrottlesEnabled", "on")]
)
def test_http_value_out_of_range_is_refused(key: str, value: object, tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match=rf"host\.json: extensions\.http\.{key}"):
        load(tmp_path, {"version": "2.0", "extensions": {"http": {key: value}}})


def test_singleton_periods_allowed_are_taken(tmp_path: Path) -> None:
    singleton = {"listenerLockPeriod": "00:00:15", "listenerLockRecoveryPollingInterval": "00:00:15"}
    options = load(tmp_path, {"version": "2.0", "singleton": singleton}).singleton
    assert options.listener_lock_period == timedelta(seconds=15)
    assert options.listener_lock_recovery_polling_interval == timedelta(seconds=15)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *(("listenerLockPeriod", "00:00:14"), ("listenerLockPeriod", "00:01:00.1"), ("listenerLockPeriod", "60")),
        ("listenerLockRecoveryPollingInterval", "00:00:14"),
    ],
)
def test_singleton_period_out_of_range_is_refused(key: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match=rf"host\.json: singleton\.{key}"):
        load(tmp_path, {"version": "2.0", "singleton": {key: text}})
