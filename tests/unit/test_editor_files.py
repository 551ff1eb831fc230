"""The files for editors and containers: they can be read, and what they run is there."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

from tests.support.running import bare_environment
from tools.dev.node import OLDEST
from tools.dev.paths import ROOT


def read(path: str) -> Any:
    return json.loads((ROOT / path).read_text("utf-8"))


TASKS: dict[str, Any] = {task["label"]: task for task in read(".vscode/tasks.json")["tasks"]}
CONTAINER: dict[str, Any] = read(".devcontainer/devcontainer.json")
DEV = {label: task for label, task in TASKS.items() if "dev.py" in task["command"]}
COMMANDS = sorted({*(task["command"] for task in DEV.values()), CONTAINER["postCreateCommand"]})


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_one_of_dev_py(command: str) -> None:
    words = re.fullmatch(r"python3 dev\.py (\w+)((?: --\w+ \w+)*)", command)
    assert words
    ran = subprocess.run(
        [sys.executable, str(ROOT / "dev.py"), words[1], "--help"],
        env=bare_environment(),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0
    assert [option for option in re.findall(r"--\w+", words[2]) if option not in ran.stdout] == []


def test_the_main_commands_are_tasks_on_each_system() -> None:
    assert {"start", "test", "demo"} <= set(DEV)
    for task in DEV.values():
        assert task["windows"]["command"] == task["command"].replace("python3", "python", 1)


def test_what_is_debugged_can_be_imported_and_has_its_storage() -> None:
    configurations = read(".vscode/launch.json")["configurations"]
    assert {each["module"] for each in configurations} == {"devhost", "pytest"}
    assert [each["module"] for each in configurations if find_spec(each["module"]) is None] == []
    assert {each.get("preLaunchTask", "test") for each in configurations} <= set(TASKS)


def test_the_emulator_of_the_debugger_is_that_of_the_project() -> None:
    arguments = TASKS["storage emulator"]["args"]
    assert arguments[0] in read("package.json")["devDependencies"]
    ours = (ROOT / "tools" / "dev" / "azurite.py").read_text("utf-8")
    options = [word for word in arguments if word.startswith("--")]
    assert [word for word in options if re.sub("--(blob|queue|table)", "--{service}", word) not in ours] == []


def test_the_container_has_the_versions_of_the_project() -> None:
    python = (ROOT / ".python-version").read_text("utf-8").strip()
    assert CONTAINER["image"] == f"mcr.microsoft.com/devcontainers/python:{python}"
    assert CONTAINER["features"]["ghcr.io/devcontainers/features/node:1"] == {"version": str(OLDEST)}


def test_the_container_and_the_editor_have_the_same_extensions() -> None:
    assert CONTAINER["customizations"]["vscode"]["extensions"] == read(".vscode/extensions.json")["recommendations"]


def test_git_takes_these_files_in() -> None:
    paths = [".vscode/tasks.json", ".vscode/launch.json", ".vscode/settings.json", ".devcontainer/devcontainer.json"]
    assert subprocess.run(["git", "check-ignore", *paths], cwd=ROOT, capture_output=True).returncode == 1
