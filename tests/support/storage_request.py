"""What a request to storage is, in words: read off its method, path and query."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class StorageRequest:
    """One request as a client sent it, and what became of it.

    `op` is what `operation` says, `target` the queue, table or container. `at` counts seconds from the start of the
    wire, `seconds` how long the answer took. `status` is what the client was told (None: the connection was cut, or it
    is still waiting), `stored_status` what the emulator answered (None: it never got the request).
    """

    service: str
    op: str
    target: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    at: float
    seconds: float = 0
    status: int | None = None
    stored_status: int | None = None


def operation(
    service: str, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str]
) -> tuple[str, str]:
    """The operation's name and its target. `path` is the decoded one, with the account in front."""
    parts = path.strip("/").split("/", 2)[1:]
    first = parts[0] if parts else ""
    rest = parts[1] if len(parts) > 1 else ""
    if service == "queue":
        return _queue(method, rest, query) if first else _account(query), first
    if service == "table":
        return _table(method, first, headers), re.split(r"\(", first)[0]
    return _blob(method, rest, query) if first else _account(query), first


def _account(query: Mapping[str, str]) -> str:
    return query.get("comp", "account")


def _queue(method: str, rest: str, query: Mapping[str, str]) -> str:
    if not rest:
        if query.get("comp") == "metadata":
            return "set_metadata" if method == "PUT" else "metadata"
        return {"PUT": "create", "DELETE": "delete_queue"}.get(method, query.get("comp", method.lower()))
    if rest == "messages":
        if method == "GET":
            return "peek" if query.get("peekonly") == "true" else "get"
        return {"POST": "put", "DELETE": "clear"}.get(method, method.lower())
    return {"PUT": "update", "DELETE": "delete"}.get(method, method.lower())


def _table(method: str, first: str, headers: Mapping[str, str]) -> str:
    method = headers.get("X-HTTP-Method", method)
    if first == "$batch":
        return "batch"
    if re.match(r"Tables(\(|$)", first):
        return {"POST": "create_table", "DELETE": "delete_table"}.get(method, "list_tables")
    if method == "GET":
        return "get" if "PartitionKey=" in first else "query"
    names = {"POST": "insert", "PUT": "replace", "PATCH": "merge", "MERGE": "merge", "DELETE": "delete"}
    return names.get(method, method.lower())


def _blob(method: str, rest: str, query: Mapping[str, str]) -> str:
    comp = query.get("comp", "")
    if query.get("restype") == "container":
        if comp:
            return comp
        return {"PUT": "create_container", "DELETE": "delete_container"}.get(method, "container_properties")
    if not rest:
        return comp or method.lower()
    if comp:
        reads = method in ("GET", "HEAD")
        names = {
            "metadata": "set_metadata",
            "properties": "set_properties",
            "block": "put_block",
            "blocklist": "put_blocks",
        }
        return comp if reads else names.get(comp, comp)
    return {"HEAD": "properties", "PUT": "put"}.get(method, method.lower())
