"""A circuit breaker: what failed is left alone for a while, then one call probes whether it works again."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(kw_only=True)
class Breaker:
    """Closed at first. A failure opens it for `pause_seconds`; then it is half open: one call at a time may try."""

    pause_seconds: float
    _open_until: float | None = None
    _probing: bool = False

    @property
    def is_passable(self) -> bool:
        """Whether a call may be made now."""
        return self._open_until is None or (time.monotonic() >= self._open_until and not self._probing)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Inside, the call is made: an exception opens the breaker, success closes it, cancellation says nothing.

        It may be made although the breaker is not passable; then it counts the same, but is not the probe.
        """
        probing = self._open_until is not None and self.is_passable
        self._probing = self._probing or probing
        try:
            yield
        except Exception:
            self._open_until = time.monotonic() + self.pause_seconds
            raise
        else:
            self._open_until = None
        finally:
            if probing:
                self._probing = False
