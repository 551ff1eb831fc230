"""Many submits of one key at the same moment."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from tests.faults.invariants import check_invariants
from tests.support.fixit_app import FixIt
from tests.support.web_client import Answer

FIFTY = 50
KEY = {"Idempotency-Key": "6f1e"}


def submit_at_once(fixit: FixIt, bodies: list[dict[str, Any]]) -> list[Answer]:
    """The answers to these submits under one key, sent at the same moment over connections of their own."""
    start = Barrier(len(bodies))

    def submit(body: dict[str, Any]) -> Answer:
        start.wait()
        return fixit.post(json.dumps(body).encode(), KEY)

    with ThreadPoolExecutor(len(bodies)) as clients:
        return list(clients.map(submit, bodies))


def test_fifty_submits_of_one_key_are_one_task(fixit: FixIt) -> None:  # HI-03
    answers = submit_at_once(fixit, [{"title": "t", "owner": "ann"}] * FIFTY)
    assert Counter(answer.status for answer in answers) == {202: FIFTY}
    (task_id,) = {answer.json["id"] for answer in answers}
    assert {fixit.settled(answer.json["receipt"])["state"] for answer in answers} == {"succeeded"}
    fixit.idle()
    (row,) = fixit.stores.tasks()
    assert row["RowKey"] == task_id
    assert fixit.stores.letters() == []
    check_invariants(fixit.stores, accepted=[task_id])


def test_fifty_submits_of_one_key_with_two_bodies_are_one_task_and_told_conflicts(fixit: FixIt) -> None:
    bodies = [{"title": f"body {number % 2}", "owner": "ann"} for number in range(FIFTY)]
    answers = submit_at_once(fixit, bodies)
    # 422 where the other content was already recorded when it was asked for.
    assert {answer.status for answer in answers} <= {202, 422}
    fixit.idle()
    (row,) = fixit.stores.tasks()
    for body, answer in zip(bodies, answers, strict=True):
        won = body["title"] == row["title"]
        if answer.status == 422:
            assert (won, answer.json["code"]) == (False, "idempotency_key_reused")
            continue
        assert answer.json["id"] == row["RowKey"]
        status = fixit.settled(answer.json["receipt"])
        told = (status["state"], (status["error"] or {}).get("code"))
        assert told == (("succeeded", None) if won else ("failed", "idempotency_conflict"))
    letters = fixit.stores.letters()
    assert [letter["class"] for letter in letters] == ["idempotency_conflict"] * len(letters)
    assert len(letters) <= 1  # all copies of the losing content are one event
    check_invariants(fixit.stores, accepted=[row["RowKey"]])
