"""Reading what an operator asks about dead letters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import azure.functions as func

from shared.domain.letter import LetterState
from shared.domain.letter_filter import LetterFilter
from shared.domain.principal import Principal
from shared.domain.text_rules import QUEUE_NAME, has_something_to_read
from shared.services.order import Order
from shared.web.parameters import CURSOR_MAX, Parameters

IDS_MAX = 100
BY_MAX = 80
REASON_MAX = 200
CAUSE_MAX = 2_000
RATE_MIN, RATE_MAX = 0.1, 1_000
CODE = "^[a-z][a-z0-9_-]{0,79}$"
"""A class, or a step: each filter brings names of its own."""

_CODE_RULE = "must be a code: lower-case letters, digits, dashes and underscores"

ADMIN = "admin key"
"""Who did it, where the operator does not say."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What is to be shown. `by_cause`: groups, and not letters."""

    wanted: LetterFilter
    by_cause: bool
    limit: int
    cursor: str


def read_look(request: func.HttpRequest) -> Look:
    """The query of a list; InvalidRequest names all that is wrong."""
    given = Parameters.of_query(request)
    look = Look(
        wanted=_filter(given),
        by_cause=given.choice("group", ("cause", "none"), "none") == "cause",
        limit=given.whole("limit", low=1, high=100, default=50),
        cursor=given.line("cursor", most=CURSOR_MAX),
    )
    given.check()
    return look


def read_order(body: Mapping[str, Any], action: Literal["redrive", "discard"], who: Principal) -> tuple[Order, str]:
    """The order and the cursor in a body; InvalidRequest names all that is wrong.

    Where people sign in, that is who did it.
    """
    given = Parameters(body)
    by = given.line("by", most=BY_MAX)
    if who.person and by not in ("", who.person):
        given.wrong("by", f"must be who is signed in, {who.person}, or not be there")
    chosen = given.object("filter")
    wanted = None if chosen is None else _read_filter(chosen)
    order = Order(
        action=action,
        ids=given.texts("ids", most=IDS_MAX),
        wanted=wanted,
        seen_before=given.instant("seenBefore"),
        per_second=given.number("maxPerSecond", low=RATE_MIN, high=RATE_MAX),
        is_dry=given.flag("dryRun"),
        by=who.person or by or ADMIN,
        reason=given.line("reason", most=REASON_MAX) if action == "discard" else "",
    )
    cursor = given.line("cursor", most=CURSOR_MAX)
    if given.has("ids") == given.has("filter"):
        given.wrong("ids", f"must be there with 1 to {IDS_MAX} ids, or else a filter; not both")
    if wanted and wanted.state not in (("open", "discarded") if action == "redrive" else ("open",)):
        given.wrong("filter", f"must be for letters in a state in which a {action} can take them")
    if action == "discard" and not has_something_to_read(order.reason):
        given.wrong("reason", f"is needed: 1 to {REASON_MAX} characters that say why")
    given.check()
    return order, cursor


def _read_filter(chosen: Mapping[str, Any]) -> LetterFilter:
    given = Parameters(chosen)
    wanted = _filter(given)
    given.check()
    return wanted


def _filter(given: Parameters) -> LetterFilter:
    return LetterFilter(
        state=given.choice("state", get_args(LetterState), "open"),
        queue=given.text("queue", QUEUE_NAME, "must be the name of a queue"),
        code=given.text("class", CODE, _CODE_RULE),
        step=given.text("step", CODE, _CODE_RULE),
        cause=given.line("cause", most=CAUSE_MAX),
        task_id=given.uuid("task"),
        seen_before=given.instant("seenBefore"),
        seen_after=given.instant("seenAfter"),
    )
