"""Sign-in, and all else, goes over HTTPS alone: what the template makes of every app, as its snapshots have it."""

import json
from pathlib import Path
from typing import Any

import pytest

SNAPSHOTS = Path(__file__).resolve().parents[2] / "infra" / "bicep" / "snapshots"


def of_type(name: str, kind: str) -> list[dict[str, Any]]:
    """The properties of all resources of a type that a deployment makes."""
    made = json.loads((SNAPSHOTS / f"{name}.snapshot.json").read_text("utf-8"))["predictedResources"]
    return [each["properties"] for each in made if each["type"] == kind]


@pytest.mark.parametrize(("name", "apps"), [("plain", 1), ("everything", 2)])
def test_no_app_answers_in_clear(name: str, apps: int) -> None:
    assert [site["httpsOnly"] for site in of_type(name, "Microsoft.Web/sites")] == [True] * apps


def test_nobody_signs_in_in_clear() -> None:
    auth = [each for each in of_type("everything", "Microsoft.Web/sites/config") if "httpSettings" in each]
    assert [each["httpSettings"]["requireHttps"] for each in auth] == [True, True]
    assert of_type("plain", "Microsoft.Web/sites/config") == []
