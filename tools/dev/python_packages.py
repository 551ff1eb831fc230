"""The virtual environment and what is installed in it."""

import shutil
import subprocess
import sys
from pathlib import Path

from tools.dev.offline import explain
from tools.dev.paths import LOGS, ROOT, VENV, VENV_PYTHON
from tools.dev.problem import Problem
from tools.dev.stamp import Stamp, digest
from tools.dev.step import StepFailed, run_step

REQUIREMENTS = ROOT / "requirements-dev.txt"


def prepare_python() -> None:
    """`.venv` holds this Python and exactly the pinned packages. Takes no time when it already does.

    Raises:
        Problem: it cannot be made; the next run begins it anew.
    """
    made_from = digest([REQUIREMENTS, ROOT / "requirements.txt"], sys.version, str(VENV))
    if VENV_PYTHON.exists() and stamp_of(VENV).is_of(made_from):
        return
    if fault := find_fault():
        print(f"Removing .venv: {fault}", flush=True)
        remove()
    if not VENV.exists():
        _make()
    stamp_of(VENV).begin()
    _install()
    stamp_of(VENV).finish(made_from)


def stamp_of(venv: Path) -> Stamp:
    """The stamp of a virtual environment."""
    inside = "Lib/site-packages" if sys.platform == "win32" else "lib/python3.13/site-packages"
    return Stamp(venv, venv / inside)


def pip_install(python: Path, requirements: Path) -> list[str]:
    """The command by which what a file names gets into the environment of a Python."""
    quiet = ["--disable-pip-version-check", "--no-input", "--retries", "3"]
    return [str(python), "-m", "pip", "install", *quiet, "-r", str(requirements)]


def find_fault() -> str | None:
    """Why what is there cannot be built on; None when it can, or when nothing is there."""
    if not VENV.exists() and not VENV.is_symlink():
        return None
    if not VENV.is_dir():
        return "it is not a folder."
    if stamp_of(VENV).is_unfinished:
        return "an earlier run was interrupted while making it."
    try:
        check = "import sys, pip; sys.exit(sys.version_info[:2] != (3, 13) or sys.prefix == sys.base_prefix)"
        status = subprocess.run([VENV_PYTHON, "-c", check], capture_output=True, timeout=60, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        status = -1
    return "it is half-made, or of another Python." if status else None


def remove() -> None:
    """Nothing is at `.venv`. Problem if it cannot be removed."""
    try:
        if VENV.is_dir() and not VENV.is_symlink():
            shutil.rmtree(VENV)
        else:
            VENV.unlink()
    except OSError as error:
        raise Problem(f"Cannot remove .venv ({error.strerror}): end what uses it, remove it, run this again.") from None


def _make() -> None:
    VENV.mkdir()
    stamp_of(VENV).begin()
    # Not sys.executable: that may be the Python of the very environment that is being made anew.
    python = Path(getattr(sys, "_base_executable", sys.executable))
    try:
        run_step("Making .venv", [python, "-m", "venv", VENV], cwd=ROOT, log=LOGS / "venv.log")
    except StepFailed as failure:
        raise Problem(
            f"`{python} -m venv` failed: {failure}  On Debian and Ubuntu, `apt install python3.13-venv` helps. "
            "Details: .dev/venv.log"
        ) from None


def _install() -> None:
    pip = pip_install(VENV_PYTHON, REQUIREMENTS)
    try:
        run_step("Installing Python packages (once, about a minute)", pip, cwd=ROOT, log=LOGS / "pip.log")
    except StepFailed as failure:
        raise explain(failure, tool="pip", log=".dev/pip.log", mirror="set PIP_INDEX_URL to a mirror") from None
