"""What an operator sees of dead letters: all of them, filtered, grouped, page by page."""

import pytest

from shared.domain import identity
from shared.domain.names import LETTER_TABLE, TASK_QUEUE
from tests.e2e.test_http_bodies import check_problem
from tests.support.dead_letters import PATH, bury, every_letter, letter_id, look
from tests.support.fixit_app import FixIt
from tests.support.stores import POISON

KEYS = [f"k-{number}" for number in range(7)]


@pytest.fixture(scope="module")
def full(running_fixit: FixIt) -> FixIt:
    """A product with seven tasks that were given up and three texts that are none; nobody changes them."""
    running_fixit.fresh()
    bury(running_fixit, *KEYS, owner="ann")
    for number in range(3):
        running_fixit.stores.put(f"not json {number}")
    running_fixit.idle()
    return running_fixit


def test_texts_and_reasons_stay_when_the_messages_are_long_gone(full: FixIt) -> None:  # QP-03
    letters = every_letter(full)
    for queue in (TASK_QUEUE, POISON):
        full.stores.queue(queue).clear_messages()  # as the service does with what is over a week old
    assert every_letter(full) == letters
    texts = {full.get(f"{PATH}/{letter['id']}").json["text"] for letter in letters}
    assert {"not json 0", "not json 1", "not json 2"} < texts
    assert all(letter["reason"] and letter["firstSeen"] for letter in letters)


@pytest.mark.parametrize("limit", [1, 3, 10, 100])
def test_pages_show_every_letter_once_in_the_order_of_their_ids(full: FixIt, limit: int) -> None:
    ids = [letter["id"] for letter in every_letter(full, limit=limit)]
    assert ids == sorted(letter_id(letter) for letter in full.stores.letters())
    assert len(look(full, limit=limit)["letters"]) == min(limit, 10)


def test_filters_find_what_fits_and_nothing_else(full: FixIt) -> None:
    task_id = identity.task_id("key", "k-3")
    times = sorted(letter["lastSeen"] for letter in full.stores.letters())
    for query, count in (
        ({"klass": "given_up"}, 7),
        ({"klass": "malformed_message"}, 3),
        ({"queue": TASK_QUEUE}, 10),
        ({"queue": "fixits-2"}, 0),
        ({"step": "record"}, 10),
        ({"step": "photo"}, 0),
        ({"step": "virus-scan2"}, 0),
        ({"klass": "http_500"}, 0),
        ({"task": task_id}, 1),
        ({"task": task_id.upper(), "klass": "malformed_message"}, 0),
        ({"state": "redriven"}, 0),
        ({"seenBefore": times[4]}, 4),
        ({"seenAfter": times[4]}, 6),
        ({"seenAfter": times[4], "seenBefore": times[6]}, 2),
    ):
        assert len(every_letter(full, limit=2, **query)) == count, query


def test_causes_are_counted_with_their_oldest_and_newest(full: FixIt) -> None:
    answer = look(full, group="cause")
    assert (answer["complete"], answer["cursor"]) == (True, None)
    assert [(each["class"], each["count"]) for each in answer["causes"]] == [("given_up", 7), ("malformed_message", 3)]
    times = sorted(letter["lastSeen"] for letter in full.stores.letters() if letter["class"] == "given_up")
    assert (answer["causes"][0]["oldest"], answer["causes"][0]["newest"]) == (times[0], times[-1])
    assert len(every_letter(full, cause=answer["causes"][1]["cause"])) == 3


def test_causes_beyond_the_limit_are_counted_by_the_next_call(full: FixIt) -> None:
    counts: dict[str, int] = {}
    cursor: dict[str, str] = {}
    for _ in range(30):
        answer = look(full, group="cause", limit=1, **cursor)
        (cause,) = answer["causes"]
        counts[cause["class"]] = counts.get(cause["class"], 0) + cause["count"]
        assert answer["complete"] is (answer["cursor"] is None)
        if answer["complete"]:
            break
        cursor = {"cursor": answer["cursor"]}
    assert counts == {"given_up": 7, "malformed_message": 3}


def test_page_is_one_bounded_request_and_an_outage_in_the_middle_is_a_cursor(full: FixIt) -> None:
    full.wire.clear()
    assert len(look(full, limit=4)["letters"]) == 4
    (query,) = full.wire.of(op="query", target=LETTER_TABLE)
    assert query.query["$top"] == "4"
    full.wire.fail(op="query", target=LETTER_TABLE, status=503, code="ServerBusy", times=3)
    check_problem(full.get(PATH), 503, "dependency_down")
    held = full.wire.hold(op="query", target=LETTER_TABLE)
    check_problem(full.get(PATH), 503, "dependency_down")  # FIXIT_READ_SECONDS
    held.release()
