"""The app of this repository without the developer's own settings."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from tools.dev.paths import ROOT

DEPLOYED = ("function_app.py", "host.json", "requirements.txt")


@cache
def app_copy() -> Path:
    """A folder with what would be deployed, and no local.settings.json.

    One for the whole pytest process: hosts on one account know by their folder that they are of one app.
    """
    folder = Path(tempfile.mkdtemp(prefix="fixit-app-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in DEPLOYED:
        shutil.copy2(ROOT / name, folder)
    shutil.copytree(ROOT / "shared", folder / "shared")
    return folder
