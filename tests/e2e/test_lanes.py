"""Lanes of two accounts, end to end: which one a task takes, what happens when it fails, and that it is done once."""

import json
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.support.fixit_client import FixItClient
from tests.support.lanes import spread
from tests.support.raw_messages import submitted
from tests.support.stores import POISON, decoded, message_text
from tests.support.two_accounts import LANES, TwoAccounts
from tests.support.web_client import Answer

SECONDS = 2
SLACK_SECONDS = 1
BODY = json.dumps({"title": "Tap drips"}).encode()
NEAR, NEAR_2, FAR, FAR_2 = LANES.split(",")


@pytest.fixture(scope="module")
def running_accounts() -> Iterator[TwoAccounts]:
    with TwoAccounts(FIXIT_SUBMIT_SECONDS=f"{SECONDS}") as running:
        yield running


@pytest.fixture
def accounts(running_accounts: TwoAccounts) -> Iterator[TwoAccounts]:
    running_accounts.fresh()
    yield running_accounts
    for wire in running_accounts.wires:
        wire.heal()
    for host in (running_accounts.host, running_accounts.work):
        assert host.returncode is None, "\n".join(host.lines()[-20:])


def far_keys(*, each: int) -> list[str]:
    """Keys whose tasks go to the second account, `each` to either of its lanes."""
    return spread(LANES, each=each)[2 * each :]


def submit(client: FixItClient, key: str, **fields: Any) -> Answer:
    body = json.dumps({"title": "Tap drips", **fields}).encode()
    return client.post(body, {"Idempotency-Key": key})


def all_done_once(accounts: TwoAccounts, answers: list[Answer]) -> None:
    """Each was accepted, has succeeded, and has one row; there are no others, and no letters."""
    assert {answer.status for answer in answers} == {202}
    for answer in answers:
        assert accounts.settled(answer.json["receipt"])["state"] == "succeeded"
    accounts.idle()
    assert sorted(row["RowKey"] for row in accounts.stores.tasks()) == sorted({each.json["id"] for each in answers})
    assert accounts.stores.letters() == []


def test_tasks_spread_over_all_lanes_and_are_recorded_in_the_one_table(accounts: TwoAccounts) -> None:
    answers = [submit(accounts, key) for key in spread(LANES, each=3)]
    all_done_once(accounts, answers)
    assert accounts.taken() == dict.fromkeys(LANES.split(","), 3)
    assert accounts.far_wire.of(service="table") == accounts.far_work_wire.of(service="table") == []


LOST: dict[str, dict[str, Any]] = {
    "payment required": {"status": 402, "code": "PaymentRequired"},
    "forbidden": {"status": 403, "code": "AuthorizationFailure"},
    "busy": {"status": 503, "code": "ServerBusy"},
    "cut": {"cut": True},
    "disabled": {"status": 409, "code": "AccountIsDisabled"},
}


@pytest.mark.parametrize("how", LOST)
def test_tasks_of_a_lost_account_take_the_lanes_of_the_other(accounts: TwoAccounts, how: str) -> None:
    lost = accounts.far_wire.fail(service="queue", times=None, **LOST[how])
    answers = [submit(accounts, key) for key in far_keys(each=2)]
    assert lost.hits
    all_done_once(accounts, answers)
    taken = accounts.taken()
    assert taken[NEAR] + taken[NEAR_2] == len(answers)


def test_tasks_of_an_account_that_refuses_connections_take_the_lanes_of_the_other(accounts: TwoAccounts) -> None:
    accounts.far_wire.down("queue")
    answers = [submit(accounts, key) for key in far_keys(each=2)]
    all_done_once(accounts, answers)
    taken = accounts.taken()
    assert (taken[NEAR] + taken[NEAR_2], taken[FAR], taken[FAR_2]) == (len(answers), 0, 0)


def test_put_that_hung_and_landed_on_one_lane_and_then_on_another_is_one_task(accounts: TwoAccounts) -> None:
    accounts.far_wire.silence(after=True, service="queue", op="put", times=None)  # QL-05
    (key, _) = far_keys(each=1)
    began = time.monotonic()
    answer = submit(accounts, key, owner="ann")
    assert time.monotonic() - began < SECONDS + SLACK_SECONDS
    all_done_once(accounts, [answer])
    near, far = (
        wire.of(
            service="queue",
            op="put",
        )
        for wire in (accounts.wire, accounts.far_wire)
    )
    assert near
    assert far
    events = {decoded(message_text(put))["id"] for put in (*near, *far)}
    assert len(events) == 1
    assert len(accounts.stores.pointers(answer.json["id"])) == 2


def test_answer_that_got_lost_is_two_messages_and_one_task(accounts: TwoAccounts) -> None:
    (key, *_) = spread(LANES, each=1)
    accounts.wire.fail(status=500, after=True, service="queue", op="put")  # QL-05
    answer = submit(accounts, key)
    all_done_once(accounts, [answer])
    assert accounts.taken() == {NEAR: 2}


def test_every_account_hanging_is_a_503_within_the_deadline_that_names_no_internals(accounts: TwoAccounts) -> None:
    for wire in (accounts.wire, accounts.far_wire):
        wire.silence(times=None)  # queues, and the table that is asked what the key stands for
    began = time.monotonic()
    answer = submit(accounts, "k-1")
    assert SECONDS - 0.1 < time.monotonic() - began < SECONDS + SLACK_SECONDS
    assert (answer.status, answer.json["code"]) == (503, "not_known_accepted")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["idempotency-key"] == answer.json["key"] == "k-1"
    assert int(answer.headers["retry-after"]) > 0
    shown = f"{answer.headers} {answer.body.decode()}"
    names = ("FixItStorage", "fixits-2", "127.0.0.1", "devstoreaccount1", "azure", "Timeout", "Traceback", "lane")
    assert [name for name in names if name in shown] == []
    assert set(accounts.taken()) == set(LANES.split(","))  # each was asked
    for wire in (accounts.wire, accounts.far_wire):
        wire.heal()
    all_done_once(accounts, [submit(accounts, "k-1")])


def test_lane_is_taken_again_once_it_works(accounts: TwoAccounts) -> None:
    lost = accounts.far_wire.fail(service="queue", op="put", times=None, status=403, code="AuthorizationFailure")
    keys = far_keys(each=2)
    answers = [submit(accounts, key) for key in keys[:2]]
    lost.release()
    accounts.far_wire.clear()
    answers += [submit(accounts, key) for key in keys[2:]]
    all_done_once(accounts, answers)
    assert len(accounts.far_wire.of(service="queue", op="put")) == 2


USES = f"{NEAR},{NEAR_2}:high,{FAR}:standby,{FAR_2}:draining"


def test_priority_standby_and_draining_lanes(accounts: TwoAccounts) -> None:
    with accounts.another_intake(USES) as host:
        client = FixItClient(host.url)
        answers = [submit(client, f"k-{priority}", priority=priority) for priority in ("low", "normal", "high")]
        assert accounts.taken() == {NEAR: 2, NEAR_2: 1}
        accounts.wire.clear()

        high = accounts.wire.fail(service="queue", op="put", target="fixits-2", times=None)
        answers.append(submit(client, "k-4", priority="high"))
        assert (accounts.taken()[NEAR], accounts.taken()[FAR]) == (1, 0)
        high.release()

        near = accounts.wire.fail(service="queue", op="put", times=None, status=403)
        answers.append(submit(client, "k-5"))
        answers.append(submit(client, "k-6", priority="high"))
        assert accounts.taken()[FAR] == 2
        standby = accounts.far_wire.fail(service="queue", op="put", target=TASK_QUEUE, times=None, status=403)
        assert submit(client, "k-7").status == 503
        assert accounts.taken()[FAR_2] == 0
        for broken in (near, standby):
            broken.release()
        all_done_once(accounts, answers)


def test_what_waits_on_a_draining_lane_is_still_done(accounts: TwoAccounts) -> None:
    accounts.far.put(submitted("k-1"), "fixits-2")
    with accounts.another_host(FIXIT_LANES=USES, FixItStorage2=accounts.far_work_wire.connection_string):
        accounts.idle()
    assert [row["state"] for row in accounts.stores.tasks()] == ["succeeded"]


def test_message_is_put_back_on_the_lane_that_it_came_from(accounts: TwoAccounts) -> None:
    accounts.work_wire.fail(service="table", op="insert", target=TASK_TABLE, times=3, status=403)
    accounts.far.put(submitted("k-1"), "fixits-2")
    accounts.idle()
    puts = accounts.far_work_wire.of(service="queue", op="put")
    assert Counter(put.target for put in puts) == {"fixits-2": 3}
    assert [decoded(message_text(put))["deferrals"] for put in puts] == [1, 2, 3]
    assert accounts.work_wire.of(service="queue", op="put") == []
    assert [row["state"] for row in accounts.stores.tasks()] == ["succeeded"]


def test_bare_task_is_adopted_on_its_own_lane(accounts: TwoAccounts) -> None:
    accounts.far.put('{"id": "t-1", "title": "Adopted"}', "fixits-2")
    accounts.idle()
    (put,) = accounts.far_work_wire.of(service="queue", op="put")
    assert put.target == "fixits-2"
    (row,) = accounts.stores.tasks()
    assert (row["caller"], row["state"]) == ("queue:fixits-2", "succeeded")


def test_letter_says_from_which_lane_it_came(accounts: TwoAccounts) -> None:
    accounts.far.put("not json", "fixits-2")
    accounts.far.put(submitted("k-1"), "fixits-2-poison")
    accounts.stores.put("not json either", POISON)
    accounts.idle()
    assert sorted(
        (letter["lane"], letter["PartitionKey"], letter["class"]) for letter in accounts.stores.letters()
    ) == [
        (NEAR, "fixits", "malformed_message"),
        (FAR_2, "fixits-2", "given_up"),
        (FAR_2, "fixits-2", "malformed_message"),
    ]
    assert [row["state"] for row in accounts.stores.tasks()] == ["failed"]
