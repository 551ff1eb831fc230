"""The product where people sign in, for the files that need it so; one for each file."""

from collections.abc import Iterator

import pytest

from tests.support.fixit_app import FixIt
from tests.support.signed_in import Person, signed_in_fixit


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


@pytest.fixture
def ann(product: FixIt) -> Person:
    """Somebody who is signed in."""
    return Person(product.url, "ann")
