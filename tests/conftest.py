"""What all tests share: storage of their own, names of their own, and the exhaustive ones on request."""

import secrets
from collections.abc import Callable, Iterator

import pytest

from tests.support.emulator import check_emulator
from tests.support.fixit_app import NO_STEPS, FixIt
from tests.support.wire import Wire
from tools.dev.azurite import Azurite

pytest_plugins = ("tests.faults.report",)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the exhaustive tests too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full: exhaustive; runs with --full only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(pytest.mark.skip(reason="exhaustive: needs --full"))


@pytest.fixture(scope="session")
def azurite() -> Iterator[Azurite]:
    """An emulator in memory for this pytest process (each xdist worker has its own). Shared: use unique names.

    A test that puts more than some hundred messages takes `fresh_azurite`: with each waiting message the emulator's
    get and delete become slower.
    """
    with Azurite() as running:
        check_emulator(running.connection_string)
        yield running


@pytest.fixture
def fresh_azurite() -> Iterator[Azurite]:
    """An emulator in memory for one test alone, which may also stop it and start it again (its data is then gone)."""
    with Azurite() as running:
        yield running


@pytest.fixture
def wire(azurite: Azurite) -> Iterator[Wire]:
    """A recording, fault-injecting proxy in front of the shared emulator, for one test alone."""
    with Wire(azurite) as proxy:
        yield proxy


@pytest.fixture
def unique_name() -> Callable[[str], str]:
    """Makes names nobody else uses, right for queues, tables and containers: `tasks3f9a…` of `tasks`."""

    def make(prefix: str = "t") -> str:
        return f"{prefix}{secrets.token_hex(6)}"

    return make


@pytest.fixture(scope="session")
def running_fixit() -> Iterator[FixIt]:
    """The product, running, for all tests of this pytest process that do not ask for one of their own.

    Nothing comes behind the record step. A file whose tests have photos or notices has a `running_fixit` of its own.
    """
    with FixIt(settings=NO_STEPS) as running:
        yield running


@pytest.fixture
def fixit(running_fixit: FixIt) -> Iterator[FixIt]:
    """The product with nothing in its storage and nothing broken; it must outlive the test."""
    running_fixit.fresh()
    seen = len(running_fixit.host.lines())
    yield running_fixit
    running_fixit.wire.heal()
    print(*running_fixit.host.lines()[seen:], sep="\n")  # shown where the test failed
    assert running_fixit.host.returncode is None, "\n".join(running_fixit.host.lines()[-20:])
