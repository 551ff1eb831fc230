"""As much of KQL as the alerts use, run over rows: `where`, `extend`, `summarize`. What it does not know, it refuses.

Each step is put as the Python that means the same. A member that is missing is null, and no comparison with null holds.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from types import CodeType
from typing import Any

Row = dict[str, Any]

_TEXT = r'@?"(?:[^"\\]|\\.)*"'
_BETWEEN = re.compile(rf"(\w+(?:\([\w.]+\))?) (!?)(startswith|contains) ({_TEXT})")


def run(query: str, rows: list[Row], now: datetime) -> list[Row]:
    """The rows that the query gives, where its table holds these rows."""
    _, *steps = query.split("\n| ")
    for step in steps:
        verb, _, rest = step.partition(" ")
        rows = _STEPS[verb](rest, rows, {**_FUNCTIONS, "ago": lambda span: now - span})
    return rows


def _where(step: str, rows: list[Row], functions: Row) -> list[Row]:
    condition = _python(step)
    return [row for row in rows if eval(condition, dict(functions), row)]


def _extend(step: str, rows: list[Row], functions: Row) -> list[Row]:
    made = {name: _python(value) for name, value in _named(step)}
    return [{**row, **{name: eval(code, dict(functions), row) for name, code in made.items()}} for row in rows]


def _summarize(step: str, rows: list[Row], functions: Row) -> list[Row]:
    totals, _, by = step.partition(" by ")
    keys = [(name, _python(value)) for name, value in _named(by)] if by else []
    groups: dict[tuple[Any, ...], list[Row]] = {} if by else {(): []}
    for row in rows:
        groups.setdefault(tuple(eval(code, dict(functions), row) for _, code in keys), []).append(row)
    return [
        dict(zip((name for name, _ in keys), key, strict=True))
        | {name: _total(value, group, functions) for name, value in _named(totals)}
        for key, group in groups.items()
    ]


def _total(text: str, rows: list[Row], functions: Row) -> Any:
    name, _, of = text.removesuffix(")").partition("(")
    code = _python(of or "1")
    return _TOTALS[name]([eval(code, dict(functions), row) for row in rows])


def _named(text: str) -> list[tuple[str, str]]:
    """Each `name = value`; a name alone is its own value."""
    parts = (part.split(" = ", 1) for part in re.split(r", (?=\w+ = )", text))
    return [(part[0], part[-1]) for part in parts]


def _python(text: str) -> CodeType:
    called = _BETWEEN.sub(lambda found: f"{'not ' * bool(found[2])}{found[3]}({found[1]}, {found[4]})", text)
    return compile(re.sub(r"\b(\d+)d\b", r"days(\1)", called.replace('@"', 'r"')), text, "eval")


class _Null:
    """Holds no comparison, not even with itself."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return False

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __bool__(self) -> bool:
        return False


class _Object(Row):
    def __getattr__(self, member: str) -> Any:
        return self.get(member, None)


def _cast(kind: type) -> Callable[[Any], Any]:
    return lambda value: _Null() if value is None else kind(value)


_STEPS = {"where": _where, "extend": _extend, "summarize": _summarize}
_TOTALS: dict[str, Callable[[list[Any]], Any]] = {
    "count": len,
    "countif": lambda values: sum(map(bool, values)),
    "dcount": lambda values: len(set(values)),
    "max": lambda values: max(values, default=_Null()),
}
_FUNCTIONS: dict[str, Any] = {
    "__builtins__": {},
    "days": timedelta,
    "startswith": lambda text, start: text.lower().startswith(start.lower()),
    "contains": lambda text, part: part.lower() in text.lower(),
    "extract": lambda pattern, group, text: found[group] if (found := re.search(pattern, text)) else "",
    "parse_json": lambda text: json.loads(text, object_hook=_Object) if text else _Object(),
    "isnotempty": bool,
    "tostring": lambda value: "" if value is None else str(value),
    "toint": _cast(int),
    "todouble": _cast(float),
    "tobool": _cast(bool),
}
