"""Which function an HTTP request goes to.

Functions are tried in the order of their names; the first whose route takes the path and whose methods include the
request's wins. There is no other precedence: `items/{id}` of `A` hides `items/all` of `B`.
Source: the host's ScriptHost.ValidateFunction and WebScriptHostHttpRoutesManager.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from devhost.dotnet.texts import ordinal_key
from devhost.errors import FunctionError
from devhost.functions import Function
from devhost.http.route_matcher import RouteMatcher, RouteValues

_FUNCTION_NAME = re.compile(r"[a-z][a-z0-9_-]{0,127}", re.IGNORECASE | re.ASCII)
_BINDING_NAME = re.compile(r"[a-z][a-z0-9]{0,127}|\$return", re.IGNORECASE | re.ASCII)
_RESERVED = ("admin", "runtime")


@dataclass(frozen=True, kw_only=True)
class Route:
    """The way to one function. `methods` in upper case, None for all; `template` without the prefix."""

    function: Function
    template: str
    methods: frozenset[str] | None
    matcher: RouteMatcher

    def match(self, method: str, path: str) -> RouteValues | None:
        """The route values if this method and path lead here."""
        if self.methods is not None and method.upper() not in self.methods:
            return None
        return self.matcher.match(path)


class Routes:
    """The routes of an app. A function whose route cannot be is left out; `errors` says why, by function name."""

    def __init__(self, functions: Sequence[Function], prefix: str) -> None:
        self.errors: dict[str, str] = {}
        self._routes: list[Route] = []
        for function in sorted(functions, key=lambda function: ordinal_key(function.name)):
            try:
                check_names(function)
                if function.trigger.type.lower() == "httptrigger":
                    self._routes.append(self._make_route(function, prefix))
            except FunctionError as error:
                self.errors[function.name] = str(error)

    def find(self, method: str, path: str) -> tuple[Function, RouteValues] | None:
        """The function for this request, with its route values; `path` is decoded."""
        for route in self._routes:
            if (values := route.match(method, path)) is not None:
                return route.function, values
        return None

    def _make_route(self, function: Function, prefix: str) -> Route:
        template = route_template(function)
        if template.strip("/").lower().startswith(_RESERVED):
            raise FunctionError("The specified route conflicts with one or more built in routes.")
        route = Route(
            function=function,
            template=template,
            methods=_methods(function.trigger.properties),
            matcher=_matcher(f"{prefix}/{template}" if prefix else template),
        )
        for other in self._routes:
            if _conflict(route, other):
                raise FunctionError(
                    f"The route specified conflicts with the route defined by function '{other.function.name}'."
                )
        return route


def route_template(function: Function) -> str:
    """The function's route without the prefix; its name where it declares none."""
    declared = function.trigger.properties.get("route")
    return str(declared) if declared and str(declared).strip() else function.name


def check_names(function: Function) -> None:
    """Raises FunctionError unless the function and its bindings have names that the host takes."""
    if not _FUNCTION_NAME.fullmatch(function.name) or function.name.lower() == "host":
        raise FunctionError(f"'{function.name}' is not a valid function name.")
    for binding in function.bindings:
        if not _BINDING_NAME.fullmatch(binding.name):
            raise FunctionError(
                f"The binding name {binding.name} is invalid. Please assign a valid name to the binding."
            )


def _methods(properties: Mapping[str, object]) -> frozenset[str] | None:
    declared = properties.get("methods")
    return None if declared is None else frozenset(str(method).upper() for method in declared)  # type: ignore[attr-defined]


def _matcher(template: str) -> RouteMatcher:
    try:
        return RouteMatcher(template)
    except ValueError as error:
        raise FunctionError(f"The route '{template}' is not valid: {error}.") from None


def _conflict(route: Route, other: Route) -> bool:
    if ordinal_key(route.template.strip("/")) != ordinal_key(other.template.strip("/")):
        return False
    return not route.methods or not other.methods or bool(route.methods & other.methods)
