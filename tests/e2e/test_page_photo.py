"""The form takes a photo along, and the page of the task shows it: to whom the task is shown, from storage itself."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect

from tests.support.browser import Checker, visit
from tests.support.browser import browser as browser
from tests.support.browser import checker as checker
from tests.support.fixit_app import FixIt
from tests.support.multipart import HEADERS, PIXEL, body, form, part
from tests.support.pages import HTML, LIST, NEW, check_page, hidden, look
from tests.support.photos import looked_at, submit_form
from tests.support.signed_in import Person
from tests.support.web_client import Answer

SIGNED = {"X-Devhost-User": "ann"}


def send_form(client: Person, photo: bytes | None, *, file: str = "roof.gif", **fields: str) -> Answer:
    """The form of a new task as a browser sends it with a file."""
    raw = form({"title": "Roof leaks", **hidden(client, NEW), **fields}, photo, file=file)
    return client.request("POST", NEW, raw, {**HTML, **HEADERS})


def shown(client: Person) -> str:
    """The page of a task of theirs whose photo can be seen."""
    task: str = submit_form(client, PIXEL).json["links"]["task"]
    looked_at(client, task)
    return f"{LIST}/tasks/{task.rpartition('/')[2]}"


def test_form_with_a_photo_is_a_task_with_a_photo(product: FixIt, ann: Person) -> None:
    assert send_form(ann, PIXEL, notes="one\r\ntwo").status == 303
    product.idle()
    (row,) = product.stores.tasks()
    assert (row["notes"], row["photoName"], row["photoState"]) == ("one\ntwo", "roof.gif", "ready")


def test_form_in_which_no_file_was_chosen_is_a_task_without(product: FixIt, ann: Person) -> None:
    assert send_form(ann, b"", file="").status == 303
    product.idle()
    (row,) = product.stores.tasks()
    assert "photoName" not in row


def test_form_with_something_wrong_says_that_the_photo_is_to_be_chosen_again(product: FixIt, ann: Person) -> None:
    page = check_page(send_form(ann, PIXEL, contact="x", file="<b>.gif"), 400, "Your email address", "Choose", "again")
    assert "&lt;b&gt;.gif" in page
    assert product.stores.photos() == {}
    check_page(send_form(ann, b"", file="a.jpg"), 400, "photo is empty")
    twice = body(part("title", "a"), part("title", "b"))
    check_page(ann.request("POST", NEW, twice, {**HTML, **HEADERS}), 400, "comes twice")
    check_page(ann.request("POST", NEW, body(part("isDone", "true")), {**HTML, **HEADERS}), 400, "isDone")


def test_page_of_the_task_shows_the_photo_and_its_policy_lets_it(product: FixIt, ann: Person) -> None:
    page = shown(ann)
    answer = look(ann, page)
    task = f"/api/fixits/{page.rpartition('/')[2]}"
    check_page(answer, 200, f'<img src="{task}/thumbnail"', f'<a href="{task}/photo">')
    link = urlsplit(ann.get(f"{task}/thumbnail").headers["location"])
    assert f"img-src data: 'self' {link.scheme}://{link.netloc};" in answer.headers["content-security-policy"]


def test_page_says_why_there_is_no_photo(product: FixIt, ann: Person) -> None:
    task = submit_form(ann, b"no picture").json["links"]["task"]
    reason = looked_at(ann, task)["reason"]
    page = look(ann, f"{LIST}/tasks/{task.rpartition('/')[2]}")
    text = check_page(page, 200, reason)
    assert "<img" not in text
    assert "img-src data:;" in page.headers["content-security-policy"]
    plain = ann.submit()
    ann.settled(plain["receipt"])
    assert "<h2>Photo</h2>" not in look(ann, f"{LIST}/tasks/{plain['id']}").body.decode()


def test_photo_is_sent_and_seen_in_a_browser(
    product: FixIt, browser: Browser, checker: Checker, ann: Person, tmp_path: Path
) -> None:
    picture = tmp_path / "Dach 😀.gif"
    picture.write_bytes(PIXEL)
    with visit(browser, extra_http_headers=SIGNED) as seen:
        seen.open(product.url + NEW)
        seen.page.get_by_label("Title").fill("Roof leaks")
        seen.page.get_by_label("Photo").set_input_files(picture)
        seen.page.get_by_role("button", name="Send it").click()
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("It is recorded", timeout=15_000)
    product.idle()
    (row,) = product.stores.tasks()
    assert row["photoName"] == "Dach 😀.gif"
    page = f"{LIST}/tasks/{row['RowKey']}"
    with visit(browser, hosts=2, extra_http_headers=SIGNED) as seen:  # the app's, and storage's
        seen.open(product.url + page)
        image = seen.page.get_by_role("img")
        expect(image).to_be_visible()
        assert image.evaluate("each => each.naturalWidth") == 1
    assert checker.violations(product.url + page, headers=SIGNED) == []
    assert checker.violations(product.url + NEW, headers=SIGNED) == []
