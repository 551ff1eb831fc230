"""The route table: what the catch-all says about a path, and that nothing can be shadowed."""

import json
from pathlib import Path

import pytest

from shared.web.routes import PREFIX, ROUTES, allowed_methods

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("fixits", ("GET", "HEAD", "POST")),
        ("fixits/", ("GET", "HEAD", "POST")),
        ("FIXITS", ("GET", "HEAD", "POST")),
        ("fixits/0a7643c1-5e72-57c2-b626-a8a763f09106", ("GET", "HEAD", "PATCH", "DELETE")),
        ("fixits/0A7643C15E7257C2B626A8A763F09106", ("GET", "HEAD", "PATCH", "DELETE")),
        ("fixits/by-key", ("GET", "HEAD")),
        ("receipts/abc", ("GET", "HEAD")),
        ("health", ("GET", "HEAD")),
        ("fixits/nonsense", ()),
        ("receipts", ()),
        ("", ()),
        ("receipts/a/b", ()),
        ("fixits//", ()),
        ("fixits/0a7643c15e72-57c2-b626-a8a763f09106", ()),
        ("fixits/(0a7643c1-5e72-57c2-b626-a8a763f09106", ()),
        ("fixits/(0a7643c1-5e72-57c2-b626-a8a763f09106)", ("GET", "HEAD", "PATCH", "DELETE")),
        ("fixits/{0a7643c1-5e72-57c2-b626-a8a763f09106}", ("GET", "HEAD", "PATCH", "DELETE")),
    ],
)
def test_allowed_methods_of_a_path(path: str, methods: tuple[str, ...]) -> None:
    assert allowed_methods(path) == methods


def test_prefix_is_that_of_host_json() -> None:
    host = json.loads((ROOT / "host.json").read_text("utf-8"))
    assert host["extensions"]["http"]["routePrefix"] == PREFIX


def test_routes_are_all_different() -> None:
    assert len({(route.template, method) for route in ROUTES for method in route.methods}) == sum(
        len(route.methods) for route in ROUTES
    )
