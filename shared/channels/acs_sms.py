"""SMS by Azure Communication Services: `POST /sms`, by a repeatability id that is ours.

The call is a 202 whatever becomes of it; what was taken is said for the recipient. An SMS cannot be asked about later.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from shared.channels.acs import Acs, check
from shared.channels.sms_text import REFUSED, check_number, fitted
from shared.domain.errors import DependencyDown, OutcomeUnknown, TryLater, Undeliverable
from shared.domain.outgoing import Outcome, Outgoing

VERSION = "2021-03-07"

_BAD_NUMBER = re.compile(r"\binvalid\b.*\bnumber\b|\bopt(?:ed)?[ -]?out\b|\bblocked\b|\bunsubscribed\b", re.IGNORECASE)
"""Words of an `errorMessage`, which comes without a code: of no such number, or of one whose owner wants nothing."""

_OUR_NUMBER = re.compile(r"\bfrom\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class AcsSms:
    """`sender` is a number of the resource."""

    acs: Acs
    sender: str

    async def send(self, outgoing: Outgoing) -> str:
        check_number(outgoing.to)
        answer = await self.acs.ask("POST", "/sms", version=VERSION, body=self._sms(outgoing))
        check(answer)
        if answer.status >= 300:
            raise Undeliverable(f"the provider refused the SMS: {answer.status} {answer.code}".rstrip(), code=REFUSED)
        return _read_item(answer.body.get("value"))

    async def outcome(self, operation: str) -> Outcome:
        return "unknown"

    def _sms(self, outgoing: Outgoing) -> dict[str, Any]:
        first_at = (outgoing.first_at or datetime.now(UTC)).astimezone(UTC)
        return {
            "from": self.sender,
            "smsRecipients": [
                {
                    "to": outgoing.to,
                    "repeatabilityRequestId": outgoing.id,
                    "repeatabilityFirstSent": format_datetime(first_at, usegmt=True),
                }
            ],
            "message": fitted(outgoing.text),
            "smsSendOptions": {"enableDeliveryReport": False},
        }


def _read_item(value: Any) -> str:
    """The message id of what was taken for the one recipient; else raise what the item means."""
    item = value[0] if isinstance(value, list) and len(value) == 1 else None
    status = item.get("httpStatusCode") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(status, int):
        raise OutcomeUnknown("the provider did not say what became of the SMS")
    if item.get("successful") is True and status in (200, 201, 202):
        message = item.get("messageId")
        return message if isinstance(message, str) else ""
    told = f"the provider refused the SMS: {status}"
    said = str(item.get("errorMessage") or "")
    if status in (429, 503):
        raise TryLater(told)
    if status in (408, 409, 412) or not 400 <= status < 500 or item.get("repeatabilityResult") == "rejected":
        raise OutcomeUnknown(told)  # of a repeat: the first one was taken, is on its way, or can no longer be known
    if status in (401, 403, 404) or _OUR_NUMBER.search(said):
        raise DependencyDown(f"{told}, which is about FIXIT_SMS_FROM or our rights")
    raise Undeliverable(told, code=REFUSED, is_target_bad=_BAD_NUMBER.search(said) is not None)
