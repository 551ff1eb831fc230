"""What one operation is made of: parameters, bodies, answers, and refusals by their codes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from shared.web.accept import HTML, JSON
from shared.web.openapi.models.common import Problem
from shared.web.openapi.schemas import ref
from shared.web.problem import MEDIA_TYPE
from shared.web.routes import Route

_ALWAYS = {
    406: ("not_acceptable",),
    500: ("not_configured", "internal_error"),
}
"""What any route may answer."""

UNREADABLE = {503: ("dependency_down",)}
"""Of what reads storage."""

_READS_BODY = {
    400: ("empty_body", "malformed_json"),
    415: ("unsupported_media_type",),
}


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One method of one route.

    `level` is who may call it: `anonymous`, `function` (a key, or whoever is signed in) or `admin` (the master key, or
    operators). `answers` are what it says when all is well, by status, `refusals` the codes of its problems by
    status; `too_large` is the one for a body of too many bytes.
    """

    route: Route
    method: str
    name: str
    summary: str
    level: str
    answers: Mapping[int, dict[str, Any]]
    about: str = ""
    parameters: Sequence[dict[str, Any]] = ()
    body: dict[str, Any] | None = None
    too_large: str = "body_too_large"
    refusals: Mapping[int, Sequence[str]] = field(default_factory=dict)

    def to_data(self, *, signed_in: bool) -> dict[str, Any]:
        """The operation as the document has it; `signed_in`: the platform signs people in and asks for no key."""
        refusals: dict[int, list[str]] = {}
        more = [_ALWAYS, self.refusals]
        if self.body:
            more += [_READS_BODY, {413: (self.too_large,)}]
        if signed_in and self.level != "anonymous":
            more.append({401: ("sign_in_needed",), 403: ("not_allowed", "cross_site")})
        for each in more:
            for status, codes in each.items():
                refusals.setdefault(status, []).extend(codes)
        has_page = any(HTML in each.get("content", {}) for each in self.answers.values())
        responses = dict(self.answers) | {
            status: refused(codes, html=has_page and status != 406) for status, codes in refusals.items()
        }
        if not signed_in and self.level != "anonymous":
            responses[401] = {"description": "From the platform, without a body: no key, or a wrong one"}
        security: dict[str, list[dict[str, list[str]]]] = {
            "anonymous": [],
            "function": [{"key": []}, {"keyInQuery": []}],
            "admin": [{"adminKey": []}],
        }
        return {
            "operationId": self.name,
            "summary": self.summary,
            **({"description": self.about} if self.about else {}),
            "parameters": list(self.parameters),
            **({"requestBody": self.body} if self.body else {}),
            "responses": {str(status): responses[status] for status in sorted(responses)},
            "security": [{"platform": []}] if signed_in and self.level != "anonymous" else security[self.level],
        }


def parameter(
    where: str, name: str, about: str, schema: Mapping[str, Any], *, needed: bool = False, **more: Any
) -> dict[str, Any]:
    """One parameter of the path, the query or the headers."""
    return {
        "name": name,
        "in": where,
        "required": needed or where == "path",
        "description": about,
        "schema": dict(schema),
        **more,
    }


def json_body(shape: type[msgspec.Struct], *, media: Sequence[str] = (JSON,), about: str = "") -> dict[str, Any]:
    """A body that must be there."""
    content = {kind: {"schema": ref(shape)} for kind in media}
    return {"required": True, "content": content, **({"description": about} if about else {})}


def answer(
    about: str,
    shape: type[msgspec.Struct] | Mapping[str, Any] | None = None,
    *,
    headers: Sequence[str] = (),
    links: Mapping[str, Any] | None = None,
    html: bool = False,
) -> dict[str, Any]:
    """One answer that is no refusal; `headers` are names of `components/headers`. `html`: it can be had as a page."""
    schema = ref(shape) if isinstance(shape, type) else shape
    content = {
        **({JSON: {"schema": schema}} if schema else {}),
        **({HTML: {"schema": {"type": "string"}}} if html else {}),
    }
    return {
        "description": about,
        **({"content": content} if content else {}),
        **({"headers": {name: {"$ref": f"#/components/headers/{name}"} for name in headers}} if headers else {}),
        **({"links": dict(links)} if links else {}),
    }


def refused(codes: Sequence[str], *, html: bool = False) -> dict[str, Any]:
    """One status of refusals, with the codes that it may have. `html`: it can be had as a page."""
    return {
        "description": "Refused: " + ", ".join(f"`{code}`" for code in dict.fromkeys(codes)),
        "content": {
            MEDIA_TYPE: {"schema": ref(Problem)},
            **({HTML: {"schema": {"type": "string"}}} if html else {}),
        },
    }
