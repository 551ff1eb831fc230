"""Queue Storage: putting messages."""

from functools import cached_property
from typing import Any

from azure.storage.queue.aio import QueueServiceClient

from shared.storage.clients import make_client
from shared.storage.connections import StorageConnections
from shared.storage.faults import made_if_missing, told_as_down


class Queues:
    """The queues of one account. The client is opened at the first put and kept."""

    def __init__(self, connections: StorageConnections, *, environment_proxy: bool = False) -> None:
        self._connections = connections
        self._environment_proxy = environment_proxy

    @cached_property
    def _client(self) -> QueueServiceClient:
        return make_client(QueueServiceClient, self._connections, "queue", environment_proxy=self._environment_proxy)

    async def put(self, queue: str, text: str, *, delay_seconds: int = 0) -> None:
        """Add one message that never expires, visible once the delay (0 to 604,800 s) passes; makes a missing queue.

        Raises:
            DependencyDown: the put was not acknowledged. It may have landed; the same text again is the same event.
        """
        client = self._client.get_queue_client(queue)
        with told_as_down():
            await made_if_missing(
                lambda: client.send_message(
                    text,
                    time_to_live=-1,
                    visibility_timeout=delay_seconds or None,
                    raw_request_hook=_keep_carriage_returns,
                ),
                client.create_queue,
            )

    async def close(self) -> None:
        """Let go of the connections."""
        if "_client" in self.__dict__:
            await self._client.close()


def _keep_carriage_returns(request: Any) -> None:
    """Write each carriage return of a message as a character reference.

    The SDK writes it as it is, and the reader of XML takes that for the end of a line, a line feed
    (https://www.w3.org/TR/xml/#sec-line-ends): a text that is put back would come back changed.
    """
    message = request.http_request
    if b"\r" in message.content:
        message.set_bytes_body(message.content.replace(b"\r", b"&#13;"))
