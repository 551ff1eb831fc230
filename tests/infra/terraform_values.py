"""What an expression of Terraform may come to, here: what JSON has, names to look below, and what is not yet known."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.infra.not_understood import NotUnderstood

type Value = Any


class Refused(Exception):
    """A variable has a value that its validation refuses. The message is the one of the template."""


class Unknown(str):
    """Known once it is there only, as an address: `${azurerm_key_vault.vault.id}`. Inside a text it stays readable."""

    __slots__ = ()

    @classmethod
    def at(cls, path: str) -> "Unknown":
        return cls(f"${{{path}}}")

    @property
    def path(self) -> str:
        return self[2:-1]


class Set(list[Value]):
    """What `toset` gives: for_each takes it, as it takes no list."""


@dataclass(frozen=True)
class Names:
    """`var`, `local`, a type of resources, an instance: whatever stands before a dot and is looked up when asked."""

    get: Callable[[str], Value]


def is_known(value: Value) -> bool:
    """Whether all of it is."""
    if isinstance(value, str):
        return "${" not in value
    if isinstance(value, list):
        return all(map(is_known, value))
    if isinstance(value, dict):
        return all(map(is_known, value.values()))
    return not isinstance(value, Names)


def shown(value: Value) -> str:
    """As Terraform would write it."""
    return value.path if isinstance(value, Unknown) else json.dumps(value)


def as_text(value: Value) -> str:
    """What becomes of a value inside a text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    raise NotUnderstood(f"{value!r} inside a text")
