"""A client that does not give up before it has a clear answer."""

import http.client
from collections.abc import Callable, Mapping

from tests.support.eventually import eventually
from tests.support.fixit_client import JSON, FixItClient
from tests.support.web_client import Answer

UNAVAILABLE = 503
"""The one answer that leaves open what happened. A 504 says it: the task was reversed."""


def ask(
    client: FixItClient | Callable[[], FixItClient],
    method: str,
    path: str,
    body: bytes | None = None,
    *,
    key: str = "",
    headers: Mapping[str, str] | None = None,
    timeout: float = 30,
) -> Answer:
    """The first clear answer: the request is sent again, under the same key, while storage or the app itself is down.

    A key that the server made is learned from its 503; without one, a connection that is lost is an error, since a
    repeat might be another task. `client` may be a function that finds the host of the moment.
    """
    keys = {"Idempotency-Key": key} if key else {}

    def look() -> Answer | None:
        host = client if isinstance(client, FixItClient) else client()
        try:
            answer = host.request(method, path, body, {**(JSON if body else {}), **(headers or {}), **keys})
        except (OSError, http.client.HTTPException):
            if method == "POST" and not keys:
                raise
            return None
        if answer.status == UNAVAILABLE:
            if made := answer.headers.get("idempotency-key"):
                keys["Idempotency-Key"] = made
            return None
        return answer

    return eventually(look, timeout, what=f"a clear answer to {method} {path}")
