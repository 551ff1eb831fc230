"""Where a callback may go, as far as its URL alone tells. What its name resolves to is asked when it is delivered."""

import re
from ipaddress import IPv4Address, IPv6Address

from shared.domain.errors import FieldError, InvalidTask, SettingsError
from shared.domain.public_address import is_public
from shared.domain.task import Task
from shared.domain.text_rules import HTTPS_URL, matches

Allowed = frozenset[tuple[str, int | None]]
"""Hosts, in lower case, that the operator opened: on one port, or with none on every port. They need not be public."""

HTTPS_PORT = 443
_HOST_MAX = 253
_PRIVATE_NAMES = ("localhost", "localdomain", "local", "internal", "home.arpa")
"""Names that no public name server knows, and all below them."""

_PLACE = re.compile(r"https://(?P<host>\[[^]]*\]|[^:/?]*)(?::(?P<port>[0-9]+))?")

_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label that makes a host an IPv4 address in some form (https://url.spec.whatwg.org/#ends-in-a-number-checker)."""


def check_callback(task: Task, allowed: Allowed) -> None:
    """InvalidTask if the task asks for callbacks at a URL where none may go."""
    rule = url_problem(task.callback_url, allowed) if task.callback_url else ""
    if rule:
        raise InvalidTask(f"callbackUrl {rule}.", errors=[FieldError("callbackUrl", rule)])


def url_problem(url: str, allowed: Allowed) -> str:
    """Which rule the URL of a callback breaks, in words to follow its field's name; empty if none."""
    if not matches(HTTPS_URL, url):
        return "must be an absolute https URL in ASCII without user information"
    host, port = host_and_port(url)
    if is_allowed(host, port, allowed):
        return ""
    if port != HTTPS_PORT:
        return (
            f"must use port {HTTPS_PORT}: other ports are for hosts that the app's setting FIXIT_CALLBACK_ALLOW opens"
        )
    return _host_problem(host)


def host_and_port(url: str) -> tuple[str, int]:
    """The host of a https URL, in lower case and without brackets, and its port."""
    host, port = _place(url)
    return host, port or HTTPS_PORT


def _place(url: str) -> tuple[str, int | None]:
    place = _PLACE.match(url)
    assert place, "the URL was not checked"
    return place["host"].strip("[]").lower(), int(place["port"]) if place["port"] else None


def is_allowed(host: str, port: int, allowed: Allowed) -> bool:
    """Whether the operator opened this host on this port."""
    name = host.removesuffix(".")
    return (name, None) in allowed or (name, port) in allowed


def is_literal(host: str) -> bool:
    """Whether the host is an IP address in its plain form: no name server is asked for it."""
    try:
        (IPv6Address if ":" in host else IPv4Address)(host)
    except ValueError:
        return False
    return True


def _host_problem(host: str) -> str:
    name = host.removesuffix(".")
    if ":" in host or _NUMBER.fullmatch(name.rpartition(".")[2]):
        if not is_literal(host):
            return (
                "must name its host, or give its address in the plain form: four decimal numbers, or IPv6 in brackets"
            )
        return "" if is_public(host) else "must not have an address that is not public"
    if "." not in name or any(name == each or name.endswith(f".{each}") for each in _PRIVATE_NAMES):
        return "must have a host that is public: a name with a dot, and none of a local network"
    return "" if len(name) <= _HOST_MAX else f"must have a host of at most {_HOST_MAX} characters"


def parse_allow(text: str) -> Allowed:
    """The hosts that FIXIT_CALLBACK_ALLOW lists: `host`, `host:port`, `[IPv6]` or `[IPv6]:port`, separated by commas.

    Raises:
        SettingsError: an entry is none of these.
    """
    return frozenset(_entry(number, part.strip()) for number, part in enumerate(text.split(","), 1) if part.strip())


def _entry(number: int, entry: str) -> tuple[str, int | None]:
    if not matches(HTTPS_URL, f"https://{entry}") or "/" in entry or "?" in entry:
        raise SettingsError(f"FIXIT_CALLBACK_ALLOW, entry {number}: must be host or host:port, IPv6 in brackets")
    host, port = _place(f"https://{entry}")
    return host.removesuffix("."), port
