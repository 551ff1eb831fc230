"""The settings, read once into one frozen object. `local.settings.example.json` and README list every one of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from shared.domain.callback_rule import Allowed, parse_allow
from shared.domain.errors import SettingsError
from shared.domain.lane import Lane, parse_lanes
from shared.domain.phone import REGION
from shared.domain.text_rules import EMAIL, PHONE
from shared.domain.webhook_signature import parse_webhook_keys
from shared.settings_reader import SettingsReader
from shared.storage.connections import StorageConnections

Directory = Literal["optional", "required"]
"""`required`: a task with an owner who is not in the directory fails."""

DIRECTORIES: tuple[Directory, ...] = get_args(Directory)


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
    mail_from: str | None
    smtp_url: str | None = field(repr=False)
    acs_endpoint: str | None
    outbox: str | None
    sms_from: str | None
    phone_region: str
    callback_keys: tuple[bytes, ...] | None = field(repr=False)
    callback_allow: Allowed | None
    callback_seconds: float
    callback_scale: float
    errors: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Settings":
        """The settings that a process environment gives."""
        read = SettingsReader(environment)
        lanes = read.parsed("FIXIT_LANES", parse_lanes) or ()
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
            directory=read.one_of("FIXIT_DIRECTORY", DIRECTORIES, "optional"),
            public_blob_url=(read.address("FIXIT_PUBLIC_BLOB_URL", ("https", "http")) or "").rstrip("/"),
            upload_minutes=read.number("FIXIT_UPLOAD_MINUTES", 15, low=0.01, high=60),
            link_minutes=read.number("FIXIT_LINK_MINUTES", 10, low=0.01, high=60),
            photo_wait_seconds=read.number("FIXIT_PHOTO_WAIT_SECONDS", 5, low=0.1, high=300),
            unclaimed_days=read.number("FIXIT_UNCLAIMED_DAYS", 9, low=0, high=365),
            mail_from=read.text("FIXIT_MAIL_FROM", EMAIL, "must be one email address"),
            smtp_url=read.address("FIXIT_SMTP_URL", ("smtps", "smtp")),
            acs_endpoint=read.address("FIXIT_ACS_ENDPOINT", ("https", "http")),
            outbox=read.raw("FIXIT_OUTBOX"),
            sms_from=read.text("FIXIT_SMS_FROM", PHONE, "must be a phone number like +4930123456"),
            phone_region=read.text("FIXIT_PHONE_REGION", REGION, "must be one of the countries of phone.py, like DE")
            or "",
            callback_keys=read.parsed("FIXIT_CALLBACK_KEYS", parse_webhook_keys),
            callback_allow=read.parsed("FIXIT_CALLBACK_ALLOW", parse_allow),
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
