"""A lane: one queue of tasks in one account. Several of them give sharding, priority and failover."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from shared.domain.errors import SettingsError
from shared.domain.names import CONNECTION, POISON_SUFFIX, TASK_QUEUE
from shared.domain.text_rules import QUEUE_NAME, matches

Use = Literal["primary", "standby", "draining", "low", "normal", "high"]
"""`standby` takes a task when every other lane refused it; `draining` takes none, but what waits there is still done;
a priority takes its tasks before the primary lanes do."""

LANES_MAX = 16
_CONNECTION = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,56}")
"""Not longer, since the name of a function that holds it has at most 128 characters."""
_QUEUE_MAX = 63 - len(POISON_SUFFIX)
"""The poison queue's name must be one too."""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """`connection` is the name of the settings that say where the account is."""

    connection: str = CONNECTION
    queue: str = TASK_QUEUE
    use: Use = "primary"

    @property
    def name(self) -> str:
        """`connection/queue`, as the setting and dead letters write it."""
        return f"{self.connection}/{self.queue}"

    @property
    def function(self) -> str:
        """The name of the function that its trigger starts; that of its poison queue ends in `_poison`."""
        own = "" if (self.connection, self.queue) == (CONNECTION, TASK_QUEUE) else f"_{self.connection}_{self.queue}"
        return f"record{own}"


def parse_lanes(text: str) -> tuple[Lane, ...]:
    """The lanes that `FIXIT_LANES` lists: `connection/queue` or `connection/queue:use`, separated by commas.

    Nothing listed means the one lane FixItStorage/fixits.

    Raises:
        SettingsError: an entry breaks a rule, two name the same queue, or none takes tasks of every priority.
    """
    entries = [part.strip() for part in text.split(",") if part.strip()]
    lanes = tuple(_parse(number, entry) for number, entry in enumerate(entries, 1)) or (Lane(),)
    if len({lane.name.lower() for lane in lanes}) < len(lanes):  # names of settings are the same in any case
        raise SettingsError("FIXIT_LANES names a lane twice")
    functions = [name.lower() for lane in lanes for name in (lane.function, f"{lane.function}_poison")]
    if len(set(functions)) < len(functions):
        raise SettingsError("FIXIT_LANES names two lanes whose functions would have one name")
    if len(lanes) > LANES_MAX:
        raise SettingsError(f"FIXIT_LANES must hold at most {LANES_MAX} lanes")
    if not any(lane.use in ("primary", "standby") for lane in lanes):
        raise SettingsError("FIXIT_LANES must hold a primary or a standby lane, or some tasks could go nowhere")
    return lanes


def _parse(number: int, entry: str) -> Lane:
    place, _, use = entry.partition(":")
    connection, _, queue = place.strip().partition("/")
    use = use.strip() or "primary"
    if not _CONNECTION.fullmatch(connection) or use not in get_args(Use):
        uses = ", ".join(get_args(Use))
        raise SettingsError(
            f"FIXIT_LANES, entry {number}: must be connection/queue or connection/queue:use, with a use of {uses}; "
            "a connection is the name of a setting: a letter, then at most 56 letters, digits and underscores"
        )
    if not matches(QUEUE_NAME, queue) or len(queue) > _QUEUE_MAX or queue.endswith(POISON_SUFFIX):
        raise SettingsError(
            f"FIXIT_LANES, entry {number}: a queue has 3 to {_QUEUE_MAX} lower-case letters, digits and single dashes, "
            f"and no name that ends in {POISON_SUFFIX}"
        )
    return Lane(connection=connection, queue=queue, use=cast(Use, use))


def lanes_for(task_id: str, priority: str, lanes: Sequence[Lane]) -> list[Lane]:
    """The lanes that may take a task, the best first: those of its priority, the primary ones, the standby ones.

    Among equals a hash of lane and id decides, so that tasks spread evenly, a repeat goes the same way, a lost lane's
    tasks spread over all others, and a further lane draws from each of them alike. Standby lanes keep their order.
    """

    def draw(lane: Lane) -> bytes:
        return hashlib.sha256(f"{lane.name}\n{task_id}".encode()).digest()

    def of(use: str) -> list[Lane]:
        return [lane for lane in lanes if lane.use == use]

    return [*sorted(of(priority), key=draw), *sorted(of("primary"), key=draw), *of("standby")]
