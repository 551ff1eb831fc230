"""Settings as .NET configuration sees them: one flat, case-insensitive tree with `:` between its levels."""

import re
from collections.abc import Mapping

from devhost.dotnet.texts import ordinal_key
from devhost.errors import FunctionError

SEPARATOR = ":"

# How App Service hands over its connection strings. Source: .NET, EnvironmentVariablesConfigurationProvider.
CONNECTION_STRING_PREFIX = re.compile(
    "(?:CUSTOM|SQL|SQLAZURE|MYSQL|POSTGRESQL|APIHUB|DOCDB|EVENTHUB|NOTIFICATIONHUB|REDISCACHE|SERVICEBUS)CONNSTR_",
    re.IGNORECASE,
)


class Configuration:
    """Layers of settings, of which later ones win. Names ignore case, and `__` in a layer's name means `:`."""

    def __init__(self, *layers: Mapping[str, str]) -> None:
        self._values: dict[str, tuple[str, str]] = {}
        for layer in layers:
            for name, value in layer.items():
                key = name.replace("__", SEPARATOR)
                self._values[ordinal_key(key)] = (key, value)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Configuration":
        """The configuration that these environment variables make."""
        return cls({_name(variable): value for variable, value in environment.items()})

    def get(self, key: str) -> str | None:
        """The value set at exactly this key, perhaps empty; None where there is none."""
        found = self._values.get(ordinal_key(key))
        return found[1] if found else None

    def children(self, key: str) -> dict[str, str]:
        """Every value below the key, however deep, by the rest of its path as it was spelled."""
        start = ordinal_key(key) + SEPARATOR
        return {path[len(start) :]: value for folded, (path, value) in self._values.items() if folded.startswith(start)}

    def exists(self, key: str) -> bool:
        """Whether the key has a value or anything below it."""
        return self.get(key) is not None or bool(self.children(key))

    def expand(self, text: str) -> str:
        """The text with every `%NAME%` replaced by that setting, once: what the setting holds is not looked at.

        Raises:
            FunctionError: a `%` is not closed, or a name has no value; the message names it.
        """
        literal, *rest = text.split("%")
        if len(rest) % 2:
            raise FunctionError(f"The '%' at position {text.rindex('%')} does not have a closing '%' ('{text}').")
        pieces = [literal]
        for name, literal in zip(rest[::2], rest[1::2], strict=True):
            pieces += self._resolve(name), literal
        return "".join(pieces)

    def is_disabled(self, function_name: str) -> bool:
        """Whether `AzureWebJobs.<name>.Disabled` (or `AzureWebJobs_<name>_Disabled`) is `1` or `true`."""
        names = (f"AzureWebJobs.{function_name}.Disabled", f"AzureWebJobs_{function_name}_Disabled")
        return any((self.get(name) or "").lower() in {"1", "true"} for name in names)

    def _resolve(self, name: str) -> str:
        value = self.get(name)
        if value is None:
            value = self.get(name.replace("__", SEPARATOR))
        if value is None:
            raise FunctionError(
                f"'%{name}%' does not resolve to a value. "
                f"Set {name} in the environment or under Values in local.settings.json."
            )
        return value


def _name(variable: str) -> str:
    prefix = CONNECTION_STRING_PREFIX.match(variable)
    return f"ConnectionStrings{SEPARATOR}{variable[prefix.end() :]}" if prefix else variable
