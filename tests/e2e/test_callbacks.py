"""Callbacks: signed, at least once under one id, by their own schedule, and never where they may not go."""

import json
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from shared.domain.names import NOTICE_QUEUE, NOTICE_TABLE
from tests.support.dead_letters import order
from tests.support.eventually import eventually
from tests.support.fixit_client import JSON
from tests.support.raw_messages import submitted
from tests.support.receiver import drip_body, hang, redirect, reply
from tests.support.telling import ANSWERS, KEYS, Telling, data_of

BROKEN: dict[str, Any] = {"status": 403, "code": "AuthorizationFailure", "times": None}


def submit(told: Telling, path: str = "/hook", **fields: Any) -> str:
    """A task that asks for callbacks; its id."""
    task_id: str = told.fixit.submit(callbackUrl=told.receiver.url(path), **fields)["id"]
    return task_id


def ended(told: Telling, task_id: str) -> dict[str, Any]:
    """The only callback of a task, once no more is tried."""
    told.fixit.idle()
    (notice,) = told.notices(task_id, channel="callback")
    return notice


def test_callback_verifies_with_each_key_over_the_very_bytes(told: Telling) -> None:  # WD-07
    task_id = submit(told, title="Café 🔧", correlationId="c-1")
    (request,) = told.wait_callbacks(task_id, 1)
    assert request.headers["content-type"] == "application/json"
    for key in KEYS:
        event = Webhook(key).verify(request.body, request.headers)
        assert event["type"] == "fixit.task.succeeded"
        assert event["data"]["title"] == "Café 🔧"
        assert event["data"]["correlationId"] == "c-1"


def test_every_state_is_told_once_under_an_id_of_its_own(told: Telling) -> None:
    task_id = submit(told)
    told.wait_callbacks(task_id, 1)
    assert told.fixit.request("DELETE", f"/api/fixits/{task_id}").status == 200
    requests = told.wait_callbacks(task_id, 2)
    told.fixit.idle()
    assert [data_of(each)["type"] for each in requests] == ["fixit.task.succeeded", "fixit.task.cancelled"]
    assert len({each.headers["webhook-id"] for each in requests}) == 2
    assert len(told.callbacks(task_id)) == 2


def test_failed_task_says_why_and_its_retry_is_told(told: Telling) -> None:
    fields = {"title": "t", "replyTo": "elsewhere", "callbackUrl": told.receiver.url()}
    told.fixit.stores.put(submitted("k-9", **fields))  # past HTTP, which would refuse the queue
    told.fixit.idle()
    (row,) = told.fixit.stores.tasks()
    (request,) = told.wait_callbacks(row["RowKey"], 1)
    assert data_of(request)["type"] == "fixit.task.failed"
    assert data_of(request)["data"]["error"]["code"] == "invalid_task"
    assert told.fixit.request("POST", f"/api/fixits/{row['RowKey']}/retry").status == 202
    types = [data_of(each)["type"] for each in told.wait_callbacks(row["RowKey"], 3)[1:]]
    assert sorted(types) == ["fixit.task.failed", "fixit.task.queued"]
    told.fixit.idle()


def test_retry_that_could_not_be_told_is_told_when_it_is_asked_for_again(told: Telling) -> None:
    fields = {"title": "t", "replyTo": "elsewhere", "callbackUrl": told.receiver.url()}
    told.fixit.stores.put(submitted("k-9", **fields))
    told.fixit.idle()
    (row,) = told.fixit.stores.tasks()
    told.fixit.wire.fail(op="put", service="queue", target=NOTICE_QUEUE, **BROKEN)
    assert told.fixit.request("POST", f"/api/fixits/{row['RowKey']}/retry").status == 503
    told.fixit.wire.heal()
    told.fixit.idle()
    assert told.fixit.request("POST", f"/api/fixits/{row['RowKey']}/retry").status == 202
    types = [data_of(each)["type"] for each in told.wait_callbacks(row["RowKey"], 3)]
    assert sorted(types) == ["fixit.task.failed", "fixit.task.failed", "fixit.task.queued"]
    told.fixit.idle()


def test_receiver_that_is_down_six_times_is_called_seven(told: Telling) -> None:  # WD-09
    told.receiver.behave(*[reply(503)] * 6, reply(200))
    task_id = submit(told)
    requests = told.wait_callbacks(task_id, 7, timeout=60)
    notice = ended(told, task_id)
    assert len(told.callbacks(task_id)) == 7
    assert len({each.headers["webhook-id"] for each in requests}) == 1
    assert len({each.headers["webhook-timestamp"] for each in requests}) > 1
    assert [attempt["status"] for attempt in notice["attempts"]] == ["503"] * 6 + ["200"]
    assert notice["state"] == "sent"
    assert not told.fixit.stores.letters()


@pytest.mark.parametrize("status", [400, 401, 404, 409])
def test_refusal_is_final_and_leaves_a_letter(told: Telling, status: int) -> None:  # WD-05
    told.receiver.behave(reply(status))
    task_id = submit(told)
    notice = ended(told, task_id)
    assert (notice["state"], notice["code"], len(notice["attempts"])) == ("failed", "callback_refused", 1)
    (letter,) = told.fixit.stores.letters()
    assert (letter["class"], letter["step"]) == ("callback_refused", "notice")
    assert told.fixit.get(f"/api/fixits/{task_id}").json["state"] == "succeeded"


def test_redirect_is_not_followed(told: Telling) -> None:  # WS-03
    told.receiver.behave(redirect("http://169.254.169.254/latest"))
    task_id = submit(told)
    notice = ended(told, task_id)
    assert [attempt["status"] for attempt in notice["attempts"]] == ["302"]
    assert told.receiver.connections == len(told.receiver.requests) or told.receiver.requests
    assert len(told.callbacks(task_id)) == 1


def test_receiver_that_is_gone_is_called_once_and_for_no_later_task_until_asked(told: Telling) -> None:  # WD-03
    told.receiver.behave(reply(410), reply(200))
    first = submit(told, "/gone")
    assert ended(told, first)["state"] == "gone"
    second = submit(told, "/gone")
    notice = ended(told, second)
    assert (notice["state"], notice["attempts"]) == ("gone", [])
    assert len(told.receiver.requests) == 1
    assert not told.fixit.stores.letters()
    assert told.fixit.request("POST", f"/api/fixits/{second}/callbacks/resend").status == 202
    told.wait_callbacks(second, 1)
    assert ended(told, second)["state"] == "sent"
    third = submit(told, "/gone")
    told.wait_callbacks(third, 1)


def test_receiver_that_was_gone_is_asked_again_also_about_a_task_that_has_no_row_of_it(told: Telling) -> None:
    told.receiver.behave(reply(410), reply(200))
    notice = ended(told, task_id := submit(told, "/gone"))
    told.fixit.stores.remove_row(NOTICE_TABLE, task_id, notice["id"])  # as if callbacks had been off
    assert told.fixit.request("POST", f"/api/fixits/{task_id}/callbacks/resend").status == 202
    assert ended(told, task_id)["state"] == "sent"


@pytest.mark.parametrize("behaviour", [drip_body(0.05), hang()], ids=["drip", "hang"])
def test_receiver_that_never_ends_is_cut_off_and_others_are_told_meanwhile(told: Telling, behaviour: Any) -> None:
    told.receiver.behave(behaviour, reply(200))  # WD-01
    slow = submit(told, "/slow")
    told.wait_callbacks(slow, 1)
    other = told.fixit.submit(replyTo=ANSWERS, correlationId="other")
    eventually(lambda: [each for each in told.answers() if each["subject"] == other["id"]])
    told.wait_callbacks(slow, 2)
    notice = ended(told, slow)
    assert [attempt["status"] for attempt in notice["attempts"]] == ["timeout", "200"]
    assert 1_900 <= notice["attempts"][0]["milliseconds"] < 10_000


def test_what_ten_tries_could_not_deliver_is_a_letter_and_its_redrive_delivers(told: Telling) -> None:
    told.receiver.behave(reply(500))
    task_id = submit(told)
    told.wait_callbacks(task_id, 10, timeout=90)
    notice = ended(told, task_id)
    assert (notice["state"], notice["code"], len(notice["attempts"])) == ("failed", "notice_exhausted", 10)
    (letter,) = told.fixit.stores.letters()
    told.receiver.behave(reply(200))
    done = order(told.fixit, "redrive", ids=[f"{letter['PartitionKey']}~{letter['RowKey']}"])
    assert [each["outcome"] for each in done.json["letters"]] == ["redriven"]
    (request,) = told.wait_callbacks(task_id, 1)
    assert request.headers["webhook-id"] == letter["RowKey"]
    notice = ended(told, task_id)
    assert (notice["state"], len(notice["attempts"])) == ("sent", 11)


def test_try_that_failed_says_why_in_the_log_and_in_its_notice(told: Telling) -> None:
    told.receiver.behave(reply(503, retry_after="600000"), reply(200))
    seen = len(told.fixit.host.lines())
    task_id = submit(told)
    told.wait_callbacks(task_id, 1)
    waiting = eventually(lambda: [each for each in told.notices(task_id, state="waiting") if each["reason"]])
    assert waiting[0]["reason"] == "the receiver answered 503; it is tried again"
    line = next(each for each in told.fixit.host.lines()[seen:] if "notice not delivered" in each)
    assert '"because": "the receiver answered 503"' in line
    told.wait_callbacks(task_id, 2)
    assert ended(told, task_id)["reason"] is None


def test_receiver_decides_when_it_is_asked_again(told: Telling) -> None:  # WD-10
    told.receiver.behave(reply(429, retry_after="864000"), reply(200))
    task_id = submit(told)
    told.wait_callbacks(task_id, 2, timeout=60)  # clamped to what a message may wait, then scaled
    assert ended(told, task_id)["state"] == "sent"


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.1/x",
        "https://127.0.0.1:10001/devstoreaccount1",
        "http://169.254.169.254/metadata/instance",
        "https://[::1]/",
        "https://[fd00::1]/",
        "http://0.0.0.0/",
        "file:///x",
        "gopher://example.com/_x",
        "https://user:pw@example.com/",
        "https://example.com:22/",
        "javascript:alert(1)",
        "https://exa mple.com/",
        "//example.com/x",
    ],
)
def test_url_where_no_callback_may_go_is_refused_at_the_submit(told: Telling, url: str) -> None:  # WS-01, WS-05
    answer = told.fixit.post(json.dumps({"title": "t", "callbackUrl": url}).encode())
    assert answer.status == 400, answer
    assert [error["field"] for error in answer.json["errors"]] == ["callbackUrl"]


def test_url_where_no_callback_may_go_fails_a_task_that_came_past_http(told: Telling) -> None:
    told.fixit.stores.put(submitted("k-10", title="t", callbackUrl="https://10.0.0.1/x"))
    told.fixit.idle()
    (row,) = told.fixit.stores.tasks()
    assert (row["state"], row["errorCode"]) == ("failed", "invalid_task")
    assert not told.receiver.requests


def test_callbacks_of_a_range_are_made_again_where_no_receiver_took_them(told: Telling) -> None:
    told.receiver.behave(reply(400), reply(400), reply(200))
    tasks = [submit(told, title=f"task {number}") for number in range(3)]
    told.fixit.submit(title="asks for none")
    told.fixit.idle()
    first = min(told.fixit.get(f"/api/fixits/{each}").json["submittedAt"] for each in tasks)
    body = {"from": first, "dryRun": True}
    dry = told.fixit.request("POST", "/api/callbacks/resend", json.dumps(body).encode(), JSON)
    assert dry.status == 200, dry
    assert dry.json["counts"] == {"selected": 2, "delivered": 1, "failed": 0}
    told.receiver.behave(reply(200))
    body = {"from": first, "until": dry.json["until"]}
    done = told.fixit.request("POST", "/api/callbacks/resend", json.dumps(body).encode(), JSON)
    assert (done.json["counts"], done.json["cursor"]) == ({"resent": 2, "delivered": 1, "failed": 0}, None)
    told.fixit.idle()
    again = {data_of(each)["data"]["id"] for each in told.receiver.requests}
    assert again == {each["task"] for each in done.json["callbacks"] if each["outcome"] == "resent"}
    assert len(told.receiver.requests) == 2


def test_range_that_makes_no_sense_is_refused_by_name(told: Telling) -> None:
    body = {"from": "2026-12-01T09:00:00Z", "until": "2026-12-01T08:00:00Z", "only": "some"}
    answer = told.fixit.request("POST", "/api/callbacks/resend", json.dumps(body).encode(), JSON)
    assert (answer.status, {error["field"] for error in answer.json["errors"]}) == (400, {"until", "only"})


def test_task_without_callback_has_none_to_make_again(told: Telling) -> None:
    task = told.fixit.submit()
    told.fixit.settled(task["receipt"])
    answer = told.fixit.request("POST", f"/api/fixits/{task['id']}/callbacks/resend")
    assert (answer.status, answer.json["code"]) == (409, "no_callback")


def test_task_is_answered_on_the_queue_that_it_names(told: Telling) -> None:
    task = told.fixit.submit(replyTo=ANSWERS, correlationId="order-7")
    told.fixit.settled(task["receipt"])
    told.fixit.idle()
    (answer,) = told.answers()
    assert (answer["specversion"], answer["type"]) == ("1.0", "fixit.task.succeeded")
    assert (answer["subject"], answer["correlationid"]) == (task["id"], "order-7")
    assert (answer["data"]["state"], answer["data"]["correlationId"]) == ("succeeded", "order-7")


def test_attempts_tell_no_address_and_nothing_that_a_receiver_said(told: Telling) -> None:
    told.receiver.behave(reply(400, b"the receiver's secret"))
    task_id = submit(told, "/hook?token=also-secret")
    ended(told, task_id)
    shown = told.fixit.get(f"/api/fixits/{task_id}/notices").body + repr(told.fixit.stores.letters()).encode()
    log = "\n".join(told.fixit.host.lines())
    for secret in ("the receiver's secret", "also-secret"):
        assert secret.encode() not in shown
        assert secret not in log
