"""The product with every channel on, for all tests of this folder that ask for it."""

from collections.abc import Iterator

import pytest

from tests.faults.telling import Telling


@pytest.fixture(scope="session")
def running_told() -> Iterator[Telling]:
    """It runs for as long as the pytest process."""
    with Telling() as running:
        yield running


@pytest.fixture
def told(running_told: Telling) -> Iterator[Telling]:
    """The same with nothing in its storage, nobody told, and nothing broken; it must outlive the test."""
    running_told.fresh()
    seen = len(running_told.host.lines())
    yield running_told
    running_told.wire.heal()
    print(*running_told.host.lines()[seen:], sep="\n")  # shown where the test failed
    assert running_told.host.returncode is None, "\n".join(running_told.host.lines()[-20:])
