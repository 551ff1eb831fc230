"""host.json: the file, its sections, and what the environment lays over them."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from devhost.errors import HostConfigError
from devhost.settings.configuration import Configuration
from devhost.settings.host_json import HostOptions, load_host_options
from tests.unit.devhost_config.loading import load, with_queues

EMPTY = {"version": "2.0"}
BUNDLE = {"id": "Microsoft.Azure.Functions.ExtensionBundle", "version": "[4.*, 5.0.0)"}
JOB_HOST = "AzureFunctionsJobHost__"


def load_from(folder: Path) -> HostOptions:
    return load_host_options(folder, Configuration(), development=False, cpu_count=2)


def test_host_json_missing_is_written_with_a_bundle(tmp_path: Path) -> None:
    options = load_from(tmp_path)
    assert options.extension_bundle == "Microsoft.Azure.Functions.ExtensionBundle [4.*, 5.0.0)"
    assert "is missing" in options.notices[0]
    assert json.loads((tmp_path / "host.json").read_text()) == {"version": "2.0", "extensionBundle": BUNDLE}
    assert load_from(tmp_path).notices == ()


def test_host_json_empty_object_is_written_without_a_bundle(tmp_path: Path) -> None:
    options = load(tmp_path, "{}")
    assert options.extension_bundle is None
    assert "no queue trigger" in options.notices[0]
    assert json.loads((tmp_path / "host.json").read_text()) == EMPTY


def test_host_json_missing_in_a_folder_that_is_not_there_is_the_default(tmp_path: Path) -> None:
    options = load_from(tmp_path / "gone")
    assert options.extension_bundle
    assert "the default is used" in options.notices[0]


def test_host_json_minimal_has_the_real_defaults(tmp_path: Path) -> None:
    options = load(tmp_path, EMPTY)
    assert options.functions is None
    assert options.function_timeout == timedelta(minutes=30)
    assert options.http.route_prefix == "api"
    assert (options.http.max_outstanding_requests, options.http.max_concurrent_requests) == (-1, -1)
    assert options.singleton.listener_lock_period == timedelta(seconds=60)
    assert options.extension_bundle is None
    assert options.notices == ()


@pytest.mark.parametrize(
    "version", ["1.0", "3.0", "2", "2.0.0", " 2.0", 2.0, 2, True, None, "", [], {"a": 1}], ids=json.dumps
)
def test_host_json_version_other_than_the_text_2_0_is_refused(version: object, tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match=r"^host\.json: .*version"):
        load(tmp_path, {"version": version, "functions": ["A"]})


def test_host_json_version_in_other_case_is_refused_saying_so(tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match='"Version" is not it'):
        load(tmp_path, {"Version": "2.0"})


@pytest.mark.parametrize("text", ["", "[]", "2", '{"version": "2.0"', '{"version": "2.0"} {}'])
def test_host_json_broken_is_refused_with_file_line_and_column(text: str, tmp_path: Path) -> None:
    with pytest.raises(HostConfigError, match=r"^host\.json: line 1, column \d+: .*host\.json'\.$"):
        load(tmp_path, text)


def test_host_json_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "host.json").mkdir()
    with pytest.raises(HostConfigError, match="cannot be read"):
        load_from(tmp_path)


def test_host_json_with_comments_and_other_case_is_read(tmp_path: Path) -> None:
    text = """{ "version": "2.0", // why
      "EXTENSIONS": { "Queues": { "BATCHSIZE": 3, "messageencoding": "None" }, "HTTP": { "routeprefix": "v1" } },
      "FunctionTimeout": "00:01:00" }"""
    options = load(tmp_path, text)
    assert options.queues.batch_size == 3
    assert options.queues.message_encoding == "none"
    assert options.http.route_prefix == "v1"
    assert options.function_timeout == timedelta(minutes=1)
    assert options.notices == ()


def test_host_json_key_twice_counts_the_last_and_says_so(tmp_path: Path) -> None:
    options = load(tmp_path, '{"version": "2.0", "extensions": {"queues": {"batchSize": 1, "BatchSize": 2}}}')
    assert options.queues.batch_size == 2
    assert options.notices == ("host.json: extensions.queues.BatchSize stands twice; the last one counts.",)


@pytest.mark.parametrize(
    ("value", "batch_size"),
    [("7", 7), (7, 7), (7.0, 7), ("0x10", 16), (" 5 ", 5), ("+5", 5), ({}, 16), ({"a": 1}, 16), ([4], 16), ([], 16)],
    ids=json.dumps,
)
def test_batch_size_in_any_json_type_is_read_as_its_text(value: object, batch_size: int, tmp_path: Path) -> None:
    assert load(tmp_path, with_queues(batchSize=value)).queues.batch_size == batch_size


@pytest.mark.parametrize("value", [None, True, 5.5, 33, "5.0", "1e1", 99999999999], ids=json.dumps)
def test_batch_size_in_a_json_type_that_is_no_number_is_refused(value: object, tmp_path: Path) -> None:
    with pytest.raises(
        HostConfigError, match=r"^host\.json: extensions\.queues\.batchSize .* from 1 to 32\. .*default \(16\)"
    ):
        load(tmp_path, with_queues(batchSize=value))


def test_new_batch_threshold_unset_follows_batch_size_and_cores(tmp_path: Path) -> None:
    (tmp_path / "host.json").write_text(json.dumps(with_queues(batchSize=31)))
    options = load_host_options(tmp_path, Configuration(), development=False, cpu_count=8)
    assert options.queues.new_batch_threshold == 120


@pytest.mark.parametrize(("number", "passes"), [("0", True), ("1", True), ("2", False), ("-1", False)])
def test_message_encoding_as_number_without_a_codec_is_refused(number: str, passes: bool, tmp_path: Path) -> None:
    if passes:
        assert (
            load(tmp_path, with_queues(messageEncoding=number)).queues.message_encoding
            == ("none", "base64")[int(number)]
        )
        return
    with pytest.raises(HostConfigError, match="no encoding has this number; it must be base64 or none"):
        load(tmp_path, with_queues(messageEncoding=number))


@pytest.mark.parametrize(
    ("interval", "seconds"), [(None, 2), ("00:01:00", 2), ("0:1", 2), ("00:01:00.0001", 60.0001), ("00:00:59", 59)]
)
def test_polling_in_development_is_two_seconds_unless_set(interval: str | None, seconds: float, tmp_path: Path) -> None:
    content = with_queues(maxPollingInterval=interval) if interval else EMPTY
    options = load(tmp_path, content, development=True)
    assert options.queues.max_polling_interval == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "spelling", ["extensions__queues__batchSize", "EXTENSIONS__Queues__BATCHSIZE", "extensions:queues:batchSize"]
)
def test_environment_lies_over_the_file(spelling: str, tmp_path: Path) -> None:
    options = load(tmp_path, with_queues(batchSize=1, maxDequeueCount=9), {JOB_HOST + spelling: "4"})
    assert options.queues.batch_size == 4
    assert options.queues.max_dequeue_count == 9


def test_environment_mends_what_the_file_has_wrong(tmp_path: Path) -> None:
    environment = {f"{JOB_HOST}extensions__queues__batchSize": "4"}
    assert load(tmp_path, with_queues(batchSize=99), environment).queues.batch_size == 4


def test_environment_empty_is_a_value_and_refused_by_its_name(tmp_path: Path) -> None:
    name = f"{JOB_HOST}extensions__queues__batchSize"
    with pytest.raises(HostConfigError, match=f'^environment variable {name}: extensions.queues.batchSize is ""'):
        load(tmp_path, with_queues(batchSize=1), {name: ""})
