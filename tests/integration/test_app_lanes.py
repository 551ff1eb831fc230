"""What the app makes of FIXIT_LANES: the triggers that it registers, and what it says where the setting is wrong."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.test_app_start import imported
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import FixItClient
from tests.support.raw_messages import submitted

SECRET = "AccountKey=c2VjcmV0"


@pytest.fixture(scope="module")
def account() -> Iterator[FixIt]:
    """An account whose work only the hosts of the tests do."""
    with FixIt(functions=["health"]) as running:
        yield running


def test_every_lane_has_a_trigger_for_its_queue_and_one_for_its_poison_queue() -> None:
    lanes = "FixItStorage/fixits-2:high, Second/fixits:standby, Second/old:draining"
    functions = imported(FIXIT_LANES=lanes)["functions"]
    triggers = {name: bindings[0] for name, bindings in functions.items() if bindings[0]["type"] == "queueTrigger"}
    assert {name: (each["connection"], each["queueName"], each["dataType"]) for name, each in triggers.items()} == {
        "record_FixItStorage_fixits-2": ("FixItStorage", "fixits-2", "BINARY"),
        "record_FixItStorage_fixits-2_poison": ("FixItStorage", "fixits-2-poison", "BINARY"),
        "record_Second_fixits": ("Second", "fixits", "BINARY"),
        "record_Second_fixits_poison": ("Second", "fixits-poison", "BINARY"),
        "record_Second_old": ("Second", "old", "BINARY"),
        "record_Second_old_poison": ("Second", "old-poison", "BINARY"),
        # The queues behind the lanes are where the tables are.
        "photo": ("FixItStorage", "fixit-photos", "BINARY"),
        "photo_poison": ("FixItStorage", "fixit-photos-poison", "BINARY"),
        "notify": ("FixItStorage", "fixit-notices", "BINARY"),
        "notify_poison": ("FixItStorage", "fixit-notices-poison", "BINARY"),
    }
    assert sorted(functions)[-1] == "zz_anything_else"


def test_app_with_a_wrong_list_of_lanes_does_not_load_and_says_why(account: FixIt) -> None:
    with account.another_host(FIXIT_LANES=f"FixItStorage/fixits,{SECRET}/fixits") as host:
        host.wait_line("the app does not start.*FIXIT_LANES, entry 2: must be connection/queue")
        host.wait_line("No functions were found")
        assert FixItClient(host.url).post(b'{"title":"t"}').status == 404
        assert SECRET not in "\n".join(host.lines())


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "Gone is not set"), (f"{SECRET};nonsense", "Gone is not a connection string")],
)
def test_lane_without_a_good_connection_stops_submits_and_costs_no_other_lane_its_work(
    account: FixIt, value: str | None, told: str
) -> None:
    account.fresh()
    account.stores.put(submitted("k-1"))
    settings: dict[str, Any] = {
        "FIXIT_LANES": "FixItStorage/fixits,Gone/fixits-2",
        **({} if value is None else {"Gone": value}),
    }
    with account.another_host(**settings) as host:
        host.wait_line("'record_Gone_fixits-2' function is in error: .*Gone")
        answer = FixItClient(host.url).post(b'{"title":"t"}')
        assert (answer.status, answer.json["code"]) == (500, "not_configured")
        assert "Gone" not in answer.body.decode()
        host.wait_line(f"the app is not configured .*{told}")
        account.idle()
        assert SECRET not in "\n".join(host.lines())
    assert [row["state"] for row in account.stores.tasks()] == ["succeeded"]
