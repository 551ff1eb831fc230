"""The text of an SMS: at most two parts, and no character broken."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.channels.sms_text import GSM_MAX, UTF16_MAX, fitted

TOOLS = "🛠️"
SEVEN_BITS = (
    "@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€"
)
FAMILY = "👩‍👩‍👧"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("a" * GSM_MAX, "a" * GSM_MAX),
        ("a" * (GSM_MAX + 1), "a" * (GSM_MAX - 3) + "..."),
        ("€" * (GSM_MAX // 2), "€" * (GSM_MAX // 2)),
        ("€" * GSM_MAX, "€" * ((GSM_MAX - 3) // 2) + "..."),
        ("ж" * UTF16_MAX, "ж" * UTF16_MAX),
        ("ж" * (UTF16_MAX + 1), "ж" * (UTF16_MAX - 1) + "…"),
        (TOOLS * 100, TOOLS * ((UTF16_MAX - 1) // 3) + "…"),
        (FAMILY * 100, FAMILY * ((UTF16_MAX - 1) // 8) + "…"),
        (" a\tb\x00\u202e\r\nc ", "a b  \nc"),
        ("", ""),
    ],
    ids=range(10),
)
def test_text_is_cut_behind_a_character(text: str, sent: str) -> None:  # NT-07
    assert fitted(text) == sent


@settings(deadline=None)
@given(st.text(st.characters(), max_size=500) | st.text(SEVEN_BITS, max_size=500))
def test_no_text_needs_more_than_two_parts(text: str) -> None:
    sent = fitted(text)
    units = len(sent.encode("utf-16-le")) // 2
    assert units <= (GSM_MAX if set(sent) <= set(SEVEN_BITS) else UTF16_MAX)
    assert fitted(sent) == sent
