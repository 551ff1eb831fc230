"""The OpenAPI document as a page."""

from collections.abc import Mapping
from typing import Any

import azure.functions as func

from shared.web.pages.page import page

_LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {:,} characters",
    "minimum": "at least {}",
    "maximum": "at most {:,}",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
    "default": "else {!r}",
}


def docs(document: Mapping[str, Any]) -> func.HttpResponse:
    """200: every operation and every shape of the document."""
    operations = [
        (path, method.upper(), operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    schemes = document["components"]["securitySchemes"]
    guards = {operation["operationId"]: _guard(operation["security"], schemes) for _, _, operation in operations}
    return page("docs.html", doc=document, operations=operations, guards=guards, shape=_shape, limits=_limits)


def _guard(security: list[dict[str, Any]], schemes: Mapping[str, Any]) -> str:
    if not security:
        return "For anybody."
    needed = dict.fromkeys(schemes[name]["description"] for each in security for name in each)
    return f"Needs: {' or '.join(needed)}."


def _shape(rule: Mapping[str, Any]) -> str:
    """A schema's type in words."""
    if "$ref" in rule:
        return str(rule["$ref"]).rpartition("/")[2]
    if "anyOf" in rule:
        return " or ".join(dict.fromkeys(_shape(each) for each in rule["anyOf"] if "const" not in each))
    if "enum" in rule:
        return " | ".join(str(each) for each in rule["enum"])
    if rule.get("type") == "array":
        return f"array of {_shape(rule['items'])}"
    return str(rule.get("format") or rule.get("type", "anything"))


def _limits(rule: Mapping[str, Any]) -> str:
    if "anyOf" in rule:
        rule = {**rule["anyOf"][0], **rule}
    told = [words.format(rule[name]) for name, words in _LIMITS.items() if rule.get(name) not in (None, "")]
    return "; ".join([*told, *([rule["description"]] if "description" in rule else [])])
