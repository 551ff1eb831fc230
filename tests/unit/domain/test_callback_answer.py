"""What follows from an answer to a callback."""

import pytest

from shared.domain.callback_answer import Answer, Problem, check_delivered
from shared.domain.errors import TryLater, Undeliverable


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])  # WD-05
def test_2xx_is_delivered(status: int) -> None:
    check_delivered(Answer(milliseconds=1, status=status))


@pytest.mark.parametrize("status", [408, 425, 429, 500, 501, 502, 503, 504, 599])  # WD-05
def test_status_of_a_moment_is_for_later_when_the_receiver_says(status: int) -> None:
    with pytest.raises(TryLater, match=f"^the receiver answered {status}$") as later:
        check_delivered(Answer(milliseconds=1, status=status, after=7))
    assert later.value.after == 7


@pytest.mark.parametrize("status", [101, 199, 300, 301, 302, 307, 308, 400, 401, 403, 404, 409, 413, 600, 999])  # WD-05
def test_any_other_status_is_final(status: int) -> None:
    with pytest.raises(Undeliverable, match=str(status)) as final:
        check_delivered(Answer(milliseconds=1, status=status, after=7))
    assert final.value.code == "callback_refused"
    assert not final.value.is_target_bad
    assert ("redirects are not followed" in final.value.reason) == (300 <= status <= 399)  # WS-03


def test_410_ends_all_callbacks_to_that_url() -> None:  # WD-03
    with pytest.raises(Undeliverable) as final:
        check_delivered(Answer(milliseconds=1, status=410))
    assert final.value.code == "callback_gone"
    assert final.value.is_target_bad


@pytest.mark.parametrize("problem", ["dns", "refused", "tls", "timeout", "cut", "malformed"])
def test_no_whole_answer_is_for_later(problem: Problem) -> None:
    with pytest.raises(TryLater) as later:
        check_delivered(Answer(milliseconds=1, problem=problem))
    assert later.value.after is None


@pytest.mark.parametrize("problem", ["not_allowed", "not_public"])
def test_address_that_no_callback_may_go_to_is_final(problem: Problem) -> None:
    with pytest.raises(Undeliverable) as final:
        check_delivered(Answer(milliseconds=1, problem=problem))
    assert final.value.code == "callback_address"


def test_outcome_is_the_status_or_the_word() -> None:
    assert Answer(milliseconds=1, status=204).outcome == "204"
    assert Answer(milliseconds=1, problem="tls").outcome == "tls"
