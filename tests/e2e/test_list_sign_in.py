"""Lists and batches where the platform signs people in: each sees and makes what is theirs."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from shared.domain import identity
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tests.support.signed_in import Person, caller, person, signed_in_fixit
from tests.support.task_lists import PATH, look, titles


@pytest.fixture(scope="module")
def product() -> Iterator[FixIt]:
    """A product with four tasks of ann's and bob's; nobody changes them."""
    with signed_in_fixit() as running:
        ann, bob = Person(running.url, "ann"), Person(running.url, "bob")
        ann.submit(title="ann's")
        ann.submit(title="ann's for bob", owner=person("bob"))
        bob.submit(title="bob's")
        bob.submit(title="bob's for ann", owner=person("ann"))
        running.idle()
        yield running


def test_each_sees_what_is_theirs_or_assigned_to_them_and_an_operator_all(product: FixIt) -> None:
    ann, bob, ops = (Person(product.url, name) for name in ("ann", "bob", "ops"))
    assert sorted(titles(ann)) == sorted(titles(ann, createdBy=person("ann"))) == ["ann's", "ann's for bob"]
    assert titles(ann, owner=person("ann")) == ["bob's for ann"]
    assert titles(ann, owner=person("bob")) == ["ann's for bob"]
    assert titles(bob, createdBy=person("ann")) == ["ann's for bob"]
    assert titles(Person(product.url, "eve")) == titles(Person(product.url, "eve"), owner=person("ann")) == []
    assert len(titles(ops)) == 4
    assert sorted(titles(ops, createdBy=person("bob"))) == ["bob's", "bob's for ann"]


def test_cursor_is_good_for_who_was_given_it(product: FixIt) -> None:
    query = {"owner": person("bob"), "limit": "1"}
    cursor = look(Person(product.url, "ops"), createdBy=person("ann"), limit=1)["cursor"]
    assert cursor
    for name in ("ann", "bob"):
        answer = Person(product.url, name).get(f"{PATH}?{urlencode({'createdBy': person('ann'), 'cursor': cursor})}")
        check_problem(answer, 400, "invalid_cursor")
    own = look(Person(product.url, "ann"), limit=1)["cursor"]
    check_problem(Person(product.url, "bob").get(f"{PATH}?limit=1&cursor={own}"), 400, "invalid_cursor")
    assert look(Person(product.url, "ann"), limit=1, cursor=own)["tasks"]
    assert look(Person(product.url, "ops"), **query)["tasks"]


def test_nobody_lists_or_sends_tasks_without_a_sign_in(product: FixIt) -> None:
    nobody = Person(product.url)
    check_problem(nobody.get(PATH), 401, "sign_in_needed")
    body = json.dumps({"tasks": [{"task": {"title": "t"}}]}).encode()
    check_problem(nobody.request("POST", f"{PATH}/batch", body, JSON), 401, "sign_in_needed")
    elsewhere = {**JSON, "Sec-Fetch-Site": "cross-site"}
    check_problem(Person(product.url, "ann").request("POST", f"{PATH}/batch", body, elsewhere), 403, "cross_site")


def test_batch_is_made_in_the_name_of_who_is_signed_in(product: FixIt) -> None:
    eve, entries = (
        Person(product.url, "eve"),
        [
            {"key": "k-1", "task": {"title": "one"}},
            {"key": "k-1", "task": {"title": "one", "createdBy": person("eve")}},  # the same, said in full
            {"key": "k-2", "task": {"title": "two", "createdBy": person("ann")}},
            {"key": "k-3", "task": {"title": "three"}},
        ],
    )
    answer = eve.request("POST", f"{PATH}/batch", json.dumps({"tasks": entries}).encode(), JSON)
    results: list[dict[str, Any]] = answer.json["results"]
    assert (answer.status, [each["status"] for each in results]) == (207, [202, 202, 400, 202])
    assert results[2]["problem"]["errors"][0]["field"] == "createdBy"
    assert [each.get("id") for each in results] == [
        identity.task_id(caller("eve"), "k-1"),
        identity.task_id(caller("eve"), "k-1"),
        None,
        identity.task_id(caller("eve"), "k-3"),
    ]
    product.idle()
    assert sorted(titles(eve)) == ["one", "three"]
