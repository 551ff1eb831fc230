"""Links that let somebody without an account of storage do one thing with one photo, for minutes."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from urllib.parse import quote, urlsplit

from shared.domain.errors import SettingsError
from shared.domain.names import PHOTO_CONTAINER
from shared.storage.account import Account
from shared.storage.faults import told_as_down
from shared.storage.photo_names import incoming_name
from shared.storage.sas import AccountKey, DelegationKey, Permission, sign_blob

KEY_GOOD_FOR = timedelta(days=1)
"""Of a user delegation key; the service gives none for more than seven days."""

BACK_DATED = timedelta(minutes=15)
"""So much the key begins before our clock: the service's may be behind."""


@dataclass(frozen=True, kw_only=True)
class UploadLink:
    """Where to put the photo, with which headers besides Content-Type and Content-Length, and until when."""

    url: str
    headers: Mapping[str, str]
    expires_at: datetime


class PhotoLinks:
    """Signs with the account's key where there is a connection string, else with a key that the identity is given.

    `public_url`: how clients reach the blob service, where that is not as the app does.

    Every call raises DependencyDown while the identity is given no key (it needs a role with
    `generateUserDelegationKey`), and SettingsError for a connection string without an account key.
    """

    def __init__(self, account: Account, *, public_url: str, upload_time: timedelta, read_time: timedelta) -> None:
        self._account = account
        self._public_url = public_url
        self._upload_time = upload_time
        self._read_time = read_time
        self._delegation: tuple[DelegationKey, datetime] | None = None
        self._renewal = asyncio.Lock()

    @cached_property
    def base(self) -> str:
        """The address of the blob service for clients, the account in its path where the emulator has it there."""
        return self._public_url or str(self._account.blobs.primary_endpoint).rstrip("/")

    @property
    def origin(self) -> str:
        """Scheme, host and port of every link, as policies of pages name it."""
        parts = urlsplit(self.base)
        return f"{parts.scheme}://{parts.netloc}"

    async def upload_link(self, photo: str, *, now: datetime) -> UploadLink:
        """Lets a photo be uploaded once: what is there cannot be overwritten, or read."""
        expires = now + self._upload_time
        url = await self._link(incoming_name(photo), "c", expires, now)
        return UploadLink(url=url, headers={"x-ms-blob-type": "BlockBlob"}, expires_at=expires)

    async def read_link(self, name: str, *, now: datetime) -> str:
        """Lets a blob be read."""
        return await self._link(name, "r", now + self._read_time, now)

    async def _link(self, blob: str, permission: Permission, expires: datetime, now: datetime) -> str:
        query = sign_blob(
            self._account_key or await self._delegation_key(now, expires),
            container=PHOTO_CONTAINER,
            blob=blob,
            permission=permission,
            expires=expires,
            https_only=self.base.startswith("https:"),
        )
        return f"{self.base}/{PHOTO_CONTAINER}/{quote(blob)}?{query}"

    @cached_property
    def _account_key(self) -> AccountKey | None:
        """The key of the connection string; None for an account that is reached by identity."""
        blobs = self._account.blobs
        if hasattr(blobs.credential, "get_token"):
            return None
        key = getattr(blobs.credential, "account_key", None)
        if not key or not blobs.account_name:
            raise SettingsError("FixItStorage has no account key, so that no link to a photo can be signed")
        return AccountKey(account=blobs.account_name, key=key)

    async def _delegation_key(self, now: datetime, needed_until: datetime) -> DelegationKey:
        """A key that is good beyond then, kept until it is not."""
        async with self._renewal:
            if self._delegation is None or self._delegation[1] <= needed_until:
                ends = now + KEY_GOOD_FOR
                self._delegation = await self._new_key(now - BACK_DATED, ends), ends
            return self._delegation[0]

    async def _new_key(self, start: datetime, expiry: datetime) -> DelegationKey:
        blobs = self._account.blobs
        with told_as_down():
            given = await blobs.get_user_delegation_key(start.replace(microsecond=0), expiry.replace(microsecond=0))
        return DelegationKey(
            account=str(blobs.account_name),
            object_id=str(given.signed_oid),
            tenant_id=str(given.signed_tid),
            start=str(given.signed_start),
            expiry=str(given.signed_expiry),
            service=str(given.signed_service),
            version=str(given.signed_version),
            key=str(given.value),
        )
