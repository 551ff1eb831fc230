"""What an operator sees of one dead letter; and looking changes nothing."""

from typing import Any

import pytest

from shared.domain.names import LETTER_CONTAINER, TASK_QUEUE, TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.dead_letters import PATH, bury, every_letter, fail_next_task, letter_id, look, only_letter
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.stores import POISON


def everything(fixit: FixIt) -> list[Any]:
    stores = fixit.stores
    return [stores.tasks(), stores.letters(), stores.notes(), stores.letter_texts(), stores.pointers("")]


def test_letter_is_shown_with_its_text_and_where_its_task_stands(fixit: FixIt) -> None:
    fail_next_task(fixit)
    accepted = fixit.submit(key="k-1", owner="ann")
    fixit.settled(accepted["receipt"])
    fixit.idle()
    row = only_letter(fixit)
    (listed,) = look(fixit)["letters"]
    assert listed == {
        "id": letter_id(row),
        "queue": TASK_QUEUE,
        "lane": f"FixItStorage/{TASK_QUEUE}",
        "class": "given_up",
        "reason": row["reason"],
        "step": "record",
        "taskId": accepted["id"],
        "dequeueCount": 5,
        "deferrals": 0,
        "redrives": 0,
        "firstSeen": row["firstSeen"],
        "lastSeen": row["lastSeen"],
        "count": 1,
        "state": "open",
        "closed": None,
    }
    shown = fixit.get(f"{PATH}/{listed['id']}").json
    (text,) = fixit.stores.letter_texts().values()
    assert {**listed, "text": text.decode(), "textBase64": None, "task": shown["task"]} == shown
    assert (shown["task"]["state"], shown["task"]["error"]["code"]) == ("failed", "given_up")
    assert fixit.get(shown["task"]["path"]).json["owner"] == "ann"


def test_looking_changes_nothing() -> None:  # QP-09
    with FixIt(functions=(*INTAKE, "record")) as viewer:  # which takes no poison message
        for number in range(7):
            viewer.stores.put(f"not json {number}")
        viewer.idle()
        for number in range(40):
            viewer.stores.put(f"poison {number}", POISON)
        poison = viewer.stores.queue(POISON)
        before, messages = everything(viewer), poison.peek_messages(32)
        viewer.wire.clear()
        letters = every_letter(viewer, limit=3)
        assert len(letters) == 7
        assert look(viewer, group="cause")["complete"] is True
        assert {viewer.get(f"{PATH}/{letter['id']}").status for letter in letters} == {200}
        asked = {(each.service, each.op) for each in viewer.wire.requests if each.target != TASK_QUEUE}
        assert asked == {("table", "query"), ("table", "get"), ("blob", "get")}
        assert everything(viewer) == before
        assert [each.dequeue_count for each in poison.peek_messages(32)] == [each.dequeue_count for each in messages]
        assert viewer.stores.waiting(POISON) == 40


def test_causes_that_differ_in_ids_and_times_alone_are_one(fixit: FixIt) -> None:
    for number in range(3):
        fail_next_task(fixit)
        fixit.settled(fixit.submit(key=f"k-{number}")["receipt"])
        fixit.idle()
    (cause,) = look(fixit, group="cause")["causes"]
    assert (cause["count"], "InvalidInput" in cause["cause"]) == (3, True)


def test_letter_whose_text_or_task_is_not_there_is_shown_all_the_same(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    (letter,) = look(fixit)["letters"]
    fixit.stores.remove_text(letter["id"].replace("~", "/"))
    fixit.stores.change_task(letter["taskId"], steps="?")
    shown = fixit.get(f"{PATH}/{letter['id']}").json
    assert (shown["text"], shown["textBase64"], shown["task"]) == (None, None, None)
    fixit.stores.keep_text(letter["id"].replace("~", "/"), b"\xff\x00")
    fixit.stores.remove_row(TASK_TABLE, letter["taskId"][:2], letter["taskId"])
    shown = fixit.get(f"{PATH}/{letter['id']}").json
    assert (shown["text"], shown["textBase64"], shown["task"]) == (None, "/wA=", None)


@pytest.mark.parametrize(
    "name", ["fixits~x", "fixits", "~", "redrive", "fixits~" + "0" * 64, "note:fixits~" + "0" * 64]
)
def test_letter_that_is_not_there_is_a_404_problem(running_fixit: FixIt, name: str) -> None:
    check_problem(running_fixit.get(f"{PATH}/{name}"), 404, "unknown_letter")


def test_look_at_a_text_while_blobs_are_down_is_a_503(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    fixit.wire.fail(op="get", service="blob", target=LETTER_CONTAINER, status=403, code="AuthorizationFailure")
    check_problem(fixit.get(f"{PATH}/{letter_id(only_letter(fixit))}"), 503, "dependency_down")
