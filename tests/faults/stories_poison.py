"""What the platform gave up."""

from shared.domain.names import TASK_QUEUE
from tests.faults.stories_record import is_buried
from tests.faults.story import (
    DROP_NOTE,
    EVENT,
    EVENT_ID,
    GARBAGE,
    LETTER,
    POINTERS,
    READ_LETTER,
    READ_ROW,
    ROW,
    Story,
    has_letter,
    has_row,
    message,
)
from tests.support.fixit_app import FixIt
from tests.support.stores import POISON


def _note_an_error(fixit: FixIt) -> None:
    note = {"error": "KeyError", "message": "the first error", "dequeueCount": 5}
    fixit.stores.put_note(TASK_QUEUE, EVENT_ID, **note)


def _is_given_up(fixit: FixIt) -> None:
    has_row(fixit, "failed")
    has_letter(fixit, EVENT, "given_up")
    (letter,) = fixit.stores.letters()
    assert (letter["reason"], letter["dequeueCount"]) == ("KeyError: the first error", 5)


STORIES: dict[str, Story] = {
    "poison": Story(
        before=_note_an_error,
        act=message(EVENT, POISON),
        requests={
            "read": READ_ROW,
            "read note": READ_LETTER,
            **LETTER,
            "row": ROW,
            **POINTERS,
            "drop note": DROP_NOTE,
        },
        check=_is_given_up,
    ),
    "poison garbage": Story(
        act=message(GARBAGE, POISON), requests={"read note": READ_LETTER, **LETTER}, check=is_buried
    ),
}
