"""What checkov finds in infra/: of Terraform in its files, of Bicep in the snapshots, which is what is deployed.

(Its own reader of Bicep does not know the language of today, and of a compiled template it reads no nested one.)
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.infra.environment import PYTHON
from tools.infra.excuses import Excuse, read
from tools.infra.program import run
from tools.infra.result import Failed
from tools.infra.snapshots import SNAPSHOTS

_SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"


@dataclass(frozen=True, kw_only=True, order=True)
class Finding:
    check: str
    resource: str
    place: str
    rule: str

    @property
    def kind(self) -> str:
        """The type of a resource, which a report puts before its name: Microsoft.Storage/storageAccounts.stfixit."""
        found = re.match(r"\w+\.\w+(?:/\w+)+", self.resource)
        return found[0] if found else self.resource

    def __str__(self) -> str:
        return f"{self.check} {self.resource} ({self.place}): {self.rule}"


@dataclass(frozen=True, kw_only=True)
class Report:
    resources: int
    passed: int
    excused: int
    findings: Sequence[Finding]


def terraform(root: Path) -> str:
    """No finding that is not excused (`#checkov:skip=CKV_…:reason` inside the resource, which checkov reads itself)."""
    report = _run(root / "infra" / "terraform", "terraform")
    if report.findings:
        raise Failed("\n".join(map(str, report.findings)))
    return f"{report.resources} resources, {report.passed} passed, {report.excused} excused"


def bicep(root: Path, scratch: Path) -> str:
    """No finding in a snapshot that is not excused in the templates, and no excuse that is not needed."""
    folder = scratch / "checkov"
    folder.mkdir()
    for path in sorted((root / "infra" / SNAPSHOTS).glob("*.snapshot.json")):
        resources = json.loads(path.read_text("utf-8"))["predictedResources"]
        template = {"$schema": _SCHEMA, "contentVersion": "1.0.0.0", "resources": resources}
        (folder / path.name).write_text(json.dumps(template, indent=1), encoding="utf-8")
    report, excuses = _run(folder, "arm"), read(root / "infra" / "bicep")
    if wrong := judge(report.findings, excuses):
        raise Failed("\n".join(wrong))
    return f"{report.resources} resources, {report.passed} passed, {len(report.findings)} excused"


def judge(findings: Sequence[Finding], excuses: Sequence[Excuse]) -> list[str]:
    """The findings without an excuse and the excuses without a finding, in words."""
    wrong = [str(each) for each in findings if not any(excuse.covers(each.check, each.kind) for excuse in excuses)]
    return wrong + [
        f"{excuse.place}: {excuse.check} is not found on {excuse.kind or 'any resource'}: take the excuse away"
        for excuse in excuses
        if not any(excuse.covers(each.check, each.kind) for each in findings)
    ]


def _run(folder: Path, framework: str) -> Report:
    offline = ("--skip-download", "--compact", "--output", "json")
    command = (PYTHON, "-m", "checkov.main", "--directory", ".", "--framework", framework, *offline)
    said = run(*command, folder=folder)
    try:
        return parse(json.loads(said.output))
    except ValueError:
        raise Failed(said.text or f"checkov ended with status {said.status}") from None


def parse(report: Any) -> Report:
    """What a report holds. Failed if checkov read nothing, or could not read it all."""
    results = report.get("results", {}) if isinstance(report, dict) else {}
    if unread := results.get("parsing_errors"):
        raise Failed("\n".join(f"checkov cannot read {each}" for each in unread))
    passed, failed, skipped = (results.get(f"{each}_checks", []) for each in ("passed", "failed", "skipped"))
    resources = {each["resource"] for each in (*passed, *failed, *skipped)}
    if not resources:
        raise Failed("checkov found no resource that it knows")
    found = {
        Finding(
            check=each["check_id"],
            resource=each["resource"],
            place=f"{each['file_path'].lstrip('/')}:{each['file_line_range'][0]}",
            rule=each["check_name"],
        )
        for each in failed
    }
    return Report(resources=len(resources), passed=len(passed), excused=len(skipped), findings=sorted(found))
