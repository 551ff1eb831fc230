"""The list of functions that `func start` prints."""

from collections.abc import Iterator, Sequence

from devhost.functions import Function


def list_functions(
    functions: Sequence[Function], disabled: Sequence[Function], *, base_url: str, route_prefix: str
) -> Iterator[str]:
    """The lines: HTTP functions with their address, the others with their trigger, then the disabled ones.

    Source: azure-functions-core-tools, Diagnostics and StartHostAction.cs.
    """
    if functions:
        yield from ("", "Functions:", "")
    for function in sorted(functions, key=lambda function: function.trigger.type != "httpTrigger"):
        yield f"\t{function.name}: {_what(function, base_url, route_prefix)}"
        yield ""
    for function in disabled:
        yield f"Function {function.name} is disabled."


def _what(function: Function, base_url: str, route_prefix: str) -> str:
    trigger = function.trigger
    if trigger.type != "httpTrigger":
        return trigger.type
    methods = [str(method).upper() for method in trigger.properties.get("methods") or ()]
    route = trigger.properties.get("route")
    path = "/".join(part for part in (route_prefix, function.name if route is None else str(route)) if part)
    return f"{f'[{",".join(methods)}] ' if methods else ''}{base_url}/{path}"
