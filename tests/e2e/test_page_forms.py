"""What a page's form sends is obeyed once, from whom it was shown to, and from nobody else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.form_token import sign_form
from shared.domain.names import TASK_TABLE
from shared.web.pages.my_tasks import LIMIT
from tests.support.fixit_app import QUICK, FixIt
from tests.support.pages import FORM, HTML, LIST, NEW, check_page, hidden, look, send
from tests.support.signed_in import Person, caller, person

KEYS = (QUICK["FIXIT_RECEIPT_KEYS"].encode(),)


def filled(client: Person, **fields: str) -> dict[str, str]:
    """The form of a new task, shown to this person and filled in."""
    return {"title": "Tap drips", "priority": "normal", **hidden(client, NEW), **fields}


def task_page(product: FixIt, client: Person, **fields: str) -> str:
    """The page of a task of theirs that is recorded."""
    accepted = client.submit(**fields)
    client.settled(accepted["receipt"])
    product.idle()
    return f"{LIST}/tasks/{accepted['id']}"


def changes(product: FixIt) -> list[str]:
    """What was asked of storage beyond reading."""
    return [each.op for each in product.wire.requests if each.op not in ("get", "query", "peek", "metadata")]


def token(name: str, *, hours: int = 0) -> str:
    """That of a form that this person was shown so many hours ago."""
    return sign_form(caller(name), now=datetime.now(UTC) - timedelta(hours=hours), keys=KEYS)


def test_form_leads_to_the_receipt_and_the_same_one_again_to_the_same_task(product: FixIt, ann: Person) -> None:
    fields = filled(ann, notes="one\r\ntwo", owner=person("bob"), contact="ann@example.com", priority="high")
    with ThreadPoolExecutor(4) as many:
        answers = [each.result() for each in [many.submit(send, ann, NEW, fields) for _ in range(4)]]
    assert {answer.status for answer in answers} == {303}
    check_page(look(ann, answers[0].headers["location"]), 200)
    product.idle()
    again = send(ann, NEW, fields)
    assert again.status == 303
    (row,) = product.stores.tasks()
    assert (row["notes"], row["owner"], row["createdBy"]) == ("one\ntwo", person("bob"), person("ann"))
    assert (row["contact"], row["priority"], row["state"]) == ("ann@example.com", "high", "succeeded")


FORGED: dict[str, Callable[[dict[str, str]], tuple[dict[str, str], dict[str, str]]]] = {
    "no token": lambda fields: ({**fields, "token": ""}, {}),
    "nonsense": lambda fields: ({**fields, "token": "f1.1.x"}, {}),
    "a later time": lambda fields: ({**fields, "token": "f1.9999999999." + fields["token"].rpartition(".")[2]}, {}),
    "somebody else's": lambda fields: ({**fields, "token": token("bob")}, {}),
    "too old": lambda fields: ({**fields, "token": token("ann", hours=25)}, {}),
    "another site": lambda fields: (fields, {"Sec_Fetch_Site": "cross-site"}),
    "a neighbour": lambda fields: (fields, {"Sec_Fetch_Site": "same-site"}),
    "another origin": lambda fields: (fields, {"Origin": "https://evil.example"}),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_form_that_was_not_shown_to_who_sends_it_does_nothing(product: FixIt, ann: Person, name: str) -> None:
    fields, headers = FORGED[name](filled(ann))
    product.wire.clear()
    check_page(send(ann, NEW, fields, **headers), 403)
    assert changes(product) == []
    path = task_page(product, ann)
    product.wire.clear()
    for act in ("finish", "cancel", "retry"):
        order = {"act": act, "tag": hidden(ann, path)["tag"], "token": fields["token"]}
        check_page(send(ann, path, order, **headers), 403)
    assert changes(product) == []


def test_form_that_is_too_old_is_shown_again_with_what_was_written(ann: Person) -> None:
    text = check_page(send(ann, NEW, filled(ann, token=token("ann", hours=25), notes="Long <notes>")), 403)
    assert "Long &lt;notes&gt;" in text and "more than a day ago" in text


def test_form_with_wrong_fields_names_each_and_keeps_key_and_values(product: FixIt, ann: Person) -> None:
    fields = filled(ann, title="", contact="nobody", priority="urgent", owner='o" onfocus="x')
    product.wire.clear()
    text = check_page(
        send(ann, NEW, fields), 400, "<title>Error: New task", 'href="#title"', 'href="#contact"', 'href="#priority"'
    )
    assert f'name="key" value="{fields["key"]}"' in text
    assert 'value="nobody"' in text and 'value="o&#34; onfocus=&#34;x"' in text
    assert changes(product) == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"title=a&title=b", 400, "invalid_form"),
        (b"title=a&isDone=true", 400, "invalid_form"),
        (b"title=%FF", 400, "invalid_form"),
        (b"title=\xff", 400, "invalid_form"),
        (b"title=%u0041", 400, "invalid_form"),
        (b"title=a%", 400, "invalid_form"),
        (b"title=a&key=", 400, "invalid_form"),
        (b"title=a&key=%C3%A4", 400, "invalid_form"),
        (b"", 400, "empty_body"),
        (b"title=" + b"a" * 256 * 1024, 413, "task_too_large"),
    ],
)
def test_form_that_no_page_of_ours_sends_is_refused_by_name(
    product: FixIt, ann: Person, body: bytes, status: int, code: str
) -> None:
    check_page(ann.request("POST", NEW, body, {**HTML, **FORM}), status, code)
    assert changes(product) == []


@pytest.mark.parametrize("media", ["application/json", "text/plain", "multipart/mixed; boundary=x"])
def test_form_has_a_media_type_of_forms(ann: Person, media: str) -> None:
    check_page(ann.request("POST", NEW, b"{}", {**HTML, "Content-Type": media}), 415, "unsupported_media_type")


def test_form_that_was_sent_with_other_words_says_so_and_is_then_another_task(product: FixIt, ann: Person) -> None:
    fields = filled(ann)
    assert send(ann, NEW, fields).status == 303
    product.idle()
    text = check_page(send(ann, NEW, {**fields, "title": "Other"}), 422, "sent before, with other words")
    assert fields["key"] not in text
    assert [row["title"] for row in product.stores.tasks()] == ["Tap drips"]


def test_form_while_the_queue_is_down_says_that_sending_again_is_safe_and_keeps_its_key(
    product: FixIt, ann: Person
) -> None:
    fields = filled(ann)
    product.wire.down("queue")
    answer = send(ann, NEW, fields)
    text = check_page(answer, 503, "It is not known whether it arrived", "it is still one task")
    assert fields["key"] in text
    assert "It was not sent" not in text
    assert int(answer.headers["retry-after"]) > 0
    product.wire.heal()
    assert send(ann, NEW, fields).status == 303
    product.idle()
    assert len(product.stores.tasks()) == 1


def test_buttons_do_what_they_say_for_whom_they_are(product: FixIt, ann: Person) -> None:
    bob = Person(product.url, "bob")
    path = task_page(product, ann, owner=person("bob"))
    theirs = check_page(look(bob, path), 200, "Mark it as done")
    assert "Cancel" not in theirs and "Try it again" not in theirs
    done = send(bob, path, {**hidden(bob, path), "act": "finish"})
    assert (done.status, done.headers["location"]) == (303, f"{path}?said=finish")
    check_page(look(bob, done.headers["location"]), 200, "It is marked as done", "Mark it as not done")
    for act in ("cancel", "retry"):
        check_page(send(bob, path, {**hidden(bob, path), "act": act}), 403, "This is not yours to do")
    check_page(send(ann, path, {**hidden(ann, path), "act": "retry"}), 409, "has not failed")
    stale = {**hidden(ann, path), "act": "finish", "tag": '"0"'}
    check_page(send(ann, path, stale), 412, "Somebody changed it")
    check_page(send(ann, path, {**stale, "act": "erase"}), 400, "invalid_form")
    product.stores.change_task(path.rpartition("/")[2], state="failed", errorCode="given_up", errorMessage="x")
    assert send(ann, path, {**hidden(ann, path), "act": "retry"}).status == 303
    product.idle()
    assert send(ann, path, {**hidden(ann, path), "act": "cancel"}).status == 303
    assert "<form" not in check_page(look(ann, path), 200, "cancelled")


def test_cancel_while_the_table_is_down_says_that_it_will_be_done(product: FixIt, ann: Person) -> None:
    path = task_page(product, ann)
    order = {**hidden(ann, path), "act": "cancel"}
    product.wire.down("table")
    check_page(send(ann, path, order), 202, "It will be cancelled", "If it is yours")
    product.wire.heal()
    product.idle()
    check_page(look(ann, path), 200, "cancelled")


def test_page_says_that_something_was_done_only_where_it_is_so(product: FixIt, ann: Person) -> None:
    path = task_page(product, ann)
    for act, words in (("finish", "marked as done"), ("cancel", "It is cancelled."), ("retry", "tried again")):
        assert words not in check_page(look(ann, f"{path}?said={act}"), 200)
    send(ann, path, {**hidden(ann, path), "act": "cancel"})
    check_page(look(ann, f"{path}?said=cancel"), 200, "It is cancelled.")


def test_page_of_a_task_that_never_came_does_not_say_that_it_was_accepted(product: FixIt) -> None:
    ops, never = Person(product.url, "ops"), "0b6c8a5e-7f1d-4d6b-9d53-1f7a0c1b2d3e"
    ops.request("DELETE", f"/api/fixits/{never}")
    product.idle()
    assert "Accepted" not in check_page(look(ops, f"{LIST}/tasks/{never}"), 200, "before it came")


def test_task_that_is_not_theirs_is_not_there_for_them(product: FixIt, ann: Person) -> None:
    path = task_page(product, ann)
    check_page(look(Person(product.url, "bob"), path), 404, "unknown_task")
    check_page(look(Person(product.url, "ops"), path), 200, "Cancel it", "operator")


def test_list_is_read_page_by_page_and_only_of_who_asks(product: FixIt, ann: Person) -> None:
    accepted = [ann.submit(title=f"Task {number}")["receipt"] for number in range(LIMIT + 1)]
    for receipt in accepted:
        ann.settled(receipt)
    product.idle()
    first = check_page(look(ann, LIST), 200, f"Task {LIMIT}<", "Older tasks")
    assert "Task 0<" not in first
    older = first.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0].replace("&amp;", "&")
    assert "Task 0<" in check_page(look(ann, older), 200, "Newest tasks")
    check_page(look(Person(product.url, "bob"), LIST), 200, "Nothing here")
    check_page(look(ann, f"{LIST}?state=failed"), 200, "Nothing here")
    check_page(look(Person(product.url, "bob"), older), 400, "invalid_cursor")
    for query in ("list=all", "state=lost", "page=2"):
        check_page(look(ann, f"{LIST}?{query}"), 400, "invalid_parameter")
    check_page(look(Person(product.url, "ops"), f"{LIST}?list=all&state=succeeded"), 200, f"Task {LIMIT}<")


@pytest.mark.parametrize("path", [LIST, NEW, f"{LIST}/tasks/0a7643c1-5e72-57c2-b626-a8a763f09106"])
def test_who_is_not_signed_in_is_led_to_where_one_does_and_back_to_a_page_of_ours(signed_in: FixIt, path: str) -> None:
    nobody = Person(signed_in.url)
    text = check_page(look(nobody, f"{path}?post_login_redirect_uri=//evil.example"), 401, "sign_in_needed")
    assert 'href="/.auth/login/aad?post_login_redirect_uri=/api/me"' in text and "evil" not in text
    assert nobody.request("POST", path, b"title=a", {**HTML, **FORM}).status in (401, 405)


def test_pages_answer_the_methods_that_they_have(signed_in: FixIt) -> None:
    ann = Person(signed_in.url, "ann")
    for path, allowed in ((LIST, "GET, HEAD"), (NEW, "GET, HEAD, POST")):
        answer = ann.request("DELETE", path)
        assert (answer.status, answer.headers["allow"]) == (405, allowed)
        assert ann.request("HEAD", path, headers=HTML).status == 200


def test_page_while_the_table_is_down_says_so(product: FixIt, ann: Person) -> None:
    product.wire.down("table")
    answer = look(ann, LIST)
    check_page(answer, 503, "Storage cannot be read now", "Look again")
    assert int(answer.headers["retry-after"]) > 0
    product.wire.heal()
    assert TASK_TABLE not in answer.body.decode()
