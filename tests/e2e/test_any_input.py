"""Whatever arrives, over HTTP or past it, has one of the promised ends; the samples are drawn, and always the same."""

import base64
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.domain.task import Task
from tests.e2e.test_http_bodies import check_problem
from tests.support.fixit_app import FixIt
from tests.support.raw_messages import event

NAMES = st.sampled_from(Task.__struct_encode_fields__) | st.text(max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=100),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
TASKS = st.dictionaries(NAMES, VALUES, max_size=6)
EVENTS = st.dictionaries(st.sampled_from(sorted(json.loads(event()))), VALUES, max_size=2).map(
    lambda changes: json.dumps({**json.loads(event()), **changes})
)
JSON_TEXTS = TASKS.map(json.dumps) | TASKS.map(lambda task: json.dumps({"title": "t", **task}))


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> bytes:
    """A right body with one stretch of bytes replaced."""
    raw = draw(texts).encode()
    at, end = sorted((draw(st.integers(0, len(raw))), draw(st.integers(0, len(raw)))))
    return raw[:at] + draw(st.binary(max_size=4)) + raw[end:]


BODIES = JSON_TEXTS.map(str.encode) | damaged(JSON_TEXTS) | st.binary(max_size=100)
# What XML can carry is what a queue can hold.
XML_TEXT = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff") | st.sampled_from("\t\n\r")
MESSAGES = JSON_TEXTS | EVENTS | st.text(XML_TEXT, max_size=50)
MANY = pytest.mark.parametrize("count", [150, pytest.param(3_000, marks=pytest.mark.full)])


def drawn(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """The same samples at each run."""
    samples: list[Any] = []

    @settings(max_examples=count, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def draw(sample: Any) -> None:
        samples.append(sample)

    draw()
    return samples


@MANY
@pytest.mark.timeout(600)
def test_any_body_is_accepted_or_refused_as_a_problem(fixit: FixIt, count: int) -> None:
    accepted = 0
    for body in drawn(BODIES, count):
        answer = fixit.post(body, {"Idempotency-Key": f"k-{accepted}"})
        if answer.status == 202:
            accepted += 1
        else:
            check_problem(answer, answer.status, answer.json["code"])
            assert 400 <= answer.status < 500
    fixit.idle(300)
    assert len(fixit.stores.tasks()) == accepted > 0
    assert fixit.stores.letters() == []


@MANY
@pytest.mark.timeout(600)
def test_any_message_is_one_task_or_one_letter(fixit: FixIt, count: int) -> None:
    texts = list(dict.fromkeys(drawn(MESSAGES, count)))
    put = [base64.b64encode(text.encode()).decode() if number % 2 else text for number, text in enumerate(texts)]
    for start in range(0, len(put), 200):  # the emulator slows down under hundreds of waiting messages
        for text in put[start : start + 200]:
            fixit.stores.put(text)
        fixit.idle(300)
    kept = set(fixit.stores.letter_texts().values())
    assert len(fixit.stores.letters()) == len(kept)
    # What is not kept was taken: events by the task that they name, bare tasks by their id or each for itself.
    taken = [json.loads(text) for text, stored in zip(texts, put, strict=True) if stored.encode() not in kept]
    tasks = {task["subject"] if "specversion" in task else task.get("id", id(task)) for task in taken}
    assert len(fixit.stores.tasks()) == len(tasks)
    assert {row["state"] for row in fixit.stores.tasks()} == {"succeeded"}
