"""What came of one attempt at a callback, and what follows from it."""

from dataclasses import dataclass
from typing import Literal

from shared.domain.errors import TryLater, Undeliverable

Problem = Literal["not_allowed", "not_public", "dns", "refused", "tls", "timeout", "cut", "malformed"]
"""Why there was no whole answer: the URL is not one for callbacks (any more); its name resolves to an address that is
not public, or to none; no connection; no secure one; not done in time; the connection ended before the answer did;
what came was no HTTP."""

_REASONS: dict[Problem, str] = {
    "dns": "its host's name has no address",
    "refused": "no connection could be made",
    "tls": "no secure connection could be made; its certificate must be valid for the host",
    "timeout": "the whole answer did not come in time",
    "cut": "the connection ended before the answer did",
    "malformed": "what came was no HTTP answer",
}

_ADDRESS_REASONS: dict[Problem, str] = {
    "not_allowed": "callbackUrl is not one that callbacks may go to",
    "not_public": "its host's name resolves to an address that is not public",
}

_LATER = frozenset({408, 425, 429})


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`status` or `problem` says what came; `after` is what Retry-After asked for, in seconds."""

    milliseconds: int
    status: int | None = None
    problem: Problem | None = None
    after: float | None = None

    @property
    def outcome(self) -> str:
        """The status, or else the word of the problem."""
        return self.problem or str(self.status)


def check_delivered(answer: Answer) -> None:
    """Return if the receiver took the callback: 2xx alone says so.

    Raises:
        TryLater: it was not delivered and may be later: 408, 425, 429, 5xx, or no whole answer.
        Undeliverable: it never can be. After `callback_gone` nor can any other to the same URL.
    """
    if answer.problem in _ADDRESS_REASONS:
        raise Undeliverable(_ADDRESS_REASONS[answer.problem], code="callback_address")
    if answer.problem:
        raise TryLater(_REASONS[answer.problem])
    status = answer.status or 0
    if 200 <= status <= 299:
        return
    if status in _LATER or 500 <= status <= 599:
        raise TryLater(f"the receiver answered {status}", after=answer.after)
    if status == 410:
        raise Undeliverable("the receiver answered 410: it is gone", code="callback_gone", is_target_bad=True)
    hint = "; redirects are not followed" if 300 <= status <= 399 else ""
    raise Undeliverable(f"the receiver answered {status}{hint}", code="callback_refused")
