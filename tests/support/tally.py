"""What the tests of this process did so far to what they test, counted."""

import threading
from collections import Counter

_counts: Counter[str] = Counter()
_lock = threading.Lock()


def count(what: str, times: int = 1) -> None:
    """It happened (again)."""
    with _lock:
        _counts[what] += times


def counted() -> Counter[str]:
    """How often each thing happened."""
    with _lock:
        return _counts.copy()
