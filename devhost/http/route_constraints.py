"""The inline constraints of a route parameter: `int`, `length(2,4)`, `regex(^[a-c]+$)` …

Source: Microsoft.AspNetCore.Routing (RouteOptions.ConstraintMap and the constraint classes).
"""

import re
from collections.abc import Callable, Sequence

from devhost.dotnet.datetimes import is_datetime
from devhost.dotnet.texts import utf16_length
from devhost.dotnet.values import is_boolean, is_decimal, is_float, is_guid, parse_integer

type Test = Callable[[str], bool]
"""Says whether a value passes. A parameter without a value passes only `nonfile` (see `NEEDS_NO_VALUE`)."""

NEEDS_NO_VALUE = frozenset({"nonfile"})

_ALPHA = re.compile("[A-Za-z]*$")


def make_constraint(text: str) -> Test:
    """The test that one constraint stands for; names ignore case.

    Raises:
        ValueError: no such constraint, or its arguments do not fit.
    """
    name, parenthesis, rest = text.partition("(")
    argument = rest[:-1] if parenthesis and rest.endswith(")") else None
    name = name.lower() if argument is not None or not parenthesis else text
    if name == "regex":
        return _regex(argument)
    if name in _PLAIN:
        if argument is not None:
            raise ValueError(f"the route constraint '{name}' takes no argument: '{text}'")
        return _PLAIN[name]
    if name not in _WITH_NUMBERS:
        raise ValueError(f"there is no route constraint '{text}'")
    make, counts, bits = _WITH_NUMBERS[name]
    numbers = [parse_integer(part, bits) for part in (argument or "").split(",")]
    if len(numbers) not in counts or None in numbers:
        raise ValueError(f"the route constraint '{text}' needs whole numbers: {' or '.join(map(str, counts))}")
    return make([number for number in numbers if number is not None])


def _regex(pattern: str | None) -> Test:
    if pattern is None:
        raise ValueError("the route constraint 'regex' needs a pattern: 'regex(…)'")
    try:
        compiled = re.compile(_python_pattern(pattern), re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"the pattern of the route constraint 'regex({pattern})' cannot be used: {error}") from error
    return lambda value: compiled.search(value) is not None


def _python_pattern(pattern: str) -> str:
    """What .NET and Python spell differently: named groups, references to them, and the ends of the text."""
    pattern = re.sub(r"\(\?(?:<(?![=!])(\w+)>|'(\w+)')", lambda match: f"(?P<{match[1] or match[2]}>", pattern)
    spelled = {r"\z": r"\Z", r"\Z": r"(?=\n?\Z)"}
    return re.sub(
        r"\\(?:k<(\w+)>|.)",
        lambda match: f"(?P={match[1]})" if match[1] else spelled.get(match[0], match[0]),
        pattern,
        flags=re.DOTALL,
    )


def _is_file_name(value: str) -> bool:
    _, point, rest = value.rpartition("/")[2].partition(".")
    return bool(point) and rest.strip(".") != ""


def _length(bounds: Sequence[int]) -> Test:
    low, high = _ordered(bounds[0], bounds[-1])
    if low < 0:
        raise ValueError("a length in a route constraint cannot be negative")
    return lambda value: low <= utf16_length(value) <= high


def _range(bounds: Sequence[int]) -> Test:
    low, high = _ordered(bounds[0], bounds[-1])
    return lambda value: (number := parse_integer(value, 64)) is not None and low <= number <= high


def _ordered(low: int, high: int) -> tuple[int, int]:
    if low > high:
        raise ValueError(f"the bounds of a route constraint are in the wrong order: {low}, {high}")
    return low, high


_PLAIN: dict[str, Test] = {
    "int": lambda value: parse_integer(value, 32) is not None,
    "long": lambda value: parse_integer(value, 64) is not None,
    "bool": is_boolean,
    "datetime": is_datetime,
    "decimal": is_decimal,
    "double": is_float,
    "float": is_float,
    "guid": is_guid,
    "alpha": lambda value: _ALPHA.match(value) is not None,
    "required": bool,
    "file": _is_file_name,
    "nonfile": lambda value: not _is_file_name(value),
}

_INT_MAX, _LONG_MIN, _LONG_MAX = 2**31 - 1, -(2**63), 2**63 - 1

# name → (maker, numbers it takes, bits of each)
_WITH_NUMBERS: dict[str, tuple[Callable[[Sequence[int]], Test], tuple[int, ...], int]] = {
    "length": (_length, (1, 2), 32),
    "minlength": (lambda bounds: _length([*bounds, _INT_MAX]), (1,), 32),
    "maxlength": (lambda bounds: _length([0, *bounds]), (1,), 32),
    "range": (_range, (2,), 64),
    "min": (lambda bounds: _range([*bounds, _LONG_MAX]), (1,), 64),
    "max": (lambda bounds: _range([_LONG_MIN, *bounds]), (1,), 64),
}
