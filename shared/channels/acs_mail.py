"""Mail by Azure Communication Services: `POST /emails:send`, by an operation whose id is ours.

A second request with the same `Operation-Id` is the same mail, and the operation can be asked about by that id, also
when the answer to the first one was lost.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from shared.channels.acs import Acs, Answer, check
from shared.channels.mail_text import REFUSED, check_address, message_id, subject_of, text_of
from shared.domain.errors import DependencyDown, FixItError, OutcomeUnknown, Undeliverable
from shared.domain.outgoing import Outcome, Outgoing

VERSION = "2025-09-01"

_OUTCOMES: dict[object, Outcome] = {
    # It has the mail and works on it: what a send that was answered is told, too.
    "NotStarted": "sent",
    "Running": "sent",
    "Succeeded": "sent",
    "Failed": "failed",
    "Canceled": "failed",
}

_OUR_SENDER = frozenset({"DomainNotLinked", "InvalidSenderUserName", "InvalidSenderAddress", "SenderNotFound"})
"""Codes of a refusal that are about FIXIT_MAIL_FROM."""


@dataclass(frozen=True, kw_only=True)
class AcsMail:
    """`sender` is an address of a domain that is linked to the resource."""

    acs: Acs
    sender: str

    async def send(self, outgoing: Outgoing) -> str:
        check_address(outgoing.to)
        try:
            answer = await self.acs.ask(
                "POST",
                "/emails:send",
                version=VERSION,
                body=self._mail(outgoing),
                headers={"Operation-Id": outgoing.id, "x-ms-client-request-id": outgoing.id},
            )
            check(answer)
        except OutcomeUnknown as error:
            raise OutcomeUnknown(error.reason, operation=outgoing.id) from error
        if answer.status < 300:
            operation = answer.body.get("id")
            if _OUTCOMES.get(answer.body.get("status")) == "failed":
                raise Undeliverable(_told(answer), code=REFUSED)
            return operation if isinstance(operation, str) and operation else outgoing.id
        return await self._known_already(outgoing.id, answer)

    async def outcome(self, operation: str) -> Outcome:
        try:
            answer = await self._ask_about(operation)
        except FixItError:
            return "unknown"
        return _OUTCOMES.get(answer.body.get("status"), "unknown") if answer.status == 200 else "unknown"

    async def _ask_about(self, operation: str) -> Answer:
        return await self.acs.ask("GET", f"/emails/operations/{quote(operation, safe='')}", version=VERSION)

    async def _known_already(self, operation: str, refusal: Answer) -> str:
        """The operation of a refused mail that is a repeat of one that was taken; else raise what the refusal means.

        It is not written down how a repeat is answered: perhaps like the first one, perhaps as a conflict.
        """
        try:
            answer = await self._ask_about(operation)
        except FixItError as error:
            raise OutcomeUnknown(_told(refusal), operation=operation) from error
        outcome = _OUTCOMES.get(answer.body.get("status")) if answer.status == 200 else None
        if outcome == "sent":
            return operation
        if outcome is None and answer.status != 404:
            raise OutcomeUnknown(_told(refusal), operation=operation)
        if refusal.code in _OUR_SENDER:
            raise DependencyDown(f"{_told(refusal)}, which is about FIXIT_MAIL_FROM")
        raise Undeliverable(_told(refusal), code=REFUSED)

    def _mail(self, outgoing: Outgoing) -> dict[str, Any]:
        return {
            "senderAddress": self.sender,
            "recipients": {"to": [{"address": outgoing.to}]},
            "content": {"subject": subject_of(outgoing), "plainText": text_of(outgoing)},
            "headers": {"Auto-Submitted": "auto-generated", "Message-ID": message_id(outgoing, self.sender)},
            "userEngagementTrackingDisabled": True,
        }


def _told(answer: Answer) -> str:
    return f"the provider refused the mail: {answer.status} {answer.code}".rstrip()
