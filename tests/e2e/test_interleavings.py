"""Two at one task or letter, at the place where they could harm each other, and requests made to do harm."""

import json
from datetime import UTC, datetime, timedelta

from shared.domain import identity, instants
from shared.domain.names import LETTER_CONTAINER, TASK_TABLE
from tests.support.dead_letters import bury, letter_id, look, only_letter, only_task, order, redrive
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import cancelled, submitted
from tests.support.stores import POISON

KEY = "k-1"
TASK_ID = identity.task_id(identity.KEY_CALLER, KEY)


def test_message_that_was_sent_again_in_vain_opens_its_letter_again(fixit: FixIt) -> None:
    # As where the poison trigger failed the row just after somebody else had closed the letter and put the message.
    bury(fixit, KEY)
    assert redrive(fixit, letter_id(only_letter(fixit))) == [("redriven", None)]
    fixit.idle()
    failed = {"state": "failed", "errorCode": "given_up", "errorMessage": "Again.", "errorStep": "record"}
    fixit.stores.change_task(TASK_ID, **failed)
    now = instants.to_text(datetime.now(UTC))
    fixit.stores.put(json.dumps({**json.loads(submitted(KEY)), "redrives": 1, "reopenedat": now}))
    fixit.idle()
    assert (only_task(fixit)["state"], only_letter(fixit)["state"], only_letter(fixit)["count"]) == (
        "failed",
        "open",
        2,
    )


def test_task_is_failed_although_its_text_cannot_be_kept_yet(fixit: FixIt) -> None:
    fixit.wire.fail(service="blob", op="put", target=LETTER_CONTAINER, status=403, times=None)
    fixit.stores.put(submitted(KEY), POISON)
    eventually(fixit.stores.tasks, what="the failed task")
    assert only_task(fixit)["state"] == "failed"
    assert fixit.stores.letter_texts() == {}
    fixit.wire.heal()
    fixit.idle()
    assert len(fixit.stores.letter_texts()) == 1


def test_late_command_of_a_stranger_leaves_the_task_that_came_after_it(fixit: FixIt) -> None:
    task_id = identity.task_id("queue:fixits", "t-1")
    before = instants.to_text(datetime.now(UTC) - timedelta(seconds=30))
    fixit.stores.put('{"id":"t-1","title":"bare"}')
    fixit.idle()
    command = {**json.loads(cancelled(KEY)), "subject": task_id, "time": before}
    fixit.stores.put(json.dumps(command))
    fixit.idle()
    assert only_task(fixit)["state"] == "succeeded"


def test_two_state_call_that_times_out_stops_its_own_content_alone(fixit: FixIt) -> None:
    kept = fixit.wire.fail(op="insert", target=TASK_TABLE, status=403, times=None, match=lambda r: b"first" in r.body)
    first = fixit.submit(KEY, title="first")
    fixit.wire.fail(op="insert", target=TASK_TABLE, status=403, times=None, match=lambda r: b"second" in r.body)
    body = json.dumps({"title": "second"}).encode()
    answer = fixit.request(
        "POST",
        "/api/fixits?onTimeout=cancel",
        body,
        {"Content-Type": "application/json", "Idempotency-Key": KEY, "Prefer": "wait=1"},
    )
    assert answer.status == 504, answer
    assert kept.hits
    fixit.wire.heal()
    assert fixit.settled(first["receipt"])["state"] == "succeeded"
    fixit.idle()
    assert (only_task(fixit)["title"], only_task(fixit)["state"]) == ("first", "succeeded")


def test_header_of_any_length_costs_no_time(running_fixit: FixIt) -> None:
    for name, value in (("Prefer", '"\\' * 15_000), ("Content-Type", 'application/json;"' + ";" * 30_000)):
        answer = running_fixit.request("POST", "/api/fixits", b'{"title":"t"}', {name: value}, timeout=5)
        assert answer.status in (202, 415, 431, 400), answer.status


def test_year_of_three_digits_is_a_time_long_ago(fixit: FixIt) -> None:
    bury(fixit, KEY)
    listed = fixit.get("/api/deadletters?seenBefore=0206-01-01T00:00:00Z").json["letters"]
    assert listed == []
    assert len(fixit.get("/api/deadletters?seenAfter=0999-01-01T00:00:00Z").json["letters"]) == 1
    wanted = {"filter": {}, "seenBefore": "0206-01-01T00:00:00Z"}
    answer = fixit.request(
        "POST", "/api/deadletters/redrive", json.dumps(wanted).encode(), {"Content-Type": "application/json"}
    )
    assert (answer.status, answer.json["letters"]) == (200, [])


def test_half_a_character_among_the_ids_is_refused_before_anything_is_done(fixit: FixIt) -> None:
    bury(fixit, KEY)
    wanted = {"ids": [letter_id(only_letter(fixit)), "\ud800"], "reason": "r"}
    body = json.dumps(wanted).encode()
    answer = fixit.request("POST", "/api/deadletters/discard", body, {"Content-Type": "application/json"})
    assert (answer.status, answer.json["code"]) == (400, "invalid_parameter")
    assert only_letter(fixit)["state"] == "open"


def test_cause_of_any_text_can_be_asked_for(fixit: FixIt) -> None:
    fixit.stores.put('{"title":"t","\\u0001\\u2028":1}')
    fixit.idle()
    (cause,) = fixit.get("/api/deadletters?group=cause").json["causes"]
    assert len(look(fixit, cause=cause["cause"])["letters"]) == cause["count"] == 1


def test_discard_without_a_word_is_refused(fixit: FixIt) -> None:
    bury(fixit, KEY)
    assert order(fixit, "discard", filter={}, reason="  ").status == 400
    assert only_letter(fixit)["state"] == "open"
