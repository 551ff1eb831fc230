"""Asks the Bicep compiler what becomes of parameters that no snapshot is kept of."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.infra.bicep import Bicep


def asked(bicep: Bicep, folder: Path, template: str, values: Mapping[str, Any]) -> tuple[str, Any]:
    """What it says of a template with these values, and the snapshot; None if it made none."""
    lines = (f"using '{template}'", *(f"param {name} = {_written(value)}" for name, value in values.items()))
    (folder / "bicep" / "asked.bicepparam").write_text("\n".join(lines), encoding="utf-8")
    said, made = bicep.snapshot("bicep/asked.bicepparam", folder)
    return said, made and json.loads(made.read_text("utf-8"))


def _written(value: Any) -> str:
    """The literal of Bicep that means this value."""
    match value:
        case str():
            escaped = re.sub(r"[\\'$\n]", lambda found: {"\n": r"\n"}.get(found[0], f"\\{found[0]}"), value)
            return f"'{escaped}'"
        case dict():
            return f"{{ {', '.join(f'{name}: {_written(each)}' for name, each in value.items())} }}"
        case list():
            return f"[{', '.join(map(_written, value))}]"
    return json.dumps(value)
