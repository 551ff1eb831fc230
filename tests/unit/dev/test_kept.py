"""A kept service is started again, ever more slowly, and says why."""

import re
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.support.eventually import eventually
from tools.dev.child import Child
from tools.dev.kept import Kept
from tools.dev.problem import Problem


class Program:
    """A real process that runs the code; before each start `prepare` may refuse."""

    def __init__(self, code: str, prepare: Callable[[int], None] = lambda count: None) -> None:
        self._code, self._prepare = code, prepare
        self._child: Child | None = None
        self.starts = 0

    def start(self) -> None:
        self.starts += 1
        self._prepare(self.starts)
        self._child = Child([sys.executable, "-c", self._code])

    def wait(self) -> str:
        assert self._child is not None
        return self._child.wait_reason()

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop()

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.returncode is None


ENDS = "print('all I had to say'); raise SystemExit(3)"
STAYS = "import time; print('here', flush=True); time.sleep(60)"


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def keep(said: list[str]) -> Iterator[Callable[[Program], Kept]]:
    kept: list[Kept] = []

    def make(program: Program) -> Kept:
        kept.append(Kept("It", program, say=said.append, first=0.01, longest=0.05, settled=60))
        kept[-1].start()
        return kept[-1]

    yield make
    for one in kept:
        one.stop()


def delays(said: list[str]) -> list[str]:
    return [found[1] for line in said if (found := re.search(r"again in (\S+) s", line))]


def test_service_that_ends_is_started_again_ever_more_slowly_and_says_why(
    said: list[str], keep: Callable[[Program], Kept]
) -> None:
    program = Program(ENDS)
    keep(program)
    eventually(lambda: program.starts >= 6)
    assert said[0] == "dev.py: It ended: exit status 3; all I had to say"
    assert delays(said)[:5] == ["0.01", "0.02", "0.04", "0.05", "0.05"]


def test_service_that_cannot_start_again_is_tried_on(said: list[str], keep: Callable[[Program], Kept]) -> None:
    def refuse(count: int) -> None:
        if count in (2, 3):
            raise Problem("its port is taken")

    program = Program(ENDS, prepare=refuse)
    keep(program)
    eventually(lambda: program.starts >= 5)
    assert said[2] == "dev.py: It ended: its port is taken"


def test_first_start_that_fails_is_the_callers_problem(said: list[str], keep: Callable[[Program], Kept]) -> None:
    def refuse(count: int) -> None:
        raise Problem("no")

    with pytest.raises(Problem, match="no"):
        keep(Program(STAYS, prepare=refuse))
    assert said == []


def test_service_settled_long_enough_begins_again_with_the_first_delay(said: list[str]) -> None:
    program = Program(ENDS)
    kept = Kept("It", program, say=said.append, first=0.01, longest=60, settled=0)
    kept.start()
    eventually(lambda: program.starts >= 4)
    kept.stop()
    assert set(delays(said)) == {"0.01"}


def test_stop_while_it_runs_ends_it_for_good(said: list[str], keep: Callable[[Program], Kept]) -> None:
    program = Program(STAYS)
    kept = keep(program)
    eventually(lambda: program.is_running)
    kept.stop()
    assert (program.is_running, program.starts, said) == (False, 1, [])


def test_stop_while_it_waits_to_start_again_is_at_once(said: list[str]) -> None:
    program = Program(ENDS)
    kept = Kept("It", program, say=said.append, first=60)
    kept.start()
    eventually(lambda: delays(said))
    kept.stop()
    assert program.starts == 1
