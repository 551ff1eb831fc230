"""Put a message where it is taken: on the best lane that works, within one deadline for all of them."""

import asyncio
import random
from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from shared import log
from shared.domain.errors import DependencyDown, told
from shared.domain.lane import Lane, lanes_for
from shared.services.breaker import Breaker
from shared.storage.queues import Queues

_PAUSES = (1 / 20, 1 / 8)
"""Before the second and the third try of a lane: which parts of its share of the time. With jitter, from a half up."""


class Lanes:
    """Every lane of the app. A lane that failed is tried last for `pause_seconds`, then probed by one message."""

    def __init__(self, lanes: Sequence[Lane], *, queues: Queues, pause_seconds: float) -> None:
        self.all = tuple(lanes)
        self._queues = queues
        self._breakers: defaultdict[str, Breaker] = defaultdict(lambda: Breaker(pause_seconds=pause_seconds))

    async def put(
        self, task_id: str, text: str, *, priority: str = "normal", rather: str = "", deadline_seconds: float
    ) -> Lane:
        """Put a message about a task on one lane, and give that lane. `rather` names the one to try first, if it is
        listed and not draining.

        Each lane gets an equal share of the time that is left, so that one that hangs leaves time for the next.

        Raises:
            DependencyDown: no lane acknowledged it within the deadline; each that was tried may have taken it.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + deadline_seconds
        own = [lane for lane in self.all if lane.name == rather and lane.use != "draining"]
        candidates = own + [lane for lane in lanes_for(task_id, priority, self.all) if lane not in own]
        while candidates and (left := ends - loop.time()) > 0:
            # Looked at anew each time: meanwhile another message may have found a lane broken, or be probing it.
            lane = next((each for each in candidates if self._breakers[each.name].is_passable), candidates[0])
            share = left / len(candidates)
            candidates.remove(lane)
            try:
                with self._breakers[lane.name].watching():
                    await self._ask(lane, text, share)
            except Exception as error:
                log.warning("a lane did not take a message", lane=lane.name, task=task_id, because=told(error))
            else:
                return lane
        raise DependencyDown("no lane acknowledged the message")

    async def _ask(self, lane: Lane, text: str, share: float) -> None:
        """Put it on this lane within a share of the time, in three tries, which is what a short fault needs.

        Half of the share for one try: where an answer got lost, there is time to ask again. The pauses are parts of the
        share, since those of the SDK know of no deadline.
        """
        put = partial(self._queues.put, lane.connection, lane.queue, text, try_seconds=share / 2)
        async with asyncio.timeout(share):
            for part in _PAUSES:
                try:
                    await put()
                except DependencyDown:
                    await asyncio.sleep(share * part * random.uniform(0.5, 1))  # noqa: S311 - no secret
                else:
                    return
            await put()
