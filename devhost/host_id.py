"""The name under which a host keeps its locks and statuses in storage."""

import platform
from pathlib import Path

from devhost.settings.configuration import Configuration

LONGEST = 32


def host_id(configuration: Configuration, machine_name: str | None = None) -> str:
    """`AzureFunctionsWebHost__hostid` if it is set, else `<machine>-<hash of the app's path>`, cut to 32 characters.

    Hosts that share it on one account share their timers: only one of them fires.
    Source: HOST, ScriptHostIdProvider.cs.
    """
    chosen = configuration.get("AzureFunctionsWebHost:hostid")
    if chosen is not None:
        return chosen
    folder = configuration.get("AzureWebJobsScriptRoot") or str(Path.cwd())
    machine_name = machine_name or platform.node()
    machine = "".join(letter for letter in machine_name.partition(".")[0] if letter.isalnum())
    return f"{machine}-{abs(_stable_hash(folder))}"[:LONGEST].lower().rstrip("-")


def _stable_hash(text: str) -> int:
    """A signed 32-bit hash of the UTF-16 units. Source: HOST, Utility.GetStableHash."""
    value = 23
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (value * 31 + low + 256 * high) % 2**32
    return value - 2**32 if value >= 2**31 else value
