"""What the policy knows about each kind of step: what a repeat costs, how long it may take, when it is given up."""

from dataclasses import dataclass

from shared.domain.contents import Contents
from shared.domain.delivery import Delivery
from shared.domain.envelope import CANCELLED, NOTICE, REASSIGNED, SUBMITTED
from shared.services.filters import FILTERS


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of step.

    `repeat_costs` says what a delivery costs whose work was already done. `seconds` is the deadline of one delivery: at
    most 240, below `functionTimeout`, so that a call that hangs does not hold its message for ever. `deliveries` is
    after how many failed ones the app gives up by itself (None: when the platform does). `keeps_letters`: whether a
    hopeless message leaves a dead letter, or is dropped with a log line.
    """

    name: str
    repeat_costs: str
    seconds: float = 60
    deliveries: int | None = None
    keeps_letters: bool = True


RECORD = Kind(name="record", repeat_costs="a refused create, a read, and the same pointers once more")
CANCEL = Kind(name="cancel", repeat_costs="a read")
REASSIGN = Kind(name="reassign", repeat_costs="two reads, and a pointer put and one removed once more")
NOTICE_KIND = Kind(name="notice", repeat_costs="a read; a callback perhaps once more, under the same webhook-id")
ADOPT = Kind(name="adopt", repeat_costs="a second copy of the same event", seconds=30)
REFUSE = Kind(name="refuse", repeat_costs="the same dead letter once more", seconds=30)
POISON = Kind(name="poison", repeat_costs="the same dead letter once more, and a read")

_OF_TYPE = {SUBMITTED: RECORD, CANCELLED: CANCEL, REASSIGNED: REASSIGN, NOTICE: NOTICE_KIND}
PASS_ON = Kind(name="pass on", repeat_costs="a read, and what was handed on once more")
"""A message for a filter that is gone."""

_OF_FILTER = {
    each.name: Kind(name=each.name, repeat_costs=each.repeat_costs, deliveries=each.deliveries) for each in FILTERS
}


def kind_of(contents: Contents, delivery: Delivery) -> Kind:
    """The kind of step that a delivery asks for."""
    if delivery.is_poison:
        return POISON
    if contents.hopeless:
        return REFUSE
    if contents.envelope is None:
        return ADOPT
    if step := contents.envelope.step:
        return _OF_FILTER.get(step, PASS_ON)
    return _OF_TYPE[contents.envelope.type]
