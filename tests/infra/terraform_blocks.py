"""The blocks of Terraform files, and what they come to in a scope."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import hcl2

from tests.infra.not_understood import NotUnderstood
from tests.infra.terraform_expressions import Node, Scope, entries, parts, word
from tests.infra.terraform_values import Names, Value

NOT_VALUES = {"count", "for_each", "depends_on", "provider"}
"""They say how a resource is treated, not what it is; and so does the block `lifecycle`."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block with its labels, and what stands in it."""

    kind: str
    labels: tuple[str, ...]
    body: Node

    @cached_property
    def attributes(self) -> Mapping[str, Node]:
        """The expressions, by name."""
        pairs = (parts(each) for each in parts(self.body) if each.data == "attribute")
        return {word(name): value for name, value in pairs}

    @cached_property
    def blocks(self) -> tuple["Block", ...]:
        """The blocks inside."""
        return tuple(_blocks(self.body))

    def values(self, scope: Scope) -> dict[str, Value]:
        """Its expressions by name, and the blocks inside by their kind: a list of each."""
        found = {name: scope.value(node) for name, node in self.attributes.items() if name not in NOT_VALUES}
        for block in self.blocks:
            if block.kind == "dynamic":
                found.setdefault(block.labels[0], []).extend(block._turns(scope))
            elif block.kind != "lifecycle":
                found.setdefault(block.kind, []).append(block.values(scope))
        return found

    def _turns(self, scope: Scope) -> Iterator[dict[str, Value]]:
        (content,) = self.blocks
        if self.attributes.keys() != {"for_each"} or content.kind != "content":
            raise NotUnderstood(f"dynamic {self.labels[0]} with {', '.join(self.attributes)}")
        for key, value in entries(scope.value(self.attributes["for_each"])):
            turn = Names({"key": key, "value": value}.__getitem__)
            yield content.values(scope.within(**{self.labels[0]: turn}))


def _blocks(body: Node) -> Iterator[Block]:
    for each in parts(body):
        if each.data == "block":
            kind, *labels, inner = parts(each)
            yield Block(kind=word(kind), labels=tuple(word(parts(label)[0]) for label in labels), body=inner)


def parse(folder: Path) -> list[Block]:
    """The blocks of all files of a folder."""
    return [block for path in sorted(folder.glob("*.tf")) for block in _parsed(path.read_text("utf-8"))]


@cache
def _parsed(text: str) -> tuple[Block, ...]:
    return tuple(_blocks(parts(hcl2.parses_to_tree(text))[0]))
