"""A mail as it goes out, whatever stands in its parts."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.channels.mail_text import SUBJECT_MAX, build_mail
from shared.domain.errors import Undeliverable
from shared.domain.outgoing import Outgoing
from shared.domain.text_rules import EMAIL

ID = "3f2a9c1e-0000-5000-8000-000000000001"
FROM = "fixit@example.org"


def built(**changes: Any) -> EmailMessage:
    outgoing = Outgoing(**{"id": ID, "to": "ann@example.com", "subject": "Leak", "text": "Hello", **changes})
    mail = message_from_bytes(build_mail(outgoing, FROM).as_bytes(), policy=default)
    assert isinstance(mail, EmailMessage)
    return mail


@settings(deadline=None)
@given(subject=st.text(st.characters(), max_size=300), text=st.text(st.characters(), max_size=300))
def test_any_subject_and_text_make_one_mail_to_one_recipient(subject: str, text: str) -> None:  # NT-01
    mail = built(subject=subject, text=text)
    assert len(mail.keys()) == 9 and set(mail.keys()) == set(built().keys())
    assert [address.addr_spec for address in mail["To"].addresses] == ["ann@example.com"]
    assert len(mail["Subject"].splitlines()) <= 1 and not mail.defects
    assert mail.get_content().endswith("\n")


@settings(deadline=None, max_examples=50)
@given(to=st.from_regex(EMAIL, fullmatch=True).filter(lambda to: len(to) <= 254))
def test_any_address_that_is_taken_is_one_recipient(to: str) -> None:  # NT-03
    assert [address.addr_spec for address in built(to=to)["To"].addresses] == [to]


@settings(deadline=None)
@given(to=st.text(st.sampled_from("ab.@,;:<>\"' \r\n\t\u2028()[]é"), max_size=12))
def test_no_text_that_is_taken_is_two_recipients(to: str) -> None:  # NT-03
    try:
        mail = built(to=to)
    except Undeliverable:
        return
    assert [address.addr_spec for address in mail["To"].addresses] == [to]


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("a\r\n\tb", "a b"),
        ("a\u202eb\u2066c", "a b c"),
        ("a\x00b\x7fc\x85d\u2029e", "a b c d e"),
        ("\ud800", "\ufffd"),
        ("Ü" * 250, "Ü" * (SUBJECT_MAX - 1) + "…"),
        ("Leak 🛠️", "Leak 🛠️"),
    ],
    ids=range(6),
)
def test_subject_is_one_line_of_what_can_be_read(subject: str, said: str) -> None:
    assert built(subject=subject)["Subject"] == said


def test_text_keeps_its_lines_alone() -> None:
    sent = built(text="a\r\nb\rc\n\td\x00\u202ee\u2028f\n\n").get_content()
    assert sent == "a\r\nb\r\nc\r\n\td  e f\r\n"


@pytest.mark.parametrize("wrong", ["", "x", ID.upper(), f"{ID}\r\nBcc: a@b.c", "../x", ID.replace("-", "")])
def test_id_is_a_uuid(wrong: str) -> None:
    with pytest.raises(ValueError):
        Outgoing(id=wrong, to="", subject="", text="")
