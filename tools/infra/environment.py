"""`.checks`: an environment for checkov, whose many pinned dependencies would not go with ours."""

import shutil
import sys
from pathlib import Path

from tools.dev.offline import SIGNS
from tools.dev.paths import LOGS, ROOT
from tools.dev.stamp import Stamp, digest
from tools.dev.step import StepFailed, run_step
from tools.infra.result import Failed, Skipped

FOLDER = ROOT / ".checks"
PROGRAMS = FOLDER / ("Scripts" if sys.platform == "win32" else "bin")
PYTHON = PROGRAMS / ("python.exe" if sys.platform == "win32" else "python")
NEEDED = ROOT / "requirements-checks.txt"
WISHED = ROOT / "requirements-actionlint.txt"
"""Apart, and given up after one try: it fetches its program from GitHub meanwhile, which may be out of reach."""


def prepare() -> None:
    """The environment is made of the pinned packages. Takes no time when it already is.

    Raises:
        Skipped: the packages cannot be reached.
        Failed: they cannot be installed.
    """
    stamp = _stamp()
    made_from = digest([NEEDED, WISHED], sys.version, str(FOLDER))
    if PYTHON.exists() and stamp.is_of(made_from):
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    stamp.begin()
    try:
        run_step("Making .checks", [sys.executable, "-m", "venv", FOLDER], cwd=ROOT, log=LOGS / "checks.log")
        run_step("Installing checkov (once, about a minute)", _pip(NEEDED), cwd=ROOT, log=LOGS / "checks.log")
    except StepFailed as failure:
        raise explain(failure) from None
    try:
        run_step("Installing actionlint", _pip(WISHED), cwd=ROOT, log=LOGS / "actionlint.log")
    except StepFailed:
        print("  it cannot be had here; `rm -r .checks` has it tried again", flush=True)
    stamp.finish(made_from)


def explain(failure: StepFailed) -> Failed | Skipped:
    """Why there is no checkov. Who is offline can go on without."""
    if any(SIGNS.search(line) for line in failure.lines):
        return Skipped("checkov is not installed, and pip cannot reach it (.dev/checks.log)")
    return Failed(f"checkov cannot be installed: {failure} (.dev/checks.log)")


def _stamp() -> Stamp:
    inside = "Lib/site-packages" if sys.platform == "win32" else "lib/python3.13/site-packages"
    return Stamp(FOLDER, FOLDER / inside)


def _pip(requirements: Path) -> list[str | Path]:
    quiet = ("--disable-pip-version-check", "--no-input", "--retries", "3")
    return [PYTHON, "-m", "pip", "install", *quiet, "-r", requirements]
