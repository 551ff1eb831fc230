"""docs/api.http walks through every route."""

import re
from pathlib import Path

from shared.web import routes

WALK = (Path(__file__).resolve().parents[3] / "docs" / "api.http").read_text("utf-8")
ID = "0b6c8a5e-7f1d-4d6b-9d53-1f7a0c1b2d3e"


def test_walk_calls_every_method_of_every_route_and_nothing_else() -> None:
    called = set()
    for method, path in re.findall(r"^([A-Z]+) \{\{host\}\}/api/(\S+)$", WALK, re.MULTILINE):
        path = re.sub(r"\{\{.*?\}\}", ID, path.partition("?")[0])
        fits = [each for each in routes.ROUTES if method in each.methods and each.matches(path)]
        # A path in words is meant where one with a placeholder fits too.
        called.add((min(fits, key=lambda route: route.template.count("{")), method))
    assert called == {(route, method) for route in routes.ROUTES for method in route.methods if method != "HEAD"}
