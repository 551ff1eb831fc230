import pytest

from devhost.errors import FunctionError
from devhost.queues.name import poison_name, queue_name


@pytest.mark.parametrize(("text", "name"), [("Fix-Its", "fix-its"), ("a1b", "a1b"), ("q" * 63, "q" * 63)])
def test_queue_name_in_capitals_is_lowered(text: str, name: str) -> None:
    assert queue_name(text) == name


@pytest.mark.parametrize("text", ["", "ab", "q" * 64, "-abc", "abc-", "a--b", "a_b", "a.b", "a b", "\xe9tude", "abc\n"])
def test_queue_name_that_storage_refuses_loses_the_function(text: str) -> None:
    with pytest.raises(FunctionError, match="queueName"):
        queue_name(text)


def test_poison_name_has_the_suffix() -> None:
    assert poison_name("fixits") == "fixits-poison"
    assert poison_name("q" * 56) == "q" * 56 + "-poison"


def test_poison_name_is_absent_behind_a_poison_queue_or_a_long_name() -> None:
    assert poison_name("fixits-poison") is None
    assert poison_name("q" * 57) is None
