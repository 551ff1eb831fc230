"""A key stands for one task: sending again is safe, and another task under it is told so."""

import json

import pytest

from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import INTAKE, FixIt
from tests.support.fixit_client import FixItClient
from tests.support.web_client import HeaderValue

OLD_KEY, NEW_KEY = "old-receipt-key-" * 3, "new-receipt-key-" * 3


def test_same_task_again_before_the_first_is_recorded_is_one_task(fixit: FixIt) -> None:  # HI-01
    held = fixit.wire.hold(op="insert", times=3)
    answers = [fixit.post(b'{"title":"t","owner":"ann"}', {"Idempotency-Key": "6f1c"}) for _ in range(3)]
    held.wait_hit(hits=3)
    held.release()
    assert {(answer.status, answer.json["id"]) for answer in answers} == {(202, answers[0].json["id"])}
    assert {fixit.settled(answer.json["receipt"])["state"] for answer in answers} == {"succeeded"}
    fixit.idle()
    assert len(fixit.stores.tasks()) == 1
    assert fixit.stores.letters() == []


def test_another_task_under_a_used_key_fails_as_a_conflict_where_the_table_could_not_be_asked(fixit: FixIt) -> None:
    first = fixit.submit(key="k-1", title="first")
    fixit.settled(first["receipt"])
    fixit.wire.fail(service="table", op="get", status=403)
    second = fixit.submit(key="k-1", title="second")
    assert second["id"] == first["id"]
    status = fixit.settled(second["receipt"])
    assert (status["state"], status["error"]["code"]) == ("failed", "idempotency_conflict")
    assert fixit.settled(first["receipt"])["state"] == "succeeded"
    fixit.idle()
    assert fixit.get(first["links"]["task"]).json["title"] == "first"
    (letter,) = fixit.stores.letters()
    assert (letter["class"], letter["taskId"]) == ("idempotency_conflict", first["id"])


def test_both_bodies_of_one_key_at_once_are_one_task_and_one_conflict(fixit: FixIt) -> None:
    held = fixit.wire.hold(op="insert", times=2)
    receipts = [fixit.submit(key="k-1", title=title)["receipt"] for title in ("first", "second")]
    held.wait_hit(hits=2)
    held.release()
    states = sorted(fixit.settled(receipt)["state"] for receipt in receipts)
    assert states == ["failed", "succeeded"]
    fixit.idle()
    assert len(fixit.stores.tasks()) == len(fixit.stores.letters()) == 1


BAD_KEYS: dict[str, HeaderValue] = {
    "of 300": "k" * 300,
    "empty": "",
    "of blanks": "   ",
    "with a blank": "a b",
    "with a tab": "a\tb",
    "not ASCII": "clé".encode(),
    "a control character": b"a\x7fb",
}


@pytest.mark.parametrize("name", BAD_KEYS)
def test_key_out_of_its_limits_is_a_400_that_names_the_header(running_fixit: FixIt, name: str) -> None:
    before = len(running_fixit.wire.of(service="queue", op="put"))
    answer = running_fixit.post(b'{"title":"t"}', {"Idempotency-Key": BAD_KEYS[name]})
    problem = check_problem(answer, 400, "invalid_idempotency_key")
    assert problem["errors"][0]["field"] == "Idempotency-Key"
    assert len(running_fixit.wire.of(service="queue", op="put")) == before


def test_key_whose_bytes_are_no_text_is_refused_by_the_host(running_fixit: FixIt) -> None:
    before = len(running_fixit.wire.of(service="queue", op="put"))
    for key in (b"\xff\xfe", b"cl\xe9"):
        assert running_fixit.post(b'{"title":"t"}', {"Idempotency-Key": key}).status == 400
    assert len(running_fixit.wire.of(service="queue", op="put")) == before


def test_receipt_key_rotation_keeps_old_receipts_good(fixit: FixIt) -> None:
    with fixit.another_host(functions=INTAKE, FIXIT_RECEIPT_KEYS=OLD_KEY) as before:
        old = FixItClient(before.url).submit()
        FixItClient(before.url).settled(old["receipt"])
    with fixit.another_host(functions=INTAKE, FIXIT_RECEIPT_KEYS=f"{NEW_KEY}, {OLD_KEY}") as during:
        client = FixItClient(during.url)
        assert client.settled(old["receipt"])["id"] == old["id"]
        new = client.submit()
    with fixit.another_host(functions=INTAKE, FIXIT_RECEIPT_KEYS=NEW_KEY) as after:
        client = FixItClient(after.url)
        assert client.settled(new["receipt"])["id"] == new["id"]
        check_problem(client.get(f"/api/receipts/{old['receipt']}"), 404, "unknown_receipt")


def test_receipt_that_was_tampered_with_is_a_404(fixit: FixIt) -> None:
    receipt: str = fixit.submit()["receipt"]
    version, payload, signature = receipt.split(".")
    other = "A" if payload[5] != "A" else "B"
    forged = [
        f"{version}.{payload[:5]}{other}{payload[6:]}.{signature}",
        f"{version}.{payload}.{signature[:-2]}AA",
        f"{version}.{payload}",
        f"{version}.{payload}.",
        f"v1.{payload}.{signature}",
        f"{version}.{payload}.{signature}.",
        f"{version}.{payload}=.{signature}",
        receipt.upper(),
        "x" * 5_000,
        "%20",
        "%FF",
        "v1..",
        "v2..",
    ]
    for token in forged:
        check_problem(fixit.get(f"/api/receipts/{token}"), 404, "unknown_receipt")


def test_receipt_tells_no_content(fixit: FixIt) -> None:
    accepted = fixit.submit(title="The Minister's tap", owner="ann", contact="ann@example.com", notes="secret")
    told = json.dumps(fixit.settled(accepted["receipt"]))
    assert not [word for word in ("Minister", "ann", "secret") if word in told]


def test_receipt_without_a_row_is_queued_then_failed_after_its_days(fixit: FixIt) -> None:
    held = fixit.wire.hold(service="table", op="insert")
    accepted = fixit.submit()
    held.wait_hit()
    assert fixit.get(accepted["links"]["receipt"]).json["state"] == "queued"
    with fixit.another_host(functions=INTAKE, FIXIT_NEVER_RECORDED_DAYS="0") as late:
        status = FixItClient(late.url).get(accepted["links"]["receipt"]).json
    assert (status["state"], status["error"]["code"]) == ("failed", "never_recorded")
    held.release()
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"
