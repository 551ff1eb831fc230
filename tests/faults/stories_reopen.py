"""Dead letters are redriven or discarded and failed tasks tried again, by somebody who repeats until it is done."""

import json
from typing import Any

from shared.domain.names import LETTER_CONTAINER, LETTER_TABLE, TASK_QUEUE
from tests.faults.careful import ask
from tests.faults.story import (
    EVENT,
    GARBAGE,
    KEY,
    LETTER,
    OPEN_POINTER,
    POINTERS,
    PUT,
    READ_LETTER,
    READ_ROW,
    ROW,
    STAMP,
    STAMP_LETTER,
    TASK_ID,
    Act,
    Story,
    first,
    has_row,
    pointer,
    then,
    unheard,
)
from tests.support.dead_letters import PATH, letter_id, only_letter, only_task
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted
from tests.support.stores import POISON

REFUSED = submitted(KEY, callbackUrl="https://127.0.0.1/")


def _put(text: str, queue: str) -> Act:
    def act(fixit: FixIt) -> None:
        fixit.stores.put(text, queue)
        fixit.idle()

    return act


def order(action: str, *, by_id: bool = True, **more: Any) -> Act:
    """A careful operator gives an order for the only letter until it is done."""

    def act(fixit: FixIt) -> None:
        chosen: dict[str, Any] = {"ids": [letter_id(only_letter(fixit))]} if by_id else {"filter": {}}
        body = json.dumps({**chosen, **more}).encode()

        def is_done() -> bool:
            answer = ask(fixit, "POST", f"{PATH}/{action}", body)
            assert answer.status == 200, answer
            return bool(answer.json["counts"]["failed"] == 0)

        with unheard(fixit):
            eventually(is_done, what=f"the end of a {action}")

    return act


def retry(fixit: FixIt) -> None:
    """A careful submitter asks until he knows that his task is tried again."""
    with unheard(fixit):
        answer = ask(fixit, "POST", f"/api/fixits/{TASK_ID}/retry")
        assert (answer.status, answer.json["state"]) == (202, "queued")


def _is_done(fixit: FixIt) -> None:
    has_row(fixit, "succeeded")
    assert only_task(fixit)["redrives"] == 1
    assert _standing(fixit) == ("redriven", 1, 1)


def _is_refused_again(fixit: FixIt) -> None:
    row = only_task(fixit)
    assert (row["state"], row["errorCode"], row["redrives"]) == ("failed", "invalid_task", 1)
    assert _standing(fixit) == ("open", 2, 1)


def _is_garbage_again(fixit: FixIt) -> None:
    assert fixit.stores.tasks() == []
    state, count, redrives = _standing(fixit)
    # A text without a counter: where a put landed unanswered, it is met twice.
    assert (state, count >= 2, redrives) == ("open", True, 0)
    assert list(fixit.stores.letter_texts().values()) == [GARBAGE.encode()]


def _is_discarded(fixit: FixIt) -> None:
    has_row(fixit, "failed")
    assert _standing(fixit) == ("discarded", 1, 0)


def _standing(fixit: FixIt) -> tuple[str, int, int]:
    letter = only_letter(fixit)
    return letter["state"], letter["count"], letter["redrives"]


_LETTER = {"letter": first(**READ_LETTER)}
_TEXT = {"text": first(op="get", service="blob", target=LETTER_CONTAINER)}
_REOPEN = {"row": first(**READ_ROW), "open pointer": OPEN_POINTER, "queue again": first(**STAMP)}
_CLOSE = {"keep pointer": pointer("keep:"), "close": first(**STAMP_LETTER)}
_RECORD = {"create": ROW, "read": then(**READ_ROW), "stamp": then(**STAMP)}
_OPEN_AGAIN = {
    "create letter": LETTER["letter"],
    "read letter": then(**READ_LETTER),
    "open letter": then(**STAMP_LETTER),
    "keep text": LETTER["text"],
}

STORIES: dict[str, Story] = {
    "redrive": Story(
        before=_put(EVENT, POISON),
        act=order("redrive"),
        requests={**_LETTER, **_TEXT, **_REOPEN, "put": PUT, **_CLOSE, **_RECORD, **POINTERS},
        check=_is_done,
    ),
    "redrive and fail again": Story(
        before=_put(REFUSED, TASK_QUEUE),
        act=order("redrive"),
        requests={
            **_LETTER,
            **_TEXT,
            **_REOPEN,
            "put": PUT,
            **_CLOSE,
            **_RECORD,
            "pointer": pointer("all:"),
            **_OPEN_AGAIN,
        },
        check=_is_refused_again,
    ),
    "redrive what fits": Story(
        before=_put(GARBAGE, TASK_QUEUE),
        act=order("redrive", by_id=False),
        requests={"list": first(op="query", target=LETTER_TABLE), **_TEXT, "put": PUT, **_CLOSE, **_OPEN_AGAIN},
        check=_is_garbage_again,
    ),
    "retry": Story(
        before=_put(EVENT, POISON),
        act=retry,
        requests={
            "row": first(**READ_ROW),
            **_LETTER,
            **_TEXT,
            "open pointer": _REOPEN["open pointer"],
            "queue again": _REOPEN["queue again"],
            "put": PUT,
            **_CLOSE,
            **_RECORD,
            **POINTERS,
        },
        check=_is_done,
    ),
    "discard": Story(
        before=_put(EVENT, POISON),
        act=order("discard", reason="no use"),
        requests={**_LETTER, **_CLOSE},
        check=_is_discarded,
    ),
}
