"""What a block of Terraform says, taken piece by piece: whatever nobody takes is an error."""

from collections.abc import Mapping
from typing import Any

from tests.infra.not_understood import NotUnderstood


class Given:
    """The arguments and blocks of one block."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._inner: list[Given] = []

    def take(self, name: str) -> Any:
        """What an argument is; KeyError where it is not said."""
        return self._values.pop(name)

    def may(self, name: str) -> Any:
        """What an argument is; None where it is not said."""
        return self._values.pop(name, None)

    def blocks(self, name: str) -> list["Given"]:
        """The blocks of this kind."""
        found = [Given(each) for each in self._values.pop(name, [])]
        self._inner += found
        return found

    def block(self, name: str) -> "Given":
        """The one block of this kind."""
        (found,) = self.blocks(name)
        return found

    def check(self) -> None:
        """All was taken, here and in the blocks inside."""
        if self._values:
            raise NotUnderstood(f"nobody compares {', '.join(self._values)}")
        for each in self._inner:
            each.check()
