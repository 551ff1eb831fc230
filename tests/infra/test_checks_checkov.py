"""What counts of a report of checkov: findings without an excuse, excuses without a finding, no resource at all."""

from pathlib import Path
from typing import Any

import pytest

from tools.infra.checkov import Finding, judge, parse
from tools.infra.excuses import Excuse, read
from tools.infra.result import Failed

ACCOUNT = "Microsoft.Storage/storageAccounts"


def entry(check: str, resource: str) -> dict[str, Any]:
    where = {"file_path": "/plain.snapshot.json", "file_line_range": [7, 9]}
    return {"check_id": check, "check_name": "a rule", "resource": resource, **where}


def finding(check: str, resource: str) -> Finding:
    return Finding(check=check, resource=resource, place="plain.snapshot.json:7", rule="a rule")


def report(**results: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "results": {"passed_checks": [], "failed_checks": [], "skipped_checks": [], "parsing_errors": [], **results}
    }


def test_finding_tells_the_check_the_resource_and_the_place() -> None:
    found = parse(report(failed_checks=[entry("CKV_1", f"{ACCOUNT}.st1"), entry("CKV_1", f"{ACCOUNT}.st1")])).findings
    assert [str(each) for each in found] == [f"CKV_1 {ACCOUNT}.st1 (plain.snapshot.json:7): a rule"]


@pytest.mark.parametrize(
    "empty", [report(), {"passed": 0, "failed": 0, "resource_count": 0}, []], ids=["no-checks", "no-results", "list"]
)
def test_report_of_no_resource_fails(empty: Any) -> None:
    with pytest.raises(Failed, match="no resource"):
        parse(empty)


def test_file_that_checkov_could_not_read_fails() -> None:
    whole = report(passed_checks=[entry("CKV_1", "a.b")])
    whole["results"]["parsing_errors"] = ["/main.tf"]
    with pytest.raises(Failed, match=r"main\.tf"):
        parse(whole)


def test_excuse_in_a_resource_is_of_its_type_alone(tmp_path: Path) -> None:
    (tmp_path / "main.bicep").write_text(
        f"resource a '{ACCOUNT}@2024-01-01' = {{\n"
        "  // checkov:skip=CKV_1: a reason\n"
        "  sku: { name: 'Standard_ZRS' } // checkov:skip=CKV_2: another\n"
        "  // checkov:skip=CKV_3:\n"  # without a reason it is none
        "}\n"
        "  resource b 'queueServices' = {\n"
        "    // checkov:skip=CKV_4: of a nested one\n"
    )
    excuses = read(tmp_path)
    assert [(each.check, each.kind, each.place) for each in excuses] == [
        ("CKV_1", ACCOUNT, "main.bicep:2"),
        ("CKV_2", ACCOUNT, "main.bicep:3"),
        ("CKV_4", "queueServices", "main.bicep:7"),
    ]
    assert excuses[0].covers("CKV_1", ACCOUNT)
    assert not excuses[0].covers("CKV_1", "Microsoft.Web/sites")
    assert not excuses[0].covers("CKV_2", ACCOUNT)
    assert excuses[2].covers("CKV_4", f"{ACCOUNT}/queueServices")


def test_finding_without_excuse_and_excuse_without_finding_are_both_wrong() -> None:
    excuses = [Excuse(check="CKV_2", kind=ACCOUNT, place="a.bicep:3"), Excuse(check="CKV_9", kind=ACCOUNT, place="b:1")]
    findings = [finding("CKV_1", f"{ACCOUNT}.st1"), finding("CKV_2", f"{ACCOUNT}.st1")]
    wrong = judge(findings, excuses)
    assert len(wrong) == 2
    assert wrong[0].startswith("CKV_1 ")
    assert wrong[1].startswith("b:1: CKV_9 is not found")


def test_type_is_told_from_a_name_with_dots() -> None:
    zone = finding("CKV_1", "Microsoft.Network/privateDnsZones.privatelink.blob.core.windows.net")
    assert zone.kind == "Microsoft.Network/privateDnsZones"
