"""Work is paused and resumed by a setting: tasks are taken meanwhile, wait, and have lost nothing by it."""

from shared.domain.names import TASK_QUEUE
from tests.support.fixit_app import NO_STEPS, FixIt

PAUSED = {"AzureWebJobs.record.Disabled": "true"}
RESUMED = {"AzureWebJobs.record.Disabled": "false"}


def test_paused_work_is_taken_and_waits_until_it_is_resumed() -> None:
    with FixIt(settings={**NO_STEPS, **PAUSED}) as fixit:
        receipts = [fixit.submit(title=f"Task {number}")["receipt"] for number in range(3)]
        assert {fixit.get(f"/api/receipts/{each}").json["state"] for each in receipts} == {"queued"}
        assert fixit.wire.of(service="queue", op="get", target=TASK_QUEUE) == []
        with fixit.another_host(**RESUMED) as resumed:  # type: ignore[arg-type]
            assert {fixit.settled(each)["state"] for each in receipts} == {"succeeded"}
            fixit.idle()
            assert {step["attempt"] for each in receipts for step in fixit.settled(each)["steps"]} == {1}
            assert resumed.terminate() == 0
        again = fixit.submit()["receipt"]
        assert fixit.get(f"/api/receipts/{again}").json["state"] == "queued"
        assert (len(fixit.stores.tasks()), fixit.stores.waiting(TASK_QUEUE)) == (3, 1)
