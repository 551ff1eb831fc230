"""How a field is read. Source of the rules: NCrontab 3.3.3."""

import pytest

from devhost.timers.cron_field import FIELDS

SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY = FIELDS


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("5", [5]),
        ("007", [7]),
        ("5,1,5", [1, 5]),
        ("3-6", [3, 4, 5, 6]),
        ("6-3", [3, 4, 5, 6]),
        ("4-4", [4]),
        ("*/20", [0, 20, 40]),
        ("*/100", [0]),
        ("50/4", [50, 54, 58]),
        ("57/1", [57, 58, 59]),
        ("59/5", [59]),
        ("50-59/4", [50, 54, 58]),
        ("59-50/4", [50, 54, 58]),
        ("50/0", list(range(50, 60))),
        ("50/-3", list(range(50, 60))),
        ("50/+3", [50, 53, 56, 59]),
        ("1-2,10-14/2,58/1", [1, 2, 10, 12, 14, 58, 59]),
        ("3\t", [3]),
        ("*/\t30", [0, 30]),
        ("3\0", [3]),
    ],
)
def test_field_of_numbers_is_read(text: str, values: list[int]) -> None:
    assert SECOND.parse(text) == tuple(values)


@pytest.mark.parametrize("text", ["*", "*/1", "*/0", "*/-7", "0-59", "59-0", "5,*", "0/1"])
def test_field_of_all_values_is_read(text: str) -> None:
    assert SECOND.parse(text) == tuple(range(60))


@pytest.mark.parametrize(
    "text",
    [
        "60", "-1", "+5", "5.", "5.0", "0x5", "a", "?", "L", "W", "5W", "5#2", "@daily", "**", "*5", "5*", "*-5", "5-*",
        ",", ",5", "5,", "5,,6", "-", "5-", "-5", "1-2-3", "/", "/5", "5/", "5/2/3", "*/*", "*/2-3", "60/5", "50-60",
        "60-50", "5/x", "*/2147483648", "99999999999", "\t5", "5\t,6x", "٥", "１", "H",
    ],
)  # fmt: skip
def test_field_of_numbers_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        SECOND.parse(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("jan", [1]), ("JANUARY", [1]), ("j", [1]), ("ju", [6]), ("jul", [7]), ("m", [3]), ("Ma", [3]), ("may", [5]),
        ("a", [4]), ("au", [8]), ("Nov-Dec", [11, 12]), ("dec-oct", [10, 11, 12]), ("oct-12", [10, 11, 12]),
        ("Jan,3,Sep-Oct", [1, 3, 9, 10]), ("Sep/2", [9, 11]), ("1-jun/2", [1, 3, 5]), ("*/6", [1, 7]),
    ],
)  # fmt: skip
def test_field_of_months_takes_beginnings_of_names(text: str, values: list[int]) -> None:
    assert MONTH.parse(text) == tuple(values)


@pytest.mark.parametrize("text", ["januaryx", "foo", "0", "13", "Mon", "jan-", "jan-foo", "j\t", "\u017fep"])
def test_field_of_months_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        MONTH.parse(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [("s", [0]), ("sat", [6]), ("t", [2]), ("th", [4]), ("Mon-Fri", [1, 2, 3, 4, 5]), ("Fri-Mon", [1, 2, 3, 4, 5]),
     ("Sun-Sat", [0, 1, 2, 3, 4, 5, 6]), ("sat-sun", [0, 1, 2, 3, 4, 5, 6]), ("5-Sun", [0, 1, 2, 3, 4, 5])],
)  # fmt: skip
def test_field_of_weekdays_orders_a_range_by_number(text: str, values: list[int]) -> None:
    assert WEEKDAY.parse(text) == tuple(values)


@pytest.mark.parametrize("text", ["7", "0-7", "5L", "Mon#1", "Thursdays"])
def test_field_of_weekdays_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        WEEKDAY.parse(text)


def test_field_of_days_begins_at_one() -> None:
    assert DAY.parse("*/10") == (1, 11, 21, 31)
    for text in ("0", "0-5", "0/5", "32"):
        with pytest.raises(ValueError, match="outside 1-31"):
            DAY.parse(text)
