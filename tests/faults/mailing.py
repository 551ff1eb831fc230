"""A mail server beside a test that does not wait for it: it counts every sending, and does to each what it is told."""
# ruff: noqa: N802 (what aiosmtpd calls is named for the commands)

import asyncio
import threading
from collections import Counter, deque
from dataclasses import dataclass, field
from email import message_from_bytes
from types import TracebackType
from typing import Self

from aiosmtpd.smtp import SMTP, Envelope, Session


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What is done with one mail: whether it is kept, what is answered (nothing: the connection is cut)."""

    keeps: bool = True
    reply: str = "250 OK"
    holds: bool = False


TAKES = Turn()
CUTS_BEFORE = Turn(keeps=False, reply="")
CUTS_AFTER = Turn(reply="")
HOLDS_BEFORE = Turn(keeps=False, reply="", holds=True)
HOLDS_AFTER = Turn(reply="", holds=True)
LATER = Turn(keeps=False, reply="451 4.3.0 not now")
NOBODY = Turn(keeps=False, reply="550 5.1.1 nobody of this name")


@dataclass
class MailServer:
    """`turns` are for the mails to come, one each; all that follow are taken. `ids` are those of the mails it kept.

    `cuts_at`: a command at which the next connection is cut, before there is a mail.
    """

    port: int = 0
    turns: deque[Turn] = field(default_factory=deque)
    ids: list[str] = field(default_factory=list)
    seen: int = 0
    cuts_at: str = ""
    _news: threading.Condition = field(default_factory=threading.Condition)

    async def handle_EHLO(
        self, server: SMTP, session: Session, _: Envelope, host: str, responses: list[str]
    ) -> list[str]:
        session.host_name = host
        self._may_cut(server, "EHLO")
        return responses

    async def handle_MAIL(self, server: SMTP, _: Session, envelope: Envelope, address: str, __: list[str]) -> str:
        envelope.mail_from = address
        self._may_cut(server, "MAIL")
        return "250 OK"

    async def handle_RCPT(self, server: SMTP, _: Session, envelope: Envelope, address: str, __: list[str]) -> str:
        envelope.rcpt_tos.append(address)
        self._may_cut(server, "RCPT")
        return "250 OK"

    async def handle_DATA(self, server: SMTP, _: Session, envelope: Envelope) -> str:
        turn = self.turns.popleft() if self.turns else TAKES
        assert isinstance(envelope.content, bytes)
        with self._news:
            self.seen += 1
            if turn.keeps:
                message_id = message_from_bytes(envelope.content)["Message-ID"]
                self.ids.append(message_id.strip("<>").partition("@")[0])
            self._news.notify_all()
        while turn.holds and server.transport is not None and not server.transport.is_closing():
            await asyncio.sleep(0.01)
        if not turn.reply:
            _cut(server)
        return turn.reply or "421 cut"

    def _may_cut(self, server: SMTP, command: str) -> None:
        if self.cuts_at == command:
            self.cuts_at = ""
            _cut(server)

    def wait_seen(self, mails: int, timeout: float = 30) -> None:
        """Return once that many mails came, kept or not."""
        with self._news:
            if not self._news.wait_for(lambda: self.seen >= mails, timeout):
                raise TimeoutError(f"{self.seen} of {mails} mails within {timeout:g} s")

    @property
    def counted(self) -> Counter[str]:
        """How often each mail was kept, by the id of its notice."""
        return Counter(self.ids)

    def behave(self, *turns: Turn) -> None:
        """From now on, and forget what came."""
        self.turns, self.ids, self.seen, self.cuts_at = deque(turns), [], 0, ""


class RunningMailServer:
    """A MailServer that listens on 127.0.0.1 until the block ends."""

    def __init__(self) -> None:
        self.server = MailServer()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        """For FIXIT_SMTP_URL."""
        return f"smtp://127.0.0.1:{self.server.port}"

    async def _start(self) -> None:
        listener = await self._loop.create_server(
            lambda: SMTP(self.server, loop=self._loop, hostname="localhost"), "127.0.0.1", 0
        )
        self.server.port = listener.sockets[0].getsockname()[1]
        self._listener = listener

    async def _stop(self) -> None:
        self._listener.close()
        self._listener.abort_clients()
        await asyncio.sleep(0)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


def _cut(server: SMTP) -> None:
    assert isinstance(server.transport, asyncio.Transport)
    server.transport.abort()
