"""The functions of Terraform that infra/terraform calls, as its documentation has them."""

import base64
import json
import re
import uuid
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

from tests.infra.not_understood import NotUnderstood
from tests.infra.terraform_values import Set, Unknown, Value, as_text, is_known, shown


def call(name: str, arguments: list[Value]) -> Value:
    """The function's value. Of an argument that is not known yet only its place in a collection is looked at."""
    if name in OF_COLLECTIONS:
        return OF_COLLECTIONS[name](*arguments)
    if name not in OF_VALUES:
        raise NotUnderstood(f"function {name}")
    if not is_known(arguments):
        return Unknown.at(f"{name}({', '.join(map(shown, arguments))})")
    return OF_VALUES[name](*arguments)


def _flatten(values: list[Value]) -> list[Value]:
    return [inner for value in values for inner in (_flatten(value) if isinstance(value, list) else [value])]


def _merge(*maps: Mapping[str, Value]) -> dict[str, Value]:
    return {key: value for each in maps for key, value in each.items()}


def _replace(text: str, old: str, new: str) -> str:
    if len(old) > 1 and old.startswith("/") and old.endswith("/"):
        raise NotUnderstood("replace by a regular expression")
    return text.replace(old, new)


def _substr(text: str, offset: int, length: int) -> str:
    if offset < 0 or length < 0:
        raise NotUnderstood("substr from the end")
    return text[offset : offset + length]


def _regex(pattern: str, text: str) -> Value:
    """Where `$` is the very end of the text, as in Terraform, and not before a last line break, as in Python."""
    found = re.search(re.sub(r"\$\Z", r"\\Z", pattern), text)
    if not found:
        raise ValueError("no match")
    return list(found.groups()) or found[0]


def _uuidv5(namespace: str, name: str) -> str:
    return str(uuid.uuid5(uuid.UUID(namespace), name))


OF_VALUES: Mapping[str, Callable[..., Value]] = {
    "base64encode": lambda text: base64.b64encode(text.encode()).decode(),
    "contains": lambda values, value: value in values,
    "file": lambda path: Path(path).read_text("utf-8"),
    "join": lambda between, texts: between.join(texts),
    "jsondecode": json.loads,
    "lower": str.lower,
    "regex": _regex,
    "replace": _replace,
    "substr": _substr,
    "tostring": as_text,
    "trimprefix": str.removeprefix,
    "trimsuffix": str.removesuffix,
    "uuidv5": _uuidv5,
}

OF_COLLECTIONS: Mapping[str, Callable[..., Value]] = {
    "alltrue": all,
    "concat": lambda *lists: [value for each in lists for value in each],
    "flatten": _flatten,
    "keys": sorted,
    "length": len,
    "merge": _merge,
    "setproduct": lambda *lists: [list(each) for each in product(*lists)],
    "toset": lambda values: Set(sorted(set(values))),
}
