"""The header Prefer: what RFC 7240 allows is understood, and all else is as if it were not there."""

import azure.functions as func
import pytest

from shared.web.prefer import read_wait

WAITS = {
    "wait=5": 5,
    "WAIT = 5": 5,
    'wait="5"': 5,
    "wait=007": 7,
    "wait=25": 25,
    "wait=26": 25,
    f"wait={'9' * 5_000}": 25,
    "respond-async, wait=5": 5,
    "respond-async,wait=5;priority=5": 5,
    "wait=5, wait=9": 5,  # the first one counts
    'note="a, wait=9", wait=5': 5,
    r'note="a \", wait=9", wait=5': 5,
    "": 0,
    "wait": 0,
    "wait=": 0,
    "wait=0": 0,
    "wait=-5": 0,
    "wait=5.5": 0,
    "wait=+5": 0,
    "wait=5 s": 0,
    "wait='5'": 0,
    "wait=٥": 0,
    'wait="5': 0,
    "wait=x, wait=5": 0,
    "await=5": 0,
    "handling=lenient; wait=5": 0,
    ",,;=,": 0,
    '"' * 5_000: 0,
}


@pytest.mark.parametrize("header", WAITS)
def test_wait_of_a_header(header: str) -> None:
    request = func.HttpRequest("POST", "/api/fixits", headers={"Prefer": header}, body=b"")
    assert read_wait(request) == WAITS[header]


def test_no_header_is_no_wait() -> None:
    assert read_wait(func.HttpRequest("POST", "/api/fixits", body=b"")) == 0
