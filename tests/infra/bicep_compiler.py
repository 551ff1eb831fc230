"""Asks the Bicep compiler what becomes of parameters that no snapshot is kept of."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.infra.bicep_snapshot import written
from tools.infra.bicep import Bicep
from tools.infra.snapshots import LOCATION, SUBSCRIPTION


def asked(bicep: Bicep, folder: Path, template: str, values: Mapping[str, Any]) -> tuple[str, Any]:
    """What it says of a template with these values, and the snapshot; None if it made none."""
    lines = (f"using '{template}'", *(f"param {name} = {written(value)}" for name, value in values.items()))
    (folder / "bicep" / "asked.bicepparam").write_text("\n".join(lines), encoding="utf-8")
    where = ("--subscription-id", SUBSCRIPTION, "--location", LOCATION)
    said = bicep.run("snapshot", "bicep/asked.bicepparam", "--mode", "overwrite", *where, folder=folder)
    made = folder / "bicep" / "asked.snapshot.json"
    return said.text, json.loads(made.read_text("utf-8")) if made.exists() else None
