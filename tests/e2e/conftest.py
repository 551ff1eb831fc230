"""The product as some files need it, one for each: where people sign in, where everybody is told, with more filters."""

from collections.abc import Iterator

import pytest

from tests.support.fixit_app import FixIt
from tests.support.pipeline import SCAN, TRANSLATE, Pipeline, app_with
from tests.support.signed_in import Person, signed_in_fixit
from tests.support.telling import Telling, telling


@pytest.fixture(scope="module")
def signed_in() -> Iterator[FixIt]:
    """Running, with whatever the tests before left in it."""
    with signed_in_fixit() as running:
        yield running


@pytest.fixture
def product(signed_in: FixIt) -> Iterator[FixIt]:
    """With nothing in it, and a wire that is whole again afterwards."""
    signed_in.fresh()
    yield signed_in
    signed_in.wire.heal()


@pytest.fixture(scope="module")
def running_told() -> Iterator[Telling]:
    """Running, with every channel on, and with whatever the tests before left in it."""
    with telling() as running:
        yield running


@pytest.fixture
def told(running_told: Telling) -> Telling:
    """With nothing in it, and nobody told."""
    running_told.fresh()
    return running_told


@pytest.fixture
def ann(product: FixIt) -> Person:
    """Somebody who is signed in."""
    return Person(product.url, "ann")


@pytest.fixture(scope="module")
def running_pipeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    """Running with two more filters, `scan` and then `translate`; mail and replies are on."""
    settings = {
        "FIXIT_REPLY_QUEUES": "answers",
        "FIXIT_MAIL_FROM": "fixit@example.com",
        "FIXIT_OUTBOX": str(tmp_path_factory.mktemp("outbox")),
    }
    with Pipeline(app_with(SCAN, TRANSLATE), settings=settings) as running:
        running.stores.make_all()
        yield running


@pytest.fixture
def pipeline(running_pipeline: Pipeline) -> Iterator[Pipeline]:
    """With nothing under way, and filters that work; what is in it already stays."""
    running_pipeline.wire.heal()
    for name in (SCAN, TRANSLATE):
        running_pipeline.order(name, "work")
    running_pipeline.all_done(SCAN, TRANSLATE)
    seen = len(running_pipeline.host.lines())
    yield running_pipeline
    running_pipeline.wire.heal()
    print(*running_pipeline.host.lines()[seen:], sep="\n")  # shown where the test failed
