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
    """Each channel that is on, by its name, and one sentence about each that is off, and why."""

    on: dict[str, Sender] = field(default_factory=dict)
    off: dict[str, str] = field(default_factory=dict)


def make_senders(
    *,
    mail_from: str = "",
    smtp_url: str = "",
    acs_endpoint: str = "",
    outbox: str = "",
    sms_from: str = "",
    client_id: str = "",
    environment_proxy: bool = False,
) -> Senders:
    """The channels that the settings turn on.

    Mail: by FIXIT_SMTP_URL, else by FIXIT_ACS_ENDPOINT with FIXIT_MAIL_FROM, else into FIXIT_OUTBOX. SMS: by
    FIXIT_ACS_ENDPOINT with FIXIT_SMS_FROM, else into FIXIT_OUTBOX. Where the setting that wins is wrong the channel is
    off: nobody would look for their mails in a folder. `client_id` names the identity of an app that has several.

    Opens nothing, and imports no client.
    """

    def acs() -> "Acs":
        return _acs(acs_endpoint, client_id, environment_proxy)

    def mail() -> Sender | None:
        if smtp_url:
            from shared.channels.smtp import SmtpMail
            from shared.channels.smtp_server import parse_smtp_url

            if not mail_from:
                raise SettingsError("FIXIT_SMTP_URL needs FIXIT_MAIL_FROM, the address that mails are from")
            return SmtpMail(server=parse_smtp_url(smtp_url), sender=mail_from)
        if acs_endpoint and mail_from:
            from shared.channels.acs_mail import AcsMail

            return AcsMail(acs=acs(), sender=mail_from)
        return _outbox("mail", outbox, mail_from or LOCAL_SENDER)

    def sms() -> Sender | None:
        if acs_endpoint and sms_from:
            from shared.channels.acs_sms import AcsSms

            return AcsSms(acs=acs(), sender=sms_from)
        return _outbox("sms", outbox, sms_from)

    senders = Senders()
    _turn(senders, "mail", mail, "set FIXIT_SMTP_URL or FIXIT_ACS_ENDPOINT with FIXIT_MAIL_FROM, or FIXIT_OUTBOX")
    _turn(senders, "sms", sms, "set FIXIT_ACS_ENDPOINT with FIXIT_SMS_FROM, or FIXIT_OUTBOX")
    return senders


def _turn(senders: Senders, name: str, make: Callable[[], Sender | None], way_on: str) -> None:
    try:
        sender = make()
    except SettingsError as error:
        senders.off[name] = f"{name} is off: {error}"
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
