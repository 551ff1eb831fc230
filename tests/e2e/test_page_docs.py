"""The page of the API, in a real browser."""

import re

import pytest
from playwright.sync_api import Browser

from tests.support.browser import NARROW, Checker, visit
from tests.support.browser import browser as browser
from tests.support.browser import checker as checker
from tests.support.fixit_app import FixIt
from tests.support.pages import check_page, look

PATH = "/api/docs"


def test_page_of_the_api_fits_a_narrow_screen_asks_no_other_host_and_has_no_id_twice(
    running_fixit: FixIt, browser: Browser
) -> None:
    text = check_page(look(running_fixit, PATH), 200, "submit", "Shapes")
    ids = re.findall(' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    with visit(browser, **NARROW) as seen:
        assert seen.open(running_fixit.url + PATH) == 200
        assert seen.width() == 320


@pytest.mark.parametrize("kept", [pytest.param(1, marks=pytest.mark.full), 10])
def test_page_of_the_api_is_accessible(running_fixit: FixIt, checker: Checker, kept: int) -> None:
    # The checker takes many seconds for the whole page, whose sections are all made alike: each tenth will do.
    fewer = f"document.querySelectorAll('section').forEach((each, at) => {{ if (at % {kept}) each.remove(); }})"
    assert checker.violations(running_fixit.url + PATH, first=fewer) == []
