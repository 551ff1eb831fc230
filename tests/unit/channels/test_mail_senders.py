"""Which channels the settings turn on."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from azure.identity.aio import DefaultAzureCredential

from shared.channels.acs_mail import AcsMail
from shared.channels.acs_sms import AcsSms
from shared.channels.outbox import Outbox
from shared.channels.senders import LOCAL_SENDER, make_senders
from shared.channels.smtp import SmtpMail
from shared.domain.errors import SettingsError

SMTP = {"smtp_url": "smtps://u:secret@mail.example"}
ACS: dict[str, Any] = {"acs_endpoint": "https://x.communication.azure.com"}
FROM: dict[str, Any] = {"mail_from": "fixit@example.org"}
NUMBER = {"sms_from": "+18001110000"}
OUTBOX: dict[str, Any] = {"outbox": ".outbox"}

CHOICES: list[tuple[dict[str, Any], type | None, type | None]] = [
    ({}, None, None),
    (SMTP | FROM, SmtpMail, None),
    (SMTP | ACS | FROM | NUMBER | OUTBOX, SmtpMail, AcsSms),
    (ACS | FROM | NUMBER | OUTBOX, AcsMail, AcsSms),
    (ACS | FROM, AcsMail, None),
    (ACS | NUMBER, None, AcsSms),
    (ACS | NUMBER | OUTBOX, Outbox, AcsSms),
    (ACS, None, None),
    (OUTBOX, Outbox, Outbox),
    (FROM | NUMBER, None, None),
]

WRONG: list[tuple[dict[str, Any], set[str]]] = [
    (SMTP | OUTBOX, {"mail"}),
    ({"smtp_url": "smtp://secret@x"} | FROM | OUTBOX, {"mail"}),
    ({"smtp_url": None} | ACS | FROM | NUMBER, {"mail"}),
    ({"mail_from": None} | SMTP, {"mail"}),
    ({"acs_endpoint": "http://x.communication.azure.com"} | FROM | NUMBER | OUTBOX, {"mail", "sms"}),
    ({"acs_endpoint": None} | FROM | NUMBER | OUTBOX, {"mail", "sms"}),
    (ACS | FROM | {"sms_from": None}, {"sms"}),
    (ACS | FROM | NUMBER | {"outbox": None}, {"mail", "sms"}),
]


@pytest.mark.parametrize(("settings", "mail", "sms"), CHOICES, ids=range(len(CHOICES)))
async def test_channel_is_on_by_what_wins_or_says_why_it_is_off(
    settings: dict[str, Any], mail: type | None, sms: type | None
) -> None:
    senders = make_senders(**settings)
    for name, kind in (("mail", mail), ("sms", sms)):
        assert (name in senders.on) == (kind is not None) and (name in senders.off) == (kind is None)
        if kind:
            assert type(senders.on[name]) is kind
        else:
            assert senders.off[name].startswith(f"{name} is off: ") and "FIXIT_" in senders.off[name]
    assert "secret" not in repr(senders)


@pytest.mark.parametrize(("settings", "wrong"), WRONG, ids=range(len(WRONG)))
def test_channel_whose_settings_are_wrong_is_neither_on_nor_off(settings: dict[str, Any], wrong: set[str]) -> None:
    senders = make_senders(**settings)
    assert senders.wrong.keys() == wrong and not wrong & (senders.on.keys() | senders.off.keys())
    for name in wrong:
        with pytest.raises(SettingsError, match="FIXIT_") as refused:
            senders.sender(name)
        assert "secret" not in str(refused.value)


async def test_mail_in_the_outbox_is_from_somebody() -> None:
    folder = Path(OUTBOX["outbox"])
    assert make_senders(**OUTBOX).on["mail"] == Outbox(name="mail", folder=folder, sender=LOCAL_SENDER)
    assert make_senders(**OUTBOX, **FROM).on["mail"] == Outbox(name="mail", folder=folder, sender=FROM["mail_from"])


@pytest.mark.parametrize("client_id", ["", "11111111-2222-3333-4444-555555555555"])
async def test_cloud_is_signed_in_to_by_the_identity_of_the_app(client_id: str) -> None:
    sender = make_senders(**ACS, **FROM, client_id=client_id).on["mail"]
    assert isinstance(sender, AcsMail)
    async with sender.acs.sign_in() as credential:
        assert isinstance(credential, DefaultAzureCredential)


def test_channels_are_made_without_their_clients() -> None:
    program = f"""
import sys
from shared.channels.senders import make_senders
assert not {{"smtplib", "email.message", "shared.channels.smtp"}} & sys.modules.keys()
make_senders(**{SMTP | FROM | ACS | NUMBER!r})
make_senders(**{FROM | ACS | NUMBER | OUTBOX!r})
heavy = {{"aiosmtplib", "aiohttp", "azure.identity", "azure.communication", "email.message"}}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", program], check=True)
