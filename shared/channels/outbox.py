"""Mail and SMS as files of a folder: what local runs have in place of a provider."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import uuid4

from shared.channels.mail_text import build_mail
from shared.channels.sms_text import check_number, fitted
from shared.domain.errors import DependencyDown
from shared.domain.outgoing import Outcome, Outgoing


@dataclass(frozen=True, kw_only=True)
class Outbox:
    """One file for each message, named by its id: `<id>.eml`, or `<id>.sms.txt`. A repeat is put in its place.

    A file is there as a whole or not at all. The folder is made with the first one. `sender` is who mails are from.
    """

    name: Literal["mail", "sms"]
    folder: Path
    sender: str

    async def send(self, outgoing: Outgoing) -> str:
        if self.name == "mail":
            file, content = f"{outgoing.id}.eml", build_mail(outgoing, self.sender).as_bytes()
        else:
            check_number(outgoing.to)
            file, content = f"{outgoing.id}.sms.txt", f"To: {outgoing.to}\n\n{fitted(outgoing.text)}\n".encode()
        try:
            await asyncio.to_thread(_write, self.folder / file, content)
        except OSError as error:
            raise DependencyDown(f"the outbox cannot be written: {type(error).__name__}") from error
        return ""

    async def outcome(self, operation: str) -> Outcome:
        return "unknown"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        new.write_bytes(content)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
