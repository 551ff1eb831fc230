"""Where things are in this repository."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
VENV_PROGRAMS = VENV / ("Scripts" if sys.platform == "win32" else "bin")
VENV_PYTHON = VENV_PROGRAMS / ("python.exe" if sys.platform == "win32" else "python")
NODE_MODULES = ROOT / "node_modules"
AZURITE = NODE_MODULES / "azurite/dist/src/azurite.js"
LOGS = ROOT / ".dev"
