"""Every path and method has an answer in one form, and ids and keys are read leniently or refused by name."""

import pytest

from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt

ID = "0f5b3a52-7f0f-5a3e-9a51-0c6c1f0e7d11"

UNKNOWN = [
    "/api",
    "/api/",
    "/api/nowhere",
    "/api/healthy",
    "/api/fixits/5",
    "/api/fixits/no-guid",
    f"/api/fixits/{ID}/fotos",
    "/api/fixits%2F",
    "/api/receipts",
    "/api/a/b/c%2Fd",
    "/api/%F0%9F%98%80",
    "/api/..%2f..%2fetc",
]


@pytest.mark.parametrize("path", UNKNOWN)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_unknown_path_is_a_404_problem(running_fixit: FixIt, method: str, path: str) -> None:
    check_problem(running_fixit.request(method, path), 404, "unknown_route")


WRONG = {
    ("DELETE", "/api/fixits"): "GET, HEAD, POST",
    ("PUT", "/API/FixIts/"): "GET, HEAD, POST",
    ("OPTIONS", "/api/fixits"): "GET, HEAD, POST",
    ("POST", f"/api/fixits/{ID}"): "GET, HEAD, PATCH, DELETE",
    ("POST", f"/api/fixits/{ID.replace('-', '')}"): "GET, HEAD, PATCH, DELETE",
    ("PUT", f"/api/fixits/%7B{ID}%7D"): "GET, HEAD, PATCH, DELETE",
    ("POST", "/api/fixits/by-key?key=k"): "GET, HEAD",
    ("PUT", "/api/receipts/v1.a.b"): "GET, HEAD",
    ("GET", f"/api/fixits/{ID}/retry"): "POST",
    ("DELETE", "/api/deadletters"): "GET, HEAD",
    ("POST", f"/api/deadletters/fixits~{ID}"): "GET, HEAD",
    ("PUT", "/api/deadletters/redrive"): "POST",
    ("DELETE", "/api/deadletters/discard"): "POST",
    ("POST", "/api/health"): "GET, HEAD",
    ("POST", "/api/health/details"): "GET, HEAD",
    ("DELETE", "/api/stats"): "GET, HEAD",
}


@pytest.mark.parametrize(("method", "path"), WRONG)
def test_wrong_method_is_a_405_problem_that_says_what_is_allowed(running_fixit: FixIt, method: str, path: str) -> None:
    answer = running_fixit.request(method, path)
    assert answer.headers["allow"] == WRONG[method, path]
    if method == "HEAD":
        assert (answer.status, answer.body) == (405, b"")
    else:
        check_problem(answer, 405, "method_not_allowed")


def test_head_answers_as_get_without_a_body(fixit: FixIt) -> None:
    accepted = fixit.submit()
    fixit.settled(accepted["receipt"])
    for path in ("/api/health", *accepted["links"].values(), "/api/fixits/by-key?key=" + accepted["key"]):
        got, head = fixit.get(path), fixit.request("HEAD", path)
        assert (head.status, head.body) == (got.status, b"") == (200, b"")
        assert head.headers["content-type"] == got.headers["content-type"]


def test_task_is_found_under_every_form_of_its_id(fixit: FixIt) -> None:
    accepted = fixit.submit()
    fixit.settled(accepted["receipt"])
    plain = accepted["id"]
    bare = plain.replace("-", "")
    for form in (plain, plain.upper(), bare, f"%7B{plain}%7D", f"({plain})", f"%7B{plain.upper()}%7D"):
        answer = fixit.get(f"/api/fixits/{form}")
        assert (answer.status, answer.json["id"]) == (200, plain), form


def test_task_that_is_not_recorded_is_a_404_that_says_what_is_safe(running_fixit: FixIt) -> None:
    for path in (f"/api/fixits/{ID}", "/api/fixits/by-key?key=never-used"):
        problem = check_problem(running_fixit.get(path), 404, "unknown_task")
        assert "same key is safe" in problem["detail"]


BAD_KEYS = [
    "",
    "?key=",
    "?Key2=a",
    "?key=a%20b",
    "?key=a%0Ab",
    "?key=%00",
    "?key=%C3%A9",
    "?key=" + "k" * 256,
]


@pytest.mark.parametrize("query", BAD_KEYS)
def test_key_that_could_not_have_been_one_is_a_400(running_fixit: FixIt, query: str) -> None:
    problem = check_problem(running_fixit.get(f"/api/fixits/by-key{query}"), 400, "invalid_idempotency_key")
    assert problem["errors"][0]["field"] == "key"


def test_task_is_found_by_any_key_that_was_accepted(fixit: FixIt) -> None:  # TK-07
    keys = {"task-1": "task-1", "a/b\\c#d?e&f=g'h\"i": "a%2Fb%5Cc%23d%3Fe%26f%3Dg%27h%22i", "~": "~", "%41": "%2541"}
    ids = {fixit.submit(key=key, title=f"Key {number}")["id"]: key for number, key in enumerate(keys)}
    fixit.idle()
    for task_id, key in ids.items():
        assert fixit.get(f"/api/fixits/by-key?key={keys[key]}").json["id"] == task_id
    assert len(fixit.stores.tasks()) == len(keys)


def test_health_says_which_version_runs_whatever_storage_does(fixit: FixIt) -> None:  # WR-06
    for service in ("table", "blob"):
        fixit.wire.down(service)
    answer = fixit.get("/api/health")
    assert (answer.status, answer.json["status"]) == (200, "ok")
    assert answer.json["version"].count(".") == 2
