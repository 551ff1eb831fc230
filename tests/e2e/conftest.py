"""One running product for the end-to-end tests of this process; each test finds its storage empty."""

from collections.abc import Iterator

import pytest

from tests.support.fixit_app import FixIt


@pytest.fixture(scope="session")
def running_fixit() -> Iterator[FixIt]:
    with FixIt() as running:
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
