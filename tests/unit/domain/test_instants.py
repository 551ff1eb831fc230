"""Instants: RFC 3339 in, one spelling out."""

import pytest

from shared.domain.instants import from_text, to_text


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-29T02:30:00.123456+05:30", "2026-03-28T21:00:00.123456Z"),  # TV-07
        ("2026-11-30t12:00:00z", "2026-11-30T12:00:00.000000Z"),
        ("2026-11-30T12:00:00.1234567Z", "2026-11-30T12:00:00.123456Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.000000Z"),
        ("2026-11-30T12:00:00-00:00", "2026-11-30T12:00:00.000000Z"),
    ],
)
def test_rfc_3339_text_is_its_instant(text: str, instant: str) -> None:
    assert to_text(from_text(text)) == instant


@pytest.mark.parametrize(
    "text",
    [
        "2026-W10-1T00:00:00Z",
        "20261130T120000Z",
        "2026-11-30T12Z",
        "2026-11-30T12:00:00+00:00:30",
        "2026-11-30T12:00:00,5Z",
        "2026-11-30T12:00:00",
        "2026-11-30 12:00:00Z",
        "2026-02-30T12:00:00Z",
        "2026-11-30T24:00:01Z",
        "2026-11-30T12:00:00Z\n",
    ],
)
def test_any_other_text_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        from_text(text)
