"""The channel of callbacks against receivers on real sockets, which drip, hang, redirect and lie."""

import asyncio
import base64
import json
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic
from typing import Any

import pytest
from standardwebhooks import Webhook

from shared.channels.callback import ANSWER_MAX, CallbackChannel
from shared.domain.callback_answer import Answer, check_delivered
from shared.domain.callback_rule import parse_allow
from shared.domain.errors import TryLater, Undeliverable
from shared.domain.webhook_signature import parse_webhook_keys
from tests.support.receiver import (
    Behaviour,
    Receiver,
    drip,
    drip_body,
    drip_headers,
    flood,
    hang,
    late,
    lie,
    raw,
    redirect,
    reply,
    reset,
    without_tls,
)

KEYS = tuple(f"whsec_{base64.b64encode(bytes([seed]) * 32).decode()}" for seed in (1, 2))
BODY = json.dumps({"title": "Café 🔧"}, ensure_ascii=False).encode()
SECONDS = 0.4
"""The deadline of these tests: short where it passes, far where it must not."""
FAR = 10.0


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", Receiver().ca_file)


def channel(allow: str = "localhost", seconds: float = FAR, **given: Any) -> CallbackChannel:
    return CallbackChannel(
        keys=parse_webhook_keys(",".join(KEYS)),
        allowed=parse_allow(allow),
        seconds=seconds,
        agent="Fix-It/1.2.3",
        **given,
    )


async def attempt(url: str, by: CallbackChannel | None = None, event_id: str = "e-1") -> Answer:
    return await (by or channel()).deliver(url, BODY, event_id=event_id, now=datetime.now(UTC))


async def answered(behaviour: Behaviour, seconds: float = FAR) -> Answer:
    """What comes of an attempt at a receiver that behaves so, which got one request over one connection."""
    async with Receiver(behaviour) as receiver:
        answer = await attempt(receiver.url("/hook"), channel(seconds=seconds))
        assert (len(receiver.requests), receiver.connections) == (1, 1)
    return answer


def resolving(*addresses: Sequence[str]) -> tuple[Any, list[tuple[str, int]]]:
    """A lookup that answers these one after the other, the last for ever, and what it was asked."""
    asked: list[tuple[str, int]] = []

    async def lookup(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        return addresses[min(len(asked), len(addresses)) - 1]

    return lookup, asked


async def test_request_is_what_was_signed_byte_for_byte() -> None:  # WD-07
    async with Receiver() as receiver:
        answer = await attempt(receiver.url("/hook/%2F/../a?b=c%20d&e=[f]"), event_id="e-7")
    assert answer.status == 200
    (request,) = receiver.requests
    assert request.body == BODY
    assert request.line == "POST /hook/%2F/../a?b=c%20d&e=[f] HTTP/1.1"
    for key in KEYS:
        assert Webhook(key).verify(request.body, request.headers) == {"title": "Café 🔧"}
    signed = {name: value for name, value in request.headers.items() if name.startswith("webhook-")}
    assert signed.keys() == {"webhook-id", "webhook-timestamp", "webhook-signature"}
    assert {name: value for name, value in request.headers.items() if name not in signed} == {
        "host": f"localhost:{receiver.port}",
        "accept": "*/*",
        "accept-encoding": "identity",
        "connection": "close",
        "content-length": str(len(BODY)),
        "content-type": "application/json",
        "user-agent": "Fix-It/1.2.3",
    }
    assert signed["webhook-id"] == "e-7"


async def test_attempts_share_the_id_alone() -> None:
    now = datetime.now(UTC)
    async with Receiver() as receiver:
        for late in (0, 5):
            await channel().deliver(receiver.url(), BODY, event_id="e-1", now=now + timedelta(seconds=late))
    first, second = (request.headers for request in receiver.requests)
    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 5
    assert first["webhook-signature"] != second["webhook-signature"]


async def test_answer_keeps_no_cookie_and_no_connection() -> None:
    async with Receiver(reply(set_cookie="a=b", connection="keep-alive")) as receiver:
        by = channel()
        for _ in range(2):
            assert (await attempt(receiver.url(), by)).status == 200
    assert receiver.connections == 2
    assert all("cookie" not in request.headers for request in receiver.requests)


@pytest.mark.parametrize("status", [200, 204, 301, 400, 401, 404, 408, 409, 410, 425, 429, 500, 502, 503, 504])
async def test_status_is_told_and_decides(status: int) -> None:  # WD-03, WD-05
    answer = await answered(reply(status))
    assert answer.outcome == str(status)
    try:
        check_delivered(answer)
        decided = "delivered"
    except TryLater:
        decided = "later"
    except Undeliverable as final:
        decided = final.code
    later = {408, 425, 429, 500, 502, 503, 504}
    assert decided == (
        "delivered"
        if status < 300
        else "later"
        if status in later
        else "callback_gone"
        if status == 410
        else "callback_refused"
    )


async def test_redirect_inside_is_not_followed() -> None:  # WS-03
    async with Receiver() as inner, Receiver(redirect(inner.url("/latest"))) as outer:
        answer = await attempt(outer.url())
        assert (answer.status, outer.connections, inner.connections) == (302, 1, 0)
    with pytest.raises(Undeliverable, match="302; redirects are not followed"):
        check_delivered(answer)


@pytest.mark.parametrize("asked", ["120", "HTTP date", "-1", "soon", "864000", "9" * 4_000])
async def test_retry_after_is_read_in_both_forms(asked: str) -> None:  # WD-10
    if asked == "HTTP date":
        asked = format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True)
    after = (await answered(reply(429, retry_after=asked))).after
    if asked.startswith("9"):
        assert after == float("inf")
    elif asked in ("120", "864000"):
        assert after == int(asked)
    elif asked.endswith("GMT"):
        assert after is not None
        assert 110 < after <= 120
    else:
        assert after is None


async def test_date_to_come_back_at_is_counted_from_when_the_answer_came() -> None:
    now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    date = format_datetime(now + timedelta(seconds=10), usegmt=True)
    async with Receiver(late(0.1, reply(503, retry_after=date))) as receiver:
        answer = await channel().deliver(receiver.url(), BODY, event_id="e-1", now=now)
    assert answer.after is not None
    assert 5 < answer.after <= 10 - 0.1


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(reply(200, b"secret", set_cookie="a secret=secret"), id="cookie that is none"),
        pytest.param(reply(500, b"secret", secret="secret"), id="failure"),
        pytest.param(raw(b"secret"), id="no HTTP"),
        pytest.param(lie(99, b"secret"), id="cut"),
    ],
)
async def test_log_says_nothing_of_what_is_sent_and_answered(
    behaviour: Behaviour, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    async with Receiver(behaviour) as receiver:
        await attempt(receiver.url("/secret"))
    assert not [line for line in caplog.messages if "secret" in line or "Café" in line]


@pytest.mark.parametrize(
    "behaviour",
    [
        pytest.param(drip_headers(0.02), id="drips a header"),  # WD-01
        pytest.param(drip_body(0.02), id="drips a body"),  # WD-01
        pytest.param(drip(b"HTTP/1.1 410 Gone\r\nContent-Length: 9999\r\n\r\n", 0.02), id="drips the body of a 410"),
        pytest.param(drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;", 0.02), id="drips a chunk's head"),
        pytest.param(
            drip(b"HTTP/1.1 100 Continue\r\n\r\n" * 9 + b"HTTP/1.1 200 OK\r\nA: ", 0.02), id="is interim first"
        ),
        pytest.param(hang(), id="hangs"),
    ],
)
async def test_receiver_that_takes_too_long_is_cut_off_at_the_deadline(behaviour: Behaviour) -> None:
    async with Receiver(behaviour) as slow, Receiver() as good:
        started = monotonic()
        answer, other = await asyncio.gather(
            attempt(slow.url(), channel(seconds=SECONDS)), attempt(good.url(), channel())
        )
        assert SECONDS <= monotonic() - started < SECONDS + 2
    assert answer.outcome == "timeout"
    assert answer.milliseconds >= SECONDS * 1_000
    assert other.status == 200
    with pytest.raises(TryLater):
        check_delivered(answer)


async def test_server_that_never_accepts_is_cut_off_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        answer = await attempt(f"https://localhost:{port}/", channel(seconds=SECONDS))
    assert answer.problem == "timeout"
    assert SECONDS * 1_000 <= answer.milliseconds < (SECONDS + 2) * 1_000


async def test_server_that_hangs_in_the_handshake_is_cut_off_at_the_deadline() -> None:
    async with without_tls(None) as port:
        answer = await attempt(f"https://localhost:{port}/", channel(seconds=SECONDS))
    assert answer.problem == "timeout"
    assert SECONDS * 1_000 <= answer.milliseconds < (SECONDS + 2) * 1_000


async def test_name_server_that_hangs_is_cut_off_at_the_deadline() -> None:
    async def lookup(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    answer = await attempt("https://example.com/", channel(seconds=SECONDS, lookup=lookup))
    assert answer.problem == "timeout"


@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [
        pytest.param(raw(b""), "cut", id="ends early"),
        pytest.param(reset(), "cut", id="resets"),
        pytest.param(raw(b"HTTP/1.1 200 OK\r\nContent-"), "cut", id="ends in a header"),
        pytest.param(lie(1_000), "cut", id="promises more than it sends"),
        pytest.param(raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "cut", id="ends in a chunk"),
        pytest.param(lie(2), "malformed", id="sends more than it promised"),
        pytest.param(lie(-1), "malformed", id="negative length"),
        pytest.param(raw(b"HTTP/1.1 200 OK\r\n\r\nall there is"), "200", id="no length"),
        pytest.param(raw(b"SSH-2.0-OpenSSH_9.6\r\n"), "malformed", id="no HTTP"),
        pytest.param(reply(200, x="y" * 100_000), "malformed", id="huge header"),
        pytest.param(reply(200, b"no gzip", content_encoding="gzip"), "200", id="says it is compressed"),
    ],
)
async def test_receiver_that_lies_is_told_apart(behaviour: Behaviour, outcome: str) -> None:
    assert (await answered(behaviour)).outcome == outcome


async def test_endless_answer_is_read_no_further_than_its_limit() -> None:
    sent: list[int] = []
    async with Receiver(flood(2**30, sent)) as receiver:
        answer = await attempt(receiver.url())
    assert answer.status == 200
    # What the sockets of both ends hold besides went out too; of 1 GiB it is little.
    assert ANSWER_MAX <= sum(sent) < 2**25


async def test_answer_of_any_size_up_to_the_limit_is_read_to_its_end() -> None:
    assert (await answered(reply(200, b"x" * ANSWER_MAX))).status == 200
    assert (await answered(lie(ANSWER_MAX, b"x" * (ANSWER_MAX - 1)))).problem == "cut"
    assert (await answered(lie(ANSWER_MAX + 2, b"x" * (ANSWER_MAX + 1)))).status == 200


async def test_no_connection_is_refused() -> None:
    async with Receiver() as receiver:
        url = receiver.url()
    assert (await attempt(url)).problem == "refused"


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""], ids=["plain HTTP", "hangs up"])
async def test_server_without_tls_is_told(answer: bytes) -> None:
    async with without_tls(answer) as port:
        assert (await attempt(f"https://localhost:{port}/")).problem == "tls"


async def test_certificate_must_be_for_the_host() -> None:
    lookup, _ = resolving(["127.0.0.1"])
    async with Receiver(names=["right.example"]) as receiver:
        right, wrong = [
            await attempt(receiver.url(host=host), channel("right.example,wrong.example", lookup=lookup))
            for host in ("right.example", "wrong.example")
        ]
    assert (right.status, wrong.problem) == (200, "tls")
    assert receiver.requests[0].headers["host"] == f"right.example:{receiver.port}"
    assert len(receiver.requests) == 1


async def test_certificate_must_be_of_an_authority_that_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    async with Receiver() as receiver:
        assert (await attempt(receiver.url())).problem == "tls"
    assert not receiver.requests


async def test_environment_names_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Receiver() as proxy, Receiver() as receiver:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url())
        monkeypatch.setenv("https_proxy", proxy.url())
        assert (await attempt(receiver.url())).status == 200
    assert proxy.connections == 0


@pytest.mark.parametrize("failure", [socket.gaierror(-2, "no such name"), UnicodeError("label too long"), None])
async def test_name_without_an_address_is_told(failure: Exception | None) -> None:
    async def lookup(_host: str, _port: int) -> Sequence[str]:
        if failure:
            raise failure
        return []

    assert (await attempt("https://example.com/", channel(lookup=lookup))).problem == "dns"


async def test_address_literal_that_is_open_needs_no_lookup() -> None:
    lookup, asked = resolving(["192.0.2.1"])
    async with Receiver() as receiver:
        answer = await attempt(receiver.url(host="127.0.0.1"), channel("127.0.0.1", lookup=lookup))
    assert answer.status == 200
    assert not asked


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1:{port}/",
        "https://localhost:{port}/",
        "https://example.com:{port}/",
        "https://2130706433/",
        "https://169.254.169.254/metadata",
        "http://example.com/",
    ],
)
async def test_url_that_breaks_a_rule_makes_no_lookup_and_no_connection(url: str) -> None:  # WS-01
    lookup, asked = resolving(["127.0.0.1"])
    async with Receiver() as receiver:
        answer = await attempt(url.format(port=receiver.port), channel("other.example", lookup=lookup))
    assert answer.problem == "not_allowed"
    assert (len(asked), receiver.connections) == (0, 0)
    with pytest.raises(Undeliverable) as final:
        check_delivered(answer)
    assert final.value.code == "callback_address"


async def test_lookup_does_not_wait_for_the_threads_of_other_work() -> None:
    busy, free = ThreadPoolExecutor(1), threading.Event()
    asyncio.get_running_loop().set_default_executor(busy)
    busy.submit(free.wait)
    async with Receiver() as receiver:
        answer = await attempt(receiver.url(), channel(seconds=5))
    free.set()
    assert answer.status == 200


async def test_any_address_that_is_not_public_ends_it_before_a_connection() -> None:  # WS-01
    # On the port of https, where no rule but that of the address stands in the way; the address is of this test alone.
    url = "https://evil.example/"
    async with AsyncExitStack() as stack:
        try:
            receiver = Receiver(names=["evil.example"], address="127.83.82.70", port=443)
            await stack.enter_async_context(receiver)
        except PermissionError:
            pytest.skip("the system lets nobody but root listen on port 443")
        for addresses in (["127.83.82.70"], ["8.8.8.8", "127.83.82.70"], ["127.83.82.70", "2606:4700:4700::1111"]):
            lookup, asked = resolving(addresses)
            answer = await attempt(url, channel("", lookup=lookup))
            assert (answer.problem, asked) == ("not_public", [("evil.example", 443)])
        assert receiver.connections == 0
        lookup, _ = resolving(["127.83.82.70"])
        assert (await attempt(url, channel("evil.example", lookup=lookup))).status == 200


async def test_name_that_changes_its_address_is_reached_where_it_was_checked() -> None:
    async with Receiver(names=["hooks.example"]) as first:
        lookup, asked = resolving(["127.0.0.1"], ["127.0.0.2"])
        async with Receiver(names=["hooks.example"], address="127.0.0.2", port=first.port) as second:
            by = channel("hooks.example", lookup=lookup)
            url = first.url(host="hooks.example")
            assert (await attempt(url, by)).status == 200
            assert (first.connections, second.connections, len(asked)) == (1, 0, 1)
            # Nor is the answer kept: the next attempt asks, and checks, anew.
            assert (await attempt(url, by)).status == 200
            assert (first.connections, second.connections, len(asked)) == (1, 1, 2)


async def test_further_address_is_tried_when_one_refuses() -> None:
    lookup, _ = resolving(["127.0.0.3", "127.0.0.1"])
    async with Receiver(names=["hooks.example"]) as receiver:
        answer = await attempt(receiver.url(host="hooks.example"), channel("hooks.example", lookup=lookup))
    assert answer.status == 200
