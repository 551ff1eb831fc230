"""How long a message stays hidden: renewals while its function runs, and what happens when nobody renews."""

from collections.abc import Callable

import pytest

from tests.support.eventually import eventually
from tests.support.queue_app import QueueApp, texts, waiting
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

type Name = Callable[[str], str]
TWO_SECONDS = ("--lease", "2")


def test_lease_of_a_long_run_is_renewed_at_half_time_and_its_newest_receipt_deletes(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "slow", options=TWO_SECONDS) as app:
        app.input.send_message("ok 5")
        app.wait_empty()
        assert [seen for seen in app.saw() if "begun" in seen] == [{"begun": "ok 5", "dequeue_count": 1}]
        renewals = wire.of(op="update")
        assert len(renewals) >= 4
        assert {(r.query["visibilitytimeout"], r.body) for r in renewals} == {("2", b"")}
        receipts = [request.query["popreceipt"] for request in (*renewals, *wire.of(op="delete"))]
        assert len(set(receipts)) == len(receipts)


def test_lease_of_a_function_that_blocks_its_event_loop_is_renewed(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    with QueueApp(azurite, wire, unique_name("q"), "blocking", options=TWO_SECONDS, env={"SECONDS": "4"}) as app:
        app.input.send_message("x")
        app.wait_empty()
        assert [seen["dequeue_count"] for seen in app.saw() if "begun" in seen] == [1]


def test_lease_that_was_lost_leaves_the_function_running_and_is_not_asked_for_again(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    lost = wire.fail(op="update", status=404, code="MessageNotFound", times=None)
    with QueueApp(azurite, wire, unique_name("q"), "slow", options=("--lease", "4")) as app:
        app.input.send_message("ok 5")
        eventually(lambda: len(wire.of(op="delete")) == 1)
        assert len(lost.hits) == 1
        assert {"ended": "ok 5"} in app.saw()


def test_message_of_a_host_that_was_killed_is_taken_by_another_once_its_lease_ends(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    name = unique_name("q")
    with QueueApp(azurite, wire, name, "slow", options=TWO_SECONDS) as first:
        first.input.send_message("ok 3")
        first.wait_saw()
        first.host.kill()
    with QueueApp(azurite, wire, name, "slow", options=TWO_SECONDS) as second:
        second.wait_empty()
        assert second.saw()[0] == {"begun": "ok 3", "dequeue_count": 2}


def test_failure_on_a_poison_queue_leaves_the_message_hidden_until_its_lease_ends(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    name = f"{unique_name('q')}-poison"
    with QueueApp(azurite, wire, name, "slow", options=TWO_SECONDS) as app:
        app.input.send_message("fail")
        seen = app.wait_saw(2)
        assert [one["dequeue_count"] for one in seen[:2]] == [1, 2]
        assert not wire.of(op="update")
        assert not wire.of(op="delete")
        assert waiting(app.poison) == 0


@pytest.mark.parametrize(("habit", "runs_once"), [("old", True), ("new", False)])
def test_message_over_the_limit_on_a_poison_queue_runs_unless_the_old_habit_is_asked_for(
    azurite: Azurite, wire: Wire, unique_name: Name, habit: str, runs_once: bool
) -> None:
    once = {"extensions:queues:maxDequeueCount": "1"}
    options = ("--lease", "1", "--poison-limit", habit)
    with QueueApp(azurite, wire, f"{unique_name('q')}-poison", "slow", host_json=once, options=options) as app:
        app.input.send_message("fail")
        app.wait_saw()
        first = wire.requests[-1].at
        eventually(lambda: wire.of(op="get")[-1].at > first + 5, what="polls over five leases")
        app.host.kill()
        # Nobody takes it any more: it is seen once its last lease ends.
        (message,) = eventually(app.input.peek_messages, what="the message")
        runs = len([seen for seen in app.saw() if "begun" in seen])
    assert (message.dequeue_count or 0) >= 3
    assert (runs == 1) if runs_once else (runs >= 3)


def test_message_over_the_limit_is_moved_to_poison_without_a_run(
    azurite: Azurite, wire: Wire, unique_name: Name
) -> None:
    once = {"extensions:queues:maxDequeueCount": "1"}
    app = QueueApp(azurite, wire, unique_name("q"), "slow", host_json=once)
    app.input.send_message("ok")
    app.input.receive_message(visibility_timeout=1)  # by another host, which gave up
    with app:
        eventually(lambda: texts(app.poison) == ["ok"])
        app.wait_empty()
        assert app.saw() == []
