"""The calls that the queue extension makes on one queue, one storage request each, tried as the .NET client tries."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from xml.sax.saxutils import escape

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.pipeline import PipelineRequest, PipelineResponse
from azure.core.pipeline.transport import AioHttpTransport
from azure.storage.queue import QueueMessage
from azure.storage.queue.aio import QueueClient as SdkQueue
from azure.storage.queue.aio import QueueServiceClient

from devhost.queues.message import ReceivedMessage
from devhost.queues.storage_failure import StorageFailure
from devhost.queues.storage_tries import try_as_dotnet
from devhost.settings.configuration import Configuration
from devhost.settings.connections import resolve_connection, sdk_credential

NO_ANSWER_SECONDS = 100  # Azure.Core's NetworkTimeout, for each try


class QueueClient:
    """One queue. Every method raises StorageFailure once its tries are spent."""

    def __init__(self, queue: SdkQueue) -> None:
        self._queue = queue
        self.name: str = queue.queue_name

    async def exists(self, *, until: asyncio.Event | None = None) -> bool:
        """Whether the queue is there. `until` ends the tries early."""
        try:
            await try_as_dotnet(self._queue.get_queue_properties, until=until)
        except StorageFailure as failure:
            if failure.is_queue_missing:
                return False
            raise
        return True

    async def receive(
        self, count: int, lease: timedelta, *, until: asyncio.Event | None = None
    ) -> list[ReceivedMessage]:
        """At most `count` (1–32) messages, hidden from others for the lease. `until` ends the tries early."""

        async def one_page() -> list[ReceivedMessage]:
            pages = self._queue.receive_messages(
                messages_per_page=count,
                visibility_timeout=int(lease.total_seconds()),
                raw_response_hook=_expect_messages,
            ).by_page()
            try:
                page = await anext(pages)
            except StopAsyncIteration:
                return []
            return [_received(message) async for message in page]

        return await try_as_dotnet(one_page, until=until)

    async def delete(self, message: ReceivedMessage, *, until: asyncio.Event | None = None) -> None:
        """The message is gone for good. `until` ends the tries early."""
        await try_as_dotnet(lambda: self._queue.delete_message(message.id, message.pop_receipt), until=until)

    async def hide(self, message: ReceivedMessage, duration: timedelta) -> str:
        """The message stays hidden for this long from now; the answer is its new pop receipt."""
        updated = await try_as_dotnet(
            lambda: self._queue.update_message(
                message.id, message.pop_receipt, visibility_timeout=int(duration.total_seconds())
            )
        )
        return str(updated.pop_receipt)

    async def send(self, text: str, *, until: asyncio.Event | None = None) -> None:
        """The text is in the queue, which is made if it is missing (404 first, as the real host finds out).

        `until` ends the tries early.
        """

        async def send_once() -> None:
            await self._queue.send_message(text, raw_request_hook=_written_as_dotnet(text))

        try:
            await try_as_dotnet(send_once, has_body=True, until=until)
        except StorageFailure as failure:
            if not failure.is_queue_missing:
                raise
            await self._create(until)
            await try_as_dotnet(send_once, has_body=True, until=until)

    async def _create(self, until: asyncio.Event | None) -> None:
        try:
            await try_as_dotnet(self._queue.create_queue, until=until)
        except StorageFailure as failure:
            if failure.status != 204:  # somebody else was quicker; only this SDK takes that for an error
                raise


class QueueAccounts:
    """Opens queues by connection name; one client, and one pool of sockets, for each connection."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._services: dict[str, QueueServiceClient] = {}
        self._credentials: list[AsyncTokenCredential] = []

    def queue(self, connection_name: str | None, queue: str) -> QueueClient:
        """The queue of this name in the account that the connection stands for.

        Raises:
            FunctionError: the connection is not there or cannot be used.
        """
        connection = resolve_connection(self._configuration, connection_name)
        service = self._services.get(connection.name)
        if service is None:
            credential = sdk_credential(connection)
            if isinstance(credential, AsyncTokenCredential):
                self._credentials.append(credential)
            service = self._services[connection.name] = QueueServiceClient(
                connection.url,
                credential=credential,
                transport=AioHttpTransport(
                    use_env_settings=False,
                    connection_timeout=NO_ANSWER_SECONDS,
                    read_timeout=NO_ANSWER_SECONDS,
                ),
                retry_total=0,
            )
        return QueueClient(service.get_queue_client(queue))

    async def close(self) -> None:
        """Every socket is closed."""
        for service in self._services.values():
            await service.close()
        for credential in self._credentials:
            await credential.close()


def _expect_messages(response: PipelineResponse[Any, Any]) -> None:
    """What is no list of messages ends the real host; this SDK would take it for an empty one."""
    answer = response.http_response
    if answer.status_code == 200 and b"<QueueMessagesList" not in answer.body()[:200]:
        raise StorageFailure(answer.status_code, "", "the answer to a receive is no list of messages")


def _written_as_dotnet(text: str) -> Callable[[PipelineRequest[Any]], None]:
    """Makes the body of a put what the .NET client writes, to the byte: a byte order mark, no declaration."""
    content = f"<MessageText>{escape(text)}</MessageText>" if text else "<MessageText />"
    body = f"\ufeff<QueueMessage>{content}</QueueMessage>".encode()

    def write(request: PipelineRequest[Any]) -> None:
        request.http_request.data = body
        request.http_request.headers["Content-Length"] = str(len(body))

    return write


def _received(message: QueueMessage) -> ReceivedMessage:
    return ReceivedMessage(
        id=message.id,
        pop_receipt=message.pop_receipt or "",
        dequeue_count=message.dequeue_count or 0,
        text=message.content or "",
        inserted_at=message.inserted_on,
        expires_at=message.expires_on,
        next_visible_at=message.next_visible_on,
    )
