"""The text of an SMS, within what goes out as one message of at most two parts."""

from shared.domain.errors import Undeliverable
from shared.domain.plain_text import clean, shorten, utf16_units
from shared.domain.text_rules import PHONE, matches

REFUSED = "sms_refused"

_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
_ESCAPED = frozenset("^{}\\[~]|€")
"""GSM 03.38: what takes one place of an SMS, and what takes two. With any other character the whole text is UTF-16."""

GSM_MAX = 306
UTF16_MAX = 134
"""Two parts, of 153 and 67 places: the rest of each says how to join them. Longer texts cost more than they tell."""


def check_number(number: str) -> None:
    """Undeliverable for whatever is not exactly one number in E.164."""
    if not matches(PHONE, number):
        raise Undeliverable("what it is for is not one phone number", code=REFUSED, is_target_bad=True)


def fitted(text: str) -> str:
    """The text without control characters, cut behind a whole character where it is too long for two parts."""
    text = clean(text).replace("\t", " ").strip()
    if all(char in _BASIC or char in _ESCAPED for char in text):
        return shorten(text, GSM_MAX, size=_gsm_places, end="...")
    return shorten(text, UTF16_MAX, size=utf16_units)


def _gsm_places(text: str) -> int:
    return len(text) + sum(char in _ESCAPED for char in text)
