"""The settings, read once into one frozen object. `local.settings.example.json` and README list every one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast, get_args
from urllib.parse import urlsplit

from shared.domain.callback_rule import Allowed, parse_allow
from shared.domain.errors import SettingsError
from shared.domain.lane import Lane, parse_lanes
from shared.domain.names import CONNECTION
from shared.domain.phone import REGION
from shared.domain.text_rules import EMAIL, PHONE, QUEUE_NAME, matches
from shared.domain.webhook_signature import parse_webhook_keys
from shared.storage.connections import StorageConnections

RECEIPT_KEY_MIN = 32

Directory = Literal["optional", "required"]
"""`required`: a task with an owner who is not in the directory fails."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the environment decides. Times are seconds.

    A wrong setting must not stop what does without it: a worker whose receipt keys are wrong still records. So reading
    never raises; a wrong number is its default, and `errors` holds every complaint.
    """

    lanes: tuple[Lane, ...]
    accounts: Mapping[str, StorageConnections]
    receipt_keys: tuple[bytes, ...] = field(repr=False)
    reply_queues: frozenset[str] | None
    submit_seconds: float
    batch_seconds: float
    lane_pause_seconds: float
    key_read_seconds: float
    read_seconds: float
    target_seconds: float
    step_seconds: float
    defer_base_seconds: float
    defer_cap_seconds: float
    give_up_days: float
    never_recorded_days: float
    keep_letters_days: float
    operator_seconds: float
    sweep_minutes: float
    sweep_seconds: float
    use_environment_proxy: bool
    directory: Directory | None
    public_blob_url: str
    upload_minutes: float
    link_minutes: float
    photo_wait_seconds: float
    unclaimed_days: float
    mail_from: str
    smtp_url: str = field(repr=False)
    acs_endpoint: str
    outbox: str
    sms_from: str
    phone_region: str
    callback_keys: tuple[bytes, ...] | None = field(repr=False)
    callback_allow: Allowed | None
    callback_seconds: float
    callback_scale: float
    errors: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """The settings that a process environment gives."""
        read = _Reader(environment)
        lanes = read.lanes("FIXIT_LANES")
        return cls(
            lanes=lanes,
            accounts=read.accounts(lanes),
            receipt_keys=read.keys("FIXIT_RECEIPT_KEYS"),
            reply_queues=read.queues("FIXIT_REPLY_QUEUES"),
            submit_seconds=read.number("FIXIT_SUBMIT_SECONDS", 5, low=0.1, high=60),
            batch_seconds=read.number("FIXIT_BATCH_SECONDS", 20, low=0.1, high=200),
            lane_pause_seconds=read.number("FIXIT_LANE_PAUSE_SECONDS", 30, low=0.001, high=3_600),
            key_read_seconds=read.number("FIXIT_KEY_READ_SECONDS", 0.5, low=0.001, high=60),
            read_seconds=read.number("FIXIT_READ_SECONDS", 5, low=0.1, high=60),
            target_seconds=read.number("FIXIT_TARGET_SECONDS", 60, low=0, high=604_800),
            step_seconds=read.number("FIXIT_STEP_SECONDS", 60, low=0.1, high=240),
            defer_base_seconds=read.number("FIXIT_DEFER_BASE_SECONDS", 1, low=0.001, high=300),
            defer_cap_seconds=read.number("FIXIT_DEFER_CAP_SECONDS", 300, low=0.001, high=86_400),
            give_up_days=read.number("FIXIT_GIVE_UP_DAYS", 7, low=0, high=365),
            never_recorded_days=read.number("FIXIT_NEVER_RECORDED_DAYS", 8, low=0, high=365),
            keep_letters_days=read.number("FIXIT_KEEP_LETTERS_DAYS", 90, low=0, high=3_650),
            operator_seconds=read.number("FIXIT_OPERATOR_SECONDS", 60, low=0.1, high=200),
            sweep_minutes=read.number("FIXIT_SWEEP_MINUTES", 60, low=0, high=10_080),
            sweep_seconds=read.number("FIXIT_SWEEP_SECONDS", 30, low=0.1, high=240),
            use_environment_proxy=read.flag("FIXIT_USE_ENVIRONMENT_PROXY"),
            directory=read.directory("FIXIT_DIRECTORY"),
            public_blob_url=read.address("FIXIT_PUBLIC_BLOB_URL", ("https", "http")).rstrip("/"),
            upload_minutes=read.number("FIXIT_UPLOAD_MINUTES", 15, low=0.01, high=60),
            link_minutes=read.number("FIXIT_LINK_MINUTES", 10, low=0.01, high=60),
            photo_wait_seconds=read.number("FIXIT_PHOTO_WAIT_SECONDS", 5, low=0.1, high=300),
            unclaimed_days=read.number("FIXIT_UNCLAIMED_DAYS", 9, low=0, high=365),
            mail_from=read.text("FIXIT_MAIL_FROM", EMAIL, "must be one email address"),
            smtp_url=read.address("FIXIT_SMTP_URL", ("smtps", "smtp")),
            acs_endpoint=read.address("FIXIT_ACS_ENDPOINT", ("https", "http")).rstrip("/"),
            outbox=environment.get("FIXIT_OUTBOX", "").strip(),
            sms_from=read.text("FIXIT_SMS_FROM", PHONE, "must be a phone number like +4930123456"),
            phone_region=read.text("FIXIT_PHONE_REGION", REGION, "must be one of the countries of phone.py, like DE"),
            callback_keys=read.callback_keys("FIXIT_CALLBACK_KEYS"),
            callback_allow=read.callback_allow("FIXIT_CALLBACK_ALLOW"),
            callback_seconds=read.number("FIXIT_CALLBACK_SECONDS", 15, low=0.1, high=60),
            callback_scale=read.number("FIXIT_CALLBACK_SCALE", 1, low=0.00001, high=1),
            errors=tuple(read.errors),
        )

    def check(self) -> None:
        """Raise SettingsError, naming every setting that is missing or wrong, if one is."""
        if self.errors:
            raise SettingsError("; ".join(self.errors))

    def usable_receipt_keys(self) -> tuple[bytes, ...]:
        """The keys; SettingsError while there is none that can be used."""
        if not self.receipt_keys:
            self.check()
        return self.receipt_keys

    def usable_callback_keys(self) -> tuple[bytes, ...]:
        """The keys, none where callbacks are off; SettingsError while that cannot be known."""
        if self.callback_keys is None:
            self.check()
        return self.callback_keys or ()

    @property
    def callbacks_allowed(self) -> Allowed:
        """Hosts that callbacks may reach although they are not public; SettingsError while that cannot be known."""
        if self.callback_allow is None:
            self.check()
        return self.callback_allow or frozenset()

    def account(self, connection: str) -> StorageConnections:
        """The account of a connection name; SettingsError where it is not set."""
        if connection not in self.accounts:
            self.check()
            raise SettingsError(f"{connection} is not the connection of a lane")
        return self.accounts[connection]

    def may_reply_to(self, queue: str) -> bool:
        """Whether answers may be put on this queue; SettingsError while that cannot be known."""
        if self.reply_queues is None:
            self.check()
        return queue in (self.reply_queues or ())

    @property
    def needs_directory(self) -> bool:
        """Whether an owner must stand in the directory; SettingsError while that cannot be known."""
        if self.directory is None:
            self.check()
        return self.directory == "required"


class _Reader:
    """Reads settings one by one and keeps every complaint, so that all gaps are told together."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.errors: list[str] = []

    def lanes(self, name: str) -> tuple[Lane, ...]:
        try:
            return parse_lanes(self._environment.get(name, ""))
        except SettingsError as error:
            self.errors.append(str(error))
            return ()

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
        text = self._environment.get(name, "").strip()
        try:
            value = float(text) if text else default
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            self.errors.append(f"{name} must be a number from {low:g} to {high:g}")
            return default
        return value

    def text(self, name: str, pattern: str, rule: str) -> str:
        text = self._environment.get(name, "").strip()
        if text and not matches(pattern, text):
            self.errors.append(f"{name} {rule}")
            return ""
        return text

    def address(self, name: str, schemes: Sequence[str]) -> str:
        text = self._environment.get(name, "").strip()
        try:
            parts = urlsplit(text)
            is_legal = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_legal = False
        if text and not is_legal:
            self.errors.append(f"{name} must be an address of the form {schemes[0]}://…")
            return ""
        return text

    def callback_keys(self, name: str) -> tuple[bytes, ...] | None:
        return self._parsed(name, parse_webhook_keys)

    def callback_allow(self, name: str) -> Allowed | None:
        return self._parsed(name, parse_allow)

    def _parsed[T](self, name: str, parse: Callable[[str], T]) -> T | None:
        try:
            return parse(self._environment.get(name, ""))
        except SettingsError as error:
            self.errors.append(str(error))
            return None

    def flag(self, name: str) -> bool:
        text = self._environment.get(name, "").strip().lower()
        if text not in {"", "true", "false", "1", "0"}:
            self.errors.append(f"{name} must be true or false")
        return text in {"true", "1"}

    def directory(self, name: str) -> Directory | None:
        text = self._environment.get(name, "").strip() or "optional"
        if text not in get_args(Directory):
            self.errors.append(f"{name} must be one of {', '.join(get_args(Directory))}")
            return None
        return cast("Directory", text)

    def keys(self, name: str) -> tuple[bytes, ...]:
        keys = tuple(key.strip().encode() for key in self._environment.get(name, "").split(",") if key.strip())
        if not keys or any(len(key) < RECEIPT_KEY_MIN for key in keys):
            self.errors.append(
                f"{name} must hold one or more keys of at least {RECEIPT_KEY_MIN} characters, separated by commas; "
                "the first signs, all verify"
            )
        return keys

    def queues(self, name: str) -> frozenset[str] | None:
        names = frozenset(part.strip() for part in self._environment.get(name, "").split(",") if part.strip())
        if not all(matches(QUEUE_NAME, part) for part in names):
            self.errors.append(f"{name} must hold names of storage queues, separated by commas")
            return None
        return names
