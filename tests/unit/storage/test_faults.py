"""What follows from the table, with real clients on real sockets: each code, answered as the service answers it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from azure.core.exceptions import HttpResponseError, SerializationError
from azure.data.tables import UpdateMode
from azure.data.tables.aio import TableServiceClient
from azure.identity.aio import EnvironmentCredential
from azure.storage.blob.aio import BlobServiceClient
from azure.storage.queue.aio import QueueServiceClient

from shared.domain.errors import DependencyDown
from shared.storage.error_table import CODES, Meaning
from shared.storage.faults import error_code, made_if_missing, meaning_of, told_as_down
from tests.support.answering import answering
from tests.support.fault import Kind
from tests.support.storage_request import StorageRequest
from tests.support.wire import Wire
from tests.unit.storage.documented import DOCUMENTED
from tools.dev.azurite import KEY, connection_string

Call = Callable[[], Awaitable[object]]

WRITES = [("queue", "put"), ("table", "insert"), ("table", "replace"), ("blob", "put")]
each_write = pytest.mark.parametrize(("service", "op"), WRITES)

MISSING = {"queue": "QueueNotFound", "table": "TableNotFound", "blob": "ContainerNotFound"}
NOWHERE = {"Blob": 1, "Queue": 1, "Table": 1}
GOING = {"queue": "QueueBeingDeleted", "table": "TableBeingDeleted", "blob": "ContainerBeingDeleted"}


@dataclass(frozen=True, kw_only=True)
class Clients:
    """The services of one account; each request is sent once."""

    queues: QueueServiceClient
    tables: TableServiceClient
    blobs: BlobServiceClient

    def calls(self, service: str, op: str, name: str) -> tuple[Call, Call]:
        """A write to a queue, table or container, and what makes that one."""
        if service == "queue":
            queue = self.queues.get_queue_client(name)
            return lambda: queue.send_message("text"), queue.create_queue
        if service == "table":
            table, row = self.tables.get_table_client(name), {"PartitionKey": "p", "RowKey": "r"}
            if op == "insert":
                return lambda: table.create_entity(row), table.create_table
            return lambda: table.upsert_entity(row, mode=UpdateMode.REPLACE), table.create_table
        container = self.blobs.get_container_client(name)
        return lambda: container.upload_blob("k", b"text", overwrite=True), container.create_container


@asynccontextmanager
async def clients(account: str) -> AsyncIterator[Clients]:
    async with (
        QueueServiceClient.from_connection_string(account, retry_total=0) as queues,
        TableServiceClient.from_connection_string(account, retry_total=0) as tables,
        BlobServiceClient.from_connection_string(account, retry_total=0) as blobs,
    ):
        yield Clients(queues=queues, tables=tables, blobs=blobs)


async def outcome(call: Call, make: Call) -> str:
    try:
        with told_as_down():
            await made_if_missing(call, make)
    except DependencyDown as error:
        return f"down: {error}"
    except HttpResponseError as error:
        return f"raised: {error.status_code} {error_code(error)}"
    return "done"


def making(service: str, name: str) -> Kind:
    """The requests that make a queue, table or container."""

    def makes(request: StorageRequest) -> bool:
        return request.op.startswith("create") and (request.target == name or name.encode() in request.body)

    return Kind(service=service, match=makes)


def expected(status: int, code: str) -> str:
    """What the table says of an answer for which nobody is ready, and that stays the same once all is made."""
    raised = CODES[code] is Meaning.OURS or (CODES[code] is Meaning.EXPECTED and status != 404)
    return f"{'raised:' if raised else 'down: storage answered'} {status} {code}"


@each_write
async def test_each_code_of_a_service_becomes_what_the_table_says(
    wire: Wire, unique_name: Callable[[str], str], service: str, op: str
) -> None:
    names = [unique_name("t") for _ in DOCUMENTED]
    for name, (status, code) in zip(names, DOCUMENTED, strict=True):
        wire.fail(service=service, op=op, target=name, status=status, code=code, times=None)
    async with clients(wire.connection_string) as account:
        outcomes = await asyncio.gather(*(outcome(*account.calls(service, op, name)) for name in names))
    told = {
        answer: got.replace("did not accept the sign-in", "answered")
        for answer, got in zip(DOCUMENTED, outcomes, strict=True)
    }
    assert told == {answer: expected(*answer) for answer in DOCUMENTED}
    made = {code for name, (_, code) in zip(names, DOCUMENTED, strict=True) if wire.of(**making(service, name))}
    assert made == set(MISSING.values())


@each_write
async def test_what_is_missing_is_made_and_the_call_repeated(
    wire: Wire, unique_name: Callable[[str], str], service: str, op: str
) -> None:
    name = unique_name("t")
    async with clients(wire.connection_string) as account:
        assert await outcome(*account.calls(service, op, name)) == "done"
    assert [request.stored_status for request in wire.of(service=service, op=op)] == [404, wire.requests[-1].status]
    assert len(wire.of(**making(service, name))) == 1


@each_write
async def test_what_another_host_made_meanwhile_is_used(
    wire: Wire, unique_name: Callable[[str], str], service: str, op: str
) -> None:
    name = unique_name("t")
    wire.fail(service=service, op=op, status=404, code=MISSING[service])
    async with clients(wire.connection_string) as account:
        call, make = account.calls(service, op, name)
        await make()
        assert await outcome(call, make) == "done"


@each_write
async def test_what_cannot_be_made_yet_is_down_and_not_asked_again(
    wire: Wire, unique_name: Callable[[str], str], service: str, op: str
) -> None:
    name = unique_name("t")
    wire.fail(**making(service, name), status=409, code=GOING[service])
    async with clients(wire.connection_string) as account:
        told = await outcome(*account.calls(service, op, name))
    assert told == f"down: storage answered 409 {GOING[service]}"
    assert len(wire.of(service=service, op=op)) == 1


UNKNOWN = {400: "raised", 404: "down", 405: "raised", 409: "raised", 412: "raised", 429: "down", 503: "down"}


@each_write
@pytest.mark.parametrize("code", ["", "QueuePaused"])
async def test_status_decides_where_no_code_does(
    wire: Wire, unique_name: Callable[[str], str], service: str, op: str, code: str
) -> None:
    names = {status: unique_name("t") for status in UNKNOWN}
    for status, name in names.items():
        wire.fail(service=service, op=op, target=name, status=status, code=code, times=None)
    async with clients(wire.connection_string) as account:
        outcomes = await asyncio.gather(*(outcome(*account.calls(service, op, name)) for name in names.values()))
    assert {status: told.split(":")[0] for status, told in zip(names, outcomes, strict=True)} == UNKNOWN


@pytest.mark.parametrize(("code", "meaning"), [("", Meaning.EXPECTED), ("QueuePaused", Meaning.OURS)])
async def test_conflict_with_a_code_that_nobody_knows_is_not_taken_for_there_already(
    wire: Wire, unique_name: Callable[[str], str], code: str, meaning: Meaning
) -> None:
    wire.fail(op="insert", status=409, code=code)
    async with clients(wire.connection_string) as account:
        call, _ = account.calls("table", "insert", unique_name("t"))
        with pytest.raises(HttpResponseError) as refused:
            await call()
    assert meaning_of(refused.value) is meaning


def http(status: str, kind: str, body: str, *headers: str) -> bytes:
    head = (
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *headers,
    )
    return "\r\n".join((*head, "", body)).encode()


REFUSED_INSERTS = {
    "in JSON": http("409 Conflict", "application/json", '{"odata.error": {"code": "EntityAlreadyExists"}}'),
    "in XML": http(
        "409 Conflict", "application/xml", '<m:error xmlns:m="m"><m:code>EntityAlreadyExists</m:code></m:error>'
    ),
    "in a header": http("409 Conflict", "text/plain", "", "x-ms-error-code: EntityAlreadyExists"),
}


@pytest.mark.filterwarnings("ignore:Testing an element's truth value")  # the SDK's, of XML
@pytest.mark.parametrize("where", REFUSED_INSERTS)
async def test_code_of_a_refused_insert_is_found(where: str) -> None:
    async with answering(REFUSED_INSERTS[where]) as address, clients(address) as account:
        call, _ = account.calls("table", "insert", "fixits")
        with pytest.raises(HttpResponseError) as refused:
            await call()
    assert error_code(refused.value) == "EntityAlreadyExists"


@each_write
async def test_what_is_told_quotes_nothing_but_a_code(
    wire: Wire, unique_name: Callable[[str], str], service: str, op: str
) -> None:
    wire.fail(service=service, op=op, status=503, code="no code but https://somewhere/?sig=secret")
    async with clients(wire.connection_string) as account:
        assert await outcome(*account.calls(service, op, unique_name("t"))) == "down: storage answered 503"


@each_write
async def test_key_that_is_none_is_down(service: str, op: str) -> None:
    async with clients(connection_string(NOWHERE).replace(KEY, "no key")) as account:
        assert await outcome(*account.calls(service, op, "fixits")) == "down: storage did not accept the sign-in"


@each_write
async def test_identity_that_cannot_sign_in_is_down(service: str, op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AZURE_CLIENT_ID", raising=False)
    nobody, url = EnvironmentCredential(), "https://127.0.0.1:1"
    async with (
        QueueServiceClient(url, credential=nobody, retry_total=0) as queues,
        TableServiceClient(url, credential=nobody, retry_total=0) as tables,
        BlobServiceClient(url, credential=nobody, retry_total=0) as blobs,
    ):
        account = Clients(queues=queues, tables=tables, blobs=blobs)
        assert await outcome(*account.calls(service, op, "fixits")) == "down: storage did not accept the sign-in"


@each_write
async def test_nobody_at_the_address_is_down(wire: Wire, service: str, op: str) -> None:
    wire.down(service)
    async with clients(wire.connection_string) as account:
        assert (await outcome(*account.calls(service, op, "fixits"))).startswith("down: storage could not be reached")


def test_deadline_is_down() -> None:
    with pytest.raises(DependencyDown), told_as_down():
        raise TimeoutError


@pytest.mark.parametrize("kind", [ValueError, KeyError, SerializationError, asyncio.CancelledError])
def test_what_no_store_said_leaves_as_it_is(kind: type[BaseException]) -> None:
    with pytest.raises(kind), told_as_down():
        raise kind("x")
