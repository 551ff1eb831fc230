"""Which channels are on, and by what: a mail server beats the cloud's service, and either beats the outbox."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from shared.domain.errors import SettingsError
from shared.domain.outgoing import Sender

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential

    from shared.channels.acs import Acs

LOCAL_SENDER = "fix-it@localhost"
"""Who mails in an outbox are from where nothing else is set: nobody gets them."""


@dataclass(frozen=True)
class Senders:
    """Each channel by its name: what sends over it, or one sentence on why it is off, or what is wrong with its
    settings."""

    on: dict[str, Sender] = field(default_factory=dict)
    off: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, SettingsError] = field(default_factory=dict)

    def sender(self, name: str) -> Sender | None:
        """What sends over a channel; None where it is off. SettingsError while its settings are wrong: so what is to be
        sent waits until they are mended."""
        if name in self.wrong:
            raise self.wrong[name]
        return self.on.get(name)


def make_senders(
    *,
    mail_from: str | None = "",
    smtp_url: str | None = "",
    acs_endpoint: str | None = "",
    outbox: str | None = "",
    sms_from: str | None = "",
    client_id: str = "",
    environment_proxy: bool = False,
) -> Senders:
    """The channels that the settings turn on.

    Mail: by FIXIT_SMTP_URL, else by FIXIT_ACS_ENDPOINT with FIXIT_MAIL_FROM, else into FIXIT_OUTBOX. SMS: by
    FIXIT_ACS_ENDPOINT with FIXIT_SMS_FROM, else into FIXIT_OUTBOX. None is a setting that is there and wrong: then
    nobody can tell which should win. `client_id` names the identity of an app that has several.

    Opens nothing, and imports no client.
    """

    def acs(endpoint: str) -> "Acs":
        return _acs(endpoint.rstrip("/"), client_id, environment_proxy)

    def mail() -> Sender | None:
        if smtp_url is None or acs_endpoint is None or mail_from is None or outbox is None:
            raise SettingsError("one of FIXIT_SMTP_URL, FIXIT_ACS_ENDPOINT, FIXIT_MAIL_FROM and FIXIT_OUTBOX is wrong")
        if smtp_url:
            from shared.channels.smtp import SmtpMail
            from shared.channels.smtp_server import parse_smtp_url

            if not mail_from:
                raise SettingsError("FIXIT_SMTP_URL needs FIXIT_MAIL_FROM, the address that mails are from")
            return SmtpMail(server=parse_smtp_url(smtp_url), sender=mail_from)
        if acs_endpoint and mail_from:
            from shared.channels.acs_mail import AcsMail

            return AcsMail(acs=acs(acs_endpoint), sender=mail_from)
        return _outbox("mail", outbox, mail_from or LOCAL_SENDER)

    def sms() -> Sender | None:
        if acs_endpoint is None or sms_from is None or outbox is None:
            raise SettingsError("one of FIXIT_ACS_ENDPOINT, FIXIT_SMS_FROM and FIXIT_OUTBOX is wrong")
        if acs_endpoint and sms_from:
            from shared.channels.acs_sms import AcsSms

            return AcsSms(acs=acs(acs_endpoint), sender=sms_from)
        return _outbox("sms", outbox, sms_from)

    senders = Senders()
    _turn(senders, "mail", mail, "set FIXIT_SMTP_URL or FIXIT_ACS_ENDPOINT with FIXIT_MAIL_FROM, or FIXIT_OUTBOX")
    _turn(senders, "sms", sms, "set FIXIT_ACS_ENDPOINT with FIXIT_SMS_FROM, or FIXIT_OUTBOX")
    return senders


def _turn(senders: Senders, name: str, make: Callable[[], Sender | None], way_on: str) -> None:
    try:
        sender = make()
    except SettingsError as error:
        senders.wrong[name] = error
        return
    if sender is None:
        senders.off[name] = f"{name} is off: {way_on}"
    else:
        senders.on[name] = sender


def _outbox(name: Literal["mail", "sms"], folder: str, sender: str) -> Sender | None:
    if not folder:
        return None
    from shared.channels.outbox import Outbox

    return Outbox(name=name, folder=Path(folder), sender=sender)


def _acs(endpoint: str, client_id: str, environment_proxy: bool) -> "Acs":
    from shared.channels.acs import Acs, check_endpoint

    def sign_in() -> "AsyncTokenCredential":
        from azure.identity.aio import DefaultAzureCredential

        return DefaultAzureCredential(managed_identity_client_id=client_id) if client_id else DefaultAzureCredential()

    check_endpoint(endpoint)
    return Acs(endpoint=endpoint, sign_in=sign_in, environment_proxy=environment_proxy)
