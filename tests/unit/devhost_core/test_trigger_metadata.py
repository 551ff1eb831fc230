import json
from datetime import UTC, datetime

import pytest
from azure.functions import meta
from azure.functions.queue import QueueMessageInConverter
from azure_functions_runtime.bindings.datumdef import Datum

from devhost.queues.message import ReceivedMessage
from devhost.queues.trigger_metadata import merge_body, queue_metadata

MESSAGE = ReceivedMessage(
    id="the-id",
    pop_receipt="the-receipt",
    dequeue_count=3,
    text="",
    inserted_at=datetime(2026, 1, 8, 10, tzinfo=UTC),
    expires_at=None,
    next_visible_at=datetime(2026, 1, 8, 10, 10, tzinfo=UTC),
)


def values(metadata: dict[str, Datum]) -> dict[str, tuple[str, object]]:
    return {name: (datum.type, datum.value) for name, datum in metadata.items()}


def test_metadata_has_the_real_hosts_names_and_kinds() -> None:
    assert values(queue_metadata(MESSAGE, "body")) == {
        "QueueTrigger": ("string", "body"),
        "Id": ("string", "the-id"),
        "PopReceipt": ("string", "the-receipt"),
        "DequeueCount": ("json", "3"),
        "InsertionTime": ("json", '"2026-01-08T10:00:00+00:00"'),
        "ExpirationTime": ("json", '"9999-12-31T23:59:59.9999999+00:00"'),
        "NextVisibleTime": ("json", '"2026-01-08T10:10:00+00:00"'),
    }


def test_metadata_of_a_body_that_is_not_text_has_no_queue_trigger() -> None:
    assert "QueueTrigger" not in queue_metadata(MESSAGE, None)


def test_metadata_is_what_the_functions_library_reads() -> None:
    metadata = {name: meta.Datum(datum.value, datum.type) for name, datum in queue_metadata(MESSAGE, "body").items()}
    read = QueueMessageInConverter.decode(meta.Datum("body", "string"), trigger_metadata=metadata)
    assert (read.id, read.pop_receipt, read.dequeue_count) == ("the-id", "the-receipt", 3)
    assert read.insertion_time == MESSAGE.inserted_at
    assert read.time_next_visible == MESSAGE.next_visible_at
    assert read.expiration_time.year == 9999


def test_body_properties_overwrite_metadata_ignoring_case() -> None:
    merged = merge_body(queue_metadata(MESSAGE, ""), '{"ID": "mine", "dequeueCount": "x", "other": "new"}')
    assert (merged["Id"].type, merged["Id"].value) == ("string", "mine")
    assert (merged["DequeueCount"].type, merged["DequeueCount"].value) == ("string", "x")
    assert merged["other"].value == "new"
    assert "ID" not in merged


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("text", "string", "text"),
        (True, "string", "True"),
        (False, "string", "False"),
        (7, "string", "7"),
        (12345678901234567890123, "string", "12345678901234567890123"),
        (1.5, "string", "1.5"),
        (2.0, "string", "2"),
        (1e20, "string", "1E+20"),
        (1e-05, "string", "1E-05"),
        ({"a": [1, "\xe9"]}, "json", '{"a":[1,"\xe9"]}'),
    ],
)
def test_body_property_becomes_the_hosts_text(value: object, kind: str, text: str) -> None:
    merged = merge_body({}, json.dumps({"p": value}))
    assert (merged["p"].type, merged["p"].value) == (kind, text)


@pytest.mark.parametrize("body", ["{'id': 'mine',}", "{id: 'mine'}", '{"id": /* mine */ "mine"}'])
def test_body_that_is_json_by_newtonsofts_rules_counts(body: str) -> None:
    assert merge_body({}, body)["id"].value == "mine"


@pytest.mark.parametrize(
    "body",
    ["[" * 40000, '{"id":' * 5000, '{"id": null}', '{"id": ["mine"]}', '[{"id": "mine"}]', '"id"', "{id", "", "5"],
)
def test_body_without_a_usable_property_changes_nothing(body: str) -> None:
    assert values(merge_body(queue_metadata(MESSAGE, ""), body)) == values(queue_metadata(MESSAGE, ""))
