"""Texts as .NET's configuration binder turns them into the type of an option.

Source: .NET, ConfigurationBinder and System.ComponentModel's converters; measured on Microsoft's own queue extension.
"""

import re
from collections.abc import Sequence

from devhost.dotnet.trim import trim
from devhost.dotnet.values import parse_integer

_HEXADECIMAL = re.compile(r"(?:#|0x|&h)\+?(?:0x)?([0-9a-f]+)", re.IGNORECASE | re.ASCII)
_INTEGER_START = re.compile(r"[+-]?[0-9]+", re.ASCII)


def bind_integer(text: str) -> int:
    """A whole number of 32 bits; `0x10`, `&h10` and `#10` are 16, and `0xFFFFFFFF` is -1.

    Raises:
        ValueError: it is not one; the message says so.
    """
    digits = trim(text)
    if match := _HEXADECIMAL.fullmatch(digits):
        value = int(match[1], 16)
        if value >> 32 == 0:
            return value - (value >> 31 << 32)
    elif (number := parse_integer(digits, 32)) is not None:
        return number
    raise ValueError("it is not a whole number of 32 bits")


def bind_boolean(text: str) -> bool:
    """`true` or `false`, in any case.

    Raises:
        ValueError: it is neither.
    """
    word = trim(text).lower()
    if word not in {"true", "false"}:
        raise ValueError("it is neither true nor false")
    return word == "true"


def bind_enum(text: str, names: Sequence[str]) -> int:
    """The value that the text names, ignoring case, or is: an index into `names`. Several, with commas, are or-ed.

    A number that no name has is let through, as .NET does.

    Raises:
        ValueError: it is none of the names and no whole number of 32 bits.
    """
    value = 0
    for part in text.split(","):
        value |= _enum_value(trim(part), names)
    return value


def _enum_value(part: str, names: Sequence[str]) -> int:
    if _INTEGER_START.fullmatch(part):
        number = parse_integer(part, 32)
        if number is not None:
            return number
    for value, name in enumerate(names):
        if name.lower() == part.lower():
            return value
    raise ValueError(f"it is none of {', '.join(names)}")
