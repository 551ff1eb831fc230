"""Where mails are handed over, as one setting says it."""

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from shared.domain.errors import SettingsError

_PORTS = {("smtps", True): 465, ("smtps", False): 465, ("smtp", True): 587, ("smtp", False): 25}
"""By the scheme and whether we sign in (RFC 8314, 6409)."""


@dataclass(frozen=True, kw_only=True)
class SmtpServer:
    """`is_tls`: from the first byte; else TLS is begun where the server offers it, and must be with a password."""

    host: str
    port: int
    is_tls: bool
    user: str = ""
    password: str = field(default="", repr=False)


def parse_smtp_url(url: str) -> SmtpServer:
    """The server of `smtp://user:password@host:port` or `smtps://…`; user and password may be percent-encoded.

    Raises:
        SettingsError: it is no such address; the text does not quote it.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or port == 0 or bool(user) != bool(password):
        raise SettingsError(
            "FIXIT_SMTP_URL must be smtp://host, smtps://host, or the same with user:password@ before the host, "
            "percent-encoded, and with a port behind it"
        )
    port = port or _PORTS[parts.scheme, bool(user)]
    return SmtpServer(host=parts.hostname, port=port, is_tls=parts.scheme == "smtps", user=user, password=password)
