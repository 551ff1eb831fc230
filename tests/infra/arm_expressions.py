"""Evaluates what a snapshot of Bicep leaves open: expressions on values that Azure knows once a resource is there."""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.infra import cloud
from tests.infra.not_understood import NotUnderstood

_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|\d+|\w+|[(),.\[\]])")


def evaluate(value: Any) -> Any:
    """The value with every expression in it evaluated."""
    if isinstance(value, dict):
        return {evaluate(key): evaluate(each) for key, each in value.items()}
    if isinstance(value, list):
        return [evaluate(each) for each in value]
    if isinstance(value, str) and value.startswith("[") and value.endswith("]") and not value.startswith("[["):
        return _Expression(value[1:-1]).value()
    return value


class _Expression:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._next = next(self._tokens, "")

    def value(self) -> Any:
        found = self._one()
        if self._next:
            raise NotUnderstood(f"{self._next} in {self._text}")
        return found

    def _split(self) -> Iterator[str]:
        at = 0
        while at < len(self._text):
            token = _TOKEN.match(self._text, at)
            if not token:
                raise NotUnderstood(f"{self._text[at:]} in {self._text}")
            yield token[1]
            at = token.end()

    def _take(self, wanted: str = "") -> str:
        token = self._next
        if not token or (wanted and token != wanted):
            raise NotUnderstood(f"{token!r} where {wanted or 'a value'} should be, in {self._text}")
        self._next = next(self._tokens, "")
        return token

    def _one(self) -> Any:
        token = self._take()
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if token.isdigit():
            return int(token)
        found = self._call(token)
        while self._next == ".":
            self._take()
            found = found[self._take()]
        return found

    def _call(self, name: str) -> Any:
        arguments = []
        self._take("(")
        while self._next != ")":
            arguments.append(self._one())
            if self._next != ")":
                self._take(",")
        self._take(")")
        if name not in _FUNCTIONS:
            raise NotUnderstood(f"{name} in {self._text}")
        return _FUNCTIONS[name](*arguments)


def _format(pattern: str, *values: str) -> str:
    return re.sub(r"\{(\d+)\}", lambda found: values[int(found[1])], pattern)


def _reference(resource: str, version: str) -> Mapping[str, Any]:
    kind, name = resource.split("/providers/")[-1].rsplit("/", 1)
    return cloud.properties(kind, name)


def _resource_id(subscription: str, group: str, kind: str, *names: str) -> str:
    provider, *kinds = kind.split("/")
    pairs = "".join(f"/{each}/{name}" for each, name in zip(kinds, names, strict=True))
    return f"/subscriptions/{subscription}/resourceGroups/{group}/providers/{provider}{pairs}"


def _environment() -> Mapping[str, Any]:
    suffixes = {"storage": cloud.STORAGE_SUFFIX, "keyvaultDns": f".{cloud.VAULT_SUFFIX}"}
    return {"suffixes": suffixes, "authentication": {"loginEndpoint": cloud.LOGIN}}


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "environment": _environment,
    "format": _format,
    "length": len,
    "newGuid": lambda: cloud.SECRET,
    "reference": _reference,
    "replace": str.replace,
    "resourceId": _resource_id,
    "sub": lambda left, right: left - right,
    "take": lambda text, count: text[:count],
    "tenant": lambda: {"tenantId": cloud.TENANT},
}
