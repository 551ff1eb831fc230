"""Reading many parameters at once, of a query or a body: every one that is wrong is told, and what is unknown too."""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import azure.functions as func

from shared.domain import instants
from shared.domain.errors import FieldError, InvalidRequest
from shared.domain.field_rules import shown
from shared.domain.text_rules import LINE, has_lone_surrogate, matches

ID_MAX = 200
CURSOR_MAX = 2_000
_KEY_PARAMETERS = frozenset({"code", "clientId"})
"""What the platform reads of a query: the key, and the name of the key."""


def _is_name(text: str) -> bool:
    return len(text) <= ID_MAX and not has_lone_surrogate(text)


class Parameters:
    """What was given by name; in a query all of it are texts. What is missing or null is the default, or empty."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self._known: set[str] = set()
        self._errors: list[FieldError] = []

    @classmethod
    def of_query(cls, request: func.HttpRequest) -> "Parameters":
        """Those of a query, without what is the platform's.

        It drops parameters with an empty value, and joins those of one name: a script whose variable is empty would be
        shown everything. The address tells, and both are wrong.
        """
        read = cls({name: value for name, value in request.params.items() if name not in _KEY_PARAMETERS})
        sent = parse_qsl(urlsplit(request.url).query, keep_blank_values=True, errors="replace")
        counts = Counter(name.lower() for name, _ in sent)
        for name in dict.fromkeys(name for name, value in sent if not value and name not in _KEY_PARAMETERS):
            read.wrong(shown(name), "must not be empty: leave it out")
        for name in (name for name, count in counts.items() if count > 1):
            read.wrong(shown(name), "must not be given more than once")
        return read

    def has(self, name: str) -> bool:
        """Whether it was given, be it right or wrong."""
        return self._given.get(name) is not None

    def text(self, name: str, pattern: str, rule: str) -> str:
        """A text that matches, or nothing."""
        return self._read(name, "", rule, lambda value: value if matches(pattern, value) else None)

    def line(self, name: str, *, most: int) -> str:
        """One line of so many characters at most, or nothing."""

        def read(value: str) -> str | None:
            return value if len(value) <= most and matches(LINE, value) and not has_lone_surrogate(value) else None

        return self._read(name, "", f"must be one line of at most {most:,} characters", read)

    def choice[C: str](self, name: str, choices: tuple[C, ...], default: C) -> C:
        """One of these."""
        known = {each: each for each in choices}
        return self._read(name, default, f"must be one of {', '.join(choices)}", known.get)

    def uuid(self, name: str) -> str:
        """A UUID in any form, or nothing."""
        return self._read(name, "", "must be a UUID", lambda value: str(uuid.UUID(value)))

    def instant(self, name: str) -> datetime | None:
        """An instant, or none."""
        return self._read(name, None, "must be an RFC 3339 instant, like 2027-03-01T12:00:00Z", instants.from_text)

    def whole(self, name: str, *, low: int, high: int, default: int) -> int:
        """A whole number, written as a text."""

        def read(value: str) -> int | None:
            return int(value) if value.isascii() and value.isdigit() and low <= int(value) <= high else None

        return self._read(name, default, f"must be a whole number from {low} to {high}", read)

    def number(self, name: str, *, low: float, high: float) -> float:
        """A JSON number; 0 if there is none."""
        rule = f"must be a number from {low:g} to {high:g}"
        return self._read(name, 0.0, rule, lambda value: float(value) if low <= value <= high else None, int | float)

    def flag(self, name: str) -> bool:
        """A JSON truth; false if there is none."""
        return self._read(name, False, "must be true or false", lambda value: value, bool)

    def object(self, name: str) -> Mapping[str, Any] | None:
        """A JSON object, or none."""
        found: Mapping[str, Any] | None = self._read(name, None, "must be an object", lambda value: value, dict)
        return found

    def texts(self, name: str, *, most: int) -> tuple[str, ...]:
        """1 to so many texts, each once, in an array; none if it is not given."""

        def read(value: list[Any]) -> tuple[str, ...] | None:
            good = 1 <= len(value) <= most and all(isinstance(each, str) and _is_name(each) for each in value)
            return tuple(dict.fromkeys(value)) if good else None

        rule = f"must be an array of 1 to {most:,} texts of at most {ID_MAX} characters"
        return self._read(name, (), rule, read, list)

    def array(self, name: str, *, most: int) -> Sequence[Any]:
        """1 to so many values of any kind, in an array; none if it is not given."""
        rule = f"must be an array of 1 to {most:,} entries"
        return self._read(name, (), rule, lambda value: value if 1 <= len(value) <= most else None, list)

    def wrong(self, name: str, rule: str) -> None:
        """Say that a parameter breaks a rule."""
        self._errors.append(FieldError(name, rule))

    def check(self) -> None:
        """Raise InvalidRequest if anything was wrong, with all of it."""
        for name in self._given.keys() - self._known:
            self.wrong(shown(name), f"is not known here; known are {', '.join(sorted(self._known))}")
        if self._errors:
            told = "; ".join(f"{error.field} {error.message}" for error in self._errors[:20])
            raise InvalidRequest(f"{told}."[:2_000], code="invalid_parameter", errors=self._errors[:20])

    def _read[V](self, name: str, default: V, rule: str, read: Callable[[Any], V | None], kind: Any = str) -> V:
        self._known.add(name)
        value = self._given.get(name)
        if value is None:
            return default
        found = None
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            try:
                found = read(value)
            except (ValueError, OverflowError):
                found = None
        if found is None:
            self.wrong(name, rule)
            return default
        return found
