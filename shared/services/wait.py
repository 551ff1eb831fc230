"""When a wait for a task is over: there is news of it."""

from collections.abc import Callable

from shared.domain.errors import DependencyDown
from shared.domain.record import Record
from shared.services.status import Reading, Status


def is_news[Seen: (Status, Record)](
    see: Callable[[Reading], Seen | None], is_known: Callable[[Seen], bool] | None = None
) -> Callable[[Reading], bool]:
    """What says of each reading that follows, in their order, whether a client who waits should be told.

    They should, of what they see in it (`see`), once the task is settled; or is not what they know (`is_known`); or,
    where they say nothing of that, is in another state than at first. While it cannot be read there is no news.
    """
    states: list[str] = []

    def judge(reading: Reading) -> bool:
        if reading.error:
            return not isinstance(reading.error, DependencyDown)  # which would not get better
        seen = see(reading)
        if seen and seen.is_settled:
            return True
        if seen and is_known:
            return not is_known(seen)
        states.append(seen.state if seen else "")
        return states[-1] != states[0]

    return judge
