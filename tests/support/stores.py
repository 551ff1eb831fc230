"""What an account of the product holds, read past every wire, and raw messages put into it."""

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
from xml.etree import ElementTree

from azure.core.exceptions import ResourceExistsError, ResourceNotFoundError
from azure.data.tables import TableEntity, TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueClient, QueueServiceClient

from shared.domain.names import (
    INDEX_TABLE,
    LETTER_CONTAINER,
    LETTER_TABLE,
    NOTICE_QUEUE,
    NOTICE_TABLE,
    PEOPLE_TABLE,
    PHOTO_CONTAINER,
    PHOTO_QUEUE,
    POISON_SUFFIX,
    TASK_QUEUE,
    TASK_TABLE,
)
from tests.support.storage_request import StorageRequest

TASKS, POISON = TASK_QUEUE, TASK_QUEUE + POISON_SUFFIX
QUEUES = tuple(name + suffix for name in (TASK_QUEUE, PHOTO_QUEUE, NOTICE_QUEUE) for suffix in ("", POISON_SUFFIX))
TABLES = (TASK_TABLE, INDEX_TABLE, LETTER_TABLE, PEOPLE_TABLE, NOTICE_TABLE)
CONTAINERS = (LETTER_CONTAINER, PHOTO_CONTAINER)


class Stores:
    """Queues, tables and blobs of one account. What is missing counts as empty."""

    def __init__(self, connection_string: str) -> None:
        self._queues = QueueServiceClient.from_connection_string(connection_string)
        self._tables = TableServiceClient.from_connection_string(connection_string)
        self._blobs = BlobServiceClient.from_connection_string(connection_string)

    def make_queues(self) -> None:
        """Every queue is there, with its poison queue."""
        for name in QUEUES:
            with suppress(ResourceExistsError):
                self._queues.create_queue(name)

    def make_all(self) -> None:
        """Everything the product ever makes on first use is there."""
        for queue in sorted(set(QUEUES) - self.queue_names()):
            self._queues.create_queue(queue)
        for table in sorted(set(TABLES) - {table.name for table in self._tables.list_tables()}):
            self._tables.create_table(table)
        for container in sorted(set(CONTAINERS) - {container.name for container in self._blobs.list_containers()}):
            self._blobs.create_container(container)

    def put(self, text: str, queue: str = TASKS, *, encoded: bool = False) -> None:
        """Put exactly this text (or its base64) as a message."""
        self.queue(queue).send_message(base64.b64encode(text.encode()).decode() if encoded else text)

    def queue(self, name: str) -> QueueClient:
        return self._queues.get_queue_client(name)

    def queue_names(self) -> set[str]:
        return {queue.name for queue in self._queues.list_queues()}

    def waiting(self, queue: str) -> int:
        """Messages on a queue, hidden ones too."""
        try:
            return self.queue(queue).get_queue_properties().approximate_message_count or 0
        except ResourceNotFoundError:
            return 0

    def is_idle(self) -> bool:
        """Whether nothing is left to do: no message on any queue, not even one that is being worked on."""
        return all(self.waiting(name) == 0 for name in QUEUES)

    def tasks(self) -> list[TableEntity]:
        return list(self._rows(TASK_TABLE))

    def task(self, task_id: str) -> TableEntity | None:
        try:
            return self._tables.get_table_client(TASK_TABLE).get_entity(task_id[:2], task_id)
        except ResourceNotFoundError:
            return None

    def change_task(self, task_id: str, **columns: Any) -> None:
        """Overwrite columns of a task's row, as if a later step had."""
        self.change_row(TASK_TABLE, task_id[:2], task_id, **columns)

    def change_row(self, table: str, partition: str, key: str, **columns: Any) -> None:
        """Overwrite columns of any row."""
        self._tables.get_table_client(table).update_entity({"PartitionKey": partition, "RowKey": key, **columns})

    def put_row(self, table: str, row: Mapping[str, Any]) -> None:
        """Write any row."""
        self._tables.get_table_client(table).upsert_entity(row)

    def remove_row(self, table: str, partition: str, key: str) -> None:
        """Remove any row, as a careless hand might."""
        self._tables.get_table_client(table).delete_entity(partition, key)

    def keep_text(self, name: str, raw: bytes) -> None:
        """Overwrite the kept text `<queue>/<key of the letter>`."""
        self._blobs.get_container_client(LETTER_CONTAINER).upload_blob(name, raw, overwrite=True)

    def remove_text(self, name: str) -> None:
        """Remove the kept text `<queue>/<key of the letter>`."""
        self._blobs.get_container_client(LETTER_CONTAINER).delete_blob(name)

    def pointers(self, task_id: str) -> set[tuple[str, str]]:
        """(list, key) of every pointer to a task."""
        rows = self._rows(INDEX_TABLE)
        return {(row["PartitionKey"], row["RowKey"]) for row in rows if row["RowKey"].endswith(task_id)}

    def pointers_of(self, list_name: str) -> list[TableEntity]:
        """Every pointer of the lists whose names begin so."""
        return [row for row in self._rows(INDEX_TABLE) if row["PartitionKey"].startswith(list_name)]

    def people(self) -> list[TableEntity]:
        """The directory."""
        return list(self._rows(PEOPLE_TABLE))

    def letters(self) -> list[TableEntity]:
        """Dead letters, without the notes that precede them."""
        return [row for row in self._rows(LETTER_TABLE) if not row["PartitionKey"].startswith("note:")]

    def notes(self) -> list[TableEntity]:
        return [row for row in self._rows(LETTER_TABLE) if row["PartitionKey"].startswith("note:")]

    def put_note(self, queue: str, event_id: str, **columns: Any) -> None:
        """Note an error of an event, as a failed delivery does."""
        row = {"PartitionKey": f"note:{queue}", "RowKey": event_id, **columns}
        self._tables.get_table_client(LETTER_TABLE).upsert_entity(row)

    def letter_texts(self) -> dict[str, bytes]:
        """The kept texts by blob name, `<queue>/<key of the letter>`."""
        return self._contents(LETTER_CONTAINER)

    def photos(self) -> dict[str, bytes]:
        """What the container of photos holds, by blob name."""
        return self._contents(PHOTO_CONTAINER)

    def put_blob(self, name: str, raw: bytes) -> None:
        """Keep a blob among the photos, as somebody with a link of their own might."""
        self._blobs.get_container_client(PHOTO_CONTAINER).upload_blob(name, raw, overwrite=True)

    def notices(self, task_id: str) -> list[TableEntity]:
        """The rows of a task's notices."""
        return [row for row in self._rows(NOTICE_TABLE) if row["PartitionKey"] == task_id]

    def notice_rows(self) -> list[TableEntity]:
        """The rows of all notices, without those of targets that are not to be used."""
        return [row for row in self._rows(NOTICE_TABLE) if row["PartitionKey"] != "unusable"]

    def claims(self) -> dict[str, str]:
        """Which task has a photo, or `sweeper`, by photo."""
        return {
            row["RowKey"]: row["task"] for row in self._rows(INDEX_TABLE) if row["PartitionKey"].startswith("photo:")
        }

    def _contents(self, container_name: str) -> dict[str, bytes]:
        container = self._blobs.get_container_client(container_name)
        try:
            return {name: container.download_blob(name).readall() for name in list(container.list_blob_names())}
        except ResourceNotFoundError:
            return {}

    def clear(self) -> None:
        """Forget every row, letter and message, but leave queues, tables and container in place."""
        for name in QUEUES:
            with suppress(ResourceNotFoundError):
                self.queue(name).clear_messages()
        for table in TABLES:
            client = self._tables.get_table_client(table)
            for row in list(self._rows(table)):
                client.delete_entity(row)
        for name in CONTAINERS:
            container = self._blobs.get_container_client(name)
            for blob in self._contents(name):
                container.delete_blob(blob)

    def remove_all(self) -> None:
        """Remove the queues, tables and the container themselves."""
        for queue in list(self._queues.list_queues()):
            self._queues.delete_queue(queue)
        for table in list(self._tables.list_tables()):
            self._tables.delete_table(table.name)
        for container in list(self._blobs.list_containers()):
            self._blobs.delete_container(container)

    def _rows(self, table: str) -> Iterator[TableEntity]:
        try:
            yield from self._tables.get_table_client(table).list_entities()
        except ResourceNotFoundError:
            return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in (self._queues, self._tables, self._blobs):
            client.close()


def decoded(text: str) -> dict[str, Any]:
    """The event in the text of a message that we sent."""
    event = json.loads(base64.b64decode(text, validate=True))
    assert isinstance(event, dict)
    return event


def message_text(put: StorageRequest) -> str:
    """The text of a message that a request puts on a queue."""
    return ElementTree.fromstring(put.body).findtext("MessageText") or ""
