"""Where things are in this repository."""

import sys
from pathlib import Path


def programs_of(venv: Path) -> Path:
    """Where a virtual environment has its programs."""
    return venv / ("Scripts" if sys.platform == "win32" else "bin")


def python_of(venv: Path) -> Path:
    """Its Python."""
    return programs_of(venv) / ("python.exe" if sys.platform == "win32" else "python")


ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
VENV_PROGRAMS = programs_of(VENV)
VENV_PYTHON = python_of(VENV)
NODE_MODULES = ROOT / "node_modules"
AZURITE = NODE_MODULES / "azurite/dist/src/azurite.js"
LOGS = ROOT / ".dev"
