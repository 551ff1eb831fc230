"""A client of the product: what any sender of tasks can do over HTTP."""

import json
from collections.abc import Mapping
from typing import Any

from tests.support.conformance import check_answer
from tests.support.eventually import eventually
from tests.support.web_client import Answer, HeaderValue, exchange

JSON = {"Content-Type": "application/json"}


class FixItClient:
    """Talks to one host, at `http://127.0.0.1:PORT`."""

    def __init__(self, url: str) -> None:
        self.url = url

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, HeaderValue] | None = None,
        *,
        timeout: float = 30,
    ) -> Answer:
        """One exchange; `path` starts with `/`. The answer must be one that the OpenAPI document names."""
        answer = exchange(self.url + path, method, body=body, headers=headers, timeout=timeout)
        check_answer(method, path, answer)
        return answer

    def get(self, path: str) -> Answer:
        return self.request("GET", path)

    def post(self, body: bytes, headers: Mapping[str, HeaderValue] | None = None) -> Answer:
        """Submit these bytes, as JSON unless the headers say otherwise."""
        return self.request("POST", "/api/fixits", body, {**JSON, **(headers or {})})

    def submit(self, key: str | None = None, **fields: Any) -> dict[str, Any]:
        """Submit a task that must be accepted; the body of the answer."""
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = self.post(json.dumps({"title": "Tap drips", **fields}).encode(), headers)
        assert answer.status == 202, answer
        return answer.json

    def settled(self, receipt: str, timeout: float = 30) -> dict[str, Any]:
        """What the receipt says once its task is settled."""

        def look() -> dict[str, Any] | None:
            status = self.get(f"/api/receipts/{receipt}").json
            return status if status["state"] in ("succeeded", "failed", "cancelled") else None

        return eventually(look, timeout, what="the task's end")
