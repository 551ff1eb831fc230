"""The inside of a route parameter: `id:int:min(1)=5`, `*rest`, `name?`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """A value that a path supplies. `constraints` as written, `default` None where there is none."""

    name: str
    constraints: tuple[str, ...] = ()
    default: str | None = None
    optional: bool = False
    catch_all: bool = False


def parse_parameter(text: str) -> Parameter:
    """Reads what stands between the braces, its doubled braces already single.

    Raises:
        ValueError: not a parameter; the message says why.
    """
    inner = text[2:] if text.startswith("**") else text.removeprefix("*")
    catch_all = inner != text
    optional = inner.endswith("?")
    if optional:
        inner = inner[:-1]
        if catch_all:
            raise ValueError("a catch-all parameter cannot be optional")
    # A name may begin with ':' or '=': only a later one ends it.
    end = next((index for index in range(1, len(inner)) if inner[index] in ":="), len(inner))
    name, constraints, default = inner[:end], *_constraints_and_default(inner[end:])
    if not name or set(name) & set("/{}?*"):
        raise ValueError(f"'{name}' is not a name for a route parameter")
    if optional and default is not None:
        raise ValueError(f"the optional parameter '{name}' cannot have a default value")
    return Parameter(name, tuple(constraints), default, optional, catch_all)


def _constraints_and_default(text: str) -> tuple[list[str], str | None]:
    """`:int:min(1)=5` → ["int", "min(1)"], "5". In parentheses ':', '=' and ')' are text where a ')' still follows."""
    constraints: list[str] = []
    position = 0
    while position < len(text) and text[position] == ":":
        end = _end_of_constraint(text, position + 1)
        if end > position + 1:
            constraints.append(text[position + 1 : end])
        position = end
    return constraints, text[position + 1 :] if text[position : position + 1] == "=" else None


def _end_of_constraint(text: str, start: int) -> int:
    position, inside = start, False
    while position < len(text):
        character = text[position]
        if not inside:
            if character in ":=":
                return position
            inside = character == "("
        elif character == ")":
            if text[position + 1 : position + 2] in {"", ":", "="}:
                return position + 1
        elif character in ":=":
            closing = text.find(")", position + 1)
            if closing < 0:
                return position
            position = closing
        position += 1
    return position
