"""Mail by SMTP, to real servers that take it, refuse it, hang, hang up and lie."""

import asyncio
import socket
import ssl
import time
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP

from shared.channels.smtp import SmtpMail
from shared.channels.smtp_server import SmtpServer
from shared.domain.errors import DependencyDown, FixItError, OutcomeUnknown, TryLater, Undeliverable
from shared.domain.outgoing import Outgoing
from tests.support.smtp_server import PASSWORD, USER, mail_server, make_tls, scripted_server

ID = "3f2a9c1e-0000-5000-8000-000000000001"
FROM = "fixit@example.org"
GO = (b"220 hi\r\n", b"250 localhost\r\n", b"250 ok\r\n", b"250 ok\r\n", b"354 go\r\n")


@pytest.fixture(scope="module")
def tls() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    return make_tls()


def outgoing(**changes: Any) -> Outgoing:
    return Outgoing(**{"id": ID, "to": "ann@example.com", "subject": "Leak", "text": "Hello\n.\n..Ünï\n", **changes})


def sender(port: int, *, password: str = "", is_tls: bool = False, tls: Any = None, seconds: float = 20) -> SmtpMail:
    user = USER if password else ""
    server = SmtpServer(host="localhost", port=port, is_tls=is_tls, user=user, password=password)
    return SmtpMail(server=server, sender=FROM, tls=tls, seconds=seconds)


async def test_mail_is_taken_as_it_was_given() -> None:
    async with mail_server() as server:
        assert await sender(server.port).send(outgoing()) == ""
    (received,) = server.received
    assert (received.sender, received.recipients) == (FROM, ["ann@example.com"])
    mail = received.mail
    assert (mail["From"], mail["To"], mail["Subject"]) == (FROM, "ann@example.com", "Leak")
    assert mail["Message-ID"] == f"<{ID}@example.org>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert abs(parsedate_to_datetime(mail["Date"]).timestamp() - time.time()) < 60
    assert mail.get_content_type() == "text/plain"
    assert mail.get_content().replace("\r\n", "\n") == "Hello\n.\n..Ünï\n"
    assert received.content.isascii()


async def test_repeat_is_known_by_its_message_id() -> None:  # NT-05
    async with mail_server() as server:
        for _ in range(2):
            await sender(server.port).send(outgoing())
    assert len({received.mail["Message-ID"] for received in server.received}) == 1


@pytest.mark.parametrize(
    "subject",
    [
        "Leak\r\nBcc: spy@example.net",
        "Leak\nBcc: spy@example.net",
        "Leak\rBcc: spy@example.net\r\n\r\nnew body",
        "Leak\u2028Bcc: spy@example.net",
        "Leak\u0085Bcc: spy@example.net\x00\x0b\x0c",
        "=?utf-8?q?Leak=0D=0ABcc=3A_spy=40example=2Enet?=",
    ],
    ids=range(6),
)
async def test_subject_adds_neither_header_nor_recipient(subject: str) -> None:  # NT-01
    async with mail_server() as server:
        await sender(server.port).send(outgoing(subject=subject))
    (received,) = server.received
    mail = received.mail
    assert received.recipients == ["ann@example.com"]
    assert mail.keys().count("Subject") == 1 and "Bcc" not in mail and "Leak" in mail["Subject"]
    assert set(mail.keys()) == {
        *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"),
        *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    }


@pytest.mark.parametrize(
    "to",
    [
        "a@example.com, b@example.net",
        "a@example.com\r\nBcc: b@example.net",
        '"x" <a@example.com>,',
        "<a@example.com>",
        "a@example.com\n",
        "a@example.com b@example.net",
        f"{'a' * 64}@{'b' * 190}",
        "ä@example.com",
        "",
    ],
    ids=range(9),
)
async def test_what_is_not_one_address_is_refused_before_anybody_is_asked(to: str) -> None:  # NT-03
    async with mail_server() as server:
        with pytest.raises(Undeliverable) as refused:
            await sender(server.port).send(outgoing(to=to))
    assert refused.value.code == "mail_refused" and refused.value.is_target_bad
    assert server.commands == []


async def test_tls_is_begun_where_it_is_offered_and_the_sign_in_comes_after_it(tls: Any) -> None:
    async with mail_server(tls=tls[0]) as server:
        await sender(server.port, tls=tls[1]).send(outgoing())
        await sender(server.port, password=PASSWORD, tls=tls[1]).send(outgoing())
    assert [(received.is_secret, received.user) for received in server.received] == [(True, ""), (True, USER)]


async def test_tls_from_the_first_byte(tls: Any) -> None:
    async with mail_server(tls=tls[0], is_tls=True) as server:
        await sender(server.port, password=PASSWORD, is_tls=True, tls=tls[1]).send(outgoing())
    assert [received.user for received in server.received] == [USER]


async def test_password_is_not_told_without_tls() -> None:
    async with scripted_server(b"220 hi\r\n", b"250-localhost\r\n250 AUTH PLAIN LOGIN\r\n", b"250 ok\r\n") as server:
        with pytest.raises(DependencyDown, match="TLS"):
            await sender(server.port, password=PASSWORD).send(outgoing())
    assert not [heard for heard in server.heard if b"AUTH" in heard]


@pytest.mark.parametrize("is_tls", [False, True])
async def test_server_that_is_not_trusted_gets_no_mail(tls: Any, is_tls: bool) -> None:
    async with mail_server(tls=tls[0], is_tls=is_tls) as server:
        with pytest.raises(DependencyDown, match="certificate"):
            await sender(server.port, is_tls=is_tls).send(outgoing())
    assert server.received == []


async def test_sign_in_that_is_refused_is_ours_to_mend(tls: Any) -> None:
    async with mail_server(tls=tls[0]) as server:
        with pytest.raises(DependencyDown, match="sign-in: 535") as down:
            await sender(server.port, password="wrong", tls=tls[1]).send(outgoing())
    assert "wrong" not in str(down.value) and server.received == []


REFUSALS: list[tuple[str, str, type[FixItError]]] = [
    ("EHLO", "421 busy", TryLater),
    ("MAIL", "451 later", TryLater),
    ("MAIL", "550 not you", DependencyDown),
    ("MAIL", "530 sign in", DependencyDown),
    ("RCPT", "450 greylisted", TryLater),
    ("RCPT", "421 closing", TryLater),
    ("RCPT", "550 5.7.1 spam", Undeliverable),
    ("RCPT", "550 5.1.1 ann@example.com: no such user", Undeliverable),
    ("RCPT", "530 5.7.0 sign in", DependencyDown),
    ("DATA", "452 full", TryLater),
    ("DATA", "554 5.7.1 not that", Undeliverable),
]


@pytest.mark.parametrize(("command", "reply", "error"), REFUSALS, ids=[f"{each[0]}-{each[1][:3]}" for each in REFUSALS])
async def test_refusal_says_whose_fault_it_is(command: str, reply: str, error: type[FixItError]) -> None:
    async with mail_server(replies={command: reply}) as server:
        with pytest.raises(error) as refused:
            await sender(server.port).send(outgoing())
    assert server.received == []
    assert "ann" not in str(refused.value)
    assert command == "EHLO" or reply[:3] in str(refused.value)
    if isinstance(refused.value, Undeliverable):
        assert refused.value.code == "mail_refused"
        assert refused.value.is_target_bad == ("5.1.1" in reply)


async def test_server_that_refuses_connections_may_be_tried_later() -> None:
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        with pytest.raises(TryLater):
            await sender(taken.getsockname()[1]).send(outgoing())


async def test_mail_server_that_has_no_name_may_be_tried_later() -> None:
    server = SmtpServer(host="no-such-host.invalid", port=25, is_tls=False)
    with pytest.raises(TryLater):
        await SmtpMail(server=server, sender=FROM).send(outgoing())


async def test_silence_behind_the_mail_is_an_outcome_that_is_not_known() -> None:
    async def hang(_: SMTP) -> None:
        await asyncio.Event().wait()

    async with mail_server(after_data=hang) as server:
        with pytest.raises(OutcomeUnknown):
            await sender(server.port, seconds=0.3).send(outgoing())
    assert len(server.received) == 1


async def test_hang_up_behind_the_mail_is_an_outcome_that_is_not_known() -> None:
    async def cut(server: SMTP) -> None:
        assert isinstance(server.transport, asyncio.Transport)
        server.transport.abort()

    async with mail_server(after_data=cut) as server:
        with pytest.raises(OutcomeUnknown):
            await sender(server.port).send(outgoing())
    assert len(server.received) == 1


@pytest.mark.parametrize("length", range(1, len(GO) + 1))
async def test_hang_up_when_spoken_to_is_known_by_how_far_it_came(length: int) -> None:
    async with scripted_server(*GO[:length]) as server:
        with pytest.raises(OutcomeUnknown if length == len(GO) else TryLater):
            await sender(server.port).send(outgoing())


@pytest.mark.parametrize("length", range(1, len(GO)))
async def test_hang_up_before_the_mail_may_be_tried_later(length: int) -> None:
    async with scripted_server(*GO[:length], hangs_up=True) as server:
        with pytest.raises(TryLater):
            await sender(server.port).send(outgoing())


async def test_hang_up_at_the_moment_of_the_mail_sends_none() -> None:
    async with scripted_server(*GO, hangs_up=True) as server:
        with pytest.raises((TryLater, OutcomeUnknown)):
            await sender(server.port).send(outgoing())
    assert len(server.heard) == 4


@pytest.mark.parametrize("length", range(len(GO)))
async def test_silence_before_the_mail_may_be_tried_later(length: int) -> None:
    async with scripted_server(*GO[:length], b"") as server:
        began = time.monotonic()
        with pytest.raises(TryLater):
            await sender(server.port, seconds=0.2).send(outgoing())
    assert time.monotonic() - began < 5


async def test_drip_does_not_hold_a_send_beyond_its_time() -> None:
    async def drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(b"220-still here\r\n")
                await writer.drain()
                await asyncio.sleep(0.02)
        except OSError:
            writer.close()

    server = await asyncio.start_server(drip, "localhost", 0)
    began = time.monotonic()
    with pytest.raises(TryLater):
        await sender(server.sockets[0].getsockname()[1], seconds=0.3).send(outgoing())
    assert time.monotonic() - began < 5
    server.close()
    server.close_clients()


LIES: list[tuple[str, bytes, type[FixItError] | None]] = [
    ("refusal-of-two-lines", b"550-no\r\n550 really\r\n", Undeliverable),
    ("last-line-counts", b"250-yes\r\n550 no\r\n", Undeliverable),
    ("many-lines-yes", b"250-yes\r\n250-yes\r\n250 yes\r\n", None),
    ("other-success", b"251 forwarded\r\n", None),
    ("no-such-class", b"354 go on\r\n", OutcomeUnknown),
    ("no-number", b"yes of course\r\n", OutcomeUnknown),
    ("endless-lines", b"250-yes\r\n" * 5_000, OutcomeUnknown),
    ("endless-line", b"2" * 40_000 + b"\r\n", OutcomeUnknown),
]


@pytest.mark.parametrize(("answer", "error"), [lie[1:] for lie in LIES], ids=[lie[0] for lie in LIES])
async def test_answer_to_a_mail_is_what_its_last_line_says(answer: bytes, error: type[FixItError] | None) -> None:
    async with scripted_server(*GO, answer, b"221 bye\r\n") as server:
        sending = sender(server.port).send(outgoing())
        if error is None:
            assert await sending == ""
        else:
            with pytest.raises(error):
                await sending
    assert server.heard[4].startswith(b"From: fixit@example.org\r\nTo: ann@example.com\r\nSubject: Leak\r\n")


@pytest.mark.parametrize(("greeting", "error"), [(b"554 not you\r\n", DependencyDown), (b"421 busy\r\n", TryLater)])
async def test_greeting_may_refuse(greeting: bytes, error: type[FixItError]) -> None:
    async with scripted_server(greeting, b"") as server:
        with pytest.raises(error, match=greeting[:3].decode()):
            await sender(server.port).send(outgoing())


async def test_lie_before_the_mail_sends_none() -> None:
    async with scripted_server(b"HTTP/1.1 400 Bad Request\r\n\r\n", b"") as server:
        with pytest.raises(TryLater):
            await sender(server.port, seconds=5).send(outgoing())
    assert server.heard in ([], [b"QUIT\r\n"])


@pytest.mark.parametrize("seconds", [0.3, 20])
async def test_server_that_does_not_say_good_bye_has_the_mail(seconds: float) -> None:
    async with scripted_server(*GO, b"250 taken\r\n", b"", b"") as server:
        began = time.monotonic()
        assert await sender(server.port, seconds=seconds).send(outgoing()) == ""
    assert time.monotonic() - began < 5


async def test_mail_server_cannot_be_asked() -> None:
    assert await sender(1).outcome("") == "unknown"
