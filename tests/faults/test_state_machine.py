"""Whatever happens to a few tasks, and in whichever order: copies, crashes, cancels, redrives, lost answers."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.faults.machine import TaskMachine
from tests.faults.machine_host import MachineHost
from tests.support.fixit_app import QUICK
from tests.support.wire import Wire
from tools.dev.azurite import Azurite


@pytest.fixture
def host(fresh_azurite: Azurite, monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineHost]:
    with Wire(fresh_azurite) as wire:
        for name, value in {**QUICK, "FixItStorage": wire.connection_string}.items():
            monkeypatch.setenv(name, value)
        with MachineHost(fresh_azurite, wire) as running:
            monkeypatch.setattr("shared.app._now", lambda: datetime.now(UTC) + running.ahead)
            yield running


@pytest.mark.parametrize(
    ("examples", "steps"),
    [
        pytest.param(6, 25, marks=pytest.mark.timeout(300)),
        pytest.param(100, 40, marks=(pytest.mark.full, pytest.mark.timeout(1_800))),
    ],
)
def test_any_history_ends_with_one_end_for_each_task(host: MachineHost, examples: int, steps: int) -> None:
    class Machine(TaskMachine):
        pass

    Machine.host = host
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phase.generate,),  # to make a failing one smaller would take longer than a test may
            suppress_health_check=list(HealthCheck),
        ),
    )
