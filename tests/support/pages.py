"""The pages as a test asks for them over plain HTTP, and the forms in them."""

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import urlencode

from tests.support.fixit_client import FixItClient
from tests.support.web_client import Answer

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
"""What browsers ask for."""
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
LIST, NEW = "/api/me", "/api/me/new"


def look(client: FixItClient, path: str) -> Answer:
    """A page as a browser gets it."""
    return client.request("GET", path, headers=HTML)


def hidden(client: FixItClient, path: str) -> dict[str, str]:
    """What the first form of a page carries unseen."""
    text = look(client, path).body.decode()
    form = re.search("<form method=.post.*?</form>", text, re.DOTALL)
    assert form, text
    fields = re.findall('<input type="hidden" name="([^"]+)" value="([^"]*)">', form[0])
    return {name: unescape(value) for name, value in fields}


def send(client: FixItClient, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
    """A form as a browser sends it."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.request("POST", path, urlencode(fields).encode(), {**HTML, **FORM, **sent})


def check_page(answer: Answer, status: int, *said: str) -> str:
    """The text of an answer that must be a page of this status which says all of this."""
    assert answer.status == status, answer
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    text = answer.body.decode()
    assert not re.search("(?:https?:)?//[a-z]", text.replace("http://www.w3.org/2000/svg", "")), "another host"
    assert [each for each in said if each not in text] == [], text
    return text
