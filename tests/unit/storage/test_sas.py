"""Links are signed as the documentation and the SDK have it; what the emulator says is in the integration tests."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from urllib.parse import parse_qsl

import pytest
from azure.storage.blob._shared_access_signature import BlobSharedAccessSignature

from shared.storage.sas import VERSION, AccountKey, DelegationKey, Permission, sign_blob

KEY = base64.b64encode(b"a key of the account").decode()
NOON = datetime(2026, 3, 5, 12, 0, 0, 123_456, tzinfo=UTC)


def query(key: AccountKey | DelegationKey, *, https_only: bool = True, permission: Permission = "r") -> dict[str, str]:
    signed = sign_blob(
        key, container="photos", blob="incoming/a b", permission=permission, expires=NOON, https_only=https_only
    )
    return dict(parse_qsl(signed, strict_parsing=True))


@pytest.mark.parametrize("https_only", [True, False], ids=["https", "http"])
def test_account_key_signs_as_the_sdk_does_for_the_same_version(https_only: bool) -> None:
    sdk = BlobSharedAccessSignature("acc", KEY)
    sdk.x_ms_version = VERSION
    theirs = sdk.generate_blob(
        "photos", "incoming/a b", permission="r", expiry=NOON, protocol="https" if https_only else None
    )
    assert query(AccountKey(account="acc", key=KEY), https_only=https_only) == dict(parse_qsl(theirs))


def test_delegation_key_signs_the_fields_in_their_documented_order() -> None:
    key = DelegationKey(
        account="acc",
        object_id="oid",
        tenant_id="tid",
        start="2026-03-05T11:45:00Z",
        expiry="2026-03-06T12:00:00Z",
        service="b",
        version="2026-02-06",
        key=KEY,
    )
    # https://learn.microsoft.com/rest/api/storageservices/create-user-delegation-sas, version 2020-12-06 and later
    to_sign = (
        "c\n"  # signedPermissions
        "\n"  # signedStart
        "2026-03-05T12:00:00Z\n"  # signedExpiry
        "/blob/acc/photos/incoming/a b\n"  # canonicalizedResource
        "oid\ntid\n2026-03-05T11:45:00Z\n2026-03-06T12:00:00Z\nb\n2026-02-06\n"  # of the key
        "\n\n\n"  # signedAuthorizedUserObjectId, signedUnauthorizedUserObjectId, signedCorrelationId
        "\n"  # signedIP
        "https\n"  # signedProtocol
        "2022-11-02\n"  # signedVersion
        "b\n"  # signedResource
        "\n\n"  # signedSnapshotTime, signedEncryptionScope
        "\n\n\n\n"  # rscc, rscd, rsce, rscl; rsct ends it
    )
    signature = hmac.digest(b"a key of the account", to_sign.encode(), hashlib.sha256)
    assert query(key, permission="c") == {
        "sp": "c",
        "se": "2026-03-05T12:00:00Z",
        "skoid": "oid",
        "sktid": "tid",
        "skt": "2026-03-05T11:45:00Z",
        "ske": "2026-03-06T12:00:00Z",
        "sks": "b",
        "skv": "2026-02-06",
        "spr": "https",
        "sv": "2022-11-02",
        "sr": "b",
        "sig": base64.b64encode(signature).decode(),
    }


def test_link_names_no_start() -> None:  # BS-01
    assert "st" not in query(AccountKey(account="acc", key=KEY))


def test_keys_do_not_show_in_a_text() -> None:  # BS-11
    assert KEY not in f"{AccountKey(account='acc', key=KEY)!r}"
