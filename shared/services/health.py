"""Whether the app can use what it needs: each part asked by itself, all side by side."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shared.domain.errors import told

SLOW_SECONDS = 1
"""A part that takes longer is slow. The first answer after a start takes longer than others: a connection is opened."""

DEADLINE_SECONDS = 3
"""A part that has not answered by then is down."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """How to find out about one part: the `settings`, a `queue` with its lane, the `table`, the `blob` container.

    `ask` may raise.
    """

    part: Literal["settings", "queue", "table", "blob"]
    ask: Callable[[], Awaitable[object]]
    lane: str = ""


@dataclass(frozen=True, kw_only=True)
class PartHealth:
    """What was found out; `because` says what is wrong with a part that is down, and names no address."""

    part: str
    lane: str
    verdict: Literal["ok", "slow", "down"]
    latency_ms: float
    because: str = ""

    def to_data(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "part": self.part,
            **({"lane": self.lane} if self.lane else {}),
            "verdict": self.verdict,
            "latencyMs": self.latency_ms,
            **({"because": self.because} if self.because else {}),
        }


async def examine(probes: Sequence[Probe]) -> list[PartHealth]:
    """What each part says, in the order of the probes, within three seconds. Never raises."""
    return await asyncio.gather(*map(_examine, probes))


async def _examine(probe: Probe) -> PartHealth:
    began, because = time.monotonic(), ""
    try:
        async with asyncio.timeout(DEADLINE_SECONDS):
            await probe.ask()
    except TimeoutError:
        because = "it did not answer in time"
    except Exception as error:
        because = told(error)
    seconds = time.monotonic() - began
    return PartHealth(
        part=probe.part,
        lane=probe.lane,
        verdict="down" if because else "slow" if seconds > SLOW_SECONDS else "ok",
        latency_ms=round(seconds * 1_000, 1),
        because=because,
    )
