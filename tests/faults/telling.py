"""The product with every channel on, what it told whom, and what of that must hold in the end."""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from azure.core.exceptions import ResourceExistsError
from azure.data.tables import TableEntity

from shared.domain.notice_record import ENDED
from tests.faults.invariants import check_invariants
from tests.faults.mailing import MailServer, RunningMailServer
from tests.support.fixit_app import FixIt
from tests.support.receiver import reply
from tests.support.receiving import RunningReceiver
from tests.support.stores import decoded

ANSWERS = "answers"
"""The queue of answers."""

SHORT = {
    "FIXIT_CALLBACK_KEYS": "whsec_dGVzdHMtb25seS1rZXktb2YtdGVzdHMtMTIzNDU2",
    "FIXIT_CALLBACK_SCALE": "0.00001",
    "FIXIT_CALLBACK_SECONDS": "1",
    "FIXIT_MAIL_FROM": "fixit@example.com",
    "FIXIT_OPERATOR_SECONDS": "3",
    "FIXIT_PHOTO_WAIT_SECONDS": "0.1",
    "FIXIT_READ_SECONDS": "1",
    "FIXIT_REPLY_QUEUES": ANSWERS,
    "FIXIT_SMS_FROM": "+4930123456",
    "FIXIT_STEP_SECONDS": "1.5",
    "FIXIT_SUBMIT_SECONDS": "1",
}
"""Claims of mails are over in two seconds, and so is every wait."""

type News = tuple[str, str, str]
"""Kind, channel and the task's state: which of its notices one is."""


class Telling(FixIt):
    """`mails` counts sendings over SMTP, `receiver` gets callbacks; an SMS is a file. Answers are on a queue."""

    def __init__(self, *, functions: Collection[str] = (), options: Collection[str] = ()) -> None:
        self._parts = ExitStack()
        self._mail_server = self._parts.enter_context(RunningMailServer())
        self.receiver = self._parts.enter_context(RunningReceiver())
        self.outbox = Path(self._parts.enter_context(tempfile.TemporaryDirectory()))
        settings = {
            **SHORT,
            "FIXIT_CALLBACK_ALLOW": self.receiver.place,
            "FIXIT_OUTBOX": str(self.outbox),
            "FIXIT_SMTP_URL": self._mail_server.url,
            "SSL_CERT_FILE": self.receiver.ca_file,
        }
        super().__init__(settings=settings, functions=tuple(functions), options=tuple(options))

    @property
    def mails(self) -> MailServer:
        return self._mail_server.server

    def fresh(self) -> None:
        """As ever; and nobody was told anything, and everybody takes what comes."""
        super().fresh()
        with suppress(ResourceExistsError):
            self.stores.queue(ANSWERS).create_queue()
        self.stores.queue(ANSWERS).clear_messages()
        self.mails.behave()
        self.receiver.behave(reply())
        for file in self.outbox.iterdir():
            file.unlink()

    def notices(self) -> list[TableEntity]:
        """The rows of all notices."""
        return self.stores.notice_rows()

    def told(self) -> dict[str, Counter[str]]:
        """How often each notice was given to its target, by channel and id."""
        messages = self.stores.queue(ANSWERS).peek_messages(max_messages=32)
        return {
            "mail": self.mails.counted,
            "sms": Counter(file.name.partition(".")[0] for file in self.outbox.glob("*.sms.txt")),
            "callback": Counter(request.headers["webhook-id"] for request in self.receiver.requests),
            "reply": Counter(decoded(message.content)["id"] for message in messages),
        }

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._parts.close()


@dataclass(frozen=True, kw_only=True)
class Tale:
    """A story of which only the number of requests is told that the app makes for it when nothing is broken.

    `news` are the notices that there must be in the end. `every`: at each request only every so manieth break is tried,
    in its turn; for what other stories are made of.
    """

    act: Callable[[Telling], None]
    requests: int
    before: Callable[[Telling], None] = lambda told: None
    check: Callable[[Telling], None] = lambda told: None
    news: frozenset[News] = frozenset()
    every: int = 1


def news(*kinds: str) -> frozenset[News]:
    """Of `settled mail succeeded` and the like."""
    found = set()
    for each in kinds:
        kind, channel, outcome = each.split()
        found.add((kind, channel, outcome))
    return frozenset(found)


def check_told(told: Telling, tale: Tale, *, is_quiet: bool = False, is_doubtful: bool = False) -> None:
    """All that holds at rest; and each notice ended, and was given to its target as often as its row says.

    `is_quiet`: nothing was broken, so that nothing is in doubt and nothing was said twice. `is_doubtful`: the mail
    server lost mails that it did not acknowledge, or kept them and refused their repeat.
    """
    check_invariants(told.stores, others={ANSWERS})
    rows = told.notices()
    found = Counter((row["kind"], row["channel"], row["outcome"]) for row in rows)
    assert found.keys() == tale.news, found
    assert max(found.values(), default=1) == 1
    assert {row["RowKey"]: row["state"] for row in rows if row["state"] not in ENDED} == {}
    times = told.told()
    wrong = [
        (row["channel"], row["state"], times[row["channel"]][row["RowKey"]], row["attempts"])
        for row in rows
        if not _may_be(row, times[row["channel"]][row["RowKey"]], is_quiet=is_quiet, is_doubtful=is_doubtful)
    ]
    assert wrong == []
    ids = {row["RowKey"] for row in rows}
    assert {name for counted in times.values() for name in counted} - ids == set(), "told, and no row"


def _may_be(row: TableEntity, times: int, *, is_quiet: bool, is_doubtful: bool) -> bool:
    """Whether a notice whose row says so may have been given to its target that often."""
    state, channel = row["state"], row["channel"]
    if state == "sent":
        # One file is one SMS however often it was written. A callback and an answer come at least once, a callback once
        # with each try.
        exactly = len(json.loads(row["attempts"])) if channel == "callback" else 1
        return times == exactly if is_quiet or channel in ("mail", "sms") else times >= 1
    least, most = (0, 1) if is_doubtful else (1, 0)
    if state == "unknown":
        return channel in ("mail", "sms") and not is_quiet and least <= times <= 2
    return channel == "callback" or times <= most


def state_of(row: TableEntity) -> tuple[str, list[str]]:
    """How a notice ended, and what each try was answered."""
    return row["state"], [attempt["status"] for attempt in json.loads(row["attempts"])]
