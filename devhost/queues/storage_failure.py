"""A storage call that failed, as the queue extension tells failures apart."""


class StorageFailure(Exception):
    """`status` is the last HTTP answer, 0 if there was none; `code` is the service's error code, perhaps empty.

    Source: WebJobs storage extension, RequestFailedExceptionExtensions.cs.
    """

    def __init__(self, status: int, code: str, text: str) -> None:
        """`text` is what the client says; its first line is kept."""
        super().__init__(f"{f'{status} {code}'.strip() if status else 'no answer'}: {text.partition('\n')[0]}")
        self.text = text
        self.status = status
        self.code = code

    @property
    def is_server_side(self) -> bool:
        """Any 5xx."""
        return 500 <= self.status < 600

    @property
    def is_queue_missing(self) -> bool:
        """The queue does not exist."""
        return self.status == 404 and self.code == "QueueNotFound"

    @property
    def is_queue_being_deleted(self) -> bool:
        """The queue is on its way out; the code for a disabled one is not looked at."""
        return self.status == 409 and self.code == "QueueBeingDeleted"

    @property
    def is_message_lost(self) -> bool:
        """The message is no longer ours: other receipt, deleted, or its queue is gone."""
        return (
            (self.status == 400 and self.code == "PopReceiptMismatch")
            or (self.status == 404 and self.code in ("MessageNotFound", "QueueNotFound"))
            or self.is_queue_being_deleted
        )


class TriesEnded(StorageFailure):
    """It failed in a way that is tried again, and was not, because the host stops."""
