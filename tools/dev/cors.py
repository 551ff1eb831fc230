"""Which pages may upload photos to the emulator from a browser: its CORS rules, as infra sets those of an account."""

import base64
import hashlib
import hmac
import http.client
import json
import os
from collections.abc import Mapping, Sequence
from email.utils import formatdate
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

from tools.dev.azurite import ACCOUNT, KEY
from tools.dev.paths import ROOT
from tools.dev.problem import Problem

SETTING = "FIXIT_UPLOAD_ORIGINS"
METHODS = ("PUT", "GET", "HEAD", "OPTIONS")
HEADERS = ("content-type", "x-ms-blob-type", "x-ms-version", "x-ms-client-request-id", "x-ms-date")
"""What a browser may send: what the app's answer asks for, and what the storage SDKs for browsers add."""
MAX_AGE_SECONDS = 3_600

_VERSION = "2022-11-02"
_PATH = f"/{ACCOUNT}/?restype=service&comp=properties"


def upload_origins(port: int, environment: Mapping[str, str] = os.environ, folder: Path = ROOT) -> tuple[str, ...]:
    """The app's own pages at this port (0: not known yet), and those of the setting, which the environment wins.

    Raises:
        Problem: one of them is no origin.
    """
    given = environment.get(SETTING) or _local_settings(folder).get(SETTING, "")
    others = [part.strip().rstrip("/") for part in str(given).split(",") if part.strip()]
    for origin in others:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query:
            raise Problem(f"{SETTING} must hold origins like https://app.example.com, separated by commas.")
    own = (f"http://localhost:{port}", f"http://127.0.0.1:{port}") if port else ()
    return tuple(dict.fromkeys((*own, *others)))


def allow_uploads(blob_port: int, origins: Sequence[str]) -> None:
    """Pages of these origins, and no others, may upload to the emulator whose blob service is at the port.

    Raises:
        Problem: it did not take the rules.
    """
    body = _rules(origins)
    date = formatdate(usegmt=True)
    headers = {
        "Authorization": f"SharedKey {ACCOUNT}:{_signature(len(body), date)}",
        "Content-Type": "application/xml",
        "x-ms-date": date,
        "x-ms-version": _VERSION,
    }
    connection = http.client.HTTPConnection("127.0.0.1", blob_port, timeout=20)
    try:
        connection.request("PUT", _PATH, body, headers)
        with connection.getresponse() as answer:
            answer.read()
    except OSError as error:
        raise Problem(f"The storage emulator did not take its CORS rules: {error}") from None
    finally:
        connection.close()
    if answer.status != 202:
        raise Problem(f"The storage emulator did not take its CORS rules: it answered {answer.status}.")


def _rules(origins: Sequence[str]) -> bytes:
    """Other properties of the service are left as they are: they are not named."""
    properties = ElementTree.Element("StorageServiceProperties")
    rules = ElementTree.SubElement(properties, "Cors")
    if origins:
        rule = ElementTree.SubElement(rules, "CorsRule")
        told = {
            "AllowedOrigins": ",".join(origins),
            "AllowedMethods": ",".join(METHODS),
            "AllowedHeaders": ",".join(HEADERS),
            "ExposedHeaders": "x-ms-request-id",
            "MaxAgeInSeconds": str(MAX_AGE_SECONDS),
        }
        for name, value in told.items():
            ElementTree.SubElement(rule, name).text = value
    return ElementTree.tostring(properties)


def _signature(length: int, date: str) -> str:
    """https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key"""
    lines = ["PUT", "", "", str(length), "", "application/xml", "", "", "", "", "", ""]
    lines += [f"x-ms-date:{date}", f"x-ms-version:{_VERSION}"]
    lines += [f"/{ACCOUNT}/{ACCOUNT}/", "comp:properties", "restype:service"]
    signed = hmac.digest(base64.b64decode(KEY), "\n".join(lines).encode(), hashlib.sha256)
    return base64.b64encode(signed).decode()


def _local_settings(folder: Path) -> Mapping[str, object]:
    """What `local.settings.json` sets; a file that cannot be read is the host's to complain about."""
    try:
        values = json.loads((folder / "local.settings.json").read_text("utf-8-sig"))["Values"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return values if isinstance(values, dict) else {}
