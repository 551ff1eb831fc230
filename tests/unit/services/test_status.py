"""What a reading that many share says to each of them."""

import traceback

import pytest

from shared.domain.errors import DependencyDown
from shared.domain.principal import SERVICE
from shared.services.status import Reading, found
from shared.storage.columns import DamagedRow


@pytest.mark.parametrize(
    ("error", "kind"), [(DependencyDown("down"), DependencyDown), (DamagedRow("steps"), RuntimeError)]
)
def test_error_of_a_shared_reading_keeps_no_frame_of_who_was_told(error: Exception, kind: type[Exception]) -> None:
    reading = Reading(error=error)
    raised = []
    for _ in range(3):
        with pytest.raises(kind) as caught:
            found(SERVICE, reading)
        raised.append(caught.value)
        assert caught.value.__cause__ is error
    assert len({id(each) for each in raised}) == 3
    assert not list(traceback.walk_tb(error.__traceback__))
