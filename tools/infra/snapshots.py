"""The committed snapshots of infra/bicep: every resource as it would be deployed, for each set of parameters."""

import json
import shutil
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Any

from tools.infra.bicep import Bicep
from tools.infra.result import Failed

SNAPSHOTS = "bicep/snapshots"
LINES_SHOWN = 60


def compare(bicep: Bicep, *, renew: bool = False) -> str:
    """Each committed snapshot is the one that the compiler makes now. With `renew` it is written where it is not."""
    kept = bicep.root / "infra" / SNAPSHOTS
    parameters = sorted(kept.glob("*.bicepparam"))
    if not parameters:
        raise Failed("infra/bicep/snapshots has no .bicepparam")
    folder = bicep.copy("snapshots")
    wrong = [
        f"infra/{SNAPSHOTS}/{path.name} is of no .bicepparam"
        for path in sorted(kept.glob("*.snapshot.json"))
        if not path.with_name(path.name.replace(".snapshot.json", ".bicepparam")).exists()
    ]
    for path in parameters:
        new, old = _make(bicep, folder, path.stem), kept / f"{path.stem}.snapshot.json"
        if renew and _read(old) != _read(new):
            shutil.copyfile(new, old)
        wrong += _differences(old, new)
    if wrong:
        raise Failed("\n".join(wrong))
    return ", ".join(path.stem for path in parameters)


def _make(bicep: Bicep, folder: Path, name: str) -> Path:
    said, made = bicep.snapshot(f"{SNAPSHOTS}/{name}.bicepparam", folder)
    if said or made is None:
        raise Failed(said or f"{name}.bicepparam gave no snapshot")
    return made


def _differences(old: Path, new: Path) -> list[str]:
    made = _read(new)
    if told := made["diagnostics"]:
        return [f"{old.name}: {each}" for each in told]
    if not made["predictedResources"]:
        return [f"{old.name}: there is no resource in it"]
    if _read(old) == made:
        return []
    texts = ([*map(str.rstrip, _text(old).splitlines())], _text(new).splitlines())
    changes = unified_diff(*texts, f"infra/{SNAPSHOTS}/{old.name}", "as it is now", n=2, lineterm="")
    return [*islice(changes, LINES_SHOWN), "(`.venv/bin/python -m tools.infra --renew` writes them anew)"]


def _read(path: Path) -> Any:
    return json.loads(_text(path) or "null")


def _text(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""
