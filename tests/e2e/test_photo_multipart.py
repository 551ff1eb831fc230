"""A task and its photo in one request: the photo is kept first, and sent again it is the same task."""

import http.client
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from shared.domain import identity
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import QUICK, FixIt
from tests.support.fixit_client import FixItClient
from tests.support.multipart import HEADERS, PIXEL, body, form, part
from tests.support.photos import looked_at, submit_form
from tests.support.web_client import Answer

TITLE = part("title", "t")
KEY = "2f9d3d34-3a3e-4a8e-9d86-6a1d31a6a111"


@pytest.fixture(scope="module")
def running_fixit() -> Iterator[FixIt]:
    """With every queue listened to."""
    with FixIt() as running:
        yield running


def post(fixit: FixIt, raw: bytes) -> Answer:
    return fixit.request("POST", "/api/fixits", raw, HEADERS)


def test_task_with_a_photo_is_accepted_and_the_photo_shown(fixit: FixIt) -> None:
    answer = submit_form(fixit, PIXEL, notes="a\r\nb", isDone="true", file="roof.gif")
    assert answer.status == 202
    photo = looked_at(fixit, answer.json["links"]["task"])
    assert (photo["state"], photo["width"]) == ("ready", 1)
    task = fixit.get(answer.json["links"]["task"]).json
    assert (task["title"], task["notes"], task["isDone"], task["photoName"]) == ("Roof leaks", "a\nb", True, "roof.gif")


def test_form_without_a_photo_is_one_request_as_json_is(fixit: FixIt) -> None:
    held = fixit.wire.hold(service="table", times=None)
    fixit.wire.clear()
    assert submit_form(fixit, None).status == 202
    sent = [each for each in fixit.wire.requests if each.op not in {"get", "metadata", "delete", "update", "insert"}]
    assert [(each.service, each.op) for each in sent if each.service != "table"] == [("queue", "put")]
    held.release()


def test_photo_is_kept_before_the_task_is_put(fixit: FixIt) -> None:
    fixit.wire.clear()
    assert submit_form(fixit, PIXEL).status == 202
    fixit.idle()
    order = [each.service for each in fixit.wire.requests if each.method in ("PUT", "POST") and each.status == 201]
    assert order[:2] == ["blob", "queue"]


def test_photo_that_cannot_be_kept_means_that_nothing_is_queued(fixit: FixIt) -> None:
    fixit.wire.fail(service="blob", status=403, code="AuthorizationFailure", times=None)
    fixit.wire.clear()
    answer = submit_form(fixit, PIXEL, key=KEY)
    problem = check_problem(answer, 503, "not_known_accepted")
    assert (problem["key"], problem["id"]) == (KEY, identity.task_id("key", KEY))
    assert fixit.wire.of(service="queue", op="put") == []
    fixit.wire.heal()
    again = submit_form(fixit, PIXEL, key=KEY)
    assert (again.status, again.json["id"]) == (202, problem["id"])
    assert looked_at(fixit, again.json["links"]["task"])["state"] == "ready"


def test_photo_that_takes_too_long_is_answered_within_the_deadline_of_a_submit(fixit: FixIt) -> None:
    with fixit.another_host(fixit.wire, FIXIT_SUBMIT_SECONDS="0.5") as host:
        held = fixit.wire.hold(service="blob", times=None)
        began = time.monotonic()
        check_problem(submit_form(FixItClient(host.url), PIXEL), 503, "not_known_accepted")
        assert time.monotonic() - began < 3
        held.release()
        fixit.idle()
    assert fixit.stores.tasks() == []


def test_same_form_again_is_the_same_task_and_the_same_photo(fixit: FixIt) -> None:
    first, second = submit_form(fixit, PIXEL, key=KEY), submit_form(fixit, PIXEL, key=KEY)
    assert (first.status, second.status) == (202, 202)
    assert first.json["id"] == second.json["id"]
    assert looked_at(fixit, first.json["links"]["task"])["state"] == "ready"
    fixit.idle()
    third = submit_form(fixit, PIXEL, key=KEY)  # when it is recorded already
    assert third.json["receipt"] == first.json["receipt"] or third.json["id"] == first.json["id"]
    assert len(fixit.stores.tasks()) == 1
    assert fixit.stores.letters() == []


def test_same_key_with_another_photo_is_another_task(fixit: FixIt) -> None:
    first = submit_form(fixit, PIXEL, key=KEY)
    looked_at(fixit, first.json["links"]["task"])
    check_problem(submit_form(fixit, PIXEL + b";", key=KEY), 422, "idempotency_key_reused")


def test_put_whose_answer_is_lost_and_that_is_sent_again_is_one_photo(fixit: FixIt) -> None:
    fixit.wire.fail(service="blob", op="put", cut=True, after=True, times=1)
    answer = submit_form(fixit, PIXEL, key=KEY)
    assert answer.status == 202
    assert looked_at(fixit, answer.json["links"]["task"])["state"] == "ready"


def test_wait_and_the_two_state_call_work_with_a_photo(fixit: FixIt) -> None:
    raw = form({"title": "t"}, PIXEL, file="a.gif")
    answer = fixit.request("POST", "/api/fixits?onTimeout=cancel", raw, {**HEADERS, "Prefer": "wait=20"})
    assert (answer.status, answer.json["state"]) == (200, "succeeded")
    assert [step["step"] for step in answer.json["steps"]] == ["record", "photo"]


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (body(TITLE, part("title", "u")), 400, "invalid_task"),  # HM-08
        (body(TITLE, part("photo", b"A", file="a.jpg"), part("photo", b"B", file="b.jpg")), 400, "invalid_task"),
        (body(TITLE, part("photo", PIXEL, Content_Type="image/jpeg")), 400, "invalid_task"),  # HM-03
        (body(TITLE, part("photo", "/9j/", file="a.jpg", Content_Transfer_Encoding="base64")), 400, "invalid_task"),
        (body(TITLE, part("photo", b"", file="a.jpg")), 400, "invalid_task"),
        (body(part("photo", PIXEL, file="a.gif")), 400, "invalid_task"),
        (form({"title": "t" * 81}, PIXEL), 400, "invalid_task"),
        (form({"title": "t", "replyTo": "not-on-the-list"}, PIXEL), 400, "invalid_task"),
        (TITLE, 400, "malformed_multipart"),
        (form({"title": "t"}, bytes(10 * 1024 * 1024 + 1)), 413, "body_too_large"),
        (form({"title": "t", "notes": "\x01" * 9}, PIXEL), 400, "invalid_task"),
        (form({"title": "t", "notes": '"' * 16_000, "owner": '"' * 80}, None), 202, ""),
        (form({"title": "t", "notes": "\U0001f600" * 10_000, "correlationId": "\x7f"}, PIXEL), 400, "invalid_task"),
    ],
    ids=range(13),
)
def test_form_is_checked_before_anything_is_sent_to_storage(fixit: FixIt, raw: bytes, status: int, code: str) -> None:
    fixit.wire.clear()
    answer = post(fixit, raw)
    if not code:
        assert answer.status == status
        return
    check_problem(answer, status, code)
    assert fixit.wire.of(service="blob") == fixit.wire.of(service="queue", op="put") == []


def test_thousands_of_parts_are_refused_in_under_a_second(fixit: FixIt) -> None:  # HM-05
    began = time.monotonic()
    check_problem(post(fixit, body(*(part(f"f{number}", "x") for number in range(5_000)))), 400, "malformed_multipart")
    assert time.monotonic() - began < 1
    assert fixit.wire.of(service="queue", op="put") == []


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ("filename*=UTF-8''%D1%84%D0%BE%D1%82%D0%BE.jpg", "фото.jpg"),  # HM-01
        ('filename="../../secret.jpg"', "secret.jpg"),  # HM-07
        ('filename="C:\\Users\\x\\a.jpg"', "a.jpg"),
        ('filename="a\0.jpg"', "a.jpg"),
        ('filename="roof #2?%20 100%.jpg"', "roof #2?%20 100%.jpg"),  # BN-01
        ('filename=" фото😀.jpg"', "фото😀.jpg"),  # BN-03
    ],
    ids=range(6),
)
def test_name_of_the_file_is_kept_with_the_task(fixit: FixIt, disposition: str, name: str) -> None:
    answer = post(fixit, body(TITLE, part("photo", PIXEL, disposition=f'form-data; name="photo"; {disposition}')))
    assert answer.status == 202
    assert looked_at(fixit, answer.json["links"]["task"])["state"] == "ready"
    assert fixit.get(answer.json["links"]["task"]).json["photoName"] == name


def test_photo_that_is_none_is_told_with_the_task_and_poisons_nothing(fixit: FixIt) -> None:  # HM-09
    answer = post(fixit, body(TITLE, part("photo", "/9j/4AAQ", file="a.jpg", Content_Type="image/jpeg")))
    assert answer.status == 202
    photo = looked_at(fixit, answer.json["links"]["task"])
    assert photo["state"] == "rejected"
    assert photo["reason"]
    fixit.idle()
    assert (fixit.stores.letters(), fixit.stores.photos()) == ([], {})


def test_form_in_chunks_does_not_reach_the_app_and_is_told_so(fixit: FixIt) -> None:
    connection = http.client.HTTPConnection(urlsplit(fixit.url).netloc, timeout=20)
    connection.request("POST", "/api/fixits", iter([form({"title": "t"}, PIXEL)]), HEADERS, encode_chunked=True)
    with connection.getresponse() as answer:
        assert answer.status == 400
        assert b"Content-Length" in answer.read()
    connection.close()


def test_first_photo_of_a_new_account_makes_the_container(fixit: FixIt) -> None:
    fixit.stores.remove_all()
    fixit.stores.make_queues()
    answer = submit_form(fixit, PIXEL)
    assert answer.status == 202
    assert looked_at(fixit, answer.json["links"]["task"])["state"] == "ready"


def test_keys_of_the_tests_sign_nothing_that_a_client_sees(fixit: FixIt) -> None:
    answer = submit_form(fixit, PIXEL)
    assert QUICK["FIXIT_RECEIPT_KEYS"] not in answer.body.decode()
    assert "p1." not in fixit.get(answer.json["links"]["receipt"]).body.decode()
