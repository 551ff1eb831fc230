"""The leaves of host.json, with the environment's `AzureFunctionsJobHost__…` laid over them, each knowing its origin.

Source: HOST, HostJsonFileConfigurationSource.cs: everything travels as text, and the environment comes after the file.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from devhost.dotnet.texts import ordinal_key
from devhost.dotnet.timespan import format_timespan
from devhost.errors import HostConfigError
from devhost.settings.configuration import SEPARATOR, Configuration

FILE = "host.json"
SECTION = "AzureFunctionsJobHost"


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """One value. `path` is its place in host.json as it was spelled, `origin` the file or the variable it is from."""

    path: tuple[str, ...]
    text: str
    origin: str


class HostSettings:
    """The values in effect. Keys are given as in host.json (`extensions.queues.batchSize`) and ignore case."""

    def __init__(self, root: Mapping[str, Any], configuration: Configuration) -> None:
        leaves = [Leaf(path=path, text=text, origin=FILE) for path, text in _leaves(root, ())]
        for rest, text in configuration.children(SECTION).items():
            path = tuple(rest.split(SEPARATOR))
            leaves.append(Leaf(path=path, text=text, origin="__".join((f"environment variable {SECTION}", *path))))
        self._leaves = {_folded(leaf.path): leaf for leaf in leaves}

    def __iter__(self) -> Iterator[Leaf]:
        return iter(self._leaves.values())

    def leaf(self, key: str) -> Leaf | None:
        """The value at exactly this key."""
        return self._leaves.get(_folded(key.split(".")))

    def below(self, key: str) -> dict[str, str]:
        """The values one level below the key, by name."""
        section = _folded(key.split("."))
        return {
            leaf.path[-1]: leaf.text
            for path, leaf in self._leaves.items()
            if len(path) == len(section) + 1 and path[:-1] == section
        }

    def exists(self, key: str) -> bool:
        """Whether there is a value at the key or anywhere below it."""
        section = _folded(key.split("."))
        return any(path[: len(section)] == section for path in self._leaves)

    def read[T](
        self, key: str, bind: Callable[[str], T], default: T, *, rule: str, allows: Callable[[T], bool] = lambda _: True
    ) -> T:
        """The value at the key, bound to its type; the default where there is none.

        `rule` says in words what `bind` and `allows` let pass.

        Raises:
            HostConfigError: it cannot be bound, or is not allowed.
        """
        leaf = self.leaf(key)
        if leaf is None:
            return default
        try:
            value = bind(leaf.text)
        except ValueError as error:
            problem = str(error).removesuffix(".")
            raise _refusal(leaf, key, f"{problem}; it must be {rule}", default) from error
        if not allows(value):
            raise _refusal(leaf, key, f"it must be {rule}", default)
        return value


def setting_text(value: str | float | bool | None) -> str:
    """A JSON value as the text it becomes: `null` is empty, `true` is `True`, `5.0` is `5`."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _refusal(leaf: Leaf, key: str, problem: str, default: object) -> HostConfigError:
    usual = format_timespan(default) if isinstance(default, timedelta) else default
    return HostConfigError(
        f'{leaf.origin}: {key} is "{leaf.text}": {problem}. Change it, or remove it for the default ({usual}).'
    )


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, Mapping):
        for name, child in value.items():
            # A key may itself hold a path ("extensions:queues"), since all keys are joined into one.
            yield from _leaves(child, (*path, *name.split(SEPARATOR)))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _leaves(child, (*path, str(index)))
    else:
        yield path, setting_text(value)


def _folded(path: "tuple[str, ...] | list[str]") -> tuple[str, ...]:
    return tuple(map(ordinal_key, path))
