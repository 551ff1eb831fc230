"""Queue Storage: putting messages."""

from collections.abc import Callable
from typing import Any

from shared.storage.account import Account
from shared.storage.clients import CONNECT_SECONDS
from shared.storage.faults import made_if_missing, told_as_down


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
