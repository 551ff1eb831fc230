"""Texts that .NET's TryParse takes. Each row was put to .NET's own, by way of Mono 6.8, which is older in one point:
since .NET Core 3.0 a float may be too large, and its names ignore case.
"""

import pytest

from devhost.dotnet.datetimes import is_datetime
from devhost.dotnet.texts import ordinal_key, utf16_length
from devhost.dotnet.values import is_boolean, is_decimal, is_float, is_guid, parse_integer

GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5), ("+5", 5), ("-5", -5), (" 5\t", 5), ("005", 5), ("2147483647", 2147483647), ("2147483648", None),
        ("-2147483648", -2147483648), ("-2147483649", None), ("", None), (" ", None), ("- 5", None), ("5-", None),
        ("1,000", None), ("1.0", None), ("1e3", None), ("0x1f", None), ("٣", None), ("\u00a05", None), ("--5", None),
    ],
)  # fmt: skip
def test_integer_text_is_read_as_int32(text: str, value: int | None) -> None:
    assert parse_integer(text, 32) == value


@pytest.mark.parametrize("text", ["true", "False", " TRUE ", "\ttrue"])
def test_boolean_text_is_read(text: str) -> None:
    assert is_boolean(text)


@pytest.mark.parametrize("text", ["", "1", "0", "yes", "t", "tru e"])
def test_boolean_text_is_refused(text: str) -> None:
    assert not is_boolean(text)


@pytest.mark.parametrize(
    "text",
    ["1", "1.5", ".5", "5.", "-1.5", "+1", "1,5", "1,,5", "1,", "1-", "1 -", "1- ", " 1 ", "1,000.50", "00",
     "79228162514264337593543950335", "79228162514264337593543950335.4", "-79228162514264337593543950335"],
)  # fmt: skip
def test_decimal_text_is_read(text: str) -> None:
    assert is_decimal(text)


@pytest.mark.parametrize(
    "text", ["", ".", "-", ",5", "1.5,0", "1e5", "-1-", "- 1", "1.5.5", "79228162514264337593543950336", "NaN", "1_0"]
)
def test_decimal_text_is_refused(text: str) -> None:
    assert not is_decimal(text)


@pytest.mark.parametrize(
    "text", ["1", "1.5", "1e5", "1E-5", ".5e+1", "1,5", "NaN", "nan", "Infinity", "-infinity", " 1 ", "1e400", "5."]
)
def test_float_text_is_read(text: str) -> None:
    assert is_float(text)


@pytest.mark.parametrize("text", ["", "e5", "1e", "1e+", "1 e5", "1-", "0x1", "inf", "1.5.5", "1f", "∞"])
def test_float_text_is_refused(text: str) -> None:
    assert not is_float(text)


@pytest.mark.parametrize(
    "text",
    [
        GUID, GUID.upper(), GUID.replace("-", ""), f"{{{GUID}}}", f"({GUID})", f" {GUID} ",
        "{0x0f8fad5b,0xd9cb,0x469f,{0xa1,0x65,0x70,0x86,0x77,0x28,0x95,0x0e}}",
        "{0xf, 0xd, 0x4, {0xa,0x6,0x7,0x8,0x7,0x2,0x9,0x0}}",
        "+f8fad5b-d9cb-469f-a165-70867728950e", "0x8fad5b-d9cb-0x9f-a165-70867728950e",
    ],
)  # fmt: skip
def test_guid_text_is_read(text: str) -> None:
    assert is_guid(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "xyz", GUID[:-1], GUID + "0", f"{{{GUID}", f"{GUID}}}", f"({GUID}}}", f"{{{GUID.replace('-', '')}}}",
        GUID.replace("-", "_"), GUID.replace("f", "g"), "0f8fad5bd9cb-469f-a165-70867728950e-",
    ],
)  # fmt: skip
def test_guid_text_is_refused(text: str) -> None:
    assert not is_guid(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30", "2026-11-30T10:00", "2026-11-30T10:00:00Z", "2026-11-30t10:00:00.1234567+01:00", "2026-1-2",
        "2026-11-30 10:00", "2026-11-30 10 AM", "2026-11-30,10:00", "10:00 2026-11-30", "2026/11/30", "2026.11.30",
        "11/30/2026", "11-30-2026", "1/1/99", "2026-11", "11-2026", "11/30", "1.5", "1,5", "10:30", "10 PM", "13:00 PM",
        "30 Nov 2026", "November 30, 2026", "30-Nov-2026", "30Nov2026", "Nov 2026", "Nov 30", "31 Nov",
        "Mon, 30 Nov 2026 10:00:00 GMT", "2024-02-29", "2026-11-30Z", "2026-11-30+01:00", "10:30Z", " 2026-11-30 ",
        "2026-11-30 10:00:00 -5",
    ],
)  # fmt: skip
def test_datetime_text_is_read(text: str) -> None:
    assert is_datetime(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "nope", "2026", "20261130", "2026-13-01", "2026-11-31", "2026-02-29", "30/11/2026", "30.11.2026",
        "26-11-30",
        "13/13", "1.32", "2026-11-30T", "2026-11-30T10", "2026-11-30T1:00", "2026-11-30T24:00:00", "25:00", "10:60",
        "2026-11-30 UTC", "2026-11-30T10:00:00+15:00", "Tue, 30 Nov 2026", "Nov", "Mon", "Sept 1", "1st Nov", "now",
        "1.2.3.4", "1e5", "5", "-5", "1--5", "0000-01-01", "1/1/10000", "2026-W48", "11/30 10:00", "13 AM", "Feb 30",
        "2026-11-30T10:00:00 PM",
    ],
)  # fmt: skip
def test_datetime_text_is_refused(text: str) -> None:
    assert not is_datetime(text)


def test_ordinal_key_keeps_length_and_never_turns_into_ascii() -> None:
    assert ordinal_key("straße_é") == "STRAßE_É"
    assert ordinal_key("ıſ") == "ıſ"


def test_utf16_length_counts_surrogates() -> None:
    assert utf16_length("a😀") == 3
