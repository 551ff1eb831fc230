"""The emulator's blob service over https, where an identity can be given a user delegation key."""

import asyncio
import base64
import json
import os
import ssl
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import trustme
from azure.core.credentials import AccessToken
from azure.core.pipeline.transport import AioHttpTransport
from azure.storage.blob.aio import BlobServiceClient

from shared.storage.account import Account
from shared.storage.connections import StorageConnections
from tools.dev.azurite import ACCOUNT
from tools.dev.child import Child
from tools.dev.node import find_node
from tools.dev.paths import AZURITE

READY = r"Azurite Blob service is successfully listening at https://127\.0\.0\.1:(\d+)"


class Identity:
    """Signs in as one object of one tenant. The emulator reads what a token claims, and checks no signature."""

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        now = int(time.time())
        claims = {
            "aud": "https://storage.azure.com",
            "iss": "https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/",
            "oid": "11059fcc-5514-4800-b5f8-49808b9cfab6",
            "tid": "ab1f708d-50f6-404c-a006-d71b2ac7a606",
            "iat": now - 60,
            "nbf": now - 60,
            "exp": now + 3_600,
        }
        parts = ({"alg": "HS256", "typ": "JWT"}, claims, "none")
        texts = (base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts)
        return AccessToken(".".join(texts), now + 3_600)

    async def close(self) -> None:
        """Nothing to let go of."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


@dataclass(frozen=True)
class SecureEmulator:
    """`url` is that of the account; `authority` a file with the certificate to trust."""

    url: str
    authority: Path

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.authority))

    @property
    def certificate(self) -> ssl.SSLContext:
        """What a server at 127.0.0.1 shows that is to be trusted as the emulator is."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self.authority.with_name("cert.pem"), self.authority.with_name("key.pem"))
        return context

    def account(self, url: str = "") -> Account:
        """The account, reached by an identity, at another address than the emulator's if need be."""
        url = url or self.url
        urls = {"blob": url, "queue": url, "table": url}
        account = Account(StorageConnections(name="FixItStorage", urls=urls))  # type: ignore[arg-type]
        transport = AioHttpTransport(use_env_settings=False, connection_verify=str(self.authority))
        blobs = BlobServiceClient(url, credential=Identity(), transport=transport, retry_total=0)
        account.__dict__["blobs"] = blobs
        return account


async def hung_up() -> None:
    """Return once this loop holds no connection any more: over https they are closed only after their clients are."""
    selector: Any = asyncio.get_running_loop()._selector  # type: ignore[attr-defined]
    async with asyncio.timeout(10):
        while len(selector.get_map()) > 1:  # the loop's own
            await asyncio.sleep(0.01)


@contextmanager
def secure_emulator() -> Iterator[SecureEmulator]:
    """One, running, in memory."""
    with tempfile.TemporaryDirectory(prefix="fixit-https-") as folder:
        authority, files = trustme.CA(), Path(folder)
        authority.cert_pem.write_to_path(files / "authority.pem")
        issued = authority.issue_cert("127.0.0.1")
        for part in issued.cert_chain_pems:
            part.write_to_path(files / "cert.pem", append=True)
        issued.private_key_pem.write_to_path(files / "key.pem")
        options = ["--inMemoryPersistence", "--silent", "--disableTelemetry", "--skipApiVersionCheck"]
        options += ["--oauth", "basic", "--cert", str(files / "cert.pem"), "--key", str(files / "key.pem")]
        for service in ("blob", "queue", "table"):
            options += [f"--{service}Host", "127.0.0.1", f"--{service}Port", "0"]
        env = {name: value for name, value in os.environ.items() if not name.startswith("AZURITE_")}
        child = Child([find_node(), AZURITE, *options], cwd=files, env=env)
        try:
            port = child.wait_line(READY, timeout=30)[1]
            yield SecureEmulator(f"https://127.0.0.1:{port}/{ACCOUNT}", files / "authority.pem")
        finally:
            child.stop()
