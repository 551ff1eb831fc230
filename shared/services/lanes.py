"""Put a message where it is taken: on the best lane that works, within one deadline for all of them."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from shared import log
from shared.domain.errors import DependencyDown, told
from shared.domain.lane import Lane, lanes_for
from shared.services.breaker import Breaker
from shared.storage.queues import Queues


class Lanes:
    """Every lane of the app. A lane that failed is tried last for `pause_seconds`, then probed by one message."""

    def __init__(self, lanes: Sequence[Lane], *, queues: Queues, pause_seconds: float) -> None:
        self.all = tuple(lanes)
        self._queues = queues
        self._breakers: defaultdict[str, Breaker] = defaultdict(lambda: Breaker(pause_seconds=pause_seconds))

    async def put(self, task_id: str, text: str, *, priority: str = "normal", deadline_seconds: float) -> Lane:
        """Put a message about a task on one lane, and give that lane.

        Each lane gets an equal share of the time that is left, so that one that hangs leaves time for the next.

        Raises:
            DependencyDown: no lane acknowledged it within the deadline; each that was tried may have taken it.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + deadline_seconds
        candidates = lanes_for(task_id, priority, self.all)
        candidates.sort(key=lambda lane: not self._breakers[lane.name].is_passable)
        for number, lane in enumerate(candidates):
            share = max(0, ends - loop.time()) / (len(candidates) - number)
            try:
                with self._breakers[lane.name].watching():
                    async with asyncio.timeout(share):
                        # Half of it for one try: an answer that got lost leaves time to ask again.
                        await self._queues.put(lane.connection, lane.queue, text, try_seconds=share / 2)
            except Exception as error:
                log.warning("a lane did not take a message", lane=lane.name, task=task_id, because=told(error))
            else:
                return lane
        raise DependencyDown("no lane acknowledged the message")
