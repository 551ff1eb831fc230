"""How many messages one host works on at once is bounded, and the bound is a setting."""

import pytest

from shared.domain.names import TASK_QUEUE, TASK_TABLE
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted

QUEUES = "AzureFunctionsJobHost__extensions__queues__"
WORKS = ("record", "record_poison")


@pytest.mark.parametrize("at_once", [1, 4])
def test_host_works_on_as_many_messages_as_its_setting_says(at_once: int) -> None:
    bound = {f"{QUEUES}batchSize": str(at_once), f"{QUEUES}newBatchThreshold": "0"}
    with FixIt(settings=bound, functions=("health",)) as fixit:
        fixit.stores.make_all()
        for number in range(10):
            fixit.stores.put(submitted(f"k-{number}"))
        held = fixit.wire.hold(op="insert", target=TASK_TABLE, times=None)
        with fixit.another_host(fixit.wire, functions=WORKS):
            held.wait_hit(hits=at_once)
            # The host lives on and looks at its other queue, where a further message would have its turn.
            polls = len(fixit.wire.of(op="get", target=f"{TASK_QUEUE}-poison"))
            eventually(lambda: len(fixit.wire.of(op="get", target=f"{TASK_QUEUE}-poison")) >= polls + 5)
            assert len(held.hits) == at_once
            assert len(fixit.stores.queue(TASK_QUEUE).peek_messages(32)) == 10 - at_once
            held.release()
            fixit.idle()
        assert {row["state"] for row in fixit.stores.tasks()} == {"succeeded"}
        assert len(fixit.stores.tasks()) == 10
