"""The settings, read once into one frozen object. `local.settings.example.json` and README list every one of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shared.domain.errors import SettingsError
from shared.domain.names import CONNECTION
from shared.domain.text_rules import QUEUE_NAME, matches
from shared.storage.connections import StorageConnections

RECEIPT_KEY_MIN = 32


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the environment decides. Times are seconds."""

    connections: StorageConnections
    receipt_keys: tuple[bytes, ...] = field(repr=False)
    reply_queues: frozenset[str]
    submit_seconds: float
    read_seconds: float
    step_seconds: float
    defer_base_seconds: float
    defer_cap_seconds: float
    never_recorded_days: float
    use_environment_proxy: bool

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """The settings that a process environment gives.

        Raises:
            SettingsError: names every setting that is missing or wrong, at once.
        """
        read = _Reader(environment)
        settings = cls(
            connections=read.parsed(CONNECTION, lambda: StorageConnections.resolve(environment, CONNECTION)),
            receipt_keys=read.keys("FIXIT_RECEIPT_KEYS"),
            reply_queues=read.queues("FIXIT_REPLY_QUEUES"),
            submit_seconds=read.number("FIXIT_SUBMIT_SECONDS", 5, low=0.1, high=60),
            read_seconds=read.number("FIXIT_READ_SECONDS", 5, low=0.1, high=60),
            step_seconds=read.number("FIXIT_STEP_SECONDS", 60, low=0.1, high=240),
            defer_base_seconds=read.number("FIXIT_DEFER_BASE_SECONDS", 1, low=0.001, high=300),
            defer_cap_seconds=read.number("FIXIT_DEFER_CAP_SECONDS", 300, low=0.001, high=86_400),
            never_recorded_days=read.number("FIXIT_NEVER_RECORDED_DAYS", 8, low=0, high=365),
            use_environment_proxy=read.flag("FIXIT_USE_ENVIRONMENT_PROXY"),
        )
        if read.errors:
            raise SettingsError("; ".join(read.errors))
        return settings


class _Reader:
    """Reads settings one by one and keeps every complaint, so that all gaps are told together."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.errors: list[str] = []

    def parsed[T](self, name: str, parse: Callable[[], T]) -> T:
        try:
            return parse()
        except SettingsError as error:
            self.errors.append(str(error))
            return None  # type: ignore[return-value]  # never seen: from_environment raises when there is a complaint

    def number(self, name: str, default: float, *, low: float, high: float) -> float:
        text = self._environment.get(name, "").strip()
        try:
            value = float(text) if text else default
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            self.errors.append(f"{name} must be a number from {low:g} to {high:g}")
        return value

    def flag(self, name: str) -> bool:
        text = self._environment.get(name, "").strip().lower()
        if text not in {"", "true", "false", "1", "0"}:
            self.errors.append(f"{name} must be true or false")
        return text in {"true", "1"}

    def keys(self, name: str) -> tuple[bytes, ...]:
        keys = tuple(key.strip().encode() for key in self._environment.get(name, "").split(",") if key.strip())
        if not keys or any(len(key) < RECEIPT_KEY_MIN for key in keys):
            self.errors.append(
                f"{name} must hold one or more keys of at least {RECEIPT_KEY_MIN} characters, separated by commas; "
                "the first signs, all verify"
            )
        return keys

    def queues(self, name: str) -> frozenset[str]:
        names = frozenset(part.strip() for part in self._environment.get(name, "").split(",") if part.strip())
        if not all(matches(QUEUE_NAME, part) and len(part) <= 63 for part in names):
            self.errors.append(f"{name} must hold names of storage queues, separated by commas")
        return names
