"""Mail servers: a real one that may refuse, and one that says what it is told to, line by line."""
# ruff: noqa: N802 (what aiosmtpd calls is named for the commands)

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

import trustme
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

USER, PASSWORD = "fix@it", "pass:word/ü"


def make_tls() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """TLS for a server on localhost, and for a client that trusts it."""
    authority = trustme.CA()
    server, client = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), ssl.create_default_context()
    authority.issue_cert("localhost").configure_cert(server)
    authority.configure_trust(client)
    return server, client


@dataclass
class Received:
    """One mail, and how it came."""

    sender: str
    recipients: list[str]
    content: bytes
    is_secret: bool
    user: str

    @property
    def mail(self) -> EmailMessage:
        mail = message_from_bytes(self.content, policy=default)
        assert isinstance(mail, EmailMessage)
        return mail


@dataclass
class MailServer:
    """Answers to a command are those in `replies`, else that it is well. `after_data`: awaited before the answer."""

    port: int = 0
    received: list[Received] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    replies: dict[str, str] = field(default_factory=dict)
    after_data: Callable[[SMTP], Any] | None = None

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, host: str, responses: list[str]
    ) -> list[str]:
        self.commands.append("EHLO")
        session.host_name = host
        return [self.replies["EHLO"]] if "EHLO" in self.replies else responses

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.commands.append("MAIL")
        envelope.mail_from = address
        return self.replies.get("MAIL", "250 OK")

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.commands.append("RCPT")
        envelope.rcpt_tos.append(address)
        return self.replies.get("RCPT", "250 OK")

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.commands.append("DATA")
        user = session.auth_data.login.decode() if session.auth_data else ""
        assert envelope.mail_from and isinstance(envelope.content, bytes)
        mail = Received(envelope.mail_from, envelope.rcpt_tos, envelope.content, session.ssl is not None, user)
        reply = self.replies.get("DATA", "250 OK")
        if reply.startswith("250"):
            self.received.append(mail)
        if self.after_data:
            await self.after_data(server)
        return reply


@asynccontextmanager
async def mail_server(
    *, tls: ssl.SSLContext | None = None, is_tls: bool = False, **parts: Any
) -> AsyncIterator[MailServer]:
    """A server on localhost, with STARTTLS where it has `tls`, or TLS from the first byte; one can sign in there."""

    def sign_in(_: SMTP, __: Session, ___: Envelope, ____: str, given: Any) -> AuthResult:
        is_right = given == LoginPassword(USER.encode(), PASSWORD.encode())
        return AuthResult(success=is_right, handled=False, auth_data=given)

    handler, loop = MailServer(**parts), asyncio.get_running_loop()

    def make() -> SMTP:
        return SMTP(
            handler,
            loop=loop,
            hostname="localhost",
            tls_context=None if is_tls else tls,
            authenticator=sign_in,
            auth_require_tls=not is_tls,
            auth_exclude_mechanism=() if tls else ("LOGIN", "PLAIN"),
        )

    server = await loop.create_server(make, "localhost", 0, ssl=tls if is_tls else None)
    handler.port = server.sockets[0].getsockname()[1]
    try:
        yield handler
    finally:
        server.close()
        server.close_clients()
        await asyncio.sleep(0)


@dataclass
class Scripted:
    """Answers each line, and the end of a mail, with the bytes that come next; `heard` holds what came.

    Behind the last it hangs up: at once, or when it is spoken to.
    """

    script: list[bytes]
    hangs_up: bool
    port: int = 0
    heard: list[bytes] = field(default_factory=list)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_mail = False
        try:
            for number, said in enumerate(self.script, 1):
                for at in range(0, len(said), 400):
                    writer.write(said[at : at + 400])
                    await writer.drain()
                if self.hangs_up and number == len(self.script):
                    return
                self.heard.append(await reader.readuntil(b"\r\n.\r\n" if is_mail else b"\r\n"))
                is_mail = self.heard[-1] == b"DATA\r\n"
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def scripted_server(*script: bytes, hangs_up: bool = False) -> AsyncIterator[Scripted]:
    """A server that follows a script, beginning with its greeting."""
    handler = Scripted(list(script), hangs_up)
    server = await asyncio.start_server(handler.talk, "localhost", 0)
    handler.port = server.sockets[0].getsockname()[1]
    try:
        yield handler
    finally:
        server.close()
        server.close_clients()
        await asyncio.sleep(0)
