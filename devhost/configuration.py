"""Settings as .NET configuration sees them: one flat, case-insensitive tree with `:` between its levels."""

from collections.abc import Mapping

from devhost.errors import FunctionError


class Configuration:
    """Layers of settings, the later ones first in line. Names ignore case, and `__` in a name means `:`."""

    def __init__(self, *layers: Mapping[str, str]) -> None:
        self._values: dict[str, tuple[str, str]] = {}
        for layer in layers:
            for name, value in layer.items():
                key = name.replace("__", ":")
                self._values[key.lower()] = (key, value)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Configuration":
        """The configuration that these environment variables make."""
        return cls(environment)

    def get(self, key: str) -> str | None:
        """The value set at exactly this key, perhaps empty; None where there is none."""
        found = self._values.get(key.lower())
        return found[1] if found else None

    def children(self, key: str) -> dict[str, str]:
        """Every value below the key, by the rest of its path as it was spelled."""
        start = f"{key.lower()}:"
        return {
            path[len(start) :]: value for low, (path, value) in self._values.items() if low.startswith(start)
        }

    def exists(self, key: str) -> bool:
        """Whether the key has a value or anything below it."""
        return self.get(key) is not None or bool(self.children(key))

    def expand(self, text: str) -> str:
        """The text with every `%NAME%` replaced by that setting.

        Raises:
            FunctionError: a `%` is not closed or a name has no value; the message names it.
        """
        raise FunctionError(text)

    def is_disabled(self, function_name: str) -> bool:
        """Whether `AzureWebJobs.<name>.Disabled` (or `AzureWebJobs_<name>_Disabled`) is `1` or `true`."""
        raise NotImplementedError
