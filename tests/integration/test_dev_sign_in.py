"""`dev.py start --sign-in NAME`: whoever opens the page that it names is that person, at each start the same one."""

import sys
import urllib.request
from pathlib import Path

import pytest

from tests.support.dev_start import start, submit

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals and ps")


def read(url: str) -> str:
    with urllib.request.urlopen(url.replace("localhost", "127.0.0.1"), timeout=60) as answer:
        text: str = answer.read().decode()
        return text


def test_plain_browser_is_who_was_named_and_has_that_persons_pages(tmp_path: Path) -> None:
    child = start(tmp_path, "--sign-in", "ann@example.com", "--operator")
    try:
        url = child.wait_line(r"Pages, signed in as ann@example\.com: (http://localhost:(\d+)/api/me)", 90)
        page = read(url[1])
        assert "ann@example.com</bdi>, operator" in page
        assert "Nothing here" in page
        assert submit(url[2]) == 202
    finally:
        assert child.stop(60) == 0
