"""One HTTP exchange, with nothing added that a test did not ask for."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

type HeaderValue = str | bytes


@dataclass(frozen=True)
class Answer:
    """What came back. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body, strictly read: NaN and its like, which no other parser takes, are an error."""

        def refuse(name: str) -> None:
            raise ValueError(name)

        value = json.loads(self.body, parse_constant=refuse)
        assert isinstance(value, dict)
        return value


def exchange(
    url: str,
    method: str = "GET",
    *,
    body: bytes | None = None,
    headers: Mapping[str, HeaderValue] | None = None,
    timeout: float = 30,
) -> Answer:
    """The answer to one request on a connection of its own."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path, body=body, headers=dict(headers or {}))
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, found, response.read())
    finally:
        connection.close()
