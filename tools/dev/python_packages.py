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
    if VENV_PYTHON.exists() and _stamp().is_of(made_from):
        return
    if fault := find_fault():
        print(f"Removing .venv: {fault}", flush=True)
        remove()
    if not VENV.exists():
        _make()
    _stamp().begin()
    _install()
    _stamp().finish(made_from)


def _stamp() -> Stamp:
    inside = "Lib/site-packages" if sys.platform == "win32" else "lib/python3.13/site-packages"
    return Stamp(VENV, VENV / inside)


def find_fault() -> str | None:
    """Why what is there cannot be built on; None when it can, or when nothing is there."""
    if not VENV.exists() and not VENV.is_symlink():
        return None
    if not VENV.is_dir():
        return "it is not a folder."
    if _stamp().is_unfinished:
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
    _stamp().begin()
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
    quiet = ["--disable-pip-version-check", "--no-input", "--retries", "3"]
    pip = [str(VENV_PYTHON), "-m", "pip", "install", *quiet, "-r", str(REQUIREMENTS)]
    try:
        run_step("Installing Python packages (once, about a minute)", pip, cwd=ROOT, log=LOGS / "pip.log")
    except StepFailed as failure:
        raise explain(failure, tool="pip", log=".dev/pip.log", mirror="set PIP_INDEX_URL to a mirror") from None
