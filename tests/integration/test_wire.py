"""The wire records what really happens, and breaks exactly what it is told to."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ServiceRequestError, ServiceResponseError
from azure.data.tables import TableServiceClient, UpdateMode
from azure.data.tables.aio import TableServiceClient as AsyncTableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueClient
from azure.storage.queue.aio import QueueClient as AsyncQueueClient

from tests.support.eventually import eventually
from tests.support.fault import Damage
from tests.support.wire import Wire

ONCE: dict[str, Any] = {"retry_total": 0, "retry_connect": 0, "retry_read": 0, "retry_status": 0}


@pytest.fixture
def queue(wire: Wire, unique_name: Callable[[str], str]) -> QueueClient:
    client = QueueClient.from_connection_string(wire.connection_string, unique_name("wire"), **ONCE)
    client.create_queue()
    wire.clear()
    return client


def ops(wire: Wire) -> list[str]:
    return [request.op for request in wire.requests]


def test_queue_requests_passed_through_are_named_in_order(wire: Wire, queue: QueueClient) -> None:
    with queue:
        queue.send_message("one")
        queue.peek_messages()
        message = queue.receive_message()
        assert message is not None
        queue.update_message(message, visibility_timeout=0)
        queue.get_queue_properties()
        queue.set_queue_metadata({"a": "b"})
        queue.clear_messages()
        queue.delete_queue()
    assert ops(wire) == ["put", "peek", "get", "update", "metadata", "set_metadata", "clear", "delete_queue"]
    assert {request.target for request in wire.requests} == {queue.queue_name}
    assert [request.status for request in wire.requests] == [201, 200, 200, 204, 200, 204, 204, 204]
    assert all(request.seconds > 0 and request.stored_status == request.status for request in wire.requests)


def test_table_requests_passed_through_are_named_in_order(wire: Wire, unique_name: Callable[[str], str]) -> None:
    name = unique_name("wire")
    with TableServiceClient.from_connection_string(wire.connection_string) as service:
        with service.create_table(name) as table:
            row = {"PartitionKey": "a'b", "RowKey": "ü ", "n": 1}
            table.create_entity(row)
            table.get_entity("a'b", "ü ")
            table.upsert_entity({**row, "n": 2})
            table.update_entity({**row, "n": 3}, mode=UpdateMode.REPLACE)
            assert [entity["n"] for entity in table.list_entities()] == [3]
            table.submit_transaction([("create", {**row, "RowKey": "c"}), ("delete", row)])
            table.delete_entity("a'b", "c")
        service.delete_table(name)
    expected = ["create_table", "insert", "get", "merge", "replace", "query", "batch", "delete", "delete_table"]
    assert ops(wire) == expected
    assert {request.target for request in wire.requests[1:6]} == {name}


def test_blob_requests_passed_through_are_named_and_keep_their_bytes(
    wire: Wire, unique_name: Callable[[str], str]
) -> None:
    content = bytes(range(256)) * 10_000
    with BlobServiceClient.from_connection_string(wire.connection_string) as service:
        container = service.create_container(unique_name("wire"))
        blob = container.get_blob_client("a folder/ü.bin")
        blob.upload_blob(content)
        assert blob.get_blob_properties().size == len(content)
        assert blob.download_blob().readall() == content
        lease = blob.acquire_lease(15)
        lease.release()
        assert [found.name for found in container.list_blobs()] == ["a folder/ü.bin"]
        blob.delete_blob()
        service.delete_container(container.container_name)
    expected = ["create_container", "put", "properties", "get", "lease", "lease", "list", "delete", "delete_container"]
    assert ops(wire) == expected


def test_fail_before_commit_answers_the_error_and_stores_nothing(wire: Wire, queue: QueueClient) -> None:
    fault = wire.fail(op="put", nth=2, status=503, code="ServerBusy")
    with queue:
        queue.send_message("one")
        with pytest.raises(HttpResponseError) as refused:
            queue.send_message("two")
        queue.send_message("three")
        assert [message.content for message in queue.peek_messages(5)] == ["one", "three"]
    assert (refused.value.status_code, refused.value.error_code) == (503, "ServerBusy")  # type: ignore[attr-defined]
    assert [(hit.status, hit.stored_status) for hit in fault.hits] == [(503, None)]


def test_fail_after_commit_loses_the_answer_and_stores_the_message(wire: Wire, queue: QueueClient) -> None:
    fault = wire.fail(op="put", after=True)
    with queue:
        with pytest.raises(HttpResponseError):
            queue.send_message("one")
        assert [message.content for message in queue.peek_messages(5)] == ["one"]
    assert [(hit.status, hit.stored_status) for hit in fault.hits] == [(500, 201)]


@pytest.mark.parametrize("after", [False, True])
def test_cut_connection_is_an_error_without_a_status(wire: Wire, queue: QueueClient, after: bool) -> None:
    fault = wire.fail(service="queue", cut=True, after=after, match=lambda request: b"one" in request.body)
    with queue:
        with pytest.raises((ServiceRequestError, ServiceResponseError)):
            queue.send_message("one")
        assert len(queue.peek_messages(5)) == (1 if after else 0)
    assert fault.hits[0].status is None


def test_table_error_answered_for_it_is_read_by_the_sdk(wire: Wire, unique_name: Callable[[str], str]) -> None:
    wire.fail(service="table", status=403, code="AuthorizationFailure", times=None)
    client = TableServiceClient.from_connection_string(wire.connection_string, **ONCE)
    with client, pytest.raises(HttpResponseError) as refused:
        client.create_table(unique_name("wire"))
    assert refused.value.error_code == "AuthorizationFailure"  # type: ignore[attr-defined]
    assert wire.requests[0].stored_status is None


def test_service_down_refuses_until_it_is_up_on_the_same_port(wire: Wire, queue: QueueClient) -> None:
    with queue:
        queue.send_message("before")
        before = wire.connection_string
        wire.down("queue")
        for _ in range(3):
            with pytest.raises(ServiceRequestError, match="refused"):
                queue.send_message("lost")
        with BlobServiceClient.from_connection_string(wire.connection_string) as blobs:
            assert list(blobs.list_containers(name_starts_with="none")) == []
        wire.up("queue")
        assert wire.connection_string == before
        queue.send_message("after")
        assert [message.content for message in queue.peek_messages(5)] == ["before", "after"]


def test_service_down_cuts_the_request_that_is_under_way(wire: Wire, queue: QueueClient) -> None:
    async def put_while_it_goes_down() -> None:
        held = wire.hold(op="put")
        async with AsyncQueueClient.from_connection_string(wire.connection_string, queue.queue_name, **ONCE) as client:
            put = asyncio.ensure_future(client.send_message("one"))
            await asyncio.to_thread(held.wait_hit)
            wire.down("queue")
            with pytest.raises((ServiceRequestError, ServiceResponseError)):
                await put
        held.release()

    with queue:
        asyncio.run(put_while_it_goes_down())


async def test_held_requests_wait_for_release_and_others_pass(wire: Wire, unique_name: Callable[[str], str]) -> None:
    async with AsyncTableServiceClient.from_connection_string(wire.connection_string) as service:
        table = await service.create_table(unique_name("wire"))
        async with table:
            held = wire.hold(op="insert", times=20, match=lambda request: b'"held"' in request.body)
            puts = [
                asyncio.ensure_future(table.create_entity({"PartitionKey": "held", "RowKey": str(n)}))
                for n in range(20)
            ]
            await asyncio.to_thread(held.wait_hit, hits=20)
            await table.create_entity({"PartitionKey": "free", "RowKey": "1"})
            assert not any(put.done() for put in puts)
            held.release()
            await asyncio.gather(*puts)


@pytest.mark.parametrize(("answer", "status"), [("first", 201), ("second", 409)])
def test_duplicated_request_is_stored_twice_and_answered_once(
    wire: Wire, unique_name: Callable[[str], str], answer: Any, status: int
) -> None:
    wire.duplicate(answer=answer, op="insert")
    wire.duplicate(answer=answer, op="put")
    name = unique_name("wire")
    with TableServiceClient.from_connection_string(wire.connection_string, **ONCE) as service:
        table = service.create_table(name)
        with suppress(ResourceExistsError):
            table.create_entity({"PartitionKey": "p", "RowKey": "r"})
    with QueueClient.from_connection_string(wire.connection_string, name, **ONCE) as queue:
        queue.create_queue()
        queue.send_message("one")
        assert [message.content for message in queue.peek_messages(5)] == ["one", "one"]
    assert [request.status for request in wire.of(op="insert")] == [status]
    assert len(wire.of(op="put")) == 1


@pytest.mark.parametrize(
    ("how", "then", "later"),
    [
        (Damage(silent=True), None, None),
        (Damage(silent=True, after=True), 201, 201),
        (Damage(silent=True, late=True), None, 201),
    ],
    ids=["never", "after", "late"],
)
def test_silence_lasts_until_the_client_gives_up(
    wire: Wire, queue: QueueClient, how: Damage, then: int | None, later: int | None
) -> None:
    silence = wire.damage(how, op="put")

    async def give_up() -> None:
        async with AsyncQueueClient.from_connection_string(wire.connection_string, queue.queue_name, **ONCE) as client:
            put = asyncio.ensure_future(client.send_message("one"))
            await asyncio.to_thread(silence.wait_hit)
            (hit,) = silence.hits
            assert (put.done(), hit.status, hit.stored_status) == (False, None, then)
            put.cancel()
            await asyncio.gather(put, return_exceptions=True)

    with queue:
        asyncio.run(give_up())
        eventually(lambda: silence.hits[0].seconds)
        assert silence.hits[0].stored_status == later
        assert [message.content for message in queue.peek_messages(5)] == (["one"] if later else [])


def test_slow_request_works_after_its_delay(wire: Wire, queue: QueueClient) -> None:
    wire.slow(0.3, op="put")
    began = time.monotonic()
    with queue:
        queue.send_message("one")
    assert time.monotonic() - began >= 0.3
    assert wire.of(op="put")[0].seconds >= 0.3


def test_heal_takes_back_every_fault_and_brings_services_up(wire: Wire, queue: QueueClient) -> None:
    wire.fail(times=None)
    wire.down("queue")
    wire.heal()
    with queue:
        queue.send_message("one")
    assert [request.status for request in wire.requests] == [201]


def test_wire_left_with_a_held_request_ends_at_once(wire: Wire, queue: QueueClient) -> None:
    # The fixture's end is the assertion: a hanging or leaking wire fails this test's teardown.
    async def leave() -> None:
        held = wire.hold(op="put")
        async with AsyncQueueClient.from_connection_string(wire.connection_string, queue.queue_name, **ONCE) as client:
            put = asyncio.ensure_future(client.send_message("one"))
            await asyncio.to_thread(held.wait_hit)
            put.cancel()
            await asyncio.gather(put, return_exceptions=True)

    with queue:
        asyncio.run(leave())
