"""Valet keys: a photo goes straight to storage, its task names it, and nobody else's task can."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain import identity
from shared.domain.photo_id import sign_photo_id
from tests.e2e.test_http_bodies import check_problem
from tests.support.eventually import eventually
from tests.support.fixit_app import QUICK, FixIt
from tests.support.fixit_client import JSON, FixItClient
from tests.support.multipart import PIXEL
from tests.support.photos import looked_at, offered, photo_name, upload
from tests.support.signed_in import Person, caller
from tests.support.stores import decoded, message_text
from tests.support.web_client import Answer

KEYS = [QUICK["FIXIT_RECEIPT_KEYS"].encode()]


@pytest.fixture(scope="module")
def running_fixit() -> Iterator[FixIt]:
    """With every queue listened to."""
    with FixIt() as running:
        yield running


def ask(fixit: FixIt, body: bytes = b"", content_type: str = "application/json") -> Answer:
    return fixit.request("POST", "/api/photos", body, {"Content-Type": content_type})


def submit(fixit: FixIt, **fields: str) -> Answer:
    return fixit.post(json.dumps({"title": "t", **fields}).encode())


def test_photo_is_uploaded_named_and_shown(fixit: FixIt) -> None:
    offer = offered(fixit, name="roof.gif", type="image/gif", size=len(PIXEL))
    assert upload(offer, PIXEL).status == 201
    accepted = fixit.submit(photoId=offer["photoId"], photoName=offer["photoName"])
    photo = looked_at(fixit, accepted["links"]["task"])
    assert (photo["state"], photo["width"], photo["height"]) == ("ready", 1, 1)
    task = fixit.get(accepted["links"]["task"]).json
    assert (task["photoName"], task["state"]) == ("roof.gif", "succeeded")
    assert "photoId" not in task


def test_offer_says_what_to_send_and_how_long_it_is_good(fixit: FixIt) -> None:
    began = datetime.now(UTC)
    offer = offered(fixit, type="image/png")
    told = offer["upload"]
    assert (told["method"], told["maxBytes"]) == ("PUT", 10_485_760)
    assert told["headers"] == {"x-ms-blob-type": "BlockBlob", "Content-Type": "image/png"}
    assert offer.keys() == {"photoId", "goodUntil", "upload"}
    ends, good = (datetime.fromisoformat(text) for text in (told["expiresAt"], offer["goodUntil"]))
    assert timedelta(minutes=14) < ends - began < timedelta(minutes=16)
    assert timedelta(hours=23) < good - began < timedelta(hours=25)


def test_body_may_be_left_out_and_storage_is_asked_once_in_a_process(fixit: FixIt) -> None:
    with fixit.another_host(fixit.wire, functions=["offer_photo"]) as cold:
        client = FixItClient(cold.url)
        fixit.wire.clear()
        for _ in range(3):
            assert client.request("POST", "/api/photos").status == 201
        assert [each.path for each in fixit.wire.of(service="blob")] == ["/devstoreaccount1/photos"]


@pytest.mark.parametrize(
    "name",
    ["roof #2?%20 100%.jpg", " фото😀.jpg", "../../etc/passwd", 'a"b\\c.jpg'],  # BN-01, BN-03
    ids=range(4),
)
def test_name_of_a_file_is_data_and_names_no_blob(fixit: FixIt, name: str) -> None:
    offer = offered(fixit, name=name)
    assert offer["photoName"] == name
    assert upload(offer, PIXEL).status == 201
    assert list(fixit.stores.photos()) == [f"incoming/{photo_name(offer)}"]
    accepted = fixit.submit(photoId=offer["photoId"], photoName=name)
    looked_at(fixit, accepted["links"]["task"])
    assert fixit.get(accepted["links"]["task"]).json["photoName"] == name


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"colour": "red"}, "colour"),
        ({"type": "image/svg+xml"}, "type"),
        ({"type": "application/pdf"}, "type"),
        ({"name": "a\nb"}, "name"),
        ({"name": "n" * 256}, "name"),
        ({"size": "1"}, "size"),
        ({"size": 0}, "size"),
    ],
    ids=range(7),
)
def test_wish_that_breaks_a_rule_is_refused_by_name(fixit: FixIt, body: dict[str, object], field: str) -> None:
    problem = check_problem(ask(fixit, json.dumps(body).encode()), 400, "invalid_parameter")
    assert [each["field"] for each in problem["errors"]] == [field]


def test_photo_that_would_be_too_large_is_refused_before_it_is_sent(fixit: FixIt) -> None:
    problem = check_problem(ask(fixit, b'{"size": 10485761}'), 413, "body_too_large")
    assert "10,485,760" in problem["detail"]
    check_problem(ask(fixit, b'{"size": 1'), 400, "malformed_json")
    check_problem(ask(fixit, b"x", "text/plain"), 415, "unsupported_media_type")


def test_second_put_with_the_same_link_is_refused(fixit: FixIt) -> None:  # BS-05
    offer = offered(fixit)
    assert upload(offer, b"picture A").status == 201
    assert upload(offer, b"picture B").status in (403, 409)
    assert fixit.stores.photos() == {f"incoming/{photo_name(offer)}": b"picture A"}


def test_upload_that_is_too_large_is_rejected_and_removed_without_being_read(fixit: FixIt) -> None:  # BS-07
    offer = offered(fixit)
    assert upload(offer, bytes(11_000_000)).status == 201
    accepted = fixit.submit(photoId=offer["photoId"])
    fixit.wire.clear()
    photo = looked_at(fixit, accepted["links"]["task"])
    assert (photo["state"], photo["code"], photo["links"]) == ("rejected", "photo_too_large", None)
    assert fixit.get(accepted["links"]["task"]).json["state"] == "succeeded"
    fixit.idle()
    assert fixit.stores.photos() == {}
    read = [each for each in fixit.wire.of(service="blob") if each.method == "GET" and "comp" not in each.query]
    assert read == []


def test_task_that_is_sent_again_may_name_a_photo_of_more_than_a_day_ago(fixit: FixIt) -> None:
    name, now = identity.new_photo(), datetime.now(UTC)
    fresh, old = (sign_photo_id(name, "key", now=now - timedelta(hours=age), keys=KEYS) for age in (1, 25))
    first = fixit.submit("k-again", photoId=fresh)
    eventually(lambda: fixit.get(first["links"]["task"]).status == 200)
    again = fixit.submit("k-again", photoId=old)
    assert again["receipt"] == first["receipt"]


def test_photo_of_nobody_is_refused_by_name_and_nothing_is_queued(fixit: FixIt) -> None:
    mine = identity.new_photo()
    now = datetime.now(UTC)
    forged = sign_photo_id(mine, "key", now=now, keys=[b"another key of the tests that is long enough"])
    others = sign_photo_id(mine, "person:t:o", now=now, keys=KEYS)
    old = sign_photo_id(mine, "key", now=now - timedelta(hours=24, seconds=5), keys=KEYS)
    for photo_id, rule in (
        (forged, "gave to you"),
        (others, "gave to you"),
        (old, "older than a day"),
        ("p1.x", "must be a photoId"),
    ):
        problem = check_problem(submit(fixit, photoId=photo_id), 400, "invalid_task")
        assert [each["field"] for each in problem["errors"]] == ["photoId"]
        assert rule in problem["errors"][0]["message"]
    assert fixit.wire.of(op="put", service="queue") == []


def test_name_of_a_photo_without_its_id_is_refused(fixit: FixIt) -> None:
    problem = check_problem(submit(fixit, photoName="roof.jpg"), 400, "invalid_task")
    assert [each["field"] for each in problem["errors"]] == ["photoName"]


def test_submit_that_names_a_photo_sends_one_request(fixit: FixIt) -> None:
    photo = identity.new_photo()
    photo_id = sign_photo_id(photo, "key", now=datetime.now(UTC), keys=KEYS)
    fixit.stores.put_blob(f"incoming/{photo}", PIXEL)
    held = fixit.wire.hold(service="table", times=None)
    fixit.wire.clear()
    assert submit(fixit, photoId=photo_id).status == 202
    puts = [each for each in fixit.wire.requests if each.op not in {"get", "metadata", "delete", "update"}]
    assert [(each.service, each.op) for each in puts if each.service != "table"] == [("queue", "put")]
    held.release()


def test_batch_checks_the_photo_of_each_task(fixit: FixIt) -> None:
    offer = offered(fixit)
    upload(offer, PIXEL)
    bad = sign_photo_id(identity.new_photo(), "queue:fixits", now=datetime.now(UTC), keys=KEYS)
    tasks = [{"task": {"title": "t", "photoId": each}} for each in (offer["photoId"], bad)]
    answer = fixit.request("POST", "/api/fixits/batch", json.dumps({"tasks": tasks}).encode(), JSON)
    assert [each["status"] for each in answer.json["results"]] == [202, 400]


def test_photo_that_two_tasks_name_is_the_first_ones(fixit: FixIt) -> None:
    offer = offered(fixit)
    upload(offer, PIXEL)
    tasks = [fixit.submit(photoId=offer["photoId"], title=title)["links"]["task"] for title in ("one", "two")]
    assert sorted(looked_at(fixit, task)["state"] for task in tasks) == ["ready", "taken"]


def test_no_signature_stands_in_a_log_line_a_message_or_a_row(fixit: FixIt) -> None:  # BS-11
    level = {"AzureFunctionsJobHost__logging__logLevel__default": "Debug"}
    with fixit.another_host(fixit.wire, **level) as loud:
        client = FixItClient(loud.url)
        fixit.wire.clear()
        offer = offered(client)
        upload(offer, PIXEL)
        accepted = client.submit(photoId=offer["photoId"])
        looked_at(client, accepted["links"]["task"])
        fixit.wire.fail(service="blob", status=500, times=1)
        link = client.get(accepted["links"]["task"] + "/photo")
        assert link.status == 302
        fixit.idle()
        seen = "\n".join((*loud.lines(), *fixit.host.lines()))
    signatures = [each.partition("sig=")[2][:20] for each in (offer["upload"]["url"], link.headers["location"])]
    texts = [json.dumps(decoded(message_text(put))) for put in fixit.wire.of(service="queue", op="put")]
    rows = json.dumps([dict(row) for row in fixit.stores.tasks()], default=str)
    assert len(texts) >= 2
    for text in (seen, rows, *texts):
        assert "sig=" not in text
        assert not any(signature in text for signature in signatures)


def test_storage_that_is_down_makes_no_link_and_hinders_no_task(fixit: FixIt) -> None:  # BS-09
    with fixit.another_host(fixit.wire) as host:
        client = FixItClient(host.url)
        fixit.wire.fail(service="blob", status=403, code="AuthorizationPermissionMismatch", times=None)
        answer = client.request("POST", "/api/photos")
        check_problem(answer, 503, "dependency_down")
        assert answer.headers["retry-after"] == "5"
        assert host.wait_line("answered 503 .*403 AuthorizationPermissionMismatch")
        assert client.settled(client.submit()["receipt"])["state"] == "succeeded"
        fixit.wire.heal()
        assert client.request("POST", "/api/photos").status == 201
        fixit.idle()


def test_photo_of_a_person_is_theirs_alone(product: FixIt, ann: Person) -> None:
    bob = Person(product.url, "bob")
    offer = offered(ann)
    upload(offer, PIXEL)
    taken = bob.post(json.dumps({"title": "t", "photoId": offer["photoId"]}).encode())
    check_problem(taken, 400, "invalid_task")
    forged = sign_photo_id(photo_name(offer), caller("bob"), now=datetime.now(UTC), keys=[b"x" * 40])
    check_problem(bob.post(json.dumps({"title": "t", "photoId": forged}).encode()), 400, "invalid_task")
    mine = ann.submit(photoId=offer["photoId"])["links"]["task"]
    assert looked_at(ann, mine)["state"] == "ready"
    assert ann.get(f"{mine}/photo").status == 302
    check_problem(bob.get(f"{mine}/photo"), 404, "unknown_task")
    check_problem(Person(product.url).request("POST", "/api/photos"), 401, "sign_in_needed")
