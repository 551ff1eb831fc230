"""The platform's sign-in, played: nobody claims to be somebody else, and known people arrive with their roles."""

import base64
import json
from pathlib import Path

import pytest

from devhost.errors import HostConfigError
from devhost.http.sign_in import load_sign_in
from devhost.settings.configuration import Configuration
from tests.unit.devhost_http.serving import Recorder, http_function, serving

PEOPLE = {"ann": {"tid": "t1", "oid": "o1", "name": "ann@example.com", "roles": ["fixit.operator"]}}
FORGED = {"X_MS_CLIENT_PRINCIPAL": "e30=", "X_MS_CLIENT_PRINCIPAL_ID": "root", "X_MS_TOKEN_AAD_ID_TOKEN": "x"}


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "people.json"
    path.write_text(json.dumps(PEOPLE), encoding="utf-8")
    return {"DEVHOST_SIGN_IN": str(path)}


async def seen(settings: dict[str, str], **headers: str) -> dict[str, str]:
    """The headers that reach the function, without those that every request has."""
    recorder = Recorder()
    async with serving(http_function("f"), invoke=recorder, settings=settings) as served:
        assert (await served.get("/api/f", **headers)).status == 200
    return {name: value for name, value in recorder.last["headers"].items() if name != "host"}


@pytest.mark.parametrize("headers", [{"X_Devhost_User": "ann"}, {"Cookie": "devhost-user=ann"}])
async def test_sign_in_of_a_known_person_sets_the_platforms_headers(
    settings: dict[str, str], headers: dict[str, str]
) -> None:
    got = await seen(settings, **FORGED, **headers)
    principal = json.loads(base64.b64decode(got.pop("x-ms-client-principal")))
    got.pop("cookie", None)
    assert got == {
        "x-ms-client-principal-id": "o1",
        "x-ms-client-principal-idp": "aad",
        "x-ms-client-principal-name": "ann@example.com",
    }
    claims = {claim["typ"].rpartition("/")[2]: claim["val"] for claim in principal["claims"]}
    assert principal["auth_typ"] == "aad"
    assert claims == {
        "tenantid": "t1",
        "objectidentifier": "o1",
        "emailaddress": "ann@example.com",
        "roles": "fixit.operator",
    }


async def test_sign_in_of_nobody_drops_what_was_claimed(settings: dict[str, str]) -> None:
    assert await seen(settings, **FORGED, X_A="b") == {"x-a": "b"}


async def test_sign_in_of_who_says_nothing_is_whom_the_setting_names(settings: dict[str, str]) -> None:
    settings["DEVHOST_SIGN_IN_AS"] = "ann"
    assert (await seen(settings, **FORGED))["x-ms-client-principal-id"] == "o1"
    assert "x-ms-client-principal-id" not in await seen(settings, X_Devhost_User="")


async def test_sign_in_as_a_stranger_is_refused_at_the_start(settings: dict[str, str]) -> None:
    with pytest.raises(HostConfigError, match=r"DEVHOST_SIGN_IN_AS: bob is not in .*people\.json"):
        load_sign_in(Configuration({**settings, "DEVHOST_SIGN_IN_AS": "bob"}))


async def test_sign_in_of_a_stranger_is_401(settings: dict[str, str]) -> None:
    recorder = Recorder()
    async with serving(http_function("f"), invoke=recorder, settings=settings) as served:
        assert (await served.get("/api/f", X_Devhost_User="bob")).status == 401
    assert recorder.calls == []


async def test_sign_in_not_asked_for_leaves_headers_as_sent() -> None:
    assert await seen({}, X_MS_CLIENT_PRINCIPAL_ID="root") == {"x-ms-client-principal-id": "root"}


@pytest.mark.parametrize(
    "text", ["", "[]", '{"ann": {}}', '{"ann": {"tid": "t", "oid": "o", "name": "n", "roles": "r"}}']
)
def test_sign_in_file_that_cannot_be_used_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "people.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(HostConfigError, match=r"DEVHOST_SIGN_IN.*people\.json"):
        load_sign_in(Configuration({"DEVHOST_SIGN_IN": str(path)}))
