"""What a channel is given to send, and what a channel is."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

SEND_SECONDS = 30.0
"""That one send may take in all. A delivery of a notice has a minute (FIXIT_STEP_SECONDS): what was claimed and sent
must be recorded too. No provider that answers at all needs as long."""

Outcome = Literal["sent", "failed", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """One mail or one SMS, to one target.

    `id` is a UUID in its usual form, the same at every repeat: it is what a provider knows a repeat by. `to` is one
    email address or one number in E.164. An SMS has no subject. `first_at` (aware) is since when it may have been
    handed over, the same at every repeat of what perhaps was; None: it is handed over for the first time now.
    """

    id: str
    to: str
    subject: str
    text: str
    first_at: datetime | None = None

    def __post_init__(self) -> None:
        """ValueError for an id that is none: it stands in headers, addresses and names of files."""
        if str(UUID(self.id)) != self.id:
            raise ValueError("an id that is not a UUID in its usual form")


class Sender(Protocol):
    """A channel. Any text that it is given may hold anything; what it sends is one message to one target."""

    async def send(self, outgoing: Outgoing) -> str:
        """Returns once the provider has taken it: an operation by which the provider can be asked, or nothing.

        Raises:
            Undeliverable: it was not taken, and never will be.
            TryLater: it was surely not taken.
            OutcomeUnknown: it was handed over, and what became of it was not heard.
            DependencyDown: it was not taken, nor will any other be until somebody mends our own sign-in or settings.
        """
        ...

    async def outcome(self, operation: str) -> Outcome:
        """What the provider says of what it was handed: it has it (`sent`), it gave it up, or it does not say."""
        ...
