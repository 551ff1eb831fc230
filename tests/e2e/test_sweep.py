"""The sweeper as a user meets it: whatever was begun and left lying comes to its end without anybody asking."""

import json
from datetime import timedelta
from typing import Any

from azure.storage.blob import BlobServiceClient

from shared.domain import identity, instants
from shared.domain.names import INDEX_TABLE, LETTER_TABLE, TASK_QUEUE, TASK_TABLE
from tests.support.dead_letters import bury, change_letter, done, letter_id, order
from tests.support.fixit_app import FixIt
from tests.support.sweeping import DAY, HOUR, straight

TASK_ID = identity.task_id(identity.KEY_CALLER, "k-1")
NOTHING = {"resent": 0, "gaveUp": 0, "closed": 0, "removed": 0, "reported": 0, "failed": 0, "leftOver": False}
BROKEN: dict[str, Any] = {"status": 403, "code": "AuthorizationFailure", "times": None}


def only_letter(fixit: FixIt) -> dict[str, Any]:
    (letter,) = fixit.stores.letters()
    return dict(letter)


def state(fixit: FixIt) -> tuple[str, int]:
    (row,) = fixit.stores.tasks()
    return row["state"], row["redrives"]


def swept_lists(fixit: FixIt) -> set[str]:
    """The kinds of the sweeper's pointers that there are."""
    return {name.partition(":")[0] for name, _ in fixit.stores.pointers("")} & {"open", "keep", "bookmark"}


def pass_time(fixit: FixIt, time: timedelta) -> None:
    """Let the last reopening of the task have happened so much earlier."""
    (row,) = fixit.stores.tasks()
    reopened_at = instants.from_text(row["reopenedAt"])
    ((list_name, key),) = {each for each in fixit.stores.pointers(TASK_ID) if each[0].startswith("open:")}

    async def move(stores: Any) -> None:
        (pointer,) = await stores.pointers.opened(limit=2)
        assert pointer.at == reopened_at  # or the sweeper takes it for that of another reopening
        await stores.pointers.open(TASK_ID, at=reopened_at - time, letter=pointer.letter)

    straight(fixit.storage.connection_string, move)
    fixit.stores.remove_row(INDEX_TABLE, list_name, key)
    fixit.stores.change_task(TASK_ID, reopenedAt=instants.to_text(reopened_at - time))


def test_sweep_of_an_account_at_rest_finds_nothing(fixit: FixIt) -> None:
    accepted = fixit.submit()
    fixit.settled(accepted["receipt"])
    assert fixit.sweep() == {"lookedAt": 0, **NOTHING}


def test_redrive_that_ended_before_its_put_is_done_by_the_sweeper(fixit: FixIt) -> None:
    bury(fixit, "k-1", owner="ann")
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, **BROKEN)
    order(fixit, "redrive", ids=[letter_id(only_letter(fixit))])
    fixit.wire.heal()
    assert (state(fixit), only_letter(fixit)["state"]) == (("queued", 1), "open")
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING}
    pass_time(fixit, HOUR)
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING, "resent": 1}
    fixit.host.wait_line(f"the message of a task that nothing moved is sent again .*{TASK_ID}")
    fixit.idle()
    assert state(fixit) == ("succeeded", 1)
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING, "closed": 1}
    letter = only_letter(fixit)
    assert (letter["state"], letter["redrives"], letter["closedBy"]) == ("redriven", 1, "sweeper")
    assert swept_lists(fixit) == {"keep"}


def test_redrive_that_ended_before_its_letter_was_marked_is_marked_by_the_sweeper(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    fixit.wire.fail(op="merge", target=LETTER_TABLE, **BROKEN)
    order(fixit, "redrive", ids=[letter_id(only_letter(fixit))])
    fixit.wire.heal()
    fixit.idle()
    assert (state(fixit), only_letter(fixit)["state"]) == (("succeeded", 1), "open")
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING}
    pass_time(fixit, HOUR)
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING, "closed": 1}
    assert only_letter(fixit)["state"] == "redriven"
    assert swept_lists(fixit) == {"keep"}


def test_redrive_that_ended_before_its_row_was_changed_leaves_all_as_it_was(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    letter = only_letter(fixit)
    fixit.wire.fail(op="merge", target=TASK_TABLE, **BROKEN)
    order(fixit, "redrive", ids=[letter_id(letter)])
    fixit.wire.heal()
    assert state(fixit) == ("failed", 0)
    ((list_name, key),) = {each for each in fixit.stores.pointers(TASK_ID) if each[0].startswith("open:")}
    fixit.stores.remove_row(INDEX_TABLE, list_name, key)
    longer_ago = instants.from_text(letter["lastSeen"]) - HOUR
    straight(fixit.storage.connection_string, lambda stores: stores.pointers.open(TASK_ID, at=longer_ago))
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING}
    assert (state(fixit), only_letter(fixit)) == (("failed", 0), letter)
    assert swept_lists(fixit) == set()


def test_reopened_task_that_nothing_settles_is_given_up_and_its_receipt_says_so(fixit: FixIt) -> None:
    accepted = fixit.submit(key="k-1")
    fixit.settled(accepted["receipt"])
    fixit.idle()
    fixit.stores.change_task(TASK_ID, state="failed", errorCode="given_up", errorMessage="it failed")
    fixit.wire.fail(op="put", service="queue", target=TASK_QUEUE, **BROKEN)
    fixit.request("POST", f"/api/fixits/{TASK_ID}/retry")
    fixit.wire.heal()
    assert fixit.get(accepted["links"]["receipt"]).json["state"] == "queued"
    pass_time(fixit, 7 * DAY + HOUR)
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING, "gaveUp": 1}
    status = fixit.get(accepted["links"]["receipt"]).json
    assert (status["state"], status["error"]["code"]) == ("failed", "gave_up")
    letter = only_letter(fixit)
    assert (letter["class"], letter["state"], letter["taskId"]) == ("gave_up", "open", TASK_ID)
    assert done(fixit, "redrive", ids=[letter_id(letter)])["counts"]["redriven"] == 1
    fixit.idle()
    assert state(fixit) == ("succeeded", 2)


def test_discarded_letter_is_forgotten_after_its_days(fixit: FixIt) -> None:
    bury(fixit, "k-1")
    letter = only_letter(fixit)
    done(fixit, "discard", ids=[letter_id(letter)], reason="a test")
    assert fixit.sweep() == {"lookedAt": 0, **NOTHING}
    kept_until = instants.from_text(only_letter(fixit)["keptUntil"])
    assert timedelta(days=89) < kept_until - instants.from_text(letter["lastSeen"]) < timedelta(days=91)
    long_ago = kept_until - 92 * DAY
    change_letter(fixit, letter, keptUntil=instants.to_text(long_ago))
    straight(fixit.storage.connection_string, lambda stores: stores.pointers.keep(letter_id(letter), ends=long_ago))
    assert fixit.sweep() == {"lookedAt": 1, **NOTHING, "removed": 1}
    assert (fixit.stores.letters(), fixit.stores.letter_texts()) == ([], {})
    assert fixit.get(f"/api/deadletters/{letter_id(letter)}").status == 404
    assert state(fixit) == ("failed", 0)


def test_clock_starts_it_on_one_host_and_what_was_missed_is_made_up_for() -> None:
    with FixIt(functions=["health"]) as fixit:
        clocked: dict[str, Any] = {"AzureWebJobs.sweep.Disabled": "false", "AzureFunctionsWebHost__hostid": "sweeping"}
        with fixit.another_host(functions=["sweep"], **clocked) as host:
            host.wait_line(r"The timer 'sweep' \(Cron: '0 0,5,[0-9,]+,55 \* \* \* \*'\) fires next at ")
            with fixit.another_host(functions=["sweep"], **clocked) as other:
                other.wait_line("The timer 'Functions.sweep' is another host's at present")
                assert other.terminate() == 0
            assert host.terminate() == 0
        with BlobServiceClient.from_connection_string(fixit.storage.connection_string) as blobs:
            missed = {"Last": "2026-03-05T12:00:00+00:00", "Next": "2026-03-05T12:05:00+00:00"}
            status = blobs.get_blob_client("azure-webjobs-hosts", "timers/sweeping/Host.Functions.sweep/status")
            status.upload_blob(json.dumps({**missed, "LastUpdated": missed["Last"]}), overwrite=True)
        with fixit.another_host(functions=["sweep"], **clocked) as host:
            host.wait_line("sweep done {")
            assert any("IsPastDue" in line for line in host.lines())
            assert host.terminate() == 0
