"""Names of queues: what is one, and which poison queue stands behind it."""

import re

from devhost.errors import FunctionError

POISON_SUFFIX = "-poison"
_VALID = re.compile(r"(?=.{3,63}\Z)[a-z0-9]+(-[a-z0-9]+)*\Z")


def queue_name(text: str) -> str:
    """The queue that a binding means by this text, in lower case.

    Raises:
        FunctionError: 3–63 lower-case letters, digits and single dashes are allowed, with no dash at either end.
    """
    name = text.lower()
    if not _VALID.match(name):
        raise FunctionError(
            f"queueName '{text}' is not the name of a queue: "
            "3 to 63 letters, digits and single dashes, a letter or digit at both ends"
        )
    return name


def poison_name(queue: str) -> str | None:
    """Where this queue's poison messages go; None behind a poison queue, or where the name would be too long."""
    name = queue + POISON_SUFFIX
    return None if queue.endswith(POISON_SUFFIX) or not _VALID.match(name) else name
