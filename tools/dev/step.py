"""Runs a long command quietly: what it is, a sign of life, its time; all its words only if it fails."""

import time
from collections.abc import Sequence
from pathlib import Path

from tools.dev.child import Child

SIGN_OF_LIFE_SECONDS = 10


class StepFailed(Exception):
    """The command ended with another status than 0. `lines` is all it said."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(lines[-1] if lines else "it said nothing")
        self.lines = lines


def run_step(doing: str, command: Sequence[str | Path], *, cwd: Path, log: Path) -> None:
    """Run the command to its end. `log` gets all it says. StepFailed if its exit status is not 0."""
    print(f"{doing} …", flush=True)
    began = time.monotonic()
    log.parent.mkdir(exist_ok=True)
    child = Child(command, cwd=cwd, grace=1)  # what is half done is done anew: it must not be in the next run's way
    try:
        while (status := _wait(child)) is None:
            lines = child.lines()
            last = lines[-1].strip()[:80] if lines else ""
            print(f"  {time.monotonic() - began:3.0f} s  {last}", flush=True)
    finally:
        child.kill()
        child.close()
        log.write_text("\n".join(child.lines()) + "\n", encoding="utf-8")
    if status != 0:
        raise StepFailed(child.lines())
    print(f"  done in {time.monotonic() - began:.0f} s", flush=True)


def _wait(child: Child) -> int | None:
    try:
        return child.wait(SIGN_OF_LIFE_SECONDS)
    except TimeoutError:
        return None
