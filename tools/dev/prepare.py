"""What every command needs first."""

import shutil

from tools.dev.node_packages import prepare_node
from tools.dev.paths import ROOT
from tools.dev.python_packages import prepare_python


def prepare() -> None:
    """All that runs and tests need is installed, and there are settings. Problem if that cannot be had."""
    prepare_node()  # first: it finds out at once whether Node is missing
    prepare_python()
    prepare_settings()


def prepare_settings() -> None:
    """`local.settings.json` exists; one that does is left as it is."""
    settings, example = ROOT / "local.settings.json", ROOT / "local.settings.example.json"
    if not settings.exists():
        shutil.copyfile(example, settings)
        print("Copied local.settings.example.json to local.settings.json: change that one as you like.", flush=True)
