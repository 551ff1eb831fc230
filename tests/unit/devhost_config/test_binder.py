"""Texts as options take them. Each row was measured on Microsoft's own binder."""

import pytest

from devhost.settings.binder import bind_boolean, bind_enum, bind_integer

NAMES = ("none", "base64")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *((" 5 ", 5), ("\t5\n", 5), ("\xa05", 5), ("5\u2003", 5), ("+5", 5), ("-0", 0), ("-1", -1), ("00017", 17)),
        *(("0x11", 17), ("0X1f", 31), ("#11", 17), ("&h11", 17), ("&H11", 17), ("0x11 ", 17), ("0x+11", 17)),
        *(("0x0x11", 17), ("#0x11", 17), ("0xFFFFFFFF", -1), ("0x80000000", -(2**31)), ("2147483647", 2**31 - 1)),
    ],
)
def test_integer_in_any_spelling_of_dotnet_is_bound(text: str, number: int) -> None:
    assert bind_integer(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "x", "5.0", "1e1", "1,000", "+ 5", "5-", "(5)", "\x1c5", "٥", "2147483648", "-2147483649"),
        *("0x", "0x-11", "0x 11", "0x1FFFFFFFF", "0xg", "True"),
    ],
)
def test_integer_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="whole number"):
        bind_integer(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("none", 0), ("NONE", 0), ("BASE64", 1), (" base64 ", 1), ("0", 0), ("1", 1), ("+1", 1), ("01", 1)),
        *(("none,base64", 1), ("Base64, None", 1), ("1,0", 1), ("2", 2), ("-1", -1)),
    ],
)
def test_enum_by_name_number_or_several_is_bound(text: str, value: int) -> None:
    assert bind_enum(text, NAMES) == value


@pytest.mark.parametrize(
    "text", ["", " ", "utf8", "null", "base 64", "base64,", "none;base64", "1.0", "0x1", "4294967296"]
)
def test_enum_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="none of"):
        bind_enum(text, NAMES)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("True", True), (" FALSE ", False)])
def test_boolean_in_any_case_is_bound(text: str, value: bool) -> None:
    assert bind_boolean(text) is value


@pytest.mark.parametrize("text", ["", "1", "yes"])
def test_boolean_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="neither true nor false"):
        bind_boolean(text)
