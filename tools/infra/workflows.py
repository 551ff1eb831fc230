"""The workflows of .github, read by zizmor (what an attacker could use) and actionlint (what would not run)."""

from pathlib import Path

from tools.dev.paths import VENV_PROGRAMS
from tools.infra.environment import PROGRAMS
from tools.infra.program import find, run
from tools.infra.result import Failed, Skipped

WORKFLOWS = ".github/workflows"


def zizmor(root: Path) -> str:
    """It has no finding, not even of the lowest severity."""
    files = _files(root)
    said = run(VENV_PROGRAMS / "zizmor", "--offline", "--no-progress", "--strict-collection", WORKFLOWS, folder=root)
    if said.status:
        raise Failed(said.text)
    return f"{len(files)} workflows"


def actionlint(root: Path) -> str:
    """It has nothing to say."""
    files = _files(root)
    program = find("actionlint", places=(PROGRAMS / "actionlint", PROGRAMS / "actionlint.exe"))
    if program is None:
        raise Skipped("no actionlint is found on PATH, nor could it be installed (.dev/actionlint.log)")
    said = run(program, "-no-color", *files, folder=root)
    if said.status or said.text:
        raise Failed(said.text or f"actionlint ended with status {said.status}")
    return f"{len(files)} workflows"


def _files(root: Path) -> list[str]:
    files = sorted(path.relative_to(root).as_posix() for path in (root / WORKFLOWS).glob("*.y*ml"))
    if not files:
        raise Failed(f"there is no workflow in {WORKFLOWS}")
    return files
