"""Connections: what is malformed, what comes in pieces, what runs while the server stops."""

import asyncio
import logging
import random

import pytest

from devhost.invocation import Call, Outcome
from tests.unit.devhost_http.serving import (
    Recorder,
    closed_by_server,
    http_datum,
    http_function,
    read_reply,
    serving,
)

GOOD = b"GET /api/f HTTP/1.1\r\nHost: h\r\n\r\n"


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", 400),
        (b"\r\n" + GOOD, 400),
        (b"GET /api/f HTTP/1.1\r\n\r\n", 400),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", 400),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\nspaced : x\r\n\r\n", 400),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\nA: x\r\n folded\r\n\r\n", 400),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\nA: \xff\r\n\r\n", 400),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\nA: a\0b\r\n\r\n", 400),
        (b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400),
        (b"POST /api/f HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
        (b"GET /api/f HTTP/3.0\r\nHost: h\r\n\r\n", 505),
        (b"GET * HTTP/1.1\r\nHost: h\r\n\r\n", 405),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414),
        (b"GET /" + b"a" * 40_000, 414),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\nA: " + b"a" * 40_000 + b"\r\n\r\n", 431),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\n" + b"A: aaaa\r\n" * 100 + b"\r\n", 431),
        (b"GET /api/f HTTP/1.1\r\nHost: h\r\n" + (b"A: " + b"a" * 1000 + b"\r\n") * 40 + b"\r\n", 431),
    ],
)
async def test_connection_with_a_malformed_request_gets_an_empty_answer_and_ends(
    raw: bytes, status: int, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    async with serving(http_function("f")) as served:
        answer = (await asyncio.to_thread(closed_by_server, served.port, raw)).decode()
        assert (await served.send(GOOD)).status == 200
    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ")
    assert {"Content-Length: 0", "Connection: close", "Server: Kestrel"} <= set(head.split("\r\n"))
    assert body == ""
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


async def test_connection_refusal_of_a_form_names_the_method_it_is_for() -> None:
    async with serving() as served:
        assert (await served.send(b"GET h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")).headers["allow"] == "CONNECT"
        assert (await served.send(b"GET * HTTP/1.1\r\nHost: h\r\n\r\n")).headers["allow"] == "OPTIONS"


async def test_connection_header_of_the_largest_size_is_taken() -> None:
    recorder = Recorder()
    async with serving(http_function("f"), invoke=recorder) as served:
        raw = b"GET /api/f HTTP/1.1\r\nHost: h\r\nA: " + b"a" * 32_000 + b"\r\n" + b"B: b\r\n" * 98 + b"\r\n"
        assert (await served.send(raw)).status == 200
    assert len(recorder.last["headers"]["a"]) == 32_000


async def test_connection_takes_lines_that_end_in_lf_alone() -> None:
    async with serving(http_function("f")) as served:
        assert (await served.send(GOOD.replace(b"\r\n", b"\n"))).status == 200


async def test_connection_is_kept_for_pipelined_requests_answered_in_order() -> None:
    first = b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
    chunked = b"POST /api/f HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: t\r\n\r\n"
    upgrade = b"GET /api/f HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    async with serving(http_function("f")) as served:
        replies = await served.send_all(first + chunked + upgrade + b"GET /none HTTP/1.1\r\nHost: h\r\n\r\n" + GOOD, 5)
    assert [reply.status for reply in replies] == [200, 200, 200, 404, 200]


async def test_connection_request_in_single_bytes_is_read() -> None:
    async with serving(http_function("f")) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        for byte in b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi":
            writer.write(bytes([byte]))
            await writer.drain()
        assert (await read_reply(reader)).status == 200
        writer.close()


@pytest.mark.parametrize(
    ("line", "header", "connection"),
    [
        ("HTTP/1.1", "", None),
        ("HTTP/1.1", "Connection: Close\r\n", "close"),
        ("HTTP/1.0", "", "close"),
        ("HTTP/1.0", "Connection: keep-alive\r\n", "keep-alive"),
    ],
)
async def test_connection_ends_or_stays_as_the_client_wishes(line: str, header: str, connection: str | None) -> None:
    raw = f"GET /api/f {line}\r\nHost: h\r\n{header}\r\n".encode()
    async with serving(http_function("f")) as served:
        assert (await served.send(raw)).headers.get("connection") == connection
        if connection == "close":
            assert await asyncio.to_thread(closed_by_server, served.port, raw)
        else:
            assert [reply.status for reply in await served.send_all(raw + raw, 2)] == [200, 200]


async def test_connection_of_a_client_that_sends_no_more_still_gets_its_answer() -> None:
    gate = Gate()
    async with serving(http_function("f"), invoke=gate) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(GOOD)
        await gate.entered.wait()
        writer.write_eof()
        gate.open.set()
        assert (await read_reply(reader)).status == 200
        assert await reader.read() == b""
        writer.close()


async def test_connection_that_waits_to_be_told_to_go_on_is_told() -> None:
    async with serving(http_function("f")) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"hi")
        assert (await read_reply(reader)).status == 200
        writer.close()


async def test_connection_that_breaks_off_in_a_body_runs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    recorder = Recorder()
    async with serving(http_function("f"), invoke=recorder) as served:
        _, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhi")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        assert (await served.send(GOOD)).status == 200
    assert len(recorder.calls) == 1
    assert caplog.records == []


class Gate:
    """An app whose function waits until it is let go."""

    def __init__(self) -> None:
        self.entered, self.open, self.ended = asyncio.Event(), asyncio.Event(), False

    async def __call__(self, call: Call) -> Outcome:
        self.entered.set()
        await self.open.wait()
        self.ended = True
        return Outcome(ok=True, returned=http_datum(b"done"))


async def test_server_stop_takes_nothing_new_and_lets_running_requests_finish() -> None:
    gate = Gate()
    async with serving(http_function("f"), invoke=gate) as served:
        idle, idle_writer = await asyncio.open_connection("127.0.0.1", served.port)
        busy, busy_writer = await asyncio.open_connection("127.0.0.1", served.port)
        busy_writer.write(GOOD)
        await gate.entered.wait()
        stopping = asyncio.create_task(served.server.stop(30))
        assert await idle.read() == b""
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", served.port)
        assert not stopping.done()
        gate.open.set()
        reply = await read_reply(busy)
        assert (reply.status, reply.body, reply.headers["connection"]) == (200, b"done", "close")
        await stopping
        for writer in (idle_writer, busy_writer):
            writer.close()


async def test_server_stop_lets_a_body_on_its_way_arrive() -> None:
    recorder = Recorder()
    async with serving(http_function("f"), invoke=recorder) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(b"POST /api/f HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        stopping = asyncio.create_task(served.server.stop(30))
        await asyncio.sleep(0)
        writer.write(b"hi")
        assert (await read_reply(reader)).status == 200
        await stopping
        writer.close()
    assert recorder.last["body"] == b"hi"


async def test_server_stop_cuts_off_what_outlasts_the_grace() -> None:
    gate = Gate()
    async with serving(http_function("f"), invoke=gate) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(GOOD)
        await gate.entered.wait()
        await served.server.stop(0.01)
        assert await reader.read() == b""
        assert not gate.ended
        writer.close()


async def test_server_stop_of_one_that_never_started_does_nothing() -> None:
    async with serving() as served:
        await served.server.stop()
        await served.server.stop()


async def send_noise(seed: int, rounds: int, caplog: pytest.LogCaptureFixture) -> None:
    """Mutated requests: each ends in an answer or a closed connection, and a good one is answered after them."""
    noise = random.Random(seed)
    seeds = [GOOD, b"POST /api/f HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"]
    async with serving(http_function("f")) as served:
        for _ in range(rounds):
            raw = bytearray(noise.choice(seeds))
            for _ in range(noise.randint(1, 6)):
                place = noise.randrange(len(raw))
                raw[place : place + noise.randint(0, 3)] = noise.randbytes(noise.randint(0, 3))
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(bytes(raw) + b"\r\n\r\n")
            writer.write_eof()
            answer = await asyncio.wait_for(reader.read(), 10)
            assert not answer or answer.startswith(b"HTTP/1.1 "), bytes(raw)
            writer.close()
        assert (await served.send(GOOD)).status == 200
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_server_goes_on_after_noise(caplog: pytest.LogCaptureFixture) -> None:
    await send_noise(1, 100, caplog)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 12))
async def test_server_goes_on_after_much_noise(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    await send_noise(seed, 1000, caplog)
