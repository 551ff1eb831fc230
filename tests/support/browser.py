"""A real browser for the pages: what they load, what they complain of, and what the accessibility checker finds."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tools.dev.paths import NODE_MODULES

SETTING = "FIXIT_TESTS_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome")
# None of them may look for anything outside.
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
AXE = NODE_MODULES / "axe-core" / "axe.min.js"
TIMEOUT_MILLISECONDS = 10_000


def _program() -> str:
    """Where the browser is; the test is skipped where there is none, unless one was asked for."""
    asked = os.environ.get(SETTING, "")
    if asked:
        found = shutil.which(asked)
        assert found, f"{SETTING}: there is no {asked}"
        return found
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no browser: install Chromium, or name one in {SETTING}")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests of this pytest process, with a profile of its own that ends with it."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=_program(), args=ARGUMENTS)
        yield running
        running.close()


@dataclass
class Watched:
    """A page, and what it did: which hosts it asked, and what it complained of (errors of scripts, its policy)."""

    page: Page
    hosts: set[str] = field(default_factory=set)
    complaints: list[str] = field(default_factory=list)

    def open(self, url: str) -> int:
        """Go there; the status."""
        answer = self.page.goto(url)
        assert answer is not None
        return answer.status


@contextmanager
def visit(browser: Browser, **options: Any) -> Iterator[Watched]:
    """A page of a context of its own, whose options these are. It must ask no other host and complain of nothing."""
    with _context(browser, **options) as context:
        watched = Watched(context.new_page())
        context.on("request", lambda request: watched.hosts.add(urlsplit(request.url).netloc))
        watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        watched.page.on(
            "console",
            lambda said: watched.complaints.append(said.text) if "Security Policy" in said.text else None,
        )
        yield watched
        assert watched.complaints == []
        assert len(watched.hosts) == 1, watched.hosts


def violations(browser: Browser, url: str, *, html: str = "", **options: Any) -> list[str]:
    """What the accessibility checker finds wrong with a page, in light and in dark.

    `html`: with this text in the place of what the address gives, for pages that answer a form.
    """
    found = []
    with _context(browser, bypass_csp=True, **options) as context:
        page = context.new_page()
        if html:
            page.route(url, lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
        page.goto(url)
        page.add_script_tag(path=AXE)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for each in page.evaluate("axe.run()")["violations"]:
                where = [(node["target"], node["failureSummary"]) for node in each["nodes"]]
                found.append(f"{scheme}: {each['id']}: {where}")
    return found


@contextmanager
def _context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(**options)
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    try:
        yield context
    finally:
        context.close()
