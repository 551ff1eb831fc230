"""The ways in which a request to storage can go wrong."""

from dataclasses import dataclass
from typing import Unpack

from tests.support.fault import Damage, Fault, Kind
from tests.support.wire import Wire


@dataclass(frozen=True, kw_only=True)
class Break:
    """What is done to a request, and to how many of its tries."""

    damage: Damage
    times: int = 1

    def on(self, wire: Wire, **kind: Unpack[Kind]) -> Fault:
        """Break the next request of a kind like this."""
        return wire.damage(self.damage, **kind, times=self.times)


def _answer(status: int, code: str = "InternalError", *, times: int = 1, after: bool = False) -> Break:
    return Break(damage=Damage(status=status, code=code, after=after), times=times)


def _cut(*, times: int = 1, after: bool = False) -> Break:
    return Break(damage=Damage(cut=True, after=after), times=times)


# The SDK tries three times: with three failures the app hears of it, with one it does not.
BREAKS: dict[str, Break] = {
    "500 before": _answer(500, times=3),
    "500 after": _answer(500, after=True, times=3),
    "500 after, once": _answer(500, after=True),
    "cut before": _cut(times=3),
    "cut after": _cut(after=True, times=3),
    "cut after, once": _cut(after=True),
    "503": _answer(503, "ServerBusy", times=3),
    "429": _answer(429, "TooManyRequests", times=3),
    "408": _answer(408, "OperationTimedOut", times=3),
    "403": _answer(403, "AuthorizationFailure"),
    "401": _answer(401, "InvalidAuthenticationInfo"),
    "404": _answer(404, "{kind}NotFound"),
    "404 twice": _answer(404, "{kind}NotFound", times=2),
    "being deleted": _answer(409, "{kind}BeingDeleted"),
    "twice": Break(damage=Damage(twice="second")),
    "twice, first answer": Break(damage=Damage(twice="first")),
}
"""Each is over as soon as it is answered."""

SILENCES: dict[str, Break] = {
    "never done": Break(damage=Damage(silent=True)),
    "done": Break(damage=Damage(silent=True, after=True)),
    "done late": Break(damage=Damage(silent=True, late=True)),
}
"""No answer comes, and the client's own time limit ends it: for a product whose limits are short."""
