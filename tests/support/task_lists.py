"""Lists of tasks as a client reads them over HTTP."""

from typing import Any
from urllib.parse import urlencode

from tests.support.fixit_client import FixItClient

PATH = "/api/fixits"


def look(client: FixItClient, **query: Any) -> dict[str, Any]:
    """One page of a list that must be shown."""
    answer = client.get(f"{PATH}?{urlencode(query)}")
    assert answer.status == 200, answer
    return answer.json


def every_page(client: FixItClient, **query: Any) -> list[list[dict[str, Any]]]:
    """All pages of a list, perhaps empty ones among them."""
    pages: list[list[dict[str, Any]]] = []
    cursor: dict[str, str] = {}
    while True:
        page = look(client, **query, **cursor)
        pages.append(page["tasks"])
        if page["cursor"] is None:
            return pages
        cursor = {"cursor": page["cursor"]}


def titles(client: FixItClient, **query: Any) -> list[str]:
    """The titles of all tasks of a list, page by page."""
    return [task["title"] for page in every_page(client, **query) for task in page]
