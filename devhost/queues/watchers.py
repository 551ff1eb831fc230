"""Lets a write to a queue wake the listener on it, within this process only."""

import asyncio
from collections import defaultdict


class QueueWatchers:
    """Keyed by queue name, not account, as in the real host (SharedQueueWatcher)."""

    def __init__(self) -> None:
        self._watching: defaultdict[str, list[asyncio.Event]] = defaultdict(list)

    def watch(self, queue: str) -> asyncio.Event:
        """An event that each later notification of this queue sets."""
        event = asyncio.Event()
        self._watching[queue].append(event)
        return event

    def notify(self, queue: str) -> None:
        """A message was written to this queue."""
        for event in self._watching.get(queue, ()):
            event.set()
