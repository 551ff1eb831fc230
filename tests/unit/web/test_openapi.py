"""The OpenAPI document is valid, complete, and says what the app can answer."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from openapi_spec_validator import validate

from shared.domain.access import Access
from shared.domain.task import Task
from shared.domain.text_rules import LINE, QUEUE_NAME
from shared.web import letter_requests, parameters, routes
from shared.web.openapi.document import OPERATIONS, document

ROOT = Path(__file__).resolve().parents[3]
ERRORS = (ROOT / "docs" / "errors.md").read_text("utf-8").partition("## Codes of failed tasks")[0]
ACCESSES = get_args(Access)


OF_OTHER_PATHS = ("unknown_route", "method_not_allowed")
OF_RESULTS = ("not_sent",)
"""In the result of one task of a batch."""
OF_PAGES = ("invalid_form", "stale_form")
"""Pages are for people: the document is for programs."""


def read(access: Access = "key") -> dict[str, Any]:
    """The document as a client reads it."""
    found: dict[str, Any] = json.loads(json.dumps(document("1.2.3", access)))
    return found


@pytest.mark.parametrize("access", ACCESSES)
def test_document_is_valid_openapi(access: Access) -> None:
    validate(read(access))


def test_every_method_of_every_route_is_an_operation_and_nothing_else() -> None:
    documented = {(each.route, each.method) for each in OPERATIONS}
    assert documented == {(route, method) for route in routes.ROUTES for method in route.methods if method != "HEAD"}


def test_every_code_of_a_refusal_is_one_that_the_list_of_errors_has_with_this_status() -> None:
    listed = {(code, int(status)) for code, status in re.findall(r"^\| `([a-z_]+)` \| (\d+) \|", ERRORS, re.MULTILINE)}
    documented = {
        (code, int(status))
        for access in ACCESSES
        for methods in read(access)["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        for code in re.findall("`([a-z_]+)`", answer["description"])
        if answer["description"].startswith("Refused")
    }
    assert documented - listed == set()
    assert {code for code, _ in listed - documented} == {*OF_OTHER_PATHS, *OF_RESULTS, *OF_PAGES}


def test_task_has_the_fields_and_limits_of_the_model_that_checks_it() -> None:
    task = read()["components"]["schemas"]["Task"]
    assert list(task["properties"]) == list(Task.__struct_encode_fields__)
    assert task["properties"]["title"]["maxLength"] == 80
    assert task["properties"]["notes"]["anyOf"][0]["maxLength"] == 16_000
    assert (task["required"], task["additionalProperties"]) == (["title"], False)


def test_callers_are_known_by_keys_or_by_the_platform_and_nobody_is_asked_where_all_may() -> None:
    schemes: dict[Access, set[str]] = {"key": {"key", "keyInQuery", "adminKey"}, "easyauth": {"platform"}}
    for access, expected in schemes.items():
        found = read(access)
        assert set(found["components"]["securitySchemes"]) == expected
        open_to_all = {
            operation["operationId"]
            for methods in found["paths"].values()
            for operation in methods.values()
            if not operation["security"]
        }
        assert open_to_all == {"get_receipt", "health", "openapi", "docs"}


def test_orders_have_the_limits_of_what_reads_them() -> None:
    found = read()["components"]["schemas"]
    ids = found["Discard"]["properties"]["ids"]["anyOf"][0]
    assert (ids["maxItems"], ids["items"]["maxLength"]) == (letter_requests.IDS_MAX, parameters.ID_MAX)
    assert found["Discard"]["properties"]["reason"]["maxLength"] == letter_requests.REASON_MAX
    chosen = found["LetterChoice"]["properties"]
    assert [chosen[name]["anyOf"][0]["pattern"] for name in ("queue", "class", "step", "cause")] == [
        QUEUE_NAME,
        letter_requests.CODE,
        letter_requests.CODE,
        LINE,
    ]
    assert {"open", "discarded"} <= set(json.dumps(chosen["state"]).split('"'))
    assert "redriven" not in json.dumps(chosen["state"])


def test_answers_say_which_headers_they_have() -> None:
    paths = read()["paths"]
    told = {
        (each["operationId"], status): set(each["responses"][status].get("headers", ()))
        for methods in paths.values()
        for each in methods.values()
        for status in ("207", "304")
        if status in each["responses"]
    }
    of_304 = {"ETag", "Retry-After", "Preference-Applied"}
    reads = {(name, "304"): of_304 for name in ("get_receipt", "get_task", "get_task_by_key")}
    assert told == {**reads, ("submit_batch", "207"): {"Retry-After"}}


def test_body_that_is_too_large_has_the_code_of_what_it_holds() -> None:
    refused = {
        each["operationId"]: set(re.findall("`([a-z_]+)`", each["responses"]["413"]["description"]))
        for methods in read()["paths"].values()
        for each in methods.values()
        if "413" in each["responses"]
    }
    others = ("redrive_letters", "discard_letters", "put_person", "offer_photo", "resend_callbacks_of_range")
    of_others = {name: {"body_too_large"} for name in others}
    with_photo = {"task_too_large", "body_too_large"}
    of_tasks = {"submit": with_photo, "edit_task": {"task_too_large"}}
    assert refused == {**of_others, **of_tasks, "submit_batch": {"batch_too_large"}}
