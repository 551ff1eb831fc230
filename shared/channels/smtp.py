"""Mail by SMTP: one connection for one mail, and at each refusal whose fault it is."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from shared.channels.mail_text import REFUSED, build_mail
from shared.channels.smtp_server import SmtpServer
from shared.domain.errors import DependencyDown, OutcomeUnknown, TryLater, Undeliverable
from shared.domain.outgoing import SEND_SECONDS, Outcome, Outgoing

if TYPE_CHECKING:
    from aiosmtplib import SMTP

_BYE_SECONDS = 1.0

_BAD_ADDRESS = re.compile(r"5\.1\.(?:1|2|3|6|10)\b")
"""Enhanced status codes (RFC 3463, 7505) that say of the address itself that there is no such one."""

_OURS = frozenset({500, 501, 502, 503, 504, 530, 534, 535, 538})
"""Replies to a recipient that are about us: what we said, or that we must sign in."""


@dataclass(frozen=True, kw_only=True)
class SmtpMail:
    """`sender` is one address. `tls` is for servers whose certificates are not those of the public authorities."""

    server: SmtpServer
    sender: str
    tls: ssl.SSLContext | None = None
    seconds: float = SEND_SECONDS

    async def send(self, outgoing: Outgoing) -> str:
        content = _stuffed(build_mail(outgoing, self.sender).as_bytes())
        stage = _Stage()
        try:
            async with asyncio.timeout(self.seconds), self._connection(stage) as smtp:
                await self._hand_over(smtp, outgoing.to, content, stage)
        except TimeoutError as error:
            if not stage.is_taken:
                stage.fail(error)
        return ""

    async def outcome(self, operation: str) -> Outcome:
        return "unknown"  # a mail server cannot be asked

    @asynccontextmanager
    async def _connection(self, stage: "_Stage") -> AsyncIterator["SMTP"]:
        """A connection that is signed in; whatever aiosmtplib raises inside is told by its stage."""
        from aiosmtplib import SMTP, SMTPException

        server = self.server
        smtp = SMTP(
            hostname=server.host,
            port=server.port,
            use_tls=server.is_tls,
            # With a password there is no going without: a server that offers no TLS, or somebody between, gets none.
            start_tls=None if not server.password else not server.is_tls,
            tls_context=self.tls,
            local_hostname=self.sender.rpartition("@")[2],
            timeout=None,  # there is one for all of it
        )
        try:
            await smtp.connect()
            if smtp.is_ehlo_or_helo_needed:  # what was said before TLS began does not count
                await smtp.ehlo()
            if server.password:
                stage.name = "our sign-in"
                await smtp.login(server.user, server.password)
            yield smtp
        except (SMTPException, OSError, ValueError) as error:
            stage.fail(error)
        finally:
            smtp.close()

    async def _hand_over(self, smtp: "SMTP", to: str, content: bytes, stage: "_Stage") -> None:
        from aiosmtplib import SMTPException

        protocol = smtp.protocol
        if protocol is None:  # it hung up just now
            stage.fail(None)
        stage.name = "our sender"
        stage.check(await smtp.execute_command(b"MAIL", f"FROM:<{self.sender}>".encode()))
        stage.name = "the recipient"
        stage.check(await smtp.execute_command(b"RCPT", f"TO:<{to}>".encode()))
        stage.name = "the mail"
        stage.check(await smtp.execute_command(b"DATA"), expected=3)
        protocol.write(content)  # raises where nobody is there any more
        stage.is_handed_over = True
        stage.check(await protocol.read_response())
        stage.is_taken = True
        with suppress(SMTPException, OSError, TimeoutError):  # the rest is courtesy
            async with asyncio.timeout(_BYE_SECONDS):
                await smtp.quit()


@dataclass
class _Stage:
    """How far a send has come: what a refusal would be about."""

    name: str = "us"
    is_handed_over: bool = False
    is_taken: bool = False

    def check(self, reply: tuple[int, str], *, expected: int = 2) -> None:
        """Raise what a reply other than the expected class of codes means."""
        code, text = reply
        if code // 100 == expected:
            return
        told = f"the mail server refused {self.name}: {code}"
        if code // 100 == 4:
            raise TryLater(told)
        if code // 100 != 5:
            self.fail(None)
        if self.name in ("us", "our sign-in", "our sender") or (self.name == "the recipient" and code in _OURS):
            raise DependencyDown(told)
        is_bad = self.name == "the recipient" and _BAD_ADDRESS.match(text.lstrip()) is not None
        raise Undeliverable(told, code=REFUSED, is_target_bad=is_bad)

    def fail(self, error: Exception | None) -> NoReturn:
        """Raise what an error of the connection, or an answer that is none, means at this stage.

        The text of an error may quote anything, and is never told.
        """
        from aiosmtplib import SMTPException, SMTPResponseException

        if isinstance(error, SMTPResponseException) and error.code // 100 in (4, 5):
            self.check((error.code, error.message))
        if self.is_handed_over:
            raise OutcomeUnknown("the mail server has the mail, and did not say what becomes of it") from error
        if _is_about_tls(error):
            raise DependencyDown("the mail server cannot be trusted: its certificate, or its TLS, is wrong") from error
        # Of SMTPException itself are those of what a server does not offer; of its kinds, those of what went wrong.
        if type(error) is SMTPException:
            raise DependencyDown("the mail server offers no TLS, or no way to sign in that we know") from error
        raise TryLater("the mail server cannot be reached, or does not answer as one") from error


def _is_about_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__
    return False


def _stuffed(mail: bytes) -> bytes:
    """The mail as it follows DATA (RFC 5321, 4.5.2): its lines end with CRLF, and a header is the first."""
    return mail.replace(b"\r\n.", b"\r\n..") + b".\r\n"
