"""Reads settings one by one from the environment. What is wrong is told in the end, all of it together."""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from shared.domain.errors import SettingsError
from shared.domain.lane import Lane
from shared.domain.names import CONNECTION
from shared.domain.text_rules import QUEUE_NAME, matches
from shared.domain.vault_reference import check_resolved
from shared.storage.connections import StorageConnections

RECEIPT_KEY_MIN = 32


class SettingsReader:
    """A setting that is wrong is as if it was not there, or None where that would mean something; `errors` says why."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.errors: list[str] = []

    def accounts(self, lanes: Sequence[Lane]) -> dict[str, StorageConnections]:
        """The data account, with all three services, and those of the lanes, of which a queue is all that is needed."""
        found = {}
        for name in dict.fromkeys((CONNECTION, *(lane.connection for lane in lanes))):
            try:
                found[name] = StorageConnections.resolve(self._environment, name)
            except SettingsError as error:
                self.errors.append(str(error))
                continue
            needed = found[name].missing if name == CONNECTION else ()
            self.errors.extend(f"{name}__{service}ServiceUri is not set" for service in needed)
        return found

    def number(self, name: str, default: float, *, low: float, high: float) -> float:
        """A number within both bounds, else the default."""
        text = self.raw(name)
        try:
            value = float(text) if text else default
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            self.errors.append(f"{name} must be a number from {low:g} to {high:g}")
            return default
        return value

    def text(self, name: str, pattern: str, rule: str) -> str | None:
        """A text that fits the pattern; `rule` says so in words, behind the name. None if it does not."""
        text = self.raw(name)
        if text and not matches(pattern, text):
            self.errors.append(f"{name} {rule}")
            return None
        return text

    def address(self, name: str, schemes: Sequence[str]) -> str | None:
        """An address with a host, of one of the schemes. None if it is not."""
        text = self.raw(name)
        try:
            parts = urlsplit(text or "")
            is_legal = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_legal = False
        if text and not is_legal:
            self.errors.append(f"{name} must be an address of the form {schemes[0]}://…")
            return None
        return text

    def parsed[T](self, name: str, parse: Callable[[str], T]) -> T | None:
        """What `parse` makes of a text; None where it raises SettingsError."""
        text = self.raw(name)
        try:
            return None if text is None else parse(text)
        except SettingsError as error:
            self.errors.append(str(error))
            return None

    def flag(self, name: str) -> bool:
        """True or false, which it is where nothing is said."""
        text = (self.raw(name) or "").lower()
        if text not in {"", "true", "false", "1", "0"}:
            self.errors.append(f"{name} must be true or false")
        return text in {"true", "1"}

    def one_of[T: str](self, name: str, choices: tuple[T, ...], default: T) -> T | None:
        """One of the words."""
        text = self.raw(name)
        if text is None:
            return None
        found = next((each for each in choices if each == text), None) if text else default
        if found is None:
            self.errors.append(f"{name} must be one of {', '.join(choices)}")
        return found

    def keys(self, name: str) -> tuple[bytes, ...]:
        """Keys that sign: at least one."""
        text = self.raw(name)
        if text is None:
            return ()
        keys = tuple(key.strip().encode() for key in text.split(",") if key.strip())
        if not keys or any(len(key) < RECEIPT_KEY_MIN for key in keys):
            self.errors.append(
                f"{name} must hold one or more keys of at least {RECEIPT_KEY_MIN} characters, separated by commas; "
                "the first signs, all verify"
            )
        return keys

    def queues(self, name: str) -> frozenset[str] | None:
        """Names of queues, if any."""
        text = self.raw(name)
        if text is None:
            return None
        names = frozenset(part.strip() for part in text.split(",") if part.strip())
        if not all(matches(QUEUE_NAME, part) for part in names):
            self.errors.append(f"{name} must hold names of storage queues, separated by commas")
            return None
        return names

    def raw(self, name: str) -> str | None:
        """The text, without outer blanks. None where the platform did not fetch the secret that it refers to."""
        text = self._environment.get(name, "").strip()
        try:
            check_resolved(name, text)
        except SettingsError as error:
            self.errors.append(str(error))
            return None
        return text
