"""A task is edited over HTTP: what a patch may say, and what is left as it was."""

import json
from typing import Any

import pytest

from shared.domain.names import TASK_TABLE
from tests.e2e.test_http_bodies import check_problem
from tests.support.edits import KEY, PATH, TASK_ID, check_at_rest, edit, edited, record, row, send, tag
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import submitted

TEXTS = {
    "emoji": "\U0001f469\u200d\U0001f527 \U0001f1e9\U0001f1ea",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u202b\u0645\u0631\u062d\u0628\u0627\u202c",
    "combining": "e\u0301 and \u00e9, a\u0323\u0307",
    "quotes": "'; DROP TABLE fixits; -- \" \\ & < >",
    "blanks": "  kept as given \u00a0 ",
}
MANY_LINES = "a\r\nb\nc\rd\te\u2028f"


def test_patch_changes_what_it_names_and_answers_the_task_as_it_is_read(fixit: FixIt) -> None:
    first = record(fixit, notes="first", priority="high")
    before, was = fixit.get(PATH), row(fixit)
    assert (before.json["editedAt"], before.headers["etag"]) == (None, first)
    answer = edited(fixit, first, isDone=True, notes="second")
    assert answer.json == {**before.json, "isDone": True, "notes": "second", "editedAt": answer.json["editedAt"]}
    now = fixit.get(PATH)
    assert (now.json, now.headers["etag"]) == (answer.json, answer.headers["etag"])
    assert answer.headers["etag"] != first
    assert {name: value for name, value in row(fixit).items() if name in was} == {**was, "notes": "second"}
    assert fixit.wire.of(op="put", service="queue") == []
    check_at_rest(fixit, "ann")


def test_null_gives_the_default_back_and_what_is_not_named_stays(fixit: FixIt) -> None:  # RFC 7396
    record(fixit, notes="first", priority="high", isDone=True)
    edited(fixit, isDone=None, notes=None)
    assert (row(fixit)["isDone"], row(fixit)["notes"], row(fixit)["priority"]) == (False, "", "high")
    edited(fixit, priority=None, owner=None)
    found = fixit.get(PATH).json
    assert (found["priority"], found["owner"], found["createdBy"]) == ("normal", "", "bob")
    check_at_rest(fixit, "")


@pytest.mark.parametrize("patch", [{}, {"notes": "first"}, {"priority": None}, {"owner": "ann", "isDone": False}])
def test_patch_that_changes_nothing_writes_nothing(fixit: FixIt, patch: dict[str, Any]) -> None:
    first = record(fixit, notes="first")
    was = row(fixit)
    answer = edited(fixit, first, **patch)
    assert (answer.headers["etag"], answer.json["editedAt"]) == (first, None)
    assert row(fixit) == was
    assert fixit.wire.of(op="merge") == fixit.wire.of(op="put", service="queue") == []


def test_both_media_types_are_taken(fixit: FixIt) -> None:
    record(fixit)
    for number, content_type in enumerate(
        ("application/json", "application/merge-patch+json; charset=utf-8", "Application/Merge-Patch+JSON")
    ):
        body = f'{{"notes":"{number}"}}'.encode()
        answer = send(fixit, body, {"Content-Type": content_type, "If-Match": "*"})
        assert (answer.status, answer.json["notes"]) == (200, str(number))


def test_texts_come_back_exactly_as_they_were_sent(fixit: FixIt) -> None:
    record(fixit)
    for text in TEXTS.values():
        edited(fixit, owner=text, notes=text)
        found = fixit.get(PATH).json
        assert (found["owner"], found["notes"]) == (text, text)
    edited(fixit, owner="ann", notes=MANY_LINES)
    assert fixit.get(PATH).json["notes"] == MANY_LINES
    longest = "\U0001f600" * 10_240
    edited(fixit, notes=longest)
    assert fixit.get(PATH).json["notes"] == longest
    check_at_rest(fixit, "ann")


def test_fields_that_cannot_change_are_refused_by_name(fixit: FixIt) -> None:
    first = record(fixit)
    was = row(fixit)
    fixed = ("title", "createdBy", "contact", "callbackUrl", "replyTo", "correlationId", "id", "state", "editedAt", "x")
    for name in fixed:
        told = check_problem(edit(fixit, first, **{"notes": "second", name: None}), 400, "invalid_task")
        ((field, message),) = [(each["field"], each["message"]) for each in told["errors"]]
        assert (field, "cannot change after submission" in message) == (name, True)
    everything = edit(fixit, first, **dict.fromkeys(fixed, "other"), owner=5)
    assert len(check_problem(everything, 400, "invalid_task")["errors"]) == len(fixed) + 1
    assert row(fixit) == was


WRONG: tuple[tuple[str, Any], ...] = (
    *(("isDone", value) for value in ("true", "", 1)),
    *(("owner", value) for value in (5, "x" * 81, "two\nlines", "nothing\u0000", ["ann"], {"a": None})),
    *(("notes", value) for value in ("nothing\u0000", "half \ud800", "x" * 16_001, "\N{SNOWMAN}" * 13_654)),
    *(("priority", value) for value in ("urgent", "", "High")),
)


def test_limits_are_those_of_a_submit(fixit: FixIt) -> None:
    first = record(fixit)
    for name, value in WRONG:
        (told,) = check_problem(edit(fixit, first, **{name: value}), 400, "invalid_task")["errors"]
        assert told["field"] == name
        assert fixit.post(json.dumps({"title": "t", name: value}).encode()).json["errors"] == [told]
    assert "editId" not in row(fixit)


BODIES: dict[str, tuple[bytes, int, str]] = {
    **{f"HJ-01 {text!r}": (text, 400, "malformed_json") for text in (b"   ", b"null", b"[]", b'"x"', b"5", b"true")},
    "HJ-01 nothing": (b"", 400, "empty_body"),
    "HJ-03": (b'{"isDone":NaN}', 400, "malformed_json"),
    "HJ-03 too large": (b'{"notes":1e999}', 400, "malformed_json"),
    "HJ-05": (b"[" * 20_000 + b"]" * 20_000, 400, "malformed_json"),
    "HJ-05 in a field": (b'{"notes":' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400, "invalid_task"),
    "HJ-07": (b'{"notes":"a","notes":"b"}', 400, "malformed_json"),
    "HJ-11": (b'{"notes":"caf\xe9"}', 400, "malformed_json"),
    "HJ-11 half": (b'{"notes":"\xed\xa0\x80"}', 400, "malformed_json"),
    "a JSON Patch": (b'[{"op":"replace","path":"/notes","value":"x"}]', 400, "malformed_json"),
    "over 256 KiB": (b'{"notes":"' + b"x" * 256 * 1024 + b'"}', 413, "task_too_large"),
}
TYPES = {  # HJ-09, HJ-10
    "none": "",
    "a form": "application/x-www-form-urlencoded",
    "text": "text/plain",
    "a JSON Patch": "application/json-patch+json",
    "Latin-1": "application/merge-patch+json; charset=iso-8859-1",
}


def test_bodies_that_are_no_patch_are_refused_and_change_nothing(fixit: FixIt) -> None:
    record(fixit)
    for body, status, code in BODIES.values():
        check_problem(send(fixit, body, {"If-Match": "*"}), status, code)
    for content_type in TYPES.values():
        answer = send(fixit, b'{"notes":"x"}', {"If-Match": "*", "Content-Type": content_type})
        check_problem(answer, 415, "unsupported_media_type")
    check_problem(
        send(fixit, b'{"notes":"x"}', {"If-Match": "*", "Content-Encoding": "gzip"}), 415, "unsupported_media_type"
    )
    assert "editId" not in row(fixit)
    assert fixit.wire.of(op="merge") == []


def test_edit_needs_an_if_match_that_names_the_task_as_it_is(fixit: FixIt) -> None:
    first = record(fixit)
    told = check_problem(edit(fixit, None, notes="x"), 428, "precondition_required")
    assert "If-Match" in told["detail"]
    stale = ["", " ", '""', f"W/{first}", first.strip('"'), first.upper(), f"{first}x", f"'{first}'", "**", '"*"', ","]
    stale += [first[:-1], f"{first} {first}", '"a" ' * 500, "\\" * 8_000, '"' * 9_001, f"*, {first}"]
    stale += [row(fixit)["fingerprint"], '"\u00e9"'.encode().decode("latin-1")]
    for header in stale:
        check_problem(edit(fixit, header, notes="x"), 412, "stale_edit")
    assert "editId" not in row(fixit)
    for number, header in enumerate(("{}", '"a", {}', "{},", 'W/"a",{} , "b"', "*", " * ")):
        assert edit(fixit, header.format(tag(fixit)), notes=str(number)).json["notes"] == str(number)
    check_problem(edit(fixit, first, notes="x"), 412, "stale_edit")


def test_what_is_not_there_is_a_404_and_what_was_cancelled_a_409(fixit: FixIt) -> None:
    check_problem(edit(fixit, "*", notes="x"), 404, "unknown_task")
    assert fixit.request("DELETE", PATH).status == 200
    check_problem(edit(fixit, "*", notes="x"), 409, "cannot_edit")  # a tombstone
    fixit.idle()
    fixit.fresh()
    first = record(fixit)
    assert fixit.request("DELETE", PATH).status == 200
    was = row(fixit)
    for if_match in ("*", first, tag(fixit)):
        check_problem(edit(fixit, if_match, owner="eve"), 409, "cannot_edit")
    fixit.idle()
    assert row(fixit) == was


@pytest.mark.parametrize("patch", [{"notes": "second"}, {"owner": "eve", "isDone": True}])
def test_repeat_of_an_edit_is_the_same_answer_as_long_as_no_other_came(fixit: FixIt, patch: dict[str, Any]) -> None:
    first = record(fixit)
    done = edited(fixit, first, **patch)
    fixit.idle()
    was = row(fixit)
    fixit.wire.clear()
    for if_match in (first, f'"other", {first}'):
        again = edited(fixit, if_match, **dict(reversed(patch.items())))
        assert (again.json, again.headers["etag"]) == (done.json, done.headers["etag"])
    check_problem(edit(fixit, first, **{**patch, "priority": "low"}), 412, "stale_edit")
    assert (row(fixit), fixit.wire.of(op="merge"), fixit.wire.of(op="put", service="queue")) == (was, [], [])
    edited(fixit, done.headers["etag"], priority="high")
    check_problem(edit(fixit, first, **patch), 412, "stale_edit")
    check_at_rest(fixit, patch.get("owner", "ann"))


def test_repeat_of_an_edit_of_a_task_that_was_cancelled_since_says_so(fixit: FixIt) -> None:
    first = record(fixit)
    edited(fixit, first, notes="second")
    assert fixit.request("DELETE", PATH).status == 200
    assert edited(fixit, first, notes="second").json["state"] == "cancelled"
    check_problem(edit(fixit, first, notes="third"), 409, "cannot_edit")


def test_key_of_an_edited_task_stands_for_what_was_submitted(fixit: FixIt) -> None:
    accepted = fixit.submit(KEY, owner="ann", createdBy="bob")
    fixit.settled(accepted["receipt"])
    edited(fixit, owner="eve", notes="second")
    again = fixit.submit(KEY, owner="ann", createdBy="bob")
    assert (again["id"], again["receipt"]) == (TASK_ID, accepted["receipt"])
    as_it_is = fixit.post(
        b'{"title":"Tap drips","owner":"eve","createdBy":"bob","notes":"second"}', {"Idempotency-Key": KEY}
    )
    check_problem(as_it_is, 422, "idempotency_key_reused")
    assert fixit.settled(accepted["receipt"])["state"] == "succeeded"
    check_at_rest(fixit, "eve")


def test_message_delivered_again_leaves_the_edits(fixit: FixIt) -> None:  # TC-03
    record(fixit)
    edited(fixit, owner="eve", isDone=True, notes="second")
    fixit.idle()
    was = row(fixit)
    fixit.stores.put(submitted(KEY, owner="ann", createdBy="bob"))
    check_at_rest(fixit, "eve")
    assert row(fixit) == was


def test_edit_that_fits_no_message_is_refused_and_changes_nothing(fixit: FixIt) -> None:
    first = record(fixit)
    large = "\n" * 7_680 + "\U0001f600" * 8_310
    check_problem(edit(fixit, first, owner="eve", notes=large), 413, "task_too_large")
    assert "editId" not in row(fixit)
    edited(fixit, first, notes=large)  # by itself it needs no message
    edited(fixit, owner="eve")
    check_at_rest(fixit, "eve")
    assert fixit.get(PATH).json["notes"] == large


def test_edit_after_our_own_lost_success_is_done_once(fixit: FixIt) -> None:  # TC-01
    first = record(fixit)
    fixit.wire.fail(op="merge", target=TASK_TABLE, status=500, after=True)
    answer = edited(fixit, first, notes="second")
    assert len(fixit.wire.of(op="merge", target=TASK_TABLE)) == 2
    assert fixit.get(PATH).headers["etag"] == answer.headers["etag"]
