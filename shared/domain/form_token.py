"""The token of a form: that this app showed it to this person, and when, so that no other site can send it for them.

Form `f1.<seconds since 1970>.<signature>`, the signature base64url without padding: HMAC-SHA256 over
`fixit-form.f1.`, the seconds, a line feed and the person's caller.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from shared.domain.signing import is_signed, signature, to_bytes, to_text

GOOD_FOR = timedelta(days=1)

_VERSION = "f1"
_SECONDS = re.compile("[0-9]{1,12}")


def sign_form(caller: str, *, now: datetime, keys: Sequence[bytes]) -> str:
    """The token of a form that is shown to a person now, signed with the first key."""
    seconds = str(int(now.timestamp()))
    return ".".join((_VERSION, seconds, to_text(signature(_message(seconds, caller), keys[0]))))


def is_form_of(token: str, caller: str, *, now: datetime, keys: Sequence[bytes]) -> bool:
    """Whether one of the keys signed it for this person, a day ago at most."""
    version, _, rest = token.partition(".")
    seconds, _, given = rest.partition(".")
    if version != _VERSION or not _SECONDS.fullmatch(seconds):
        return False
    if not is_signed(_message(seconds, caller), to_bytes(given), keys):
        return False
    # One that is made a moment later by another instance's clock is as good.
    return now.timestamp() - int(seconds) <= GOOD_FOR.total_seconds()


def _message(seconds: str, caller: str) -> bytes:
    return f"fixit-form.{_VERSION}.{seconds}\n{caller}".encode()
