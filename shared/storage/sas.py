"""Shared access signatures for one blob, signed as the documentation says.

The service reads a signature by the version that it names. The SDK always names its newest one, which the emulator
cannot check for a user delegation key; so the version here is one that every service and emulator knows.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import quote

VERSION = "2022-11-02"
"""It has the order of fields of 2020-12-06 (https://learn.microsoft.com/rest/api/storageservices/create-service-sas and
https://learn.microsoft.com/rest/api/storageservices/create-user-delegation-sas)."""

Permission = Literal["c", "r"]
"""Create a blob that is not there yet; read one."""


@dataclass(frozen=True, kw_only=True, repr=False)
class AccountKey:
    """`key` is base64, as the account has it."""

    account: str
    key: str


@dataclass(frozen=True, kw_only=True, repr=False)
class DelegationKey:
    """A user delegation key as the service gave it; `start` and `expiry` in its own words."""

    account: str
    object_id: str
    tenant_id: str
    start: str
    expiry: str
    service: str
    version: str
    key: str


def sign_blob(
    key: AccountKey | DelegationKey,
    *,
    container: str,
    blob: str,
    permission: Permission,
    expires: datetime,
    https_only: bool,
) -> str:
    """The query that lets whoever has it do this one thing with this one blob until then.

    It names no start: the service's clock may be behind ours.
    """
    expiry = f"{expires.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    protocol = "https" if https_only else ""
    query = {"sp": permission, "se": expiry}
    signed = [permission, "", expiry, f"/blob/{key.account}/{container}/{blob}"]
    if isinstance(key, DelegationKey):
        by = {
            "skoid": key.object_id,
            "sktid": key.tenant_id,
            "skt": key.start,
            "ske": key.expiry,
            "sks": key.service,
            "skv": key.version,
        }
        query |= by
        signed += [*by.values(), "", "", ""]  # no agent, authorized or not, and no correlation id
    else:
        signed.append("")  # no stored policy
    signed += ["", protocol, VERSION, "b", "", "", *_NO_HEADERS]  # no address, snapshot, or encryption scope
    if protocol:
        query["spr"] = protocol
    query |= {"sv": VERSION, "sr": "b", "sig": _signature(key.key, signed)}
    return "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())


_NO_HEADERS: Sequence[str] = ("", "", "", "", "")
"""None of the answer's headers is set by the link: cache, disposition, encoding, language, type."""


def _signature(key: str, signed: Sequence[str]) -> str:
    digest = hmac.digest(base64.b64decode(key), "\n".join(signed).encode(), hashlib.sha256)
    return base64.b64encode(digest).decode()
