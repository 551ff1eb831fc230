"""The photo filter: what becomes of an upload, and that no task is stopped by one, nor reaches that of another."""

import atexit
import json
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shared.domain import identity
from shared.domain.names import PHOTO_QUEUE
from shared.domain.photo_id import sign_photo_id
from shared.domain.task import fingerprint, parse_task
from tests.support.app_copy import app_copy
from tests.support.eventually import eventually
from tests.support.fixit_app import QUICK, FixIt
from tests.support.photos import looked_at, offered, photo_name, upload
from tests.support.pictures import SYDNEY, exif_segment, halves, jpeg, opened, tiff
from tests.support.pipeline import Pipeline, step_event
from tests.support.raw_messages import event
from tests.support.stores import QUEUES
from tests.support.telling import Telling

LONG_AGO = datetime.now(UTC) - timedelta(days=2)
KEYS = [QUICK["FIXIT_RECEIPT_KEYS"].encode()]
HEIC_HEAD = bytes.fromhex("000000186674797068656963000000006865696d696631")


@pytest.fixture(scope="module")
def running_fixit() -> Iterator[FixIt]:
    """With every queue listened to."""
    with FixIt() as running:
        yield running


def with_photo(fixit: FixIt, data: bytes, **fields: str) -> tuple[str, dict[str, Any]]:
    """A task with this upload: the photo's name, and what is told of it."""
    offer = offered(fixit)
    assert upload(offer, data).status == 201
    accepted = fixit.submit(photoId=offer["photoId"], **fields)
    photo = looked_at(fixit, accepted["links"]["task"])
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"
    fixit.idle()
    return photo_name(offer), photo


def test_photo_is_kept_as_it_came_and_shown_without_what_it_gives_away(fixit: FixIt) -> None:
    picture = jpeg(
        halves(1200, 900), exif_segment(tiff(orientation=6, latitude=SYDNEY[0], longitude=SYDNEY[1], refs=(b"S", b"E")))
    )
    name, photo = with_photo(fixit, picture)
    assert (photo["width"], photo["height"]) == (900, 1200)
    location = {"latitude": pytest.approx(-33.86, abs=1e-4), "longitude": pytest.approx(151.2111, abs=1e-4)}
    assert photo["location"] == location
    kept = fixit.stores.photos()
    assert kept.keys() == {name, f"{name}_clean.jpg", f"{name}_thumb.jpg"}
    assert kept[name] == picture
    assert b"Exif" not in kept[f"{name}_clean.jpg"]
    assert opened(kept[f"{name}_thumb.jpg"]).size == (240, 320)
    (row,) = fixit.stores.tasks()
    assert row["latitude"] == pytest.approx(-33.86, abs=1e-4)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "photo_unsupported"),
        (HEIC_HEAD + b"\0" * 200, "photo_damaged"),  # IF-03
        (jpeg(halves(400, 400))[:3_000], "photo_damaged"),  # IF-07
        (b"", "photo_damaged"),  # IF-07
    ],
    ids=["svg", "heic", "cut", "empty"],
)
def test_upload_that_is_no_photo_is_removed_and_its_task_goes_on(fixit: FixIt, data: bytes, code: str) -> None:
    _, photo = with_photo(fixit, data)
    assert (photo["state"], photo["code"] in (code, "photo_unsupported")) == ("rejected", True)
    assert photo["reason"]
    assert fixit.stores.photos() == {}
    assert not fixit.stores.letters()


def test_photo_that_comes_late_is_waited_for(fixit: FixIt) -> None:
    with FixIt(settings={"FIXIT_PHOTO_WAIT_SECONDS": "0.1"}) as patient:
        offer = offered(patient)
        accepted = patient.submit(photoId=offer["photoId"])
        eventually(lambda: patient.get(f"/api/receipts/{accepted['receipt']}").json["state"] == "processing")
        assert patient.get(accepted["links"]["task"]).json["photo"]["state"] == "waiting"
        assert upload(offer, jpeg()).status == 201
        assert looked_at(patient, accepted["links"]["task"])["state"] == "ready"


def test_photo_that_never_comes_is_missing_and_its_task_is_done(fixit: FixIt) -> None:
    with FixIt(settings={"FIXIT_PHOTO_WAIT_SECONDS": "0.1", "FIXIT_UPLOAD_MINUTES": "0.02"}) as impatient:
        offer = offered(impatient)
        accepted = impatient.submit(photoId=offer["photoId"])
        photo = looked_at(impatient, accepted["links"]["task"])
        assert (photo["state"], photo["code"]) == ("missing", "photo_missing")
        assert impatient.settled(accepted["receipt"])["state"] == "succeeded"


@pytest.mark.parametrize("change", ["another caller", "another key", "two days old"])
def test_photo_of_another_is_neither_claimed_nor_removed(fixit: FixIt, change: str) -> None:
    offer = offered(fixit)
    assert upload(offer, jpeg()).status == 201
    name = photo_name(offer)
    stranger = {"title": "theirs", "photoId": offer["photoId"]}
    caller = "key" if change != "another caller" else "queue:elsewhere"
    if change == "another key":
        stranger["photoId"] = sign_photo_id(name, caller, now=LONG_AGO, keys=[b"k" * 32])
    if change == "two days old":
        stranger["photoId"] = sign_photo_id(name, caller, now=LONG_AGO, keys=KEYS)
    task_id, digest = identity.task_id(caller, "k-7"), fingerprint(parse_task(stranger))
    fixit.stores.put(
        event(id=identity.submitted_event_id(task_id, digest), subject=task_id, caller=caller, data=stranger)
    )
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert (row["state"], row["photoState"], row["photoCode"]) == ("succeeded", "rejected", "photo_unknown")
    fixit.stores.change_task(task_id, photoReason="as another version words it")
    fixit.stores.put(step_event("photo", task_id), PHOTO_QUEUE)
    fixit.idle()
    assert fixit.request("DELETE", f"/api/fixits/{row['RowKey']}").status == 200
    fixit.idle()
    assert fixit.stores.photos() == {f"incoming/{name}": jpeg()}
    accepted = fixit.submit(photoId=offer["photoId"])
    assert looked_at(fixit, accepted["links"]["task"])["state"] == "ready"


def test_task_that_comes_second_neither_gets_nor_removes_the_photo(fixit: FixIt) -> None:
    offer = offered(fixit)
    assert upload(offer, jpeg()).status == 201
    first = fixit.submit(photoId=offer["photoId"])
    assert looked_at(fixit, first["links"]["task"])["state"] == "ready"
    second = fixit.submit(photoId=offer["photoId"])
    assert looked_at(fixit, second["links"]["task"])["code"] == "photo_taken"
    assert fixit.request("DELETE", second["links"]["task"]).status == 200
    fixit.idle()
    assert len(fixit.stores.photos()) == 3
    assert fixit.get(f"{second['links']['task']}/photo").status == 404


def test_cancel_removes_every_form_of_the_photo(fixit: FixIt) -> None:
    offer = offered(fixit)
    assert upload(offer, jpeg()).status == 201
    accepted = fixit.submit(photoId=offer["photoId"])
    looked_at(fixit, accepted["links"]["task"])
    assert fixit.request("DELETE", accepted["links"]["task"]).status == 200
    fixit.idle()
    assert fixit.stores.photos() == {}


def test_photo_of_a_task_that_was_cancelled_before_it_came_is_removed(fixit: FixIt) -> None:
    offer, path = offered(fixit), f"/api/fixits/{identity.task_id(identity.KEY_CALLER, 'k-early')}"
    assert upload(offer, jpeg()).status == 201
    assert fixit.request("DELETE", path).status == 200
    fixit.idle()
    fixit.submit("k-early", photoId=offer["photoId"])
    fixit.idle()
    assert fixit.get(path).json["state"] == "cancelled"
    assert fixit.stores.photos() == {}


def test_photo_that_ended_its_worker_three_times_is_given_up_undecoded(fixit: FixIt) -> None:
    with FixIt(settings={"AzureWebJobs.photo.Disabled": "true"}) as product:
        offer = offered(product)
        assert upload(offer, jpeg()).status == 201
        accepted = product.submit(photoId=offer["photoId"])
        queue = product.stores.queue(PHOTO_QUEUE)
        for _ in range(3):  # as three workers did that died with it
            message = eventually(lambda: queue.receive_message(visibility_timeout=600))
            queue.update_message(message, visibility_timeout=0)
        with product.another_host(None, **{"AzureWebJobs.photo.Disabled": "false"}):
            photo = looked_at(product, accepted["links"]["task"])
            assert (photo["state"], photo["code"]) == ("rejected", "photo_crashed")
            product.idle()
        assert product.settled(accepted["receipt"])["state"] == "succeeded"
        assert product.stores.photos() == {}
        assert not product.stores.letters()


@cache
def broken_app(statement: str) -> Path:
    """A copy of the app whose decoder does so with every photo."""
    folder = Path(tempfile.mkdtemp(prefix="fixit-broken-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(app_copy(), folder, dirs_exist_ok=True)
    render = folder / "shared/imaging/render.py"
    text = render.read_text("utf-8")
    assert text.count("    check_bytes(len(data))\n") == 1
    render.write_text(text.replace("    check_bytes(len(data))\n", f"    {statement}\n"), "utf-8")
    return folder


@pytest.mark.parametrize(
    "statement", ["raise MemoryError", "__import__('time').sleep(3)"], ids=["breaks", "takes too long"]
)
def test_photo_that_breaks_its_filter_three_times_is_rejected_and_its_task_goes_on(statement: str) -> None:
    with Pipeline(broken_app(statement), settings={"FIXIT_STEP_SECONDS": "1"}) as product:
        name, photo = with_photo(product, jpeg())
        assert (photo["state"], photo["code"]) == ("rejected", "photo_crashed")
        (row,) = product.stores.tasks()
        assert json.loads(row["steps"])[-1]["attempt"] == 3
        assert not [blob for blob in product.stores.photos() if name in blob]
        assert not product.stores.letters()


def test_submitter_is_told_of_a_photo_that_was_rejected(told: Telling) -> None:
    url = told.receiver.url()
    with_photo(told.fixit, b"no photo", contact="bob@example.com", callbackUrl=url)
    subjects = sorted(mail["Subject"].partition(":")[0] for mail in told.mails())
    assert subjects == ["Photo not taken", "Recorded"]
    types = sorted(json.loads(request.body)["type"] for request in told.receiver.requests)
    assert types == ["fixit.task.photo_rejected", "fixit.task.processing", "fixit.task.succeeded"]
    reasons = [json.loads(request.body)["data"]["photo"] for request in told.receiver.requests]
    assert [each["code"] for each in reasons if each["state"] != "waiting"] == ["photo_unsupported"] * 2


def test_task_with_a_photo_makes_these_requests_and_no_other(fixit: FixIt) -> None:
    offer = offered(fixit)
    assert upload(offer, jpeg()).status == 201
    fixit.wire.clear()
    fixit.submit(photoId=offer["photoId"])
    fixit.idle()
    eventually(lambda: not fixit.stores.pointers_of("open:"))
    polls = [("queue", "get", name) for name in QUEUES]
    made = [(each.service, each.op, each.target) for each in fixit.wire.requests]
    assert sorted(each for each in made if each not in polls) == [
        ("blob", "delete", "photos"),  # the upload, once the row says that it is ready
        ("blob", "get", "photos"),
        ("blob", "properties", "photos"),  # its length, first
        *[("blob", "put", "photos")] * 3,  # the original, the clean copy, the thumbnail
        ("queue", "delete", "fixit-photos"),
        ("queue", "delete", "fixits"),
        ("queue", "put", "fixit-photos"),
        ("queue", "put", "fixits"),
        ("table", "delete", "fixitindex"),  # the sweeper's pointer
        ("table", "get", "fixits"),
        *[("table", "insert", "fixitindex")] * 2,  # the sweeper's pointer; the claim
        ("table", "insert", "fixits"),
        ("table", "merge", "fixits"),  # the stamp
        ("table", "replace", "fixitindex"),  # the day
    ]


def test_thumbnail_is_a_small_picture(fixit: FixIt) -> None:
    _, photo = with_photo(fixit, jpeg(halves(1000, 500)))
    answer = fixit.get(photo["links"]["thumbnail"])
    assert answer.status == 302
    blob = answer.headers["location"].partition("?")[0].rpartition("/")[2]
    assert opened(fixit.stores.photos()[blob]).size == (320, 160)
