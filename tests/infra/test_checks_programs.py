"""The checks find their programs, say which is not there, and fail where there is nothing to check."""

from pathlib import Path

import pytest

from tools.dev.step import StepFailed
from tools.infra import terraform, workflows
from tools.infra.environment import explain
from tools.infra.program import find, run
from tools.infra.result import Failed, Skipped

UNSAFE = """\
on: issues
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-24.04
    steps:
      - run: echo ${{ github.event.issue.title }}
"""


def test_program_that_a_variable_names_is_taken_before_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BICEP", "/opt/bicep")
    assert find("sh", variable="BICEP") == Path("/opt/bicep")


def test_program_that_is_nowhere_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find("bicep", places=(tmp_path / "bicep",)) is None
    (tmp_path / "elsewhere").touch()
    assert find("bicep", places=(tmp_path / "bicep", tmp_path / "elsewhere")) == tmp_path / "elsewhere"


def test_program_that_cannot_be_run_fails_and_is_named(tmp_path: Path) -> None:
    with pytest.raises(Failed, match=r"no-such-program cannot be run"):
        run(tmp_path / "no-such-program", folder=tmp_path)


def test_terraform_that_is_not_there_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TERRAFORM", raising=False)
    with pytest.raises(Skipped, match="no terraform is found on PATH or in TERRAFORM"):
        terraform.form(tmp_path)


def test_schema_that_is_not_there_is_skipped(tmp_path: Path) -> None:
    with pytest.raises(Skipped, match="terraform init -backend=false && terraform validate"):
        terraform.schema(tmp_path / "fix-it")


def test_terraform_in_another_form_fails(tmp_path: Path) -> None:
    if find("terraform", variable="TERRAFORM") is None:
        pytest.skip("no terraform is found on PATH or in TERRAFORM")
    (tmp_path / "infra" / "terraform").mkdir(parents=True)
    path = tmp_path / "infra" / "terraform" / "main.tf"
    path.write_text("locals {\n  a=1\n}\n")
    with pytest.raises(Failed, match=r"main\.tf"):
        terraform.form(tmp_path)
    assert path.read_text() == "locals {\n  a=1\n}\n"


def test_workflow_that_anybody_can_make_run_what_he_likes_fails(tmp_path: Path) -> None:
    (tmp_path / workflows.WORKFLOWS).mkdir(parents=True)
    (tmp_path / workflows.WORKFLOWS / "greet.yml").write_text(UNSAFE)
    with pytest.raises(Failed, match="template-injection"):
        workflows.zizmor(tmp_path)


def test_repository_without_workflows_fails(tmp_path: Path) -> None:
    with pytest.raises(Failed, match="there is no workflow"):
        workflows.zizmor(tmp_path)


def test_checkov_that_cannot_be_reached_is_skipped_and_one_that_cannot_be_installed_fails() -> None:
    offline = StepFailed(["WARNING: Failed to establish a new connection: [Errno -3] Temporary failure"])
    assert isinstance(explain(offline), Skipped)
    assert isinstance(explain(StepFailed(["ERROR: No matching distribution found for checkov==0"])), Failed)
