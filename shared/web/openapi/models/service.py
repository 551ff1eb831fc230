"""The shapes of what the app tells of itself: its health, and what waits."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from shared.domain.lane import Use
from shared.web.openapi.models.common import Count, Instant, Shape


class Healthy(Shape):
    status: Literal["ok"]
    version: str


class PartHealth(Shape):
    """The settings, or one part of storage: slow takes over 1 s, down does not answer within 3 s, or refuses. Settings
    are down where one is missing or wrong."""

    part: Literal["settings", "queue", "table", "blob"]
    verdict: Literal["ok", "slow", "down"]
    latency_ms: Annotated[float, Meta(ge=0)]
    lane: Annotated[str, Meta(description="Of a queue: which one")] | UnsetType = UNSET
    because: Annotated[str, Meta(description="What is wrong with a part that is down")] | UnsetType = UNSET


class HealthDetails(Shape):
    """How the settings and each part of storage are; `status` is the worst verdict."""

    status: Literal["ok", "slow", "down"]
    version: str
    parts: list[PartHealth]


class QueueState(Shape):
    """What waits on one lane, or on a queue behind them (`step`). What could not be read is null; `unreadable` says
    why."""

    lane: str
    use: Use | Literal["step"]
    queue: str
    count: Annotated[Count, Meta(description="About how many messages, hidden ones too")] | None
    visible: (
        Annotated[
            Literal["some", "none"],
            Meta(description="`none`: all there are wait for their time or are being worked on"),
        ]
        | None
    )
    oldest_visible_seconds: (
        Annotated[float, Meta(ge=0, description="Since when the oldest of the first 32 has been under way")] | None
    )
    poison: Annotated[Count, Meta(description="About how many the platform gave up")] | None
    unreadable: str | UnsetType = UNSET


class OpenLetters(Shape):
    """The open dead letters, counted up to 1,000; null where that could not be read."""

    open: Count | None
    more: bool
    unreadable: str | UnsetType = UNSET


class Stats(Shape):
    """What waits."""

    at: Instant
    lanes: list[QueueState]
    steps: list[QueueState]
    dead_letters: OpenLetters
