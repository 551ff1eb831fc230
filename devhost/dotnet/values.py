"""Which texts .NET's `TryParse` takes for a number, a boolean or a GUID, with the invariant culture.

Route constraints ask only whether a text can be read, hence no values here. Dates are in `datetimes`.
Source: System.Private.CoreLib, Number.Parsing and Guid; the styles are those that ASP.NET Core's constraints pass.
"""

import re
from decimal import Decimal

from devhost.dotnet.trim import trim

_SPACE = r"[\t-\r ]*"
_DIGITS = r"(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)"  # a group separator may stand anywhere after a first digit

_INTEGER = re.compile(rf"{_SPACE}([+-]?[0-9]+){_SPACE}")
_FLOAT = re.compile(rf"{_SPACE}[+-]?{_DIGITS}(?:[eE][+-]?[0-9]+)?{_SPACE}")
_FLOAT_NAME = re.compile(r"[+-]?(?:infinity|nan)", re.IGNORECASE | re.ASCII)
# The sign may lead or trail, not both.
_DECIMAL = re.compile(rf"{_SPACE}(?:[+-]({_DIGITS}){_SPACE}|({_DIGITS}){_SPACE}(?:[+-]{_SPACE})?)")
_DECIMAL_OVERFLOW = Decimal("79228162514264337593543950335.5")

_HEX = "[0-9a-fA-F]"
_GUID_D = re.compile(rf"(.{{8}})-(.{{4}})-(.{{4}})-(.{{4}})-(.{{4}}){_HEX}{{8}}")
_GUID_D_GROUP = re.compile(rf"\+?(?:0[xX])?{_HEX}*")  # as of old: "+0x1" will do for four digits
_GUID_N = re.compile(rf"{_HEX}{{32}}")
_GUID_X = re.compile(
    rf"\{{0[xX]0*{_HEX}{{1,8}},0[xX]0*{_HEX}{{1,4}},0[xX]0*{_HEX}{{1,4}},"
    rf"\{{0[xX]0*{_HEX}{{1,2}}(?:,0[xX]0*{_HEX}{{1,2}}){{7}}\}}\}}"
)


def parse_integer(text: str, bits: int) -> int | None:
    """The signed integer of 32 or 64 bits that the text says; None if it says none or one that does not fit."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    value = int(match[1])
    return value if -(1 << (bits - 1)) <= value < 1 << (bits - 1) else None


def is_boolean(text: str) -> bool:
    """`true` or `false` in any case, white space around it."""
    return trim(text).lower() in {"true", "false"}


def is_float(text: str) -> bool:
    """What `double` and `float` read alike: a number too large is infinity, not an error."""
    return _FLOAT.fullmatch(text) is not None or _FLOAT_NAME.fullmatch(trim(text)) is not None


def is_decimal(text: str) -> bool:
    """A number of at most 28 or 29 digits before the point."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return False
    return Decimal((match[1] or match[2]).replace(",", "")) < _DECIMAL_OVERFLOW


def is_guid(text: str) -> bool:
    """One of the five forms: 32 digits; with dashes; those in braces or parentheses; or nested hexadecimal numbers."""
    text = trim(text)
    if text[:1] + text[-1:] in {"{}", "()"}:
        return _is_dashed_guid(text[1:-1]) or _GUID_X.fullmatch("".join(text.split())) is not None
    return _is_dashed_guid(text) or _GUID_N.fullmatch(text) is not None


def _is_dashed_guid(text: str) -> bool:
    match = _GUID_D.fullmatch(text)
    return match is not None and all(_GUID_D_GROUP.fullmatch(group) for group in match.groups())
