"""How long a listener waits after an empty poll."""

import random
from collections.abc import Callable
from datetime import timedelta

MINIMUM = timedelta(milliseconds=100)


class PollingBackoff:
    """Randomised, growing delays: 0.1, 0.2, 0.3, 0.5, 0.9 … seconds, then exactly the maximum.

    Minimum and step are both 100 ms.
    Source: WebJobs storage extension, Timers/RandomizedExponentialBackoffStrategy.cs.
    """

    def __init__(self, maximum: timedelta, *, jitter: Callable[[], float] | None = None) -> None:
        """`jitter` scales the grown part; by default uniform in 0.8 … 1.2."""
        self._maximum = maximum
        self._jitter = jitter or (lambda: random.uniform(0.8, 1.2))  # noqa: S311 - no secret
        self._current = timedelta(0)
        self._exponent = 0

    def next_delay(self, *, found: bool) -> timedelta:
        """The delay after an empty poll; `found` says that there were messages since the last delay."""
        if found:
            self._current = MINIMUM
            self._exponent = 1
        elif self._current != self._maximum:
            grown = MINIMUM
            if self._exponent:
                grown += self._jitter() * 2 ** (self._exponent - 1) * MINIMUM
            if grown < self._maximum:
                self._current = grown
                self._exponent += 1
            else:
                self._current = self._maximum
        return self._current
