"""The edit: how a task changes after it was submitted, told as a JSON Merge Patch (RFC 7396)."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from shared.domain import identity
from shared.domain.errors import FieldError
from shared.domain.field_rules import first_errors, shown
from shared.domain.record import Record
from shared.domain.task import (
    EDITABLE,
    default_of,
    every_field,
    field_errors,
    refusal,
    with_fields,
)

Patch = Mapping[str, Any]
"""The new values by the names of their fields in JSON."""


def parse_patch(fields: Mapping[str, Any]) -> Patch:
    """The patch that a JSON object describes. `null` gives a field its default back.

    Raises:
        InvalidTask: names every field that cannot change or breaks a rule (at most 50).
    """
    errors = first_errors(fields, _errors)
    if errors:
        raise refusal(errors)
    return {name: default_of(name) if value is None else value for name, value in fields.items()}


def _errors(name: str, value: Any) -> Iterator[FieldError]:
    if name not in EDITABLE:
        rule = f"cannot change after submission; what can: {', '.join(EDITABLE)}"
        yield FieldError(shown(name), rule)
    elif value is not None:
        yield from field_errors(name, value)


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A patch of one version of a task: `tag` is that of the row that it was made for."""

    task_id: str
    tag: str
    patch: Patch

    @property
    def id(self) -> str:
        """Alike for every repeat of it, and for no other edit."""
        canonical = json.dumps(self.patch, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return identity.edit_id(self.task_id, self.tag, canonical)

    def of(self, record: Record, *, now: datetime) -> Record:
        """The row with this edit; the very same one if the edit changes nothing."""
        before = every_field(record.task)
        changed = {name: value for name, value in self.patch.items() if value != before[name]}
        if not changed:
            return record
        return replace(
            record,
            task=with_fields(record.task, changed),
            submitted_fields={**{name: before[name] for name in changed}, **record.submitted_fields},
            edit_id=self.id,
            edited_from=self.tag,
            edited_at=now,
        )
