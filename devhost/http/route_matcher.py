"""Matching a decoded path against a route template. Source: ASP.NET Core's RoutePatternMatcher and RouteBase."""

from collections.abc import Mapping

from devhost.dotnet.texts import ordinal_key
from devhost.http.route_constraints import NEEDS_NO_VALUE, Test, make_constraint
from devhost.http.route_parameter import Parameter
from devhost.http.route_template import Literal, Segment, parse_template

type RouteValues = Mapping[str, str | None]
"""Values by parameter name. A catch-all that took nothing is None; an optional parameter left out is absent."""


class RouteMatcher:
    """One template, ready to be asked about paths."""

    def __init__(self, template: str) -> None:
        """Raises ValueError where the template or a constraint is malformed."""
        self._segments = parse_template(template)
        self._parameters = [part for segment in self._segments for part in segment if isinstance(part, Parameter)]
        self._tests: list[tuple[Parameter, str, Test]] = [
            (parameter, text.lower(), make_constraint(text))
            for parameter in self._parameters
            for text in parameter.constraints
        ]

    def match(self, path: str) -> RouteValues | None:
        """The values that the path supplies; None if it does not match or a constraint refuses it."""
        values = self._capture(path)
        if values is None or not all(_passes(values, *test) for test in self._tests):
            return None
        return values

    def _capture(self, path: str) -> dict[str, str | None] | None:
        values: dict[str, str | None] = {}
        pieces = _pieces(path)
        for index, segment in enumerate(self._segments):
            alone = segment[0] if len(segment) == 1 else None
            if isinstance(alone, Parameter) and alone.catch_all:
                if index < len(pieces) and not pieces[index]:
                    return None
                # Everything that is left, slashes and all: only its first piece may not be empty.
                values[alone.name] = path.split("/", index + 1)[index + 1] if index < len(pieces) else alone.default
                break
            if index >= len(pieces):
                if not isinstance(alone, Parameter) or not (alone.optional or alone.default is not None):
                    return None
            elif not pieces[index] or not _match_segment(segment, pieces[index], values):
                return None
        else:
            if len(pieces) > len(self._segments):
                return None
        for parameter in self._parameters:
            if parameter.default is not None and parameter.name not in values:
                values[parameter.name] = parameter.default
        return values


def _pieces(path: str) -> list[str]:
    """The path between its slashes; one slash at the end does not count."""
    pieces = path.split("/")[1:]
    return pieces[:-1] if pieces and not pieces[-1] else pieces


def _passes(values: RouteValues, parameter: Parameter, text: str, test: Test) -> bool:
    value = values.get(parameter.name)
    if value is None:
        return text in NEEDS_NO_VALUE or (parameter.optional and parameter.name not in values)
    return test(value)


def _match_segment(segment: Segment, piece: str, values: dict[str, str | None]) -> bool:
    if len(segment) == 1:
        if isinstance(segment[0], Parameter):
            values[segment[0].name] = piece
            return True
        return ordinal_key(piece) == ordinal_key(segment[0].text)
    if _match_parts(segment, piece, values, to_the_end=True):
        return True
    # `{name}.{ext?}`: point and extension may be missing together, but a bare point at the end matches nothing.
    left_out = isinstance(segment[-2], Literal) and segment[-2].separator
    return left_out and not piece.endswith(".") and _match_parts(segment[:-2], piece, values, to_the_end=False)


def _match_parts(parts: Segment, piece: str, values: dict[str, str | None], *, to_the_end: bool) -> bool:
    """From the right: each literal is found at its last place, a parameter takes what lies between, never nothing.

    Only with `to_the_end` must a literal that closes the segment stand at the very end of the piece.
    """
    found: dict[str, str | None] = {}
    key = ordinal_key(piece)
    end = len(piece)
    waiting: Parameter | None = None
    for index in reversed(range(len(parts))):
        part = parts[index]
        if isinstance(part, Parameter):
            waiting = part
            continue
        limit = end - 1 if waiting else end
        start = key.rfind(ordinal_key(part.text), 0, max(limit, 0))
        after = start + len(part.text)
        if start < 0 or limit == 0 or (to_the_end and index == len(parts) - 1 and after != len(piece)):
            return False
        if waiting:
            found[waiting.name] = piece[after:end]
            if after == end:
                return False
            waiting = None
        end = start
    if waiting:
        if end == 0:
            return False
        found[waiting.name] = piece[:end]
    elif end != 0:
        return False
    values.update(found)
    return True
