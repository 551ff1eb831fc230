"""When a callback that was not delivered is tried again."""

import math
import random

MINUTE, HOUR = 60, 3_600

DELAYS = (5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR)
"""Seconds to wait after each attempt; after the one that follows the last of them there is no further."""

ATTEMPTS = len(DELAYS) + 1

JITTER = 0.08
"""By which part, at most, a delay is longer or shorter: what failed together shall not come back together. With more of
it the last delay could be shorter than the one before."""

WAIT_MAX = 7 * 24 * HOUR - HOUR
"""A queue message waits at most seven days; an hour is left for clocks that differ."""


def next_delay(attempt: int, *, after: float | None = None, scale: float = 1) -> int | None:
    """How many whole seconds after this attempt (the first is 1) the next one comes; none if it was the last.

    `after`: what its receiver asked for, in seconds; it is kept where it is longer, up to what a message may wait.
    `scale` makes all of it shorter.
    """
    if attempt >= ATTEMPTS:
        return None
    planned = DELAYS[attempt - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret
    return math.ceil(min(max(planned, after or 0), WAIT_MAX) * scale)
