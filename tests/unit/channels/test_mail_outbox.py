"""Mail and SMS as files."""

from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from shared.channels.outbox import Outbox
from shared.domain.errors import DependencyDown, Undeliverable
from shared.domain.outgoing import Outgoing

ID = "3f2a9c1e-0000-5000-8000-000000000001"


def outgoing(**changes: Any) -> Outgoing:
    return Outgoing(**{"id": ID, "to": "ann@example.com", "subject": "Leak", "text": "Hello", **changes})


async def test_mail_is_one_file_however_often_it_is_sent(tmp_path: Path) -> None:  # NT-05
    mails = Outbox(name="mail", folder=tmp_path / "new" / "folder", sender="fixit@localhost")
    for text in ("one", "two"):
        assert await mails.send(outgoing(text=text)) == ""
    (file,) = mails.folder.iterdir()
    assert file.name == f"{ID}.eml"
    mail: Any = message_from_bytes(file.read_bytes(), policy=default)
    assert (mail["To"], mail["Subject"], mail.get_content().strip()) == ("ann@example.com", "Leak", "two")


async def test_sms_is_one_file(tmp_path: Path) -> None:
    texts = Outbox(name="sms", folder=tmp_path, sender="")
    await texts.send(outgoing(to="+61491570006", subject="", text="Grüße"))
    assert {file.name: file.read_text("utf-8") for file in tmp_path.iterdir()} == {
        f"{ID}.sms.txt": "To: +61491570006\n\nGrüße\n"
    }
    assert await texts.outcome("") == "unknown"


async def test_what_is_not_one_address_is_no_file(tmp_path: Path) -> None:  # NT-03
    with pytest.raises(Undeliverable):
        await Outbox(name="mail", folder=tmp_path, sender="fixit@localhost").send(outgoing(to="a@b.c, d@e.f"))
    assert list(tmp_path.iterdir()) == []


async def test_folder_that_cannot_be_written_is_ours_to_mend(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DependencyDown):
        await Outbox(name="mail", folder=tmp_path / "file", sender="fixit@localhost").send(outgoing())
    (tmp_path / f"{ID}.eml").mkdir()
    with pytest.raises(DependencyDown):
        await Outbox(name="mail", folder=tmp_path, sender="fixit@localhost").send(outgoing())
    assert sorted(each.name for each in tmp_path.iterdir()) == [f"{ID}.eml", "file"]
