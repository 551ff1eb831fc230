"""Whatever a receiver does with each try: it gets one event under one id until it says that it has it, or never can."""

from itertools import product

import pytest

from tests.faults.stories_notices import CALLBACK, tell
from tests.faults.telling import Tale, Telling, check_told, state_of
from tests.support.dead_letters import only_letter
from tests.support.receiver import hang, lie, raw, redirect, reply, reset

LATER = {
    "503": (reply(503), "503"),
    "429": (reply(429, retry_after="1"), "429"),
    "takes and cuts": (reset(), "cut"),
    "hangs up": (raw(b""), "cut"),
    "is silent": (hang(), "timeout"),
    "says less than it promised": (lie(100), "cut"),
}
ENDS = {
    "takes": (reply(), "200", "sent"),
    "refuses": (reply(400), "400", "failed"),
    "redirects": (redirect("https://localhost/"), "302", "failed"),
    "is gone": (reply(410), "410", "gone"),
}
QUICK = {("is silent", "takes"), ("takes and cuts", "refuses"), ("503", "is gone")}
TALE = Tale(act=tell("callback"), requests=3, news=CALLBACK)


@pytest.mark.parametrize(
    ("later", "end"),
    [
        pytest.param(*names, marks=() if names in QUICK else pytest.mark.full, id=" then ".join(names))
        for names in product(LATER, ENDS)
    ],
)
def test_callback_comes_under_one_id_until_its_receiver_ends_it(told: Telling, later: str, end: str) -> None:
    (first, first_status), (last, last_status, state) = LATER[later], ENDS[end]
    told.receiver.behave(first, last)
    TALE.act(told)
    told.idle()
    check_told(told, TALE)
    (row,) = told.notices()
    assert state_of(row) == (state, [first_status, last_status])
    heads = [request.headers for request in told.receiver.requests]
    assert [head["webhook-id"] for head in heads] == [row["RowKey"]] * 2
    assert len({head["webhook-signature"] for head in heads}) == 2  # each try is signed anew
    assert len({request.body for request in told.receiver.requests}) == 1
    if state == "failed":
        assert only_letter(told)["class"] == row["code"]
    else:
        assert told.stores.letters() == []
