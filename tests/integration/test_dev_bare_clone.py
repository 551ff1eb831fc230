"""From a bare clone: everything is made, once; what was interrupted is made again. Needs the network."""

import os
import re
import shutil
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tools.dev.child import Child
from tools.dev.paths import ROOT

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals"),
]

MADE = (".git", ".venv", "node_modules", ".azurite", ".dev", "local.settings.json", "__pycache__", ".*_cache")


def start(clone: Path) -> Child:
    command = [sys.executable, str(clone / "dev.py"), "start", "--port", "0", "--storage-port", "0"]
    # The whole environment, as a developer has it: pip and npm may need their settings to find packages.
    return Child(command, cwd=clone, env=os.environ)


def test_start_on_a_bare_clone_installs_once_and_mends_what_was_interrupted(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*MADE))
    (clone / ".venv").mkdir()  # half-made

    for doing in ("Installing the storage emulator", "Installing Python packages"):
        child = start(clone)
        child.wait_line(doing, 300)
        child.kill()
        child.close()

    child = start(clone)
    child.wait_line("Removing .venv: an earlier run was interrupted", 300)
    port = child.wait_line(r"curl -i http://localhost:(\d+)/", 300)[1]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=30) as answer:
        assert answer.status == 200
    assert child.stop(60) == 0
    assert (clone / "local.settings.json").read_bytes() == (clone / "local.settings.example.json").read_bytes()

    began = time.monotonic()
    child = start(clone)
    child.wait_line(r"curl -i http://localhost:(\d+)/", 60)
    assert time.monotonic() - began < 20
    assert not any(re.search("Installing|Making|Copied", line) for line in child.lines())
    assert child.stop(60) == 0
