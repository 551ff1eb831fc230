"""What `terraform plan` would show of infra/terraform, evaluated offline: no provider, no state, no Azure.

Small and strict: it knows the forms and functions that the template uses, and refuses every other. What is known only
after it is made stays an address (`Unknown`), and so does what the provider computes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.infra import cloud
from tests.infra.not_understood import NotUnderstood
from tests.infra.terraform_blocks import Block, parse
from tests.infra.terraform_expressions import Scope
from tests.infra.terraform_values import Names, Refused, Set, Unknown, Value
from tools.dev.paths import ROOT

TERRAFORM = ROOT / "infra" / "terraform"
DATA: Mapping[str, Mapping[str, Value]] = {
    "data.azurerm_client_config.current": {"subscription_id": cloud.SUBSCRIPTION, "tenant_id": cloud.TENANT},
}
"""What data sources answer."""

KINDS = {"terraform", "provider", "variable", "locals", "data", "resource", "ephemeral", "output"}


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource that is planned."""

    kind: str
    address: str
    block: Block
    scope: Scope
    answers: "Answers | None"

    @cached_property
    def values(self) -> dict[str, Value]:
        """What its block says; blocks inside are lists."""
        return self.block.values(self.scope)

    def refer(self, name: str) -> Value:
        """What others see under this name: what the block says, else what is known once it is there."""
        if given := self.block.attributes.get(name):
            return self.scope.value(given)
        return self.answers(self, name) if self.answers else Unknown.at(f"{self.address}.{name}")


type Answers = Callable[[Resource, str], Value]
"""What a resource's attribute is once it is there."""


def _variables(blocks: Iterable[Block]) -> dict[str, Block]:
    return {block.labels[0]: block for block in blocks if block.kind == "variable"}


def variables(name: str, folder: Path = TERRAFORM) -> dict[str, Value]:
    """What the declarations say under this name, as `description` or `default`, by their variables."""
    scope = Scope(Names(dict[str, Value]().__getitem__))
    said = {each: block.attributes.get(name) for each, block in _variables(parse(folder)).items()}
    return {each: scope.value(node) for each, node in said.items() if node is not None}


class Plan:
    """The template with these variables; all others have their defaults.

    With `answers` it is as it is after it was applied. Without, nothing can hang on what a plan does not know.

    Raises:
        Refused: a validation of the template refuses a variable.
    """

    def __init__(self, *, folder: Path = TERRAFORM, answers: Answers | None = None, **variables: Value) -> None:
        self._folder = folder
        self._answers = answers
        self._blocks = parse(folder)
        self._scope = Scope(Names(self._root))
        self._made: dict[str, Value] = {}
        if unknown := {block.kind for block in self._blocks} - KINDS:
            raise NotUnderstood(f"blocks of the kind {', '.join(sorted(unknown))}")
        self._locals = {
            name: node for block in self._blocks if block.kind == "locals" for name, node in block.attributes.items()
        }
        declared = _variables(self._blocks)
        if unknown := variables.keys() - declared.keys():
            raise LookupError(f"no variable {', '.join(sorted(unknown))}")
        self._variables = {
            name: variables[name] if name in variables else self._scope.value(block.attributes["default"])
            for name, block in declared.items()
        }
        for block in declared.values():
            self._validate(block)

    @cached_property
    def resources(self) -> list[Resource]:
        """All that would be made."""
        return [each for block in self._blocks if block.kind == "resource" for each in self._instances(block).values()]

    def of(self, kind: str) -> list[Resource]:
        """Those of one type."""
        return [each for each in self.resources if each.kind == kind]

    @cached_property
    def outputs(self) -> dict[str, Value]:
        """What would be told in the end."""
        blocks = (block for block in self._blocks if block.kind == "output")
        return {block.labels[0]: self._scope.value(block.attributes["value"]) for block in blocks}

    def local(self, name: str) -> Value:
        """A local value."""
        return self._once(f"local.{name}", lambda: self._scope.value(self._locals[name]))

    def _validate(self, variable: Block) -> None:
        for rule in variable.blocks:
            if self._scope.value(rule.attributes["condition"]) is not True:
                raise Refused(self._scope.value(rule.attributes["error_message"]))

    def _root(self, name: str) -> Value:
        """What a name at the beginning of an expression stands for."""
        match name:
            case "var":
                return Names(self._variables.__getitem__)
            case "local":
                return Names(self.local)
            case "path":
                return Names({"module": str(self._folder)}.__getitem__)
            case "data" | "ephemeral":
                return Names(lambda kind: Names(lambda label: self._referred(name, kind, label)))
        return Names(lambda label: self._referred("resource", name, label))

    def _referred(self, family: str, kind: str, label: str) -> Value:
        found = [each for each in self._blocks if (each.kind, *each.labels) == (family, kind, label)]
        if not found:
            raise LookupError(f"no {family} {kind}.{label}")
        if family == "data":
            return Names(DATA[f"data.{kind}.{label}"].__getitem__)
        instances = {key: Names(each.refer) for key, each in self._instances(found[0]).items()}
        if "for_each" in found[0].attributes:
            return instances
        return list(instances.values()) if "count" in found[0].attributes else instances[None]

    def _instances(self, block: Block) -> Mapping[str | int | None, Resource]:
        """The resources that a block stands for, by their keys."""
        address = ".".join(block.labels if block.kind == "resource" else (block.kind, *block.labels))

        def make() -> Mapping[str | int | None, Resource]:
            if "for_each" in block.attributes:
                each = self._scope.value(block.attributes["for_each"])
                if not isinstance(each, dict | Set):
                    raise NotUnderstood(f"{address} for each of {each!r}")
                pairs = each.items() if isinstance(each, dict) else zip(each, each, strict=True)
                return {
                    key: one(f'["{key}"]', each=Names({"key": key, "value": value}.__getitem__)) for key, value in pairs
                }
            if "count" in block.attributes:
                count = self._scope.value(block.attributes["count"])
                return {at: one(f"[{at}]", count=Names({"index": at}.__getitem__)) for at in range(count)}
            return {None: one("")}

        def one(key: str, **names: Value) -> Resource:
            scope = self._scope.within(**names)
            return Resource(
                kind=block.labels[0], address=f"{address}{key}", block=block, scope=scope, answers=self._answers
            )

        instances: Mapping[str | int | None, Resource] = self._once(address, make)
        return instances

    def _once(self, name: str, make: Callable[[], Value]) -> Value:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]
