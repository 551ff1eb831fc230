"""infra/bicep as it would be deployed: the committed snapshots, with what Azure would answer put in."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.infra import cloud
from tests.infra.arm_expressions import evaluate
from tests.infra.planned import Planned, without_nulls
from tools.dev.paths import ROOT

SNAPSHOTS = ROOT / "infra" / "bicep" / "snapshots"
SCENARIOS = sorted(path.stem for path in SNAPSHOTS.glob("*.bicepparam"))

_PARAMETER = re.compile(r"^param (\w+) = (.+)$", re.MULTILINE)
_WORD = re.compile(r"'((?:[^'\\]|\\.)*)'|(\w+)(?=\s*:)")


def parameters(scenario: str) -> dict[str, Any]:
    """What a .bicepparam file says. Each parameter has a line of its own."""
    text = (SNAPSHOTS / f"{scenario}.bicepparam").read_text("utf-8")
    found = {name: literal(value) for name, value in _PARAMETER.findall(text)}
    assert len(found) == len(re.findall(r"^\s*param\b", text, re.MULTILINE))
    return found


def literal(text: str) -> Any:
    """The value of a literal of Bicep, on one line."""
    return json.loads(_WORD.sub(lambda word: json.dumps(word[1] if word[2] is None else word[2]), text))


def raw(scenario: str) -> Any:
    """The snapshot as it was written."""
    return json.loads((SNAPSHOTS / f"{scenario}.snapshot.json").read_text("utf-8"))


def planned(snapshot: Any) -> tuple[list[Planned], Mapping[str, Any]]:
    """All resources and outputs of a snapshot."""
    assert snapshot["diagnostics"] == []
    return [_planned(each) for each in snapshot["predictedResources"]], evaluate(snapshot["outputs"])


def _planned(resource: Mapping[str, Any]) -> Planned:
    in_the_id = {"id", "type", "name", "apiVersion"}
    body = {key: evaluate(value) for key, value in resource.items() if key not in in_the_id}
    return Planned(id=_id(resource), body=without_nulls(body))


def _id(resource: Mapping[str, Any]) -> str:
    written: str = resource["id"]
    open_id = re.match(r"\[resourceId\('[^']+', '([^']+)'", written)
    if open_id is None:
        return written
    provider, *kinds = resource["type"].split("/")
    names = evaluate(resource["name"]).split("/")
    pairs = (f"/{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    return f"{cloud.group_id(open_id[1])}/providers/{provider}{''.join(pairs)}"
