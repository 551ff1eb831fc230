"""A mail as it goes out: one recipient, headers that nobody else's text can add to, UTF-8 in seven bits."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from shared.domain.errors import Undeliverable
from shared.domain.outgoing import Outgoing
from shared.domain.plain_text import clean, one_line, shorten
from shared.domain.text_rules import EMAIL, matches

if TYPE_CHECKING:
    from email.message import EmailMessage

SUBJECT_MAX = 200
ADDRESS_MAX = 254
REFUSED = "mail_refused"


def check_address(address: str) -> None:
    """Undeliverable for whatever is not exactly one address, as RFC 5321 limits it."""
    if len(address) > ADDRESS_MAX or not matches(EMAIL, address):
        raise Undeliverable("what it is for is not one email address", code=REFUSED, is_target_bad=True)


def subject_of(outgoing: Outgoing) -> str:
    """The subject as one line of at most 200 characters."""
    return shorten(one_line(outgoing.subject), SUBJECT_MAX)


def text_of(outgoing: Outgoing) -> str:
    """The text, which ends with its last line."""
    return f"{clean(outgoing.text).rstrip()}\n"


def message_id(outgoing: Outgoing, sender: str) -> str:
    """What a mail is known by, wherever it comes through: the same at every repeat."""
    return f"<{outgoing.id}@{sender.rpartition('@')[2]}>"


def build_mail(outgoing: Outgoing, sender: str) -> "EmailMessage":
    """The mail; `as_bytes()` is ASCII with CRLF. Undeliverable for a target that is not exactly one address."""
    from email.message import EmailMessage
    from email.policy import SMTP

    check_address(outgoing.to)
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender
    mail["To"] = outgoing.to
    mail["Subject"] = subject_of(outgoing)
    mail["Date"] = datetime.now(UTC)
    mail["Message-ID"] = message_id(outgoing, sender)
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(text_of(outgoing), charset="utf-8", cte="quoted-printable")
    return mail
