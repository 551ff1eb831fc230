"""Whether an answer is one that the OpenAPI document names: each answer that a test's client gets is held to it."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from shared.web.openapi.document import OPERATIONS, document
from shared.web.openapi.operation import Operation
from shared.web.routes import PREFIX
from tests.support.web_client import Answer

PLATFORM = (400, 401, 404, 413, 500)
"""What the platform itself answers, without a body."""


def check_answer(method: str, path: str, answer: Answer) -> None:
    """Fails for a status, a media type or a body that the document does not have."""
    operation = _operation(method, path.partition("?")[0])
    if operation is None or (answer.status in PLATFORM and not answer.body):
        return
    told = f"{method} {path}: {answer.status} {answer.body[:2_000]!r}"
    responses = _responses(operation.name)
    assert str(answer.status) in responses, f"not documented: {told}"
    content = responses[str(answer.status)].get("content", {})
    media = answer.headers.get("content-type", "").partition(";")[0]
    if not content:
        assert not answer.body, f"no body is documented: {told}"
        return
    assert media in content, f"not documented as {media}: {told}"
    if "json" in media:
        errors = list(_validator(operation.name, str(answer.status), media).iter_errors(answer.json))
        assert not errors, f"{errors[0].message} at {errors[0].json_path}: {told}"


@cache
def _document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document("test", "easyauth")))  # it has the refusals of both ways
    return found


def _operation(method: str, path: str) -> Operation | None:
    inner = path.removeprefix(f"/{PREFIX}/").removesuffix("/")
    fits = [each for each in OPERATIONS if each.method == method and each.route.matches(inner)]
    return min(fits, key=lambda each: each.route.template.count("{"), default=None)


@cache
def _responses(name: str) -> dict[str, Any]:
    operations = (each for methods in _document()["paths"].values() for each in methods.values())
    found: dict[str, Any] = next(each for each in operations if each["operationId"] == name)["responses"]
    return found


@cache
def _validator(name: str, status: str, media: str) -> Draft202012Validator:
    schema = _responses(name)[status]["content"][media]["schema"]
    whole = {**schema, "components": _document()["components"]}
    return Draft202012Validator(whole, format_checker=FormatChecker())
