"""The checks of Bicep, on a small template: what is wrong is found, and nothing is written unless asked for."""

import json
from pathlib import Path

import pytest

from tools.dev.paths import ROOT
from tools.infra import bicep as checks
from tools.infra import snapshots
from tools.infra.bicep import Bicep
from tools.infra.result import Failed, Skipped, carry_out

TEMPLATE = """\
param prefix string

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: 'id-${prefix}'
  location: 'westeurope'
}
"""
PARAMETERS = "using '../main.bicep'\n\nparam prefix = 'fixit'\n"


@pytest.fixture
def bicep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bicep:
    """A repository with one template, and the compiler; skipped where there is none."""
    try:
        monkeypatch.setenv("BICEP", str(checks.find_bicep(ROOT)))
    except Skipped as skipped:
        pytest.skip(str(skipped))
    (tmp_path / "scratch").mkdir()
    write(tmp_path, "main.bicep", TEMPLATE)
    write(tmp_path, "snapshots/plain.bicepparam", PARAMETERS)
    return Bicep(tmp_path, tmp_path / "scratch")


def write(root: Path, name: str, text: str) -> Path:
    path = root / "infra" / "bicep" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_template_that_does_not_compile_fails_and_its_file_is_named(bicep: Bicep) -> None:
    write(bicep.root, "main.bicep", TEMPLATE.replace("param prefix string", ""))
    result = carry_out("bicep build", bicep.build)
    assert result.outcome == "FAILED"
    assert "infra/bicep/main.bicep(4," in result.details


def test_warning_of_the_linter_fails_although_the_linter_says_it_passed(bicep: Bicep) -> None:
    write(bicep.root, "main.bicep", TEMPLATE + "\nparam unused string\n")
    with pytest.raises(Failed, match="no-unused-params"):
        bicep.lint()


def test_file_in_another_form_fails_and_is_left_as_it_is(bicep: Bicep) -> None:
    path = write(bicep.root, "main.bicep", TEMPLATE.replace("  name", "      name"))
    before = path.read_bytes()
    with pytest.raises(Failed, match=r"infra/bicep/main\.bicep"):
        bicep.form()
    assert path.read_bytes() == before


def test_stale_snapshot_fails_until_it_is_renewed(bicep: Bicep) -> None:
    path = write(bicep.root, "snapshots/plain.snapshot.json", json.dumps({"predictedResources": []}))
    before = path.read_bytes()
    with pytest.raises(Failed, match=r"infra/bicep/snapshots/plain\.snapshot\.json"):
        snapshots.compare(bicep)
    assert path.read_bytes() == before
    (bicep.scratch / "again").mkdir()
    assert snapshots.compare(Bicep(bicep.root, bicep.scratch / "again"), renew=True) == "plain"
    assert [each["name"] for each in json.loads(path.read_text("utf-8"))["predictedResources"]] == ["id-fixit"]


def test_snapshot_of_no_parameters_fails(bicep: Bicep) -> None:
    write(bicep.root, "snapshots/gone.snapshot.json", "{}")
    with pytest.raises(Failed, match=r"gone\.snapshot\.json is of no \.bicepparam"):
        snapshots.compare(bicep)


def _find_nothing(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    for name in ("PATH", "HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.delenv("BICEP", raising=False)


@pytest.mark.parametrize("name", ["bicep", "bicep.exe"])
def test_compiler_of_the_azure_cli_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    _find_nothing(monkeypatch, tmp_path)
    installed = tmp_path / ".azure" / "bin" / name
    installed.parent.mkdir(parents=True)
    installed.touch()
    assert checks.find_bicep(tmp_path / "fix-it") == installed


@pytest.mark.parametrize("check", ["build", "lint", "form", "snapshots"])
def test_without_a_compiler_the_check_is_skipped_in_so_many_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    _find_nothing(monkeypatch, tmp_path)
    for name in ("main.bicep", "snapshots/plain.bicepparam"):
        write(tmp_path / "fix-it", name, "")
    (tmp_path / "scratch").mkdir()
    bicep = Bicep(tmp_path / "fix-it", tmp_path / "scratch")
    made = {"build": bicep.build, "lint": bicep.lint, "form": bicep.form, "snapshots": lambda: snapshots.compare(bicep)}
    result = carry_out("bicep", made[check])
    assert result.line().split(None, 1)[1] == (
        "skipped: no bicep is found: run `az bicep install`, put one on PATH, or name it in BICEP"
    )
