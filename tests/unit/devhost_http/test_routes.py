"""Which function a request goes to, and which functions get no route."""

import pytest

from devhost.functions import Binding, Function
from devhost.http.routes import Routes
from tests.unit.devhost_http.serving import http_function


def found(routes: Routes, method: str, path: str) -> str | None:
    match = routes.find(method, path)
    return match[0].name if match else None


def test_routes_are_tried_in_name_order_whatever_their_case() -> None:
    # Upper case decides: '_' comes after the letters.
    names = ["b", "a_z", "AB", "a-z", "a1"]
    routes = Routes([http_function(name, f"x/{{{name.replace('-', '').replace('_', '')}}}") for name in names], "api")
    assert found(routes, "GET", "/api/x/1") == "a-z"
    routes = Routes([http_function("a_z", "x/{p}"), http_function("AB", "x/{q}")], "api")
    assert found(routes, "GET", "/api/x/1") == "AB"


def test_routes_with_a_failed_constraint_or_method_try_the_next_function() -> None:
    functions = [http_function("a", "x/{n:int}"), http_function("b", "x/{n}", ["POST"]), http_function("c", "x/{n}")]
    routes = Routes([functions[0], functions[1]], "api")
    assert [found(routes, method, "/api/x/y") for method in ("POST", "post", "GET")] == ["b", "b", None]
    assert found(routes, "GET", "/api/x/5") == "a"


@pytest.mark.parametrize("route", [None, "", "  "])
def test_route_not_declared_is_the_function_name(route: str | None) -> None:
    assert found(Routes([http_function("Hello", route)], "api"), "GET", "/api/hello") == "Hello"


@pytest.mark.parametrize(
    ("prefix", "route", "path"),
    [("", "/", "/"), ("", "{*rest}", "/a"), ("", "x", "/x"), ("v1/api", "x", "/v1/api/x"), ("{tenant}", "x", "/t/x")],
)
def test_route_prefix_goes_before_the_route(prefix: str, route: str, path: str) -> None:
    assert found(Routes([http_function("f", route)], prefix), "GET", path) == "f"


def test_route_methods_empty_list_takes_no_request() -> None:
    assert found(Routes([http_function("f", "x", [])], "api"), "GET", "/api/x") is None


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (http_function("f", "/x"), "not valid"),
        (http_function("f", "x/{a}/{a}"), "not valid"),
        (http_function("f", "x/{a:nope}"), "nope"),
        (http_function("f", "admin"), "built in routes"),
        (http_function("f", "/Administrators/"), "built in routes"),
        (http_function("f", "runtime/x"), "built in routes"),
        (http_function("admin2"), "built in routes"),
        (http_function("host", "x"), "function name"),
        (http_function("1f", "x"), "function name"),
        (http_function("f" * 129, "x"), "function name"),
        (http_function("f.g", "x"), "function name"),
    ],
)
def test_route_that_cannot_be_puts_its_function_in_error_and_no_other(function: Function, part: str) -> None:
    routes = Routes([function, http_function("good", "good")], "api")
    assert list(routes.errors) == [function.name]
    assert part in routes.errors[function.name]
    assert found(routes, "GET", "/api/good") == "good"


def test_route_with_a_bad_binding_name_puts_its_function_in_error() -> None:
    good = http_function("f", "x")
    bad = Function(name="f", id="f", bindings=(*good.bindings, Binding(type="queue", direction="out", name="my_out")))
    assert "my_out" in Routes([bad], "api").errors["f"]


@pytest.mark.parametrize(
    ("first", "second", "conflict"),
    [
        (("x", ["GET"]), ("x", ["GET", "POST"]), True),
        (("x", ["GET"]), ("X", None), True),
        (("x", ["GET"]), ("x/", ["get"]), True),
        (("x", ["GET"]), ("x", []), True),
        (("x", ["GET"]), ("x", ["POST"]), False),
        (("x/{a}", ["GET"]), ("x/{b}", ["GET"]), False),
    ],
)
def test_routes_alike_with_a_common_method_put_the_later_function_in_error(
    first: tuple[str, list[str] | None], second: tuple[str, list[str] | None], conflict: bool
) -> None:
    routes = Routes([http_function("b", *second), http_function("a", *first)], "api")
    assert list(routes.errors) == (["b"] if conflict else [])
    if conflict:
        assert "'a'" in routes.errors["b"]


def test_routes_leave_other_triggers_alone_but_check_their_names() -> None:
    timer = Binding(type="timerTrigger", direction="in", name="t")
    routes = Routes(
        [Function(name="tick", id="1", bindings=(timer,)), Function(name="9", id="2", bindings=(timer,))], ""
    )
    assert list(routes.errors) == ["9"]
    assert found(routes, "GET", "/tick") is None
