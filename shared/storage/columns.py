"""Reading the columns of a row that anybody may have touched: by name, with the type that it must have."""

from datetime import datetime
from typing import Any

from shared.domain import instants
from shared.storage.table import Row


class DamagedRow(Exception):
    """A row cannot be understood. It is left as it is, for an operator; the error names the column, never a value."""


class Columns:
    """One row. Each call raises DamagedRow for a column that is of another type, or missing without a default."""

    def __init__(self, row: Row) -> None:
        self._row = row

    def has(self, name: str) -> bool:
        """Whether the row has this column."""
        return name in self._row

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        return self._read(name, str, default)

    def count(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        return self._read(name, int, default)

    def number(self, name: str) -> float:
        """A number, which may be stored as a whole one."""
        value = self._row.get(name)
        if type(value) not in (int, float):
            raise DamagedRow(f"the column {name} cannot be read")
        return float(value)  # type: ignore[arg-type]

    def flag(self, name: str, default: bool | None = None) -> bool:
        """A truth."""
        return self._read(name, bool, default)

    def choice(self, name: str, choices: tuple[str, ...]) -> Any:
        """One of these texts."""
        value = self.text(name)
        if value not in choices:
            raise DamagedRow(f"the column {name} cannot be read")
        return value

    def instant(self, name: str) -> datetime:
        """An instant, which is stored as a text."""
        try:
            return instants.from_text(self.text(name))
        except ValueError as error:
            raise DamagedRow(f"the column {name} cannot be read") from error

    def _read[V](self, name: str, kind: type[V], default: V | None) -> V:
        value = self._row.get(name, default)
        if type(value) is not kind:  # not isinstance: a truth is no number, a typed instant is no text
            raise DamagedRow(f"the column {name} cannot be read")
        return value
