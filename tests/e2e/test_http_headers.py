"""What every answer says of itself, and which media types it can be."""

import pytest

from tests.support.fixit_app import FixIt

PATHS = ["/api/health", "/api/receipts/none", "/api/fixits/by-key?key=none", "/api/deadletters", "/api/nowhere"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_not_guessed_at_nor_kept_nor_framed(fixit: FixIt, path: str) -> None:
    headers = fixit.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize("path", PATHS)
def test_answer_that_the_client_cannot_take_is_406_in_the_form_of_every_refusal(fixit: FixIt, path: str) -> None:
    answer = fixit.request("GET", path, headers={"Accept": "image/png"})
    assert (answer.status, answer.json["code"]) == (406, "not_acceptable")
    assert answer.headers["content-type"] == "application/problem+json"
    assert "application/json" in answer.json["detail"]


def test_submit_whose_answer_the_client_cannot_take_queues_nothing(fixit: FixIt) -> None:
    fixit.fresh()
    assert fixit.post(b'{"title": "Tap drips"}', {"Accept": "text/csv"}).status == 406
    assert fixit.wire.of(op="put") == []  # polls go on
