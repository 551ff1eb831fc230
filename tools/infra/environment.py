"""`.checks`: an environment for checkov, whose many pinned dependencies would not go with ours."""

import shutil
import sys

from tools.dev.offline import SIGNS
from tools.dev.paths import LOGS, ROOT, programs_of, python_of
from tools.dev.python_packages import pip_install, stamp_of
from tools.dev.stamp import digest
from tools.dev.step import StepFailed, run_step
from tools.infra.result import Failed, Skipped

FOLDER = ROOT / ".checks"
PROGRAMS = programs_of(FOLDER)
PYTHON = python_of(FOLDER)
NEEDED = ROOT / "requirements-checks.txt"
WISHED = ROOT / "requirements-actionlint.txt"
"""Apart, and given up after one try: it fetches its program from GitHub meanwhile, which may be out of reach."""


def prepare() -> None:
    """The environment is made of the pinned packages. Takes no time when it already is.

    Raises:
        Skipped: the packages cannot be reached.
        Failed: they cannot be installed.
    """
    stamp = stamp_of(FOLDER)
    made_from = digest([NEEDED, WISHED], sys.version, str(FOLDER))
    if PYTHON.exists() and stamp.is_of(made_from):
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    stamp.begin()
    try:
        run_step("Making .checks", [sys.executable, "-m", "venv", FOLDER], cwd=ROOT, log=LOGS / "checks.log")
        run_step(
            "Installing checkov (once, about a minute)", pip_install(PYTHON, NEEDED), cwd=ROOT, log=LOGS / "checks.log"
        )
    except StepFailed as failure:
        raise explain(failure) from None
    try:
        run_step("Installing actionlint", pip_install(PYTHON, WISHED), cwd=ROOT, log=LOGS / "actionlint.log")
    except StepFailed:
        print("  it cannot be had here; `rm -r .checks` has it tried again", flush=True)
    stamp.finish(made_from)


def explain(failure: StepFailed) -> Failed | Skipped:
    """Why there is no checkov. Who is offline can go on without."""
    if any(SIGNS.search(line) for line in failure.lines):
        return Skipped("checkov is not installed, and pip cannot reach it (.dev/checks.log)")
    return Failed(f"checkov cannot be installed: {failure} (.dev/checks.log)")
