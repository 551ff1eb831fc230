"""The document as a whole."""

import re
from functools import cache
from typing import Any

from shared.domain.access import Access
from shared.web.openapi import letters, notices, people, photos, service, tasks
from shared.web.openapi.schemas import schemas
from shared.web.routes import PREFIX

OPERATIONS = (
    *tasks.OPERATIONS,
    *photos.OPERATIONS,
    *notices.OPERATIONS,
    *letters.OPERATIONS,
    *people.OPERATIONS,
    *service.OPERATIONS,
)

_ABOUT = """\
Tasks are taken over HTTP, answered at once, and finished behind a queue without being lost or doubled.

Every refusal is `application/problem+json` with a stable `code`. The platform itself answers without a body: 401
without a key, 404 outside `/api`, 413 over 100 MiB, and 500 where the app could not be run. Bodies need a
`Content-Length`: chunked ones do not reach the app. HEAD is answered wherever GET is."""

_HEADERS = {
    "Location": ("Where to look next", {"type": "string"}),
    "ETag": ("The version of what is shown", {"type": "string"}),
    "Retry-After": ("Seconds after which to ask again", {"type": "integer", "minimum": 1}),
    "Idempotency-Key": ("The key to send again with", {"type": "string"}),
    "Preference-Applied": ("The wait that was kept", {"type": "string"}),
}

_SECURITY = {
    "key": {"type": "apiKey", "in": "header", "name": "x-functions-key", "description": "A function key"},
    "keyInQuery": {"type": "apiKey", "in": "query", "name": "code", "description": "A function key"},
    "adminKey": {"type": "apiKey", "in": "header", "name": "x-functions-key", "description": "The master key"},
    "platform": {"type": "http", "scheme": "bearer", "description": "A token of, or a session with, the platform"},
}


@cache
def document(version: str, access: Access) -> dict[str, Any]:
    """OpenAPI 3.1 of this version of the app, for how it knows its callers."""
    signed_in = access == "easyauth"
    paths: dict[str, Any] = {}
    for each in OPERATIONS:
        path = re.sub(r"\{(\w+):\w+\}", r"{\1}", each.route.template)
        paths.setdefault(f"/{PREFIX}/{path}", {})[each.method.lower()] = each.to_data(signed_in=signed_in)
    used = ("platform",) if signed_in else ("key", "keyInQuery", "adminKey")
    return {
        "openapi": "3.1.0",
        "info": {"title": "Fix-It", "version": version, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "headers": {name: {"description": about, "schema": schema} for name, (about, schema) in _HEADERS.items()},
            "securitySchemes": {name: _SECURITY[name] for name in used},
        },
    }
