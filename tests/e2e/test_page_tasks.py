"""A person's pages in a real browser: by keyboard alone, without script, with any text, in any state."""

from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import NARROW, Checker, visit
from tests.support.browser import browser as browser
from tests.support.browser import checker as checker
from tests.support.fixit_app import FixIt
from tests.support.pages import LIST, NEW, hidden, look, send
from tests.support.signed_in import Person, person

SIGNED = {"X-Devhost-User": "ann"}
ANN: dict[str, Any] = {"extra_http_headers": SIGNED}
TEXTS = {
    "markup": "<script>document.title='!'</script><b>&amp;</b> \"'`<!-- {{ 1 }} {% x %}",
    "scripts": "\U0001f469\u200d\U0001f527\u2699\ufe0f \u05d4\u05de \u202e4\u202c \u0645 Zo\u0308e Zöe n\u0303a\u0338",
}


def recorded(product: FixIt, client: Person, **fields: Any) -> str:
    """The page of a task that is recorded."""
    accepted = client.submit(**fields)
    client.settled(accepted["receipt"])
    product.idle()
    return f"{LIST}/tasks/{accepted['id']}"


def at(page: Page, heading: str) -> None:
    """The page with this heading is there."""
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)


def tab_to(page: Page, name: str) -> None:
    """Press Tab until this has the focus, which must be seen wherever it comes by."""
    for _ in range(20):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
                const [at, box] = [document.activeElement, document.activeElement.getBoundingClientRect()];
                const name = at.id || at.textContent.trim();
                return { name, outline: getComputedStyle(at).outlineStyle, isInView: box.right > 0 && box.bottom > 0 };
            }"""
        )
        assert (seen["outline"] != "none", seen["isInView"]) == (True, True), seen
        if seen["name"] == name:
            return
    raise AssertionError(f"Tab does not lead to {name}")


def test_task_is_sent_and_dealt_with_by_keyboard_alone(product: FixIt, browser: Browser) -> None:
    with visit(browser, **ANN) as seen:
        page, keys = seen.page, seen.page.keyboard
        seen.open(product.url + LIST)
        tab_to(page, "Skip to the content")
        tab_to(page, "New task")
        keys.press("Enter")
        at(page, "New task")
        for name, text in (("notes", "It drips"), ("contact", "nobody")):
            tab_to(page, name)
            keys.type(text)
        keys.press("Enter")
        expect(page.get_by_role("alert")).to_be_focused()
        assert page.title() == "Error: New task · Fix-It"
        tab_to(page, "Title is needed: 1 to 80 characters")
        keys.press("Enter")
        expect(page.get_by_label("Title")).to_be_focused()
        keys.type("Tap")
        tab_to(page, "contact")
        expect(page.get_by_label("Notes")).to_have_value("It drips")
        keys.press("Control+A")
        keys.type("ann@example.com")
        tab_to(page, "Send it")
        keys.press("Enter")
        at(page, "It is recorded")
        tab_to(page, "To the task itself")
        keys.press("Enter")
        at(page, "Tap")
        tab_to(page, "Mark it as done")
        keys.press("Enter")
        expect(page.get_by_text("It is marked as done.")).to_be_focused()
        tab_to(page, "Cancel it")
        keys.press("Enter")
        tab_to(page, "Cancel it for ever")
        keys.press("Enter")
        expect(page.get_by_text("It is cancelled.")).to_be_focused()
    (row,) = product.stores.tasks()
    assert (row["title"], row["notes"], row["state"], row["isDone"]) == ("Tap", "It drips", "cancelled", True)


@pytest.mark.parametrize("name", TEXTS)
def test_text_comes_back_exactly_and_is_never_taken_for_a_page(product: FixIt, browser: Browser, name: str) -> None:
    title, notes = TEXTS[name], f"\n  {TEXTS[name]}\n\n{TEXTS[name]}  "
    with visit(browser, **ANN) as seen:
        page = seen.page
        seen.open(product.url + NEW)
        page.get_by_label("Title").fill(title)
        page.get_by_label("Notes").fill(notes)
        page.get_by_label("Your email").fill("nobody")
        page.get_by_role("button", name="Send it").click()
        page.get_by_label("Your email").fill("")
        assert page.get_by_label("Title").input_value() == title
        assert page.get_by_label("Notes").input_value() == notes
        page.get_by_role("button", name="Send it").click()
        at(page, "It is recorded")
        product.idle()
        (row,) = product.stores.tasks()
        assert (row["title"], row["notes"]) == (title, notes)
        seen.open(product.url + LIST)
        link = page.locator(".tasks a")
        assert link.text_content() == title
        link.click()
        assert page.locator("h1").text_content() == title
        assert page.locator(".notes").text_content() == notes
        assert page.title() == f"{title} · Fix-It"


def test_form_needs_no_script_and_twice_is_once(product: FixIt, browser: Browser) -> None:
    with visit(browser, **ANN, java_script_enabled=False) as seen:
        page = seen.page
        seen.open(product.url + NEW)
        page.get_by_label("Title").fill("Once")
        page.get_by_role("button", name="Send it").dblclick()
        expect(page.get_by_role("heading", level=1)).to_have_text("It is recorded", timeout=15_000)
    product.idle()
    assert len(product.stores.tasks()) == 1


def test_every_page_in_every_state_is_accessible_and_fits_a_narrow_screen(
    product: FixIt, browser: Browser, checker: Checker, ann: Person
) -> None:
    def check(path: str, html: str = "") -> None:
        assert checker.violations(product.url + path, html=html, headers=SIGNED) == []

    def check_narrow(path: str) -> None:
        with visit(browser, **NARROW, **ANN) as seen:
            seen.open(product.url + path)
            assert seen.width() == 320

    check(LIST)
    check(f"{LIST}?list=assigned")
    check(NEW)
    check_narrow(NEW)
    path = recorded(product, ann, title="W" * 80, notes="N" * 500, owner=person("bob"), contact=f"{'c' * 64}@a.example")
    check(f"{LIST}?state=succeeded")
    check(NEW, send(ann, NEW, {**hidden(ann, NEW), "contact": "x"}).body.decode())
    check(path)
    check_narrow(path)
    stale = send(ann, path, {**hidden(ann, path), "act": "finish", "tag": "x"})
    check(path, stale.body.decode())
    check(f"{path}?said=finish")
    failed = {"state": "failed", "errorCode": "given_up", "errorMessage": "x", "errorStep": "record"}
    product.stores.change_task(path.rpartition("/")[2], **failed)
    check(path)
    check_narrow(LIST)
    product.stores.change_task(path.rpartition("/")[2], state="cancelled")
    check(path)


def test_page_for_who_is_not_signed_in_is_accessible(signed_in: FixIt, browser: Browser, checker: Checker) -> None:
    assert checker.violations(signed_in.url + LIST) == []
    with visit(browser, **NARROW) as seen:
        assert seen.open(signed_in.url + LIST) == 401
        link = seen.page.get_by_role("link", name="Sign in")
        expect(link).to_have_attribute("href", f"/.auth/login/aad?post_login_redirect_uri={LIST}")
    assert look(Person(signed_in.url), f"{LIST}?{quote('<b>')}").status == 401
