"""An Accept header chooses among what can be served, or is told that nothing of it can."""

import pytest

from shared.domain.errors import NotAcceptable
from shared.web.accept import HTML, JSON, choose

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("header", "chosen"),
    [
        (None, JSON),
        (" ", JSON),
        ("*/*", JSON),
        (BROWSER, HTML),
        ("application/json", JSON),
        ("APPLICATION/JSON; charset=utf-8", JSON),
        ("application/*;q=0.2, text/html;q=0.1", JSON),
        ("text/html;q=0, */*", JSON),
        ("application/json;q=0.5, text/*", HTML),
        ("*/*;q=1, application/json;q=0.0", HTML),
        ("text/html;q=nonsense, application/json;q=0.001", JSON),
        ("text/html" + ", text/css" * 1_000, HTML),
    ],
)
def test_accept_takes_the_best_that_is_offered(header: str | None, chosen: str) -> None:
    assert choose(header, (JSON, HTML)) == chosen


@pytest.mark.parametrize("header", ["text/css", "application/json;q=0", "*/*;q=0", ",", "json", "*/json", "text/*;q=x"])
def test_accept_of_nothing_that_is_offered_is_refused_and_told_what_is(header: str) -> None:
    with pytest.raises(NotAcceptable, match="application/json or text/html"):
        choose(header, (JSON, HTML))
