"""Lanes: how the setting is read, and which lanes take a task, the best first."""

import re
import uuid
from collections import Counter
from pathlib import Path

import pytest

from shared.domain.errors import SettingsError
from shared.domain.lane import Lane, lanes_for, parse_lanes

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "lanes.md").read_text("utf-8")
IDS = [str(uuid.uuid5(uuid.NAMESPACE_URL, str(number))) for number in range(10_000)]


def first_of(text: str, priority: str = "normal") -> Counter[str]:
    """How many tasks each lane of such a setting is the best for."""
    lanes = parse_lanes(text)
    return Counter(lanes_for(task_id, priority, lanes)[0].name for task_id in IDS)


def order(text: str, priority: str = "normal", task_id: str = IDS[0]) -> list[str]:
    return [lane.name for lane in lanes_for(task_id, priority, parse_lanes(text))]


def test_examples_of_the_page_are_lists_of_lanes() -> None:
    examples = re.findall(r"FIXIT_LANES=([^\s`]+)", PAGE)
    assert len(examples) == 6
    for example in examples:
        assert len(parse_lanes(example)) == len(example.split(","))


@pytest.mark.parametrize("text", ["", " ", ",", " , ,", "FixItStorage/fixits", "FixItStorage/fixits:primary,"])
def test_nothing_listed_is_the_one_default_lane(text: str) -> None:
    (lane,) = parse_lanes(text)
    assert (lane, lane.name, lane.function) == (Lane(), "FixItStorage/fixits", "record")


def test_entries_are_lanes_in_their_order_with_their_uses() -> None:
    text = " A/one , A/two-2:standby,\nB_2/one: draining , A/q-1:low, A/q-2 :normal, A/q-3:high "
    assert [(lane.connection, lane.queue, lane.use) for lane in parse_lanes(text)] == [
        ("A", "one", "primary"),
        ("A", "two-2", "standby"),
        ("B_2", "one", "draining"),
        ("A", "q-1", "low"),
        ("A", "q-2", "normal"),
        ("A", "q-3", "high"),
    ]


def test_functions_of_lanes_are_named_after_them_and_fit_the_platform() -> None:
    longest = parse_lanes(f"{'C' * 57}/{'q' * 56}")[0]
    assert len(f"{longest.function}_poison") == 128
    assert [lane.function for lane in parse_lanes("FixItStorage/fixits,FixItStorage/fixits-2,B/fixits")] == [
        "record",
        "record_FixItStorage_fixits-2",
        "record_B_fixits",
    ]


SECRET = "AccountKey=c2VjcmV0"
WRONG = {
    "no queue": ("A/one,FixItStorage", "entry 2"),
    "no connection": ("/fixits", "entry 1"),
    "an empty queue": ("A/", "entry 1"),
    "a connection string": (f"DefaultEndpointsProtocol=https;{SECRET}/fixits", "entry 1"),
    "a connection that begins with a digit": ("1A/fixits", "entry 1"),
    "a connection of 58": (f"{'C' * 58}/fixits", "entry 1"),
    "a connection with a dash": ("A-B/fixits", "entry 1"),
    "an unknown use": ("A/one,A/two,A/three:backup", "entry 3"),
    "a use in capitals": ("A/one:Standby", "entry 1"),
    "two uses": ("A/one:standby:draining", "entry 1"),
    "capitals in a queue": ("A/Fixits", "lower-case"),
    "two dashes": ("A/fix--its", "single dashes"),
    "a queue of 2": ("A/fi", "3 to 56"),
    "a queue of 57": (f"A/{'q' * 57}", "3 to 56"),
    "a poison queue": ("A/fixits-poison", "-poison"),
    "a lane twice": ("A/one,B/one,A/one:standby", "twice"),
    "a lane twice in other letters": ("A/one,a/one", "twice"),
    "the default lane twice in other letters": ("FixItStorage/fixits,fixitstorage/fixits", "twice"),
    "functions of one name": ("A/one,A_one/poison", "one name"),
    "17 lanes": (",".join(f"A/queue-{number}" for number in range(17)), "at most 16"),
    "draining lanes alone": ("A/one:draining", "primary or a standby"),
    "priorities alone": ("A/one:low,A/two:normal,A/three:high", "primary or a standby"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_setting_is_refused_with_the_rule_and_without_its_text(name: str) -> None:
    text, rule = WRONG[name]
    with pytest.raises(SettingsError) as refused:
        parse_lanes(text)
    assert str(refused.value).startswith("FIXIT_LANES")
    assert rule in str(refused.value)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("count", [2, 3, 4, 16])
def test_tasks_spread_evenly_over_primary_lanes(count: int) -> None:
    lanes = [f"A/queue-{number}" for number in range(count)]
    found = first_of(",".join(lanes))
    assert set(found) == set(lanes)
    fair = len(IDS) / count
    # 10,000 draws: five standard deviations of a binomial are at most this share.
    assert all(abs(times - fair) < 5 * fair**0.5 for times in found.values()), found


def test_tasks_of_a_lost_lane_spread_over_all_others() -> None:
    ways = Counter(tuple(order("A/one,A/two,A/three", task_id=task_id)) for task_id in IDS)
    assert len(ways) == 6
    assert all(abs(times - len(IDS) / 6) < 5 * (len(IDS) / 6) ** 0.5 for times in ways.values()), ways


def test_further_lane_takes_its_share_and_moves_no_other_task() -> None:
    before, after = (
        [order(text, task_id=task_id)[0] for task_id in IDS] for text in ("A/one,A/two", "A/one,A/two,B/one")
    )
    moved = Counter((old, new) for old, new in zip(before, after, strict=True) if old != new)
    assert set(moved) == {("A/one", "B/one"), ("A/two", "B/one")}
    assert abs(moved.total() - len(IDS) / 3) < 5 * (len(IDS) / 3) ** 0.5


def test_task_goes_the_same_way_again_whatever_else_is_listed() -> None:
    # Frozen: after an upgrade, too, a repeat of a task goes to the lane where the first is.
    ids = [f"0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d1{number}" for number in range(6)]
    frozen = ["A/three", "A/two", "A/one", "A/two", "A/one", "A/one"]
    for text in ("A/one,A/two,A/three", "A/zero:standby,A/three,A/two,A/one,A/four:low,A/five:draining"):
        assert [order(text, task_id=task_id)[0] for task_id in ids] == frozen


def test_priority_has_its_lanes_then_the_primary_ones_then_the_standby_ones() -> None:
    text = "S/two:standby,A/high:high,A/one,S/one:standby,A/low:low,A/gone:draining"
    assert order(text, "high") == ["A/high", "A/one", "S/two", "S/one"]
    assert order(text, "low") == ["A/low", "A/one", "S/two", "S/one"]
    assert order(text, "normal") == ["A/one", "S/two", "S/one"]


def test_lanes_of_one_priority_share_its_tasks() -> None:
    found = first_of("A/one,A/high-1:high,A/high-2:high", "high")
    assert set(found) == {"A/high-1", "A/high-2"}
    assert min(found.values()) > len(IDS) * 0.45


def test_standby_lanes_are_taken_in_the_order_of_the_setting_by_every_task() -> None:
    assert {tuple(order("S/two:standby,S/one:standby,A/one", task_id=task_id)) for task_id in IDS[:100]} == {
        ("A/one", "S/two", "S/one")
    }


def test_draining_lane_takes_nothing_even_where_a_standby_is_all_that_is_left() -> None:
    assert order("A/one:draining,A/two:draining,S/one:standby") == ["S/one"]
    assert order("A/one:draining,S/one:standby", "high") == ["S/one"]
