"""Which Node is good enough."""

import sys
from pathlib import Path

import pytest

from tools.dev.node import find_node, find_npm
from tools.dev.problem import Problem

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins for Node are shell scripts")


def install(folder: Path, says: str, name: str = "node") -> str:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.fixture(autouse=True)
def only_what_is_put_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize("version", ["v20.0.0", "v24.11.1", "v100.1.2"])
def test_node_new_enough_is_found(tmp_path: Path, version: str) -> None:
    node = install(tmp_path, f"echo {version}")
    assert find_node() == node


@pytest.mark.parametrize("says", ["echo v18.20.8", "echo v2.0.0", "echo nothing", "exit 1"])
def test_node_too_old_or_broken_is_told_with_its_path(tmp_path: Path, says: str) -> None:
    node = install(tmp_path, says)
    with pytest.raises(Problem, match="install Node 20 or newer") as told:
        find_node()
    assert node in str(told.value)


def test_node_or_npm_missing_is_told() -> None:
    with pytest.raises(Problem, match="Node is not installed"):
        find_node()
    with pytest.raises(Problem, match="npm is not installed"):
        find_npm()


def test_npm_is_found(tmp_path: Path) -> None:
    npm = install(tmp_path, "", "npm")
    assert find_npm() == npm
