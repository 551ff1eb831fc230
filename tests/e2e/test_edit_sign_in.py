"""Who may edit a task, where the platform signs people in."""

import pytest

from shared.domain import identity
from tests.e2e.test_http_bodies import check_problem
from tests.support.edits import KEY
from tests.support.fixit_app import FixIt
from tests.support.fixit_client import JSON
from tests.support.signed_in import Person, caller, person
from tests.support.web_client import Answer

TASK_ID = identity.task_id(caller("ann"), KEY)
PATH = f"/api/fixits/{TASK_ID}"


@pytest.fixture
def product(product: FixIt, ann: Person) -> FixIt:
    """With a task that ann created and bob owns."""
    product.settled(ann.submit(KEY, owner=person("bob"))["receipt"])
    product.idle()
    return product


def patch(product: FixIt, name: str, body: str, if_match: str = "*") -> Answer:
    return Person(product.url, name).request("PATCH", PATH, body.encode(), {**JSON, "If-Match": if_match})


def owner(product: FixIt) -> str:
    return str(Person(product.url, "ann").get(PATH).json["owner"])


@pytest.mark.parametrize("name", ["ann", "ops"])
def test_creator_and_operator_may_change_all_of_it(product: FixIt, name: str) -> None:
    answer = patch(product, name, f'{{"owner":"{person("eve")}","notes":"n","priority":"low","isDone":true}}')
    assert (answer.status, answer.json["owner"], answer.json["createdBy"]) == (200, person("eve"), person("ann"))
    product.idle()
    assert Person(product.url, "eve").get(PATH).status == 200
    assert Person(product.url, "bob").get(PATH).status == 404


def test_owner_may_mark_it_as_done_and_no_more(product: FixIt) -> None:
    for body in (
        '{"notes":"x"}',
        '{"isDone":true,"priority":"low"}',
        f'{{"owner":"{person("eve")}"}}',
        '{"owner":null}',
    ):
        check_problem(patch(product, "bob", body), 403, "not_allowed")
    assert owner(product) == person("bob")
    for body in ('{"isDone":true}', '{"isDone":null}'):
        first = Person(product.url, "bob").get(PATH).headers["etag"]
        done = patch(product, "bob", body, first)
        assert (done.status, done.json["isDone"]) == (200, body == '{"isDone":true}')
        assert patch(product, "bob", body, first).headers["etag"] == done.headers["etag"]


def test_for_who_does_not_see_it_there_is_no_such_task(product: FixIt) -> None:
    unknown = Person(product.url, "eve").request("PATCH", f"/api/fixits/{'0' * 32}", b"{}", {**JSON, "If-Match": "*"})
    for if_match, body in (("*", '{"isDone":true}'), ('"x"', "{}")):
        assert check_problem(patch(product, "eve", body, if_match), 404, "unknown_task") == unknown.json
    check_problem(patch(product, "", '{"isDone":true}'), 401, "sign_in_needed")
    assert Person(product.url, "ann").get(PATH).json["editedAt"] is None


def test_owner_who_is_no_longer_meanwhile_changes_nothing(product: FixIt) -> None:
    first = Person(product.url, "bob").get(PATH).headers["etag"]
    assert patch(product, "ann", f'{{"owner":"{person("eve")}"}}').status == 200
    check_problem(patch(product, "bob", '{"isDone":true}', first), 404, "unknown_task")
