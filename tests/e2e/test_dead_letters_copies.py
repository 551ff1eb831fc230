"""Copies of a message that was redriven: from before, they change nothing; later ones open its letter again."""

import json

from shared.domain import identity
from tests.support.dead_letters import change_letter, letter_id, only_letter, only_task, redrive
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import cancelled, submitted
from tests.support.stores import POISON

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")
REDRIVEN = [("redriven", None)]
REFUSED = submitted("k-1", replyTo="nobodys-queue")


def counted(text: str, redrives: int) -> str:
    return json.dumps({**json.loads(text), "redrives": redrives})


def test_copies_from_before_a_redrive_change_nothing_and_later_ones_open_the_letter(fixit: FixIt) -> None:
    fixit.stores.put(cancelled("k-1"), POISON)
    fixit.idle()
    assert redrive(fixit, letter_id(only_letter(fixit))) == REDRIVEN
    fixit.idle()
    closed = only_letter(fixit)
    assert (closed["state"], closed["redrives"]) == ("redriven", 1)
    fixit.stores.put(cancelled("k-1"), POISON)
    fixit.idle()
    assert only_letter(fixit) == closed
    fixit.stores.put(counted(cancelled("k-1"), 1), POISON)
    fixit.idle()
    opened = only_letter(fixit)
    assert (opened["state"], opened["count"], opened["redrives"]) == ("open", 2, 1)


def test_old_copy_neither_fails_a_task_that_was_reopened_nor_opens_its_letter(fixit: FixIt) -> None:
    fixit.stores.put(REFUSED)
    fixit.idle()
    letter = only_letter(fixit)
    fixit.stores.change_task(TASK_ID, state="queued", errorCode="", errorMessage="", redrives=1)
    change_letter(fixit, letter, state="redriven", redrives=1)
    reopened, closed = only_task(fixit), only_letter(fixit)
    fixit.stores.put(REFUSED)
    fixit.stores.put(REFUSED, POISON)
    fixit.idle()
    assert (only_task(fixit), only_letter(fixit)) == (reopened, closed)
    fixit.stores.put(counted(REFUSED, 1))
    fixit.idle()
    assert (only_task(fixit)["state"], only_letter(fixit)["state"]) == ("failed", "open")
