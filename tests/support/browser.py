"""A real browser for the pages: what they load, what they complain of, and what the accessibility checker finds."""

import os
import shutil
from collections.abc import Iterator, Mapping
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
NARROW: dict[str, Any] = {"viewport": {"width": 320, "height": 640}}
"""The narrowest screen that a page must fit without being scrolled sideways (WCAG 1.4.10)."""
_OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""Rules that another colour scheme can break; all others see the same page again."""
_RUN = "rules => axe.run({ ...rules, resultTypes: ['violations'] }).then(found => found.violations)"
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a module, with a profile of its own that ends with it.

    Not for longer: as long as it lives this thread has a running event loop, and asynchronous tests cannot run.
    """
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

    def width(self) -> int:
        """Of the whole page, in pixels; more than the window's where it must be scrolled sideways."""
        found: int = self.page.evaluate("document.documentElement.scrollWidth")
        return found

    def open(self, url: str) -> int:
        """Go there; the status."""
        answer = self.page.goto(url)
        assert answer is not None
        return answer.status


@contextmanager
def visit(browser: Browser, *, hosts: int = 1, **options: Any) -> Iterator[Watched]:
    """A page of a context of its own, whose options these are. It must ask so many hosts, itself among them, and
    complain of nothing."""
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
        assert len(watched.hosts) == hosts, watched.hosts


class Checker:
    """The accessibility checker, in a page that takes its script (one that `visit` opens would not)."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def violations(
        self, url: str, *, headers: Mapping[str, str] | None = None, html: str = "", first: str = ""
    ) -> list[str]:
        """What is wrong with a page, in light and in dark.

        `html`: with this text in the place of what the address gives, for pages that answer a form. `first`: this
        script is run before.
        """
        page = self._page
        page.unroute_all()
        if html:
            page.route(url, lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
        page.set_extra_http_headers(dict(headers or {}))
        page.emulate_media(color_scheme="light")
        page.goto(url)
        if first:
            page.evaluate(first)
        page.add_script_tag(path=AXE)
        found = [("light", each) for each in page.evaluate(_RUN, {})]
        page.emulate_media(color_scheme="dark")
        found += [("dark", each) for each in page.evaluate(_RUN, {"runOnly": _OF_COLOURS})]
        return [
            f"{scheme}: {each['id']} at {node['target']}: {node['failureSummary']}"
            for scheme, each in found
            for node in each["nodes"]
        ]


@pytest.fixture(scope="module")
def checker(browser: Browser) -> Iterator[Checker]:
    """Tells what is not accessible."""
    with _context(browser, bypass_csp=True) as context:
        yield Checker(context.new_page())


@contextmanager
def _context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(**options)
    context.set_default_timeout(TIMEOUT_MILLISECONDS)
    try:
        yield context
    finally:
        context.close()
