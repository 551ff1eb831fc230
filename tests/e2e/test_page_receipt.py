"""The page that a receipt leads to, in a real browser: it follows its task by itself, with script and without."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from shared.domain.names import TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.browser import NARROW, Checker, visit
from tests.support.browser import browser as browser
from tests.support.browser import checker as checker
from tests.support.fault import Fault
from tests.support.fixit_app import FixIt
from tests.support.pages import check_page, look

SECRET = {"title": "Secret title", "notes": "Secret notes", "owner": "Secret owner", "contact": "secret@example.com"}
GIVEN_UP = {"errorCode": "given_up", "errorMessage": "KeyError: 'owner'", "errorStep": "record"}


@pytest.fixture
def held(fixit: FixIt) -> Iterator[Fault]:
    """The next task is not recorded until this is released."""
    fault = fixit.wire.hold(op="insert", target=TASK_TABLE)
    yield fault
    fault.release()


def path_of(fixit: FixIt, **fields: str) -> str:
    """The address of the receipt of a task that was just sent."""
    location: str = fixit.submit(**fields)["links"]["receipt"]
    return location


def test_receipt_is_json_unless_a_page_is_liked_better_and_says_that_this_depends(fixit: FixIt) -> None:
    path = path_of(fixit)
    for accept, media in (("*/*", "application/json"), ("application/json, text/html", "application/json"),
                          ("text/html", "text/html; charset=utf-8")):  # fmt: skip
        answer = fixit.request("GET", path, headers={"Accept": accept})
        assert (answer.status, answer.headers["content-type"], answer.headers["vary"]) == (200, media, "Accept")
    check_problem(fixit.request("GET", path, headers={"Accept": "image/png"}), 406, "not_acceptable")
    assert fixit.request("HEAD", path, headers={"Accept": "text/html"}).body == b""


def test_receipt_that_is_none_is_a_page_of_its_problem(fixit: FixIt, browser: Browser, checker: Checker) -> None:
    path = "/api/receipts/nonsense"
    check_page(look(fixit, path), 404, "unknown_receipt")
    with visit(browser, **NARROW) as seen:
        assert seen.open(fixit.url + path) == 404
        assert seen.width() == 320
    assert checker.violations(fixit.url + path) == []


def test_page_says_each_state_in_words_and_nothing_of_the_content(fixit: FixIt, checker: Checker, held: Fault) -> None:
    accepted = fixit.submit(**SECRET)
    path, task_id = accepted["links"]["receipt"], accepted["id"]

    def check(*said: str) -> None:
        text = check_page(look(fixit, path), 200, *said)
        assert "ecret" not in text and task_id not in text
        assert checker.violations(fixit.url + path) == []

    check("We are working on it", "waits for its turn", 'http-equiv="refresh"')
    held.release()
    fixit.settled(accepted["receipt"])
    fixit.idle()
    check("It is recorded", "Recorded")
    fixit.stores.change_task(task_id, state="processing", submittedAt="2026-01-02T03:04:05.000000Z")
    check("We are working on it", "is under way", "takes longer than it should")
    fixit.stores.change_task(task_id, state="failed", **GIVEN_UP)
    assert "KeyError" not in check_page(look(fixit, path), 200)
    check("It could not be done", "We tried several times", "given_up")
    fixit.stores.change_task(task_id, state="cancelled")
    check("It was cancelled")
    fixit.wire.down("table")
    check("We are working on it", "How far it is cannot be read")


def test_page_shows_by_itself_and_says_aloud_what_becomes_of_the_task(
    fixit: FixIt, browser: Browser, held: Fault
) -> None:
    path = path_of(fixit)
    held.wait_hit()
    with visit(browser, **NARROW) as seen:
        seen.open(fixit.url + path)
        page, asked = seen.page, []
        page.on("request", lambda request: asked.append(request.headers.get("prefer")))
        page.evaluate("window.isTheSame = true")
        assert seen.width() == 320
        expect(page.get_by_role("heading", level=1)).to_have_text("We are working on it")
        held.release()
        expect(page.get_by_role("heading", level=1)).to_have_text("It is recorded")
        expect(page.get_by_role("status")).to_contain_text("It is recorded")
        expect(page.get_by_text("shows by itself")).to_have_count(0)
        assert page.evaluate("window.isTheSame")  # it was not loaded again
        assert page.title() == "It is recorded · Fix-It"
        assert len(asked) <= 4  # it waits at the server, and does not ask and ask
        asked.clear()
        page.evaluate("dispatchEvent(new Event('visibilitychange'))")
        assert asked == []  # what is settled is not asked about any more


def test_page_that_nobody_sees_asks_nothing(fixit: FixIt, browser: Browser, held: Fault) -> None:
    path = path_of(fixit)
    with visit(browser) as seen:
        page, asked = seen.page, []
        page.on("request", lambda request: asked.append(request.headers.get("prefer")))
        page.add_init_script("isUnseen = true; Object.defineProperty(document, 'hidden', { get: () => isUnseen })")
        seen.open(fixit.url + path)
        held.release()
        fixit.idle()
        expect(page.get_by_role("heading", level=1)).to_have_text("We are working on it")
        assert asked == [None]
        page.evaluate("isUnseen = false; document.dispatchEvent(new Event('visibilitychange'))")
        expect(page.get_by_role("heading", level=1)).to_have_text("It is recorded")


def test_page_goes_on_trying_while_the_app_cannot_be_reached_and_says_so(
    fixit: FixIt, browser: Browser, held: Fault
) -> None:
    path, tries = path_of(fixit), []

    def fail(route: Route) -> None:
        if "prefer" not in route.request.headers:
            route.continue_()
            return
        tries.append(1)
        if len(tries) <= 2:
            route.fulfill(status=503) if len(tries) == 1 else route.abort()
        else:
            held.release()
            route.continue_()

    with visit(browser) as seen:
        page = seen.page
        page.add_init_script("Math.random = () => 0")  # the shortest pauses
        page.route(re.compile("/api/receipts/"), fail)
        seen.open(fixit.url + path)
        expect(page.get_by_text("cannot be reached just now")).to_be_visible(timeout=30_000)
        expect(page.get_by_role("heading", level=1)).to_have_text("It is recorded")
        expect(page.get_by_text("cannot be reached just now")).to_be_hidden()


def test_page_without_script_is_loaded_again_until_the_task_is_settled(
    fixit: FixIt, browser: Browser, held: Fault
) -> None:
    path = path_of(fixit)
    with visit(browser, java_script_enabled=False) as seen:
        seen.open(fixit.url + path)
        expect(seen.page.get_by_role("link", name="Look again")).to_be_visible()
        held.release()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("It is recorded", timeout=15_000)
        assert "refresh" not in seen.page.content()


def test_pages_of_a_person_are_not_there_where_nobody_signs_in(fixit: FixIt) -> None:
    for path in ("/api/me", "/api/me/new", "/api/me/tasks/0a7643c1-5e72-57c2-b626-a8a763f09106"):
        for method in ("GET", "POST"):
            check_problem(fixit.request(method, path, b"" if method == "POST" else None), 404, "unknown_route")
