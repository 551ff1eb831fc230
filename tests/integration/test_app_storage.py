"""Answers that no storage service gives, but a broken network or a proxy does: each of them means "not now"."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from shared.domain.errors import DependencyDown
from shared.storage import clients
from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from shared.storage.letters import LetterStore
from shared.storage.queues import Queues
from shared.storage.tasks import TaskStore
from tests.support.answering import answering
from tools.dev.azurite import connection_string

HTML = b"<html>please sign in to this network</html>"


def http(status: str, body: bytes, *, length: int | None = None, kind: str = "text/html") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length or len(body)}\r\nConnection: close"
    return head.encode() + b"\r\n\r\n" + body


ANSWERS = {
    "nothing": b"",
    "no HTTP": b"\x15\x03\x01\x00\x02\x02\x28",
    "half a status line": b"HTTP/1.1 20",
    "headers without end": b"HTTP/1.1 200 OK\r\nContent-Len",
    "half a body": http("200 OK", b'{"PartitionKey":', length=500, kind="application/json"),
    "half a body of XML": http("201 Created", b"<QueueMessagesList><Queue", length=500, kind="application/xml"),
    "half an error": http("500 Internal", b"<Error>", length=500, kind="application/xml"),
    "a page instead": http("200 OK", HTML),
    "a page for an error": http("403 Forbidden", HTML),
    "a gateway's error": http("502 Bad Gateway", HTML),
    "a gateway's not found": http("404 Not Found", HTML),
    "no JSON": http("200 OK", b"{", kind="application/json"),
    "no XML": http("201 Created", b"<", kind="application/xml"),
    "an error without a word": http("503 Unavailable", b""),
    "not found without a word": http("404 Not Found", b""),
}


CALLS: dict[str, Callable[[Queues, TaskStore, LetterStore], Awaitable[object]]] = {
    "put": lambda queues, tasks, letters: queues.put("FixItStorage", "fixits", "text"),
    "read a row": lambda queues, tasks, letters: tasks.read("0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11"),
    "read a note": lambda queues, tasks, letters: letters.read_note("fixits", "x"),
    "keep a text": lambda queues, tasks, letters: letters.keep_text("fixits", "x", b"text"),
}


async def call_of(name: str, storage: Account) -> object:
    return await CALLS[name](Queues(lambda _: storage), TaskStore(storage), LetterStore(storage))


@pytest.mark.parametrize("call", CALLS)
async def test_answer_that_makes_no_sense_means_that_the_store_is_down(call: str) -> None:
    async def outcome(answer: bytes) -> str:
        async with answering(answer) as account:
            connections = StorageConnections.resolve({"FixItStorage": account}, "FixItStorage")
            storage = Account(connections)
            try:
                return f"gave {await call_of(call, storage)!r}"
            except DependencyDown:
                return "down"
            except Exception as error:
                return f"raised {error!r}"
            finally:
                await storage.close()

    # All at once: each is tried three times, with the pauses of a real outage.
    outcomes = await asyncio.gather(*map(outcome, ANSWERS.values()))
    assert dict(zip(ANSWERS, outcomes, strict=True)) == dict.fromkeys(ANSWERS, "down")


@pytest.mark.parametrize("call", CALLS)
async def test_storage_that_accepts_and_says_nothing_is_down_after_three_short_tries(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal tries
        tries += 1
        await reader.read()  # until the client hangs up
        writer.close()

    assert clients.READ_SECONDS * 3 < 60
    monkeypatch.setattr(clients, "READ_SECONDS", 0.2)
    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    account = connection_string({"Blob": port, "Queue": port, "Table": port})
    connections = StorageConnections.resolve({"FixItStorage": account}, "FixItStorage")
    storage = Account(connections)
    async with server, asyncio.timeout(30):
        with pytest.raises(DependencyDown):
            await call_of(call, storage)
        await storage.close()
    assert tries == 3
