"""`extensions.queues` of host.json: how the queue trigger polls, retries and decodes.

Source: QueuesOptions.cs and StorageQueuesWebJobsBuilderExtensions.cs of the queue extension; its limits were measured.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from devhost.dotnet.timespan import format_timespan, parse_timespan
from devhost.settings.binder import bind_enum, bind_integer
from devhost.settings.host_settings import HostSettings

SECTION = "extensions.queues"
MOST_MESSAGES = 32  # the service gives no more in one answer
Encoding = Literal["base64", "none"]
ENCODINGS: tuple[Encoding, ...] = ("none", "base64")  # in the order of their numbers
DURATION = 'a duration, "[d.]hh:mm:ss[.fff]" (a bare number means days)'

LONGEST_POLL = timedelta(minutes=1)
LONGEST_POLL_IN_DEVELOPMENT = timedelta(seconds=2)
SHORTEST_POLL = timedelta(milliseconds=100)


@dataclass(frozen=True, kw_only=True)
class QueueOptions:
    """The options of every queue trigger of the app.

    A function works on at most `batch_size` + `new_batch_threshold` messages at once. `visibility_timeout` is how long
    a message stays hidden after a failed run (it may be negative, or longer than storage allows: the host does not
    look), not the lease of a running one. `message_encoding` holds for output bindings too.
    """

    batch_size: int
    new_batch_threshold: int
    max_polling_interval: timedelta
    max_dequeue_count: int
    visibility_timeout: timedelta
    message_encoding: Encoding


def read_queue_options(settings: HostSettings, *, development: bool, cpu_count: int) -> QueueOptions:
    """The options that these settings come to.

    In development an empty queue is asked every two seconds at the latest, unless another time than the default is set.

    Raises:
        HostConfigError: a value that the queue extension refuses.
    """
    batch_size = settings.read(
        f"{SECTION}.batchSize",
        bind_integer,
        16,
        rule=f"a whole number from 1 to {MOST_MESSAGES}",
        allows=lambda value: 1 <= value <= MOST_MESSAGES,
    )
    threshold = settings.read(
        f"{SECTION}.newBatchThreshold",
        bind_integer,
        batch_size // 2 * cpu_count,
        rule="a whole number, 0 or more",
        allows=lambda value: value >= 0,
    )
    max_dequeue_count = settings.read(
        f"{SECTION}.maxDequeueCount",
        bind_integer,
        5,
        rule="a whole number, 1 or more",
        allows=lambda value: value >= 1,
    )
    polling = settings.read(
        f"{SECTION}.maxPollingInterval",
        parse_timespan,
        LONGEST_POLL,
        rule=f"{DURATION} of at least {format_timespan(SHORTEST_POLL)}",
        allows=lambda value: value >= SHORTEST_POLL,
    )
    return QueueOptions(
        batch_size=batch_size,
        new_batch_threshold=threshold,
        max_polling_interval=LONGEST_POLL_IN_DEVELOPMENT if development and polling == LONGEST_POLL else polling,
        max_dequeue_count=max_dequeue_count,
        visibility_timeout=settings.read(f"{SECTION}.visibilityTimeout", parse_timespan, timedelta(0), rule=DURATION),
        message_encoding=settings.read(f"{SECTION}.messageEncoding", _bind_encoding, "base64", rule="base64 or none"),
    )


def _bind_encoding(text: str) -> Encoding:
    value = bind_enum(text, ENCODINGS)
    if not 0 <= value < len(ENCODINGS):
        # The real host takes the number, and ends at the first message: there is no codec behind it.
        raise ValueError("no encoding has this number")
    return ENCODINGS[value]
