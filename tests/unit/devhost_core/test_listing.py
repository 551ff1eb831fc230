from typing import Any

from devhost.functions import Binding, Function
from devhost.listing import list_functions


def function(name: str, kind: str, **properties: Any) -> Function:
    trigger = Binding(type=kind, direction="in", name="x", properties=properties)
    return Function(name=name, id=name, bindings=(trigger,))


def test_listing_reads_as_core_tools_prints_it() -> None:
    functions = [
        function("Work", "queueTrigger"),
        function("Submit", "httpTrigger", route="fixits/{id}", methods=["get", "POST"]),
        function("Health", "httpTrigger"),
    ]
    lines = list_functions(
        functions, [function("Off", "timerTrigger")], base_url="http://localhost:7071", route_prefix="api"
    )
    assert list(lines) == [
        "",
        "Functions:",
        "",
        "\tSubmit: [GET,POST] http://localhost:7071/api/fixits/{id}",
        "",
        "\tHealth: http://localhost:7071/api/Health",
        "",
        "\tWork: queueTrigger",
        "",
        "Function Off is disabled.",
    ]


def test_listing_without_a_route_prefix_has_none() -> None:
    root = function("Root", "httpTrigger", route="")
    lines = list_functions([root], [], base_url="http://localhost:1", route_prefix="")
    assert "\tRoot: http://localhost:1/" in list(lines)
