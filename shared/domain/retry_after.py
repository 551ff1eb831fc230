"""What the header `Retry-After` asks for."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS = re.compile("[0-9]+")


def retry_after(text: str, now: datetime) -> float | None:
    """Seconds to wait from now, of a number of seconds or an HTTP date (RFC 9110, 10.2.3); none of anything else.

    A date that is past is 0. A number may be beyond all bounds, even infinite: whoever waits has a limit.
    """
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    # The old forms name no zone, and mean UTC.
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())
