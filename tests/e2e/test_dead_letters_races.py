"""Two at one letter, or one that dies over it: the message is done once, and the letter tells the truth in the end."""

from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

import pytest

from shared.domain import identity
from shared.domain.names import INDEX_TABLE, LETTER_CONTAINER, LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from tests.support.dead_letters import bury, done, letter_id, only_letter, only_task, outcomes, redrive
from tests.support.eventually import eventually
from tests.support.fault import Which
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.fixit_client import FixItClient
from tests.support.wire import Wire

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")
REDRIVEN = [("redriven", None)]
CHANGED = [("redriven", "changed_meanwhile")]


def discard(client: FixItClient, name: str) -> list[tuple[str, str | None]]:
    return outcomes(done(client, "discard", ids=[name], reason="no use"))


def test_two_operators_at_one_letter_make_one_task_and_one_of_them_hears_of_the_other(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    name = letter_id(only_letter(fixit))
    held = fixit.wire.hold(op="merge", target=TASK_TABLE, times=2)
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(redrive, fixit, name) for _ in range(2)]
        held.wait_hit(hits=2)  # both have read letter and row, and are about to queue the task again
        held.release()
        told = [each.result() for each in both]
    fixit.idle()
    assert told in ([REDRIVEN, CHANGED], [CHANGED, REDRIVEN])
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("succeeded", 1)
    assert (only_letter(fixit)["state"], only_letter(fixit)["redrives"]) == ("redriven", 1)


def test_letter_that_is_discarded_while_it_is_redriven_stays_so_and_the_task_is_done(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    name = letter_id(only_letter(fixit))
    held = fixit.wire.hold(op="put", service="queue", target=TASK_QUEUE)
    with ThreadPoolExecutor() as pool:
        redriven = pool.submit(redrive, fixit, name)
        held.wait_hit()
        assert discard(fixit, name) == [("discarded", None)]
        held.release()
        assert redriven.result() == CHANGED
    fixit.idle()
    assert only_letter(fixit)["state"] == "discarded"
    assert only_task(fixit)["state"] == "succeeded"


def test_letter_that_is_redriven_while_it_is_discarded_stays_redriven(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    name = letter_id(only_letter(fixit))
    held = fixit.wire.hold(op="merge", target=LETTER_TABLE)
    with ThreadPoolExecutor() as pool:
        discarded = pool.submit(discard, fixit, name)
        held.wait_hit()
        assert redrive(fixit, name) == REDRIVEN
        held.release()
        assert discarded.result() == [("skipped", "changed_meanwhile")]
    fixit.idle()
    assert (only_letter(fixit)["state"], only_letter(fixit)["closedReason"]) == ("redriven", "")


def test_message_that_fails_again_before_its_letter_is_marked_leaves_it_open(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    name = letter_id(only_letter(fixit))
    held = fixit.wire.hold(op="merge", target=LETTER_TABLE)
    fixit.wire.fail(op="merge", target=TASK_TABLE, status=400, code="InvalidInput", nth=2, times=5)
    with ThreadPoolExecutor() as pool:
        redriven = pool.submit(redrive, fixit, name)
        held.wait_hit()
        eventually(lambda: only_letter(fixit)["count"] == 2, what="the second failure")
        fixit.idle()
        held.release()
        assert redriven.result() == CHANGED
    letter = only_letter(fixit)
    assert (letter["state"], letter["count"], letter["redrives"]) == ("open", 2, 1)
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("failed", 1)


PLACES: dict[str, Which] = {
    "the letter": {"op": "get", "service": "table", "target": LETTER_TABLE},
    "the text": {"op": "get", "service": "blob", "target": LETTER_CONTAINER},
    "the row": {"op": "get", "service": "table", "target": TASK_TABLE},
    "the open pointer": {"op": "insert", "target": INDEX_TABLE},
    "the row's change": {"op": "merge", "target": TASK_TABLE},
    "the put": {"op": "put", "service": "queue", "target": TASK_QUEUE},
    "the keep pointer": {"op": "replace", "target": INDEX_TABLE},
    "the letter's change": {"op": "merge", "target": LETTER_TABLE},
}
QUICK = ("before the put", "after the put", "after the letter's change")
WHEN = [f"{when} {place}" for place in PLACES for when in ("before", "after")]


@pytest.mark.parametrize(
    "when", [each if each in QUICK else pytest.param(each, marks=pytest.mark.full) for each in WHEN]
)
def test_redrive_that_is_killed_and_run_again_is_one_task_and_a_redriven_letter(fixit: FixIt, when: str) -> None:
    # QP-07
    bury(fixit, "k-1", owner="ann")
    name = letter_id(only_letter(fixit))
    moment, _, place = when.partition(" ")
    with Wire(fixit.storage) as wire, ThreadPoolExecutor() as pool:
        held = wire.hold(after=moment == "after", **PLACES[place])
        with fixit.another_host(wire, functions=INTAKE) as doomed:
            lost = pool.submit(redrive, FixItClient(doomed.url), name)
            held.wait_hit()
            doomed.kill()
            with pytest.raises((OSError, HTTPException)):
                lost.result()
        assert redrive(fixit, name) in (REDRIVEN, [("skipped", "not_open")])
        fixit.idle()
        held.release()  # what the dead one sent may arrive after all
        fixit.idle()
    assert (only_task(fixit)["state"], only_task(fixit)["redrives"]) == ("succeeded", 1)
    assert (only_letter(fixit)["state"], only_letter(fixit)["count"]) == ("redriven", 1)
    assert len(fixit.stores.letter_texts()) == 1
