"""Browsers may upload from the pages that are named, and from no other: the emulator's own answers to pre-flights."""

import json
from pathlib import Path

import pytest

from tests.support.web_client import Answer, exchange
from tools.dev.azurite import Azurite
from tools.dev.cors import allow_uploads, upload_origins
from tools.dev.problem import Problem

LINK = "devstoreaccount1/photos/incoming/0123456789abcdef0123456789abcdef?sp=c&sig=abc"


def preflight(
    azurite: Azurite, origin: str, headers: str = "x-ms-blob-type,content-type", method: str = "PUT"
) -> Answer:
    """What a browser asks before it uploads."""
    asks = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": headers,
    }
    return exchange(f"http://127.0.0.1:{azurite.blob_port}/{LINK}", "OPTIONS", headers=asks)


def test_browser_of_a_named_origin_may_upload_and_no_other(azurite: Azurite) -> None:  # BS-12
    allow_uploads(azurite.blob_port, ["https://app.example.com", "http://localhost:7071"])
    for origin in ("https://app.example.com", "http://localhost:7071"):
        answer = preflight(azurite, origin)
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == origin
        assert "PUT" in answer.headers["access-control-allow-methods"]
        assert answer.headers["access-control-max-age"] == "3600"
    for origin in ("https://evil.example.com", "http://app.example.com", "https://app.example.com.evil.org", "null"):
        assert preflight(azurite, origin).status == 403
    assert preflight(azurite, "https://app.example.com", method="DELETE").status == 403
    assert preflight(azurite, "https://app.example.com", headers="x-secret").status == 403


def test_rules_are_in_place_of_those_before(azurite: Azurite) -> None:
    allow_uploads(azurite.blob_port, ["https://old.example.com"])
    allow_uploads(azurite.blob_port, ["https://new.example.com"])
    statuses = [preflight(azurite, f"https://{name}.example.com").status for name in ("old", "new")]
    assert statuses == [403, 200]
    allow_uploads(azurite.blob_port, [])
    assert preflight(azurite, "https://new.example.com").status == 403


def test_origins_are_the_apps_own_and_those_of_the_setting(tmp_path: Path) -> None:
    (tmp_path / "local.settings.json").write_text(json.dumps({"Values": {"FIXIT_UPLOAD_ORIGINS": "https://a.example"}}))
    own = ("http://localhost:7071", "http://127.0.0.1:7071")
    assert upload_origins(7071, {}, tmp_path) == (*own, "https://a.example")
    given = {"FIXIT_UPLOAD_ORIGINS": " https://b.example/ , http://localhost:7071,"}
    assert upload_origins(7071, given, tmp_path) == (*own, "https://b.example")
    assert upload_origins(0, {}, tmp_path / "nowhere") == ()


@pytest.mark.parametrize("given", ["*", "example.com", "https://a.example/page", "ftp://a.example"], ids=range(4))
def test_what_is_no_origin_is_a_problem(tmp_path: Path, given: str) -> None:
    with pytest.raises(Problem, match="FIXIT_UPLOAD_ORIGINS must hold origins"):
        upload_origins(7071, {"FIXIT_UPLOAD_ORIGINS": given}, tmp_path)


def test_emulator_that_is_not_there_is_a_problem() -> None:
    with pytest.raises(Problem, match="CORS"):
        allow_uploads(1, ["https://a.example"])
