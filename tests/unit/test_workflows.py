"""The workflows: nothing of others that can change under us, no right that is not needed, and what the README says."""

import json
import re
from typing import Any

import pytest

from tests.support.yaml_files import read_yaml
from tools.dev.node import OLDEST
from tools.dev.paths import ROOT

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS: dict[str, dict[str, Any]] = {path.name: read_yaml(path) for path in sorted(FOLDER.glob("*.y*ml"))}
JOBS = {f"{file} {name}": job for file, workflow in WORKFLOWS.items() for name, job in workflow["jobs"].items()}
STEPS = [(job, step) for job, content in JOBS.items() for step in content.get("steps", [])]


def commands(job: str) -> list[str]:
    return [step["run"] for step in JOBS[job]["steps"] if "run" in step]


def inputs_of(action: str) -> list[dict[str, Any]]:
    """What each step that uses the action gives it."""
    return [step.get("with", {}) for _, step in STEPS if step.get("uses", "").startswith(f"{action}@")]


def test_there_are_workflows_to_look_at() -> None:
    assert set(WORKFLOWS) == {"ci.yml", "deploy.yml"}


@pytest.mark.parametrize("file", WORKFLOWS)
def test_each_action_is_pinned_by_its_hash_and_says_its_version(file: str) -> None:
    used = re.findall(r"\buses: +(.+)", (FOLDER / file).read_text("utf-8"))
    assert used
    pinned = r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+"
    assert [line for line in used if not re.fullmatch(pinned, line) and not line.startswith("./")] == []


def test_one_action_has_one_version() -> None:
    hashes: dict[str, set[str]] = {}
    for _, step in STEPS:
        if "uses" in step:
            action, _, pin = step["uses"].partition("@")
            hashes.setdefault(action, set()).add(pin)
    assert {action: pins for action, pins in hashes.items() if len(pins) > 1} == {}


@pytest.mark.parametrize("file", WORKFLOWS)
def test_a_workflow_gives_no_right_that_a_job_does_not_ask_for(file: str) -> None:
    assert WORKFLOWS[file]["permissions"] == {}


@pytest.mark.parametrize("job", JOBS)
def test_a_job_may_read_and_only_one_that_deploys_may_sign_in(job: str) -> None:
    sign_in = {"id-token": "write"} if job.endswith(" deploy") else {}
    assert JOBS[job]["permissions"] == {"contents": "read", **sign_in}


def test_no_job_runs_forever() -> None:
    assert [name for name, job in JOBS.items() if "uses" not in job and not job.get("timeout-minutes")] == []


def test_a_checkout_leaves_no_credentials_behind() -> None:
    given = inputs_of("actions/checkout")
    assert given == [{"persist-credentials": False}] * len(given) != []


def test_no_secret_is_used() -> None:
    assert [file for file in WORKFLOWS if "secrets." in (FOLDER / file).read_text("utf-8")] == []


def test_python_and_node_are_those_of_the_repository() -> None:
    python, node = inputs_of("actions/setup-python"), inputs_of("actions/setup-node")
    assert python == [{"python-version-file": ".python-version"}] * len(python) != []
    assert min(given["node-version"] for given in node) == OLDEST
    assert json.loads((ROOT / "package.json").read_text("utf-8"))["engines"]["node"] == f">={OLDEST}"


def test_ci_runs_the_command_that_the_readme_tells() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    told = re.search(r"The other command checks everything.*?```sh\n(.+?)\n```", readme, re.DOTALL)
    assert told
    assert told[1] in commands("ci.yml test")
    assert told[1] in (ROOT / ".ci" / "run").read_text("utf-8")


def test_the_unit_part_runs_on_both_systems_and_the_demo_on_core_tools() -> None:
    systems = JOBS["ci.yml unit"]["strategy"]["matrix"]["os"]
    assert {system.partition("-")[0] for system in systems} == {"ubuntu", "windows"}
    assert commands("ci.yml unit") == ["python dev.py test tests/unit"]
    install, demo, *_ = commands("ci.yml host")
    assert re.fullmatch(r"npm install --global azure-functions-core-tools@4\.\d+\.\d+", install)
    assert demo == "python3 dev.py demo --host func"


def test_only_what_passed_is_deployed_and_one_deployment_at_a_time() -> None:
    calling = JOBS["ci.yml deploy"]
    assert calling["uses"] == "./.github/workflows/deploy.yml"
    assert set(calling["needs"]) == set(WORKFLOWS["ci.yml"]["jobs"]) - {"deploy"}
    assert WORKFLOWS["deploy.yml"]["concurrency"]["cancel-in-progress"] is False
    choice = WORKFLOWS["deploy.yml"]["on"]["workflow_dispatch"]["inputs"]["environment"]
    assert choice["options"] == ["staging", "production"]
    assert JOBS["deploy.yml deploy"]["environment"] == WORKFLOWS["deploy.yml"]["concurrency"]["group"].removeprefix(
        "deploy-"
    )


def test_a_deployment_passes_on_every_option_of_the_template() -> None:
    options = re.findall(r"readEnvironmentVariable\('(\w+)'", (ROOT / "infra/bicep/main.bicepparam").read_text("utf-8"))
    signing_in = ["AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_SUBSCRIPTION_ID"]
    given = JOBS["deploy.yml deploy"]["env"]
    assert given == {name: f"${{{{ vars.{name} }}}}" for name in [*signing_in, *options]}
