"""What operators do with dead letters, each call bounded in time and with a cursor to go on from."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from shared import log
from shared.domain import instants
from shared.domain.cursor import place_of, sign_cursor
from shared.domain.errors import NotFound
from shared.domain.letter import Letter
from shared.domain.letter_filter import LetterFilter, Place
from shared.services.discard import discarding
from shared.services.find_letters import Cause, Reader, find_causes, find_letters
from shared.services.letter_details import LetterDetails, letter_details
from shared.services.letter_run import UNKNOWN_LETTER, LetterRun
from shared.services.order import Act, Order, Outcome
from shared.services.redrive import redriving
from shared.services.reopen import Reopening
from shared.storage.letters import LetterStore
from shared.storage.tasks import TaskStore


@dataclass(frozen=True, kw_only=True)
class Done:
    """What became of the letters that one call came to. With a cursor there are more.

    `seen_before`: letters whose message was met at this time or later were left as they are.
    """

    outcomes: Sequence[Outcome]
    seen_before: datetime
    cursor: str | None


@dataclass(frozen=True, kw_only=True)
class Operations:
    """`read_seconds` bounds a look, `work_seconds` a call that changes letters; `keys` sign the cursors."""

    letters: LetterStore
    tasks: TaskStore
    reopening: Reopening
    keys: Sequence[bytes]
    read_seconds: float
    work_seconds: float

    async def find(self, wanted: LetterFilter, *, limit: int, cursor: str) -> tuple[list[Letter], str | None]:
        """One page of letters, in the order of queues and keys."""
        of = f"letters\n{wanted.text}"
        reader = self._reader(wanted, cursor, of)
        return await find_letters(reader, limit=limit), self._cursor(reader.place, of)

    async def causes(self, wanted: LetterFilter, *, limit: int, cursor: str) -> tuple[list[Cause], str | None]:
        """The letters counted by their cause."""
        of = f"causes\n{wanted.text}"
        reader = self._reader(wanted, cursor, of)
        return await find_causes(reader, limit=limit), self._cursor(reader.place, of)

    async def details(self, name: str) -> LetterDetails:
        """One letter with its text and where its task stands; NotFound if there is none."""
        seconds = self.read_seconds
        found = await letter_details(name, letters=self.letters, tasks=self.tasks, deadline_seconds=seconds)
        if found is None:
            raise NotFound("There is no such letter (any more).", code=UNKNOWN_LETTER)
        return found

    async def carry_out(self, order: Order, *, cursor: str) -> Done:
        """Redrive or discard what an order is about, as far as one call may.

        Only what the operator can have seen: letters whose message was met again since the order was given first are
        left as they are, also by the calls that go on with it.
        """
        now = datetime.now(UTC)
        texts = (
            place_of(cursor, of=order.text, keys=self.keys) if cursor else (instants.to_text(order.seen_before or now),)
        )
        seen_before, place = instants.from_text(texts[0]), texts[1:]
        run = LetterRun(
            act=self._act(order, seen_before, now),
            letters=self.letters,
            seconds=self.work_seconds,
            per_second=order.per_second,
        )
        rest: tuple[str, ...] | None = None
        if order.wanted:
            start = Place.from_texts(place) if place else Place()
            behind = await run.over_filter(order.wanted.up_to(seen_before), start=start)
            rest = behind.to_texts() if behind else None
        else:
            number = await run.over_ids(order.ids, start=int(place[0]) if place else 0)
            rest = None if number is None else (str(number),)
        following = sign_cursor((texts[0], *rest), of=order.text, keys=self.keys) if rest else None
        counts: Counter[str] = Counter(outcome.what for outcome in run.outcomes)
        log.info("dead letters dealt with", action=order.action, dryRun=order.is_dry, **counts, isLeft=bool(rest))
        return Done(outcomes=run.outcomes, seen_before=seen_before, cursor=following)

    def _act(self, order: Order, seen_before: datetime, now: datetime) -> Act:
        if order.action == "redrive":
            return redriving(order, seen_before=seen_before, now=now, reopening=self.reopening)
        keep_letters = self.reopening.keep_letters
        return discarding(order, seen_before=seen_before, now=now, keep_letters=keep_letters, letters=self.letters)

    def _reader(self, wanted: LetterFilter, cursor: str, of: str) -> Reader:
        place = Place.from_texts(place_of(cursor, of=of, keys=self.keys)) if cursor else Place()
        return Reader(wanted=wanted, place=place, letters=self.letters, seconds=self.read_seconds)

    def _cursor(self, place: Place | None, of: str) -> str | None:
        return sign_cursor(place.to_texts(), of=of, keys=self.keys) if place else None
