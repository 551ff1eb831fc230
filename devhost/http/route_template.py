"""Route templates: `orders/{id:int}/{*rest}` taken apart, and matched against a path.

The grammar and the matching are those of ASP.NET Core's template routing, which the real host uses.
Source: Microsoft.AspNetCore.Routing (RoutePatternParser, RouteParameterParser).
"""

from dataclasses import dataclass
from itertools import pairwise

from devhost.dotnet.texts import ordinal_key
from devhost.http.route_parameter import Parameter, parse_parameter


@dataclass(frozen=True)
class Literal:
    """Fixed text. `separator`: the point before an optional parameter, absent together with it."""

    text: str
    separator: bool = False


type Part = Literal | Parameter
type Segment = tuple[Part, ...]


def parse_template(template: str) -> tuple[Segment, ...]:
    """The segments of a template, in order.

    Raises:
        ValueError: the template is malformed; the message says how.
    """
    text = template.removeprefix("~/") if template.startswith("~/") else template.removeprefix("/")
    if text.startswith("~"):
        raise ValueError("a route template cannot start with '~' unless '/' follows")
    segments: list[Segment] = []
    names: set[str] = set()
    position = 0
    while position < len(text):
        if text[position] == "/":
            raise ValueError("a route template cannot have two '/' in a row")
        parts, position = _parse_segment(text, position)
        segments.append(_checked_segment(parts))
        for part in parts:
            if isinstance(part, Parameter):
                if ordinal_key(part.name) in names:
                    raise ValueError(f"the route parameter '{part.name}' appears more than once")
                names.add(ordinal_key(part.name))
        position += 1
    for segment in segments[:-1]:
        if any(isinstance(part, Parameter) and part.catch_all for part in segment):
            raise ValueError("a catch-all parameter can only be the last segment")
    return tuple(segments)


def _parse_segment(text: str, position: int) -> tuple[list[Part], int]:
    parts: list[Part] = []
    while position < len(text) and text[position] != "/":
        if text[position] == "{" and text[position : position + 2] != "{{":
            end = _end_of_parameter(text, position)
            parts.append(parse_parameter(_unescaped(text[position + 1 : end])))
            position = end + 1
        else:
            end = _end_of_literal(text, position)
            literal = _unescaped(text[position:end])
            if "?" in literal:
                raise ValueError(f"the text '{literal}' cannot contain '?'")
            parts.append(Literal(literal))
            position = end
    return parts, position


def _end_of_parameter(text: str, start: int) -> int:
    """Where the brace stands that closes the one at `start`; a doubled brace inside is text."""
    position = start + 1
    while position < len(text):
        if text[position] in "{}":
            if text[position : position + 2] == 2 * text[position]:
                position += 1
            elif text[position] == "}":
                return position
            else:
                raise ValueError("'{' inside a route parameter has to be written '{{'")
        position += 1
    raise ValueError("a '{' in the route template is not closed")


def _end_of_literal(text: str, start: int) -> int:
    position = start
    while position < len(text) and text[position] != "/":
        if text[position] in "{}":
            if text[position : position + 2] == 2 * text[position]:
                position += 1
            elif text[position] == "{" and position + 1 < len(text):
                break
            else:
                raise ValueError(f"'{text[position]}' in the route template has no counterpart")
        position += 1
    return position


def _unescaped(text: str) -> str:
    return text.replace("}}", "}").replace("{{", "{")


def _checked_segment(parts: list[Part]) -> Segment:
    if len(parts) > 1:
        for index, part in enumerate(parts):
            if isinstance(part, Parameter) and part.catch_all:
                raise ValueError("a catch-all parameter has to be a segment of its own")
            if isinstance(part, Parameter) and part.optional:
                if index < len(parts) - 1 or parts[index - 1] != Literal("."):
                    raise ValueError(
                        f"the optional parameter '{part.name}' has to end its segment, right after a '.' or alone"
                    )
                parts[index - 1] = Literal(".", separator=True)
        if any(isinstance(left, Parameter) and isinstance(right, Parameter) for left, right in pairwise(parts)):
            raise ValueError("two route parameters need a text between them")
    return tuple(parts)
