"""One field of a cron expression, read as NCrontab reads it.

Source: NCrontab 3.3.3, CrontabFieldImpl.cs and CrontabField.cs, and .NET's `int.Parse`.
"""

import re
from dataclasses import dataclass

# .NET's NumberStyles.Integer: a sign, white space around (fields are cut at spaces alone: a tab can be inside), NULs.
INTEGER = re.compile(r"[\t-\r ]*[+-]?[0-9]+[\t-\r ]*\0*")
LARGEST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class CronField:
    """What a field may say: numbers from `low` to `high`, or how one of `names` begins; the first means `low`."""

    title: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    def parse(self, text: str) -> tuple[int, ...]:
        """The values that the text allows, ascending, never none.

        A list of `*`, `a`, `a-b`, each with or without `/n`. `a/n` runs from `a` to the field's end, `b-a` means `a-b`,
        and a step below one is one.

        Raises:
            ValueError: the text is none of these, or a value is outside the field.
        """
        return tuple(sorted({value for part in text.split(",") for value in self._part(part)}))

    def _part(self, text: str) -> range:
        body, slash, step_text = text.partition("/")
        step = _integer(step_text) if slash else 1
        if body == "*":
            ends = (self.low, self.high)
        elif "-" in body:
            first, _, last = body.partition("-")
            ends = (self._value(first), self._value(last))
        else:
            ends = (self._value(body), self.high if slash else self._value(body))
        return range(min(ends), max(ends) + 1, max(step, 1))

    def _value(self, text: str) -> int:
        if text[:1] in tuple("0123456789"):
            value = _integer(text)
        elif text and text.isascii():
            value = self._named(text)
        else:
            raise ValueError(f"'{text}' is not a value of the {self.title} field")
        if not self.low <= value <= self.high:
            raise ValueError(f"{value} is outside {self.low}-{self.high}, the range of the {self.title} field")
        return value

    def _named(self, text: str) -> int:
        for value, name in enumerate(self.names, self.low):
            if name.lower().startswith(text.lower()):
                return value
        raise ValueError(f"'{text}' is not a value of the {self.title} field")


def _integer(text: str) -> int:
    if not INTEGER.fullmatch(text):
        raise ValueError(f"'{text}' is not a number")
    value = int(text.rstrip("\0"))
    if not -LARGEST - 1 <= value <= LARGEST:
        raise ValueError(f"{value} is too large a number")
    return value


MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

FIELDS = (
    CronField(title="second", low=0, high=59),
    CronField(title="minute", low=0, high=59),
    CronField(title="hour", low=0, high=23),
    CronField(title="day", low=1, high=31),
    CronField(title="month", low=1, high=12, names=MONTHS),
    CronField(title="day of week", low=0, high=6, names=DAYS),
)
"""The fields in the order of an expression; one of five fields leaves out the seconds."""
