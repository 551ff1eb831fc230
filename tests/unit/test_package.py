"""What is deployed: the files that .funcignore leaves, no secret among them, and enough of them for the app to run."""

import json
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pathspec import GitIgnoreSpec

from tests.support.app_copy import DEPLOYED
from tests.support.running import bare_environment
from tools.dev.paths import ROOT, VENV

TEMPLATES = PurePosixPath("shared/web/pages/templates")
MOST_BYTES = 1_000_000
LINES = (ROOT / ".funcignore").read_text("utf-8").splitlines()
IGNORED = GitIgnoreSpec.from_lines(LINES)

IN_THE_PACKAGE_ALONE = """
import json, sys
from importlib.machinery import PathFinder
folder, not_deployed = sys.argv[1], set(json.loads(sys.argv[2]))

class Deployed(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in not_deployed else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Deployed
sys.path.insert(0, folder)
import function_app
from shared.web.pages import page

names = [function.get_function_name() for function in function_app.app.get_functions()]
page._templates().get_template("receipt.html")
loaded = [file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))]
print(json.dumps({"functions": names, "loaded": loaded}))
"""


def files() -> list[str]:
    """What git knows of, and what it would take in with the next `git add`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).is_file())


def package() -> list[str]:
    return [name for name in files() if not IGNORED.match_file(name)]


def core_tools_ignore(name: str) -> bool:
    """As Core Tools 4 read the file: a path is left out if its beginning is one of the lines."""
    patterns = [re.escape(line) for line in LINES if line and not line.startswith("#")]
    patterns = [each.replace(r"\*\*", ".+").replace(r"\*", "[^/]+") for each in patterns]
    return any(re.match(each, name) for each in patterns)


def belongs(name: str) -> bool:
    path = PurePosixPath(name)
    return name in DEPLOYED or (path.parts[0] == "shared" and (path.suffix == ".py" or path.parent == TEMPLATES))


def test_the_package_is_the_app_and_nothing_around_it() -> None:
    assert package() == [name for name in files() if belongs(name)]


def test_core_tools_would_upload_the_same() -> None:
    assert [name for name in files() if not core_tools_ignore(name)] == package()


def test_the_package_is_small() -> None:
    assert sum((ROOT / name).stat().st_size for name in package()) < MOST_BYTES


@pytest.mark.parametrize(
    "path",
    [
        *("local.settings.json", "local.settings.example.json", "local.settings.staging.json"),
        *(".env", "prod.env", ".azure/prod/.env", "server.key", "shared/server.pem", "app.pfx", "app.p12"),
        *(".venv/bin/python", "venv/bin/python", "env/bin/python", "node_modules/azurite/package.json"),
        *("__pycache__/function_app.cpython-313.pyc", "shared/domain/__pycache__/task.cpython-313.pyc", "old.pyc"),
        *(".git/config", ".github/workflows/ci.yml", ".vscode/launch.json", ".devcontainer/devcontainer.json"),
        *(".azurite/__queuestorage__/x", ".outbox/1.eml", ".dev/demo.log", ".checks/bin/checkov", ".mypy_cache/x"),
        *("azure.yaml", "infra/bicep/main.bicep", "infra/terraform/terraform.tfstate", "prod.tfvars", "app.zip"),
        *("requirements-dev.txt", "requirements-checks.txt", "tests/unit/test_package.py", "README.md", "func.log"),
        *("keys.txt", "roles.json", "credential.json", "prod.tfplan"),
        *("local.settings.json.bak", "shared/local.settings.json", "shared/.env", "shared/web/.env.prod"),
        *("id_rsa", "id_ed25519", "secrets.json", "secrets.yaml", "people.kdbx", "func.PublishSettings"),
    ],
)
def test_what_lies_about_is_never_packaged(path: str) -> None:
    assert IGNORED.match_file(path)
    assert core_tools_ignore(path)


@pytest.mark.parametrize(
    "path",
    [
        *("local.settings.json", ".azure/prod/.env", "infra/terraform/terraform.tfstate"),
        *("keys.txt", "infra/terraform/plan", "prod.tfplan", "infra/terraform/prod.tfvars"),
        *("local.settings.json.bak", ".env", "prod.env", "server.key", "shared/server.pem", "app.pfx", "app.p12"),
        *("id_rsa", "id_ed25519", "secrets.json", "people.kdbx", "func.PublishSettings"),
    ],
)
def test_what_may_hold_secrets_is_never_committed(path: str) -> None:
    assert subprocess.run(["git", "check-ignore", "--quiet", path], cwd=ROOT).returncode == 0
    assert path not in files()


def test_the_app_runs_from_the_package_and_its_requirements_alone(tmp_path: Path) -> None:
    for name in package():
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy)
    # -I: neither the current folder nor a variable of the developer adds a place to import from.
    command = [
        sys.executable,
        "-I",
        "-B",
        "-c",
        IN_THE_PACKAGE_ALONE,
        str(tmp_path),
        json.dumps(sorted(not_deployed())),
    ]
    ran = subprocess.run(command, cwd=tmp_path, env=bare_environment(), capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert {"submit", "record", "record_poison", "sweep", "report", "health"} <= set(told["functions"])
    loaded = [Path(file) for file in told["loaded"]]
    assert any(file.is_relative_to(tmp_path) for file in loaded)
    assert [file for file in loaded if file.is_relative_to(ROOT) and not file.is_relative_to(VENV)] == []


def not_deployed() -> set[str]:
    """Modules that are installed here and not where the app is deployed."""
    deployed = installed_with((ROOT / "requirements.txt").read_text("utf-8").splitlines())
    owners = metadata.packages_distributions()
    return {module for module, names in owners.items() if not {canonicalize_name(name) for name in names} & deployed}


def installed_with(lines: list[str]) -> set[str]:
    """The distributions that pip installs for these requirements, with all that they need in turn."""
    found: set[str] = set()
    waiting = [Requirement(line) for line in lines if line and not line.startswith("#")]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in found:
            continue
        found.add(name)
        for line in metadata.requires(name) or []:
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed)
    return found
