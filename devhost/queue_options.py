"""`extensions.queues` of host.json: how the queue trigger polls, retries and decodes."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class QueueOptions:
    """The options of every queue trigger of the app.

    `visibility_timeout` is how long a message stays hidden after a failed run, not the lease of a running one.
    """

    batch_size: int
    new_batch_threshold: int
    max_polling_interval: timedelta
    max_dequeue_count: int
    visibility_timeout: timedelta
    message_encoding: Literal["base64", "none"]
