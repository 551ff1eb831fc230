"""A photo is seen by who may see its task: by a link of minutes, and as a copy that tells nothing of who took it."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.e2e.test_http_bodies import check_problem
from tests.support.eventually import eventually
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import FixItClient
from tests.support.multipart import PIXEL
from tests.support.photos import looked_at, offered, submit_form, upload
from tests.support.signed_in import Person, person
from tests.support.web_client import exchange

FORMS = ("photo", "thumbnail")


@pytest.fixture(scope="module")
def running_fixit() -> Iterator[FixIt]:
    """With every queue listened to."""
    with FixIt() as running:
        yield running


def ready(client: FixItClient, **fields: str) -> str:
    """The address of a task whose photo can be seen."""
    task: str = submit_form(client, PIXEL, **fields).json["links"]["task"]
    assert looked_at(client, task)["state"] == "ready"
    return task


@pytest.mark.parametrize("form", FORMS)
def test_photo_is_a_redirect_to_a_link_of_minutes(fixit: FixIt, form: str) -> None:
    task = ready(fixit)
    links = fixit.get(task).json["photo"]["links"]
    answer = fixit.get(links[form])
    assert (answer.status, answer.body) == (302, b"")
    assert answer.headers["cache-control"] == "private, no-store"
    url = answer.headers["location"]
    query = parse_qs(urlsplit(url).query)
    assert (query["sp"], query["sr"], "st" in query) == (["r"], ["b"], False)
    shown = exchange(url)
    assert (shown.status, shown.headers["cache-control"]) == (200, "private, max-age=86400")
    assert shown.headers["content-type"] == {"photo": "image/png", "thumbnail": "image/jpeg"}[form]
    assert shown.headers["content-disposition"].startswith("inline")
    assert exchange(url.partition("?")[0]).status in (403, 404, 409)  # A12: nobody sees it without
    assert fixit.request("HEAD", links[form]).headers["location"].partition("?")[0] == url.partition("?")[0]


def test_photo_is_there_for_a_program_that_takes_pictures_alone(fixit: FixIt) -> None:
    task = ready(fixit)
    for accept in ("image/avif,image/webp,*/*;q=0.8", "image/*", "image/jpeg", "application/json"):
        assert fixit.request("GET", f"{task}/thumbnail", headers={"Accept": accept}).status == 302


def test_list_tells_of_photos_as_the_task_does(fixit: FixIt) -> None:
    task = ready(fixit, owner="ann")
    plain = fixit.submit(owner="ann")
    fixit.settled(plain["receipt"])
    listed = fixit.get("/api/fixits?owner=ann").json["tasks"]
    photos = {each["id"]: each["photo"] for each in listed}
    assert photos == {plain["id"]: None, task.rpartition("/")[2]: fixit.get(task).json["photo"]}
    assert all("photoId" not in each for each in listed)


@pytest.mark.parametrize("form", FORMS)
def test_task_without_a_photo_says_so(fixit: FixIt, form: str) -> None:
    accepted = fixit.submit()
    fixit.settled(accepted["receipt"])
    problem = check_problem(fixit.get(f"{accepted['links']['task']}/{form}"), 404, "no_photo")
    assert problem["detail"] == "The task has no photo."
    assert fixit.get(accepted["links"]["task"]).json["photo"] is None
    check_problem(fixit.get(f"/api/fixits/0a7643c1-5e72-57c2-b626-a8a763f09106/{form}"), 404, "unknown_task")


def test_photo_that_was_rejected_says_why(fixit: FixIt) -> None:
    task = submit_form(fixit, b"no picture").json["links"]["task"]
    photo = looked_at(fixit, task)
    problem = check_problem(fixit.get(f"{task}/photo"), 404, "no_photo")
    assert problem["detail"] == photo["reason"]
    assert photo["links"] is None


def test_photo_that_is_awaited_says_so(fixit: FixIt) -> None:
    offer = offered(fixit)
    task = fixit.submit(photoId=offer["photoId"])["links"]["task"]
    eventually(lambda: fixit.get(task).status == 200)
    assert fixit.get(task).json["photo"]["state"] == "waiting"
    problem = check_problem(fixit.get(f"{task}/photo"), 404, "no_photo")
    assert "ask again later" in problem["detail"]
    fixit.request("DELETE", task)  # nobody has to wait for it
    upload(offer, PIXEL)


def test_photo_of_a_cancelled_task_is_gone(fixit: FixIt) -> None:
    task = ready(fixit)
    fixit.request("DELETE", task)
    fixit.idle()
    problem = check_problem(fixit.get(f"{task}/thumbnail"), 404, "no_photo")
    assert "cancelled" in problem["detail"]
    photo = fixit.get(task).json["photo"]
    assert (photo["state"], photo["links"]) == ("removed", None)
    assert fixit.stores.photos() == {}


def test_link_has_the_host_that_clients_can_reach(fixit: FixIt) -> None:  # BS-03
    straight = f"http://127.0.0.1:{fixit.storage.blob_port}/devstoreaccount1"
    with fixit.another_host(fixit.wire, FIXIT_PUBLIC_BLOB_URL=straight) as host:
        client = FixItClient(host.url)
        offer = offered(client)
        assert offer["upload"]["url"].startswith(f"{straight}/photos/incoming/")
        fixit.wire.down("blob")  # the app's own way, which is none for clients
        assert upload(offer, PIXEL).status == 201


def test_photo_is_seen_by_creator_owner_and_operator_alone(product: FixIt, ann: Person) -> None:
    bob, eve, ops = (Person(product.url, name) for name in ("bob", "eve", "ops"))
    task = ready(ann, owner=person("bob"))
    for form in FORMS:
        assert [each.get(f"{task}/{form}").status for each in (ann, bob, ops)] == [302, 302, 302]
        check_problem(eve.get(f"{task}/{form}"), 404, "unknown_task")
        check_problem(Person(product.url).get(f"{task}/{form}"), 401, "sign_in_needed")


def test_photo_cannot_be_seen_while_its_task_cannot_be_read(fixit: FixIt) -> None:
    task = ready(fixit)
    fixit.wire.fail(service="table", op="get", status=503, code="ServerBusy", times=None)
    check_problem(fixit.get(f"{task}/photo"), 503, "dependency_down")
