"""The setting that names a mail server."""

import pytest

from shared.channels.smtp_server import SmtpServer, parse_smtp_url
from shared.domain.errors import SettingsError


@pytest.mark.parametrize(
    ("url", "host", "port", "is_tls", "user", "password"),
    [
        ("smtp://mail.example", "mail.example", 25, False, "", ""),
        ("smtp://u:p@mail.example", "mail.example", 587, False, "u", "p"),
        ("smtps://mail.example", "mail.example", 465, True, "", ""),
        ("smtps://u%40x.y:p%3Aw%2F%C3%BC@[::1]:2465", "::1", 2465, True, "u@x.y", "p:w/ü"),
    ],
)
def test_url_names_server_and_sign_in(url: str, host: str, port: int, is_tls: bool, user: str, password: str) -> None:
    server = parse_smtp_url(url)
    assert server == SmtpServer(host=host, port=port, is_tls=is_tls, user=user, password=password)
    assert "password" not in repr(server)


@pytest.mark.parametrize(
    "url",
    [
        *("", "mail.example", "http://secret:word@mail.example", "smtp://", "smtp://secret:word@mail.example:x"),
        *("smtp://secret@mail.example", "smtp://:secret@mail.example", "smtp://mail.example:0"),
    ],
)
def test_anything_else_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(SettingsError, match="FIXIT_SMTP_URL") as refused:
        parse_smtp_url(url)
    assert "secret" not in str(refused.value)
