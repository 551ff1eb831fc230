"""Set-Cookie headers as ASP.NET Core writes them, from the cookies of a Python response.

Source: azure-functions-runtime (parse_to_rpc_http_cookie_list), the host's RpcHttpCookieConverter, and
SetCookieHeaderValue.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from http.cookies import Morsel, SimpleCookie
from urllib.parse import quote

_EXPIRES = "%a, %d %b %Y %H:%M:%S GMT"


def set_cookie_headers(cookies: Iterable[SimpleCookie]) -> list[str]:
    """One header value a cookie.

    Raises:
        ValueError: Expires or Max-Age cannot be read; the worker library fails such a response.
    """
    return ["; ".join(_pieces(name, morsel)) for cookie in cookies for name, morsel in cookie.items()]


def _pieces(name: str, morsel: "Morsel[str]") -> Iterator[str]:
    yield f"{name}={quote(morsel.value, safe='-._~')}"
    if expires := morsel["expires"]:
        yield f"expires={format_datetime(datetime.strptime(expires, _EXPIRES).replace(tzinfo=UTC), usegmt=True)}"
    if max_age := morsel["max-age"]:
        yield f"max-age={int(float(max_age))}"
    # Sent even if empty: the library hands on every text, and only one that is missing would be left out.
    yield f"domain={morsel['domain']}"
    yield f"path={morsel['path']}"
    if morsel["secure"]:
        yield "secure"
    if (same_site := morsel["samesite"].lower()) in {"lax", "strict", "none"}:
        yield f"samesite={same_site}"
    if morsel["httponly"]:
        yield "httponly"
