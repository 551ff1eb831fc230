"""Findings that are accepted, each beside the line of the Bicep resource that it is about, with the reason."""

import re
from dataclasses import dataclass
from pathlib import Path

_RESOURCE = re.compile(r"\s*resource\s+\w+\s+'([^'@]+)")
_EXCUSE = re.compile(r".*//\s*checkov:skip=(\w+):\s*(\S.*)")


@dataclass(frozen=True, kw_only=True)
class Excuse:
    """`kind`: the resource's type, of a nested one only what its parent's does not say."""

    check: str
    kind: str
    place: str

    def covers(self, check: str, kind: str) -> bool:
        """Whether a finding of this check, on a resource of this type, is what was meant."""
        return check == self.check and f"/{kind}".endswith(f"/{self.kind}")


def read(folder: Path) -> list[Excuse]:
    """Those of all templates in the folder: `// checkov:skip=CKV_…: reason` in a resource, behind its first line."""
    found = []
    for path in sorted(folder.rglob("*.bicep")):
        kind = ""
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if resource := _RESOURCE.match(line):
                kind = resource[1]
            if excuse := _EXCUSE.match(line):
                found.append(Excuse(check=excuse[1], kind=kind, place=f"{path.relative_to(folder)}:{number}"))
    return found
