"""Texts that .NET reads as durations. Each row was measured on Microsoft's own binder."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devhost.dotnet.timespan import format_timespan, parse_timespan


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2", "2.00:00:00"),
        (" 2 ", "2.00:00:00"),
        ("0000000000000000001", "1.00:00:00"),
        ("1:2", "01:02:00"),
        ("1:2:3", "01:02:03"),
        ("1.2:3", "1.02:03:00"),
        ("1.2:3:4", "1.02:03:04"),
        ("1:2:3:4", "1.02:03:04"),
        ("1:2:3:4.5", "1.02:03:04.5000000"),
        ("1.2:3:4.567890", "1.02:03:04.5678900"),
        ("1:2:.5", "01:02:00.5000000"),
        ("00:00:02.5", "00:00:02.5000000"),
        ("00:00:02.00000001", "00:00:02"),
        ("00:00:02.099999999", "00:00:02.1000000"),
        ("00:00:00.09999999", "00:00:00.1000000"),
        ("24:00:00", "24.00:00:00"),  # no hour is 24, so these are days
        ("100:00:00", "100.00:00:00"),
        ("00:00:0000005", "00:00:05"),
        ("-00:00:01", "-00:00:01"),
        ("-1.02:03:04.5", "-1.02:03:04.5000000"),
        ("10675199.02:48:05.477580", "10675199.02:48:05.4775800"),
    ],
)
def test_timespan_valid_is_read_as_dotnet_does(text: str, canonical: str) -> None:
    assert format_timespan(parse_timespan(text)) == canonical


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "+1", "- 1", "1.", "1.5", "1:2.5", "1:2:3.", "5:", ":5", ".5:00", "1d", "00:00:02s", "00 : 05"),
        *("1..00:00:00", "1.1:1:1:1", "1:1:1:1:1", "00:00:05,5", "0x10", "1e1", "١", "+00:00:05", "1 .00:00:00"),
    ],
)
def test_timespan_malformed_is_refused_as_malformed(text: str) -> None:
    with pytest.raises(ValueError, match="was not recognized as a valid TimeSpan"):
        parse_timespan(text)


@pytest.mark.parametrize(
    "text",
    [
        *("24:00", "23:60", "00:00:60", "00:60:00", "10675200", "268435456", "00:00:02.12345678"),
        *("10675199.02:48:05.4775808", "10675199.03:00:00", "-10675199.02:48:05.4775809"),
    ],
)
def test_timespan_number_too_large_is_refused_as_out_of_range(text: str) -> None:
    with pytest.raises(ValueError, match="numeric components is out of range"):
        parse_timespan(text)


@given(st.timedeltas(min_value=timedelta(days=-10_675_199), max_value=timedelta(days=10_675_199)))
def test_timespan_written_reads_back_the_same(value: timedelta) -> None:
    assert parse_timespan(format_timespan(value)) == value
