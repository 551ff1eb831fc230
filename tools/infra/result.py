"""What became of one check, in one line and in JSON."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["passed", "FAILED", "skipped"]


class Failed(Exception):
    """The check found something. The message is what to mend, of as many lines as it takes."""


class Skipped(Exception):
    """The check cannot be made here. The message is one line: what is missing."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """`details`: what was looked at, what was found, or what is missing."""

    name: str
    outcome: Outcome
    details: str
    seconds: float

    def line(self) -> str:
        """For a person. What was found follows its line, set in."""
        head = f"{self.name:<18}{self.outcome}"
        if self.outcome == "skipped":
            return f"{head}: {self.details}"
        if self.outcome == "passed":
            return f"{head} in {self.seconds:.0f} s{self.details and f': {self.details}'}"
        return "\n    ".join((f"{head} in {self.seconds:.0f} s", *self.details.splitlines()))


def carry_out(name: str, check: Callable[[], str]) -> Result:
    """The result of a check, which returns what it looked at, or raises Failed or Skipped."""
    began = time.monotonic()
    outcome: Outcome = "passed"
    try:
        details = check()
    except Failed as failed:
        outcome, details = "FAILED", str(failed)
    except Skipped as skipped:
        outcome, details = "skipped", str(skipped)
    return Result(name=name, outcome=outcome, details=details, seconds=round(time.monotonic() - began, 1))
