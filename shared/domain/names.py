"""Every name that storage knows the product by."""

CONNECTION = "FixItStorage"
"""The setting (or prefix of settings) that says where the data account is."""

TASK_QUEUE = "fixits"

POISON_SUFFIX = "-poison"
"""Fixed by the Functions host."""

TASK_POISON_QUEUE = TASK_QUEUE + POISON_SUFFIX

TASK_TABLE = "fixits"
INDEX_TABLE = "fixitindex"
LETTER_TABLE = "fixitdeadletters"
LETTER_CONTAINER = "fixit-deadletters"


def work_queue(queue: str) -> str:
    """The queue whose messages a poison queue receives; any other queue is its own."""
    return queue.removesuffix(POISON_SUFFIX)
