"""JSON as RFC 8259 has it: what Python's parser forgives is refused, so that nothing is guessed."""

import json
from typing import Any, Never


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: not JSON; a repeated key, NaN, Infinity or a number out of range;
            nested too deeply. The text of the error is fit for the sender.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:80]!r} is given twice")
        found[key] = value
    return found


def _no_constant(name: str) -> Never:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {digits[:40]} is out of range")
    return number


def _integer(digits: str) -> int:
    # Python refuses to convert thousands of digits, with a text about itself; no field of ours needs more than 64 bits.
    if len(digits) > 20:
        raise ValueError(f"the number {digits[:40]}… is out of range")
    return int(digits)
