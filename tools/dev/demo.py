"""`dev.py demo`: the main job, before your eyes."""

import contextlib
import sys

from tools.dev.foreground import run_module
from tools.dev.host import find_core_tools
from tools.dev.prepare import prepare


def demo(*, host: str, as_json: bool) -> int:
    """Run the story in the virtual environment, where the storage SDK is. 0 if all of it came true."""
    if host == "func":
        find_core_tools()  # before anything is made
    with contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):
        prepare()
    return run_module("tools.dev.story", host, *(["--json"] if as_json else []))
