"""Queue Storage: putting messages, and looking at a queue without taking any."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from azure.core.exceptions import HttpResponseError

from shared.storage.account import Account
from shared.storage.clients import CONNECT_SECONDS
from shared.storage.error_table import Meaning
from shared.storage.faults import made_if_missing, meaning_of, told_as_down

PEEK_MAX = 32
"""Messages that one request may look at (https://learn.microsoft.com/rest/api/storageservices/peek-messages)."""


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A message that was looked at where it lies: its text, and when it was put there (UTC)."""

    text: str
    inserted_at: datetime


class Queues:
    """The queues of every account; `account` gives the one of a connection name, or raises SettingsError."""

    def __init__(self, account: Callable[[str], Account]) -> None:
        self._account = account

    async def put(
        self, connection: str, queue: str, text: str, *, delay_seconds: int = 0, try_seconds: float | None = None
    ) -> None:
        """Add one message that never expires, visible once the delay (0 to 604,800 s) passes; makes a missing queue.

        It is tried three times, each for the usual time; with `try_seconds` once, for so long to connect and again to
        be answered.

        Raises:
            DependencyDown: the put was not acknowledged. It may have landed; the same text again is the same event.
        """
        client = self._account(connection).queues.get_queue_client(queue)
        limits: dict[str, Any] = {} if try_seconds is None else _one_try(try_seconds)
        with told_as_down():
            await made_if_missing(
                lambda: client.send_message(
                    text,
                    time_to_live=-1,
                    visibility_timeout=delay_seconds or None,
                    raw_request_hook=_keep_carriage_returns,
                    **limits,
                ),
                client.create_queue,
            )

    async def count(self, connection: str, queue: str, *, try_seconds: float) -> int:
        """About how many messages are on a queue, those that are hidden or being worked on too; 0 if it is missing.

        One request, which is given `try_seconds` to connect and again to be answered.

        Raises:
            DependencyDown: the queue cannot be looked at now.
        """
        client = self._account(connection).queues.get_queue_client(queue)
        properties = await _looked(lambda: client.get_queue_properties(**_one_try(try_seconds)))
        return (properties.approximate_message_count or 0) if properties else 0

    async def peek(self, connection: str, queue: str, *, limit: int, try_seconds: float) -> list[Waiting]:
        """The first messages that a worker could take now, `limit` (1 to 32) at most; none if the queue is missing.

        It receives none: no dequeue count, no visibility and no order changes. One request, timed as `count`.

        Raises:
            DependencyDown: the queue cannot be looked at now.
        """
        client = self._account(connection).queues.get_queue_client(queue)
        messages = await _looked(lambda: client.peek_messages(max_messages=limit, **_one_try(try_seconds)))
        now = datetime.now(UTC)
        return [Waiting(text=each.content, inserted_at=each.inserted_on or now) for each in messages or ()]


async def _looked[T](look: Callable[[], Awaitable[T]]) -> T | None:
    """What a look shows; None if its queue is missing: a look makes nothing."""
    with told_as_down():
        try:
            return await look()
        except HttpResponseError as error:
            if meaning_of(error) is not Meaning.MISSING:
                raise
            return None


def _one_try(seconds: float) -> dict[str, Any]:
    return {"connection_timeout": min(CONNECT_SECONDS, seconds), "read_timeout": seconds, "retry_total": 0}


def _keep_carriage_returns(request: Any) -> None:
    """Write each carriage return of a message as a character reference.

    The SDK writes it as it is, and the reader of XML takes that for the end of a line, a line feed
    (https://www.w3.org/TR/xml/#sec-line-ends): a text that is put back would come back changed.
    """
    message = request.http_request
    if b"\r" in message.content:
        message.set_bytes_body(message.content.replace(b"\r", b"&#13;"))
