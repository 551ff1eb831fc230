"""One resource that is deployed, in the words of ARM, whichever template it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Planned:
    """`body`: all that a template says of it, but for its type and names, which are in the id."""

    id: str
    body: Mapping[str, Any]

    @cached_property
    def type(self) -> str:
        """As Microsoft.Storage/storageAccounts/queueServices/queues."""
        provider, *pairs = self.id.rpartition("/providers/")[2].split("/")
        return "/".join((provider, *pairs[::2])) if "/providers/" in self.id else "Microsoft.Resources/resourceGroups"

    @property
    def name(self) -> str:
        """Its own, without those of its parents."""
        return self.id.rpartition("/")[2]

    @property
    def scope(self) -> str:
        """The id of what a role is given on."""
        return self.id.rpartition("/providers/")[0]

    @property
    def properties(self) -> Mapping[str, Any]:
        """ARM's properties, without what the body says beside them."""
        found: Mapping[str, Any] = self.body.get("properties", {})
        return found


def without_nulls(value: Any) -> Any:
    """What is null is as if it was not said."""
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value
