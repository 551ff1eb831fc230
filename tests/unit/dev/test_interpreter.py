"""dev.py goes on in a Python 3.13 wherever it is started, and says so in one line where there is none."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.dev.interpreter import find_python
from tools.dev.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins for interpreters are shell scripts")


def install(folder: Path, version: str, *, works: bool = True) -> Path:
    """Put a command python3.13 into a folder that says it is of this version, or one that fails as pyenv's shims do."""
    folder.mkdir(parents=True)
    python = folder / "python3.13"
    say = f'echo "{version} {python}"' if works else "echo 'pyenv: python3.13: command not found' >&2; exit 127"
    python.write_text(f"#!/bin/sh\n{say}\n", encoding="utf-8")
    python.chmod(0o755)
    return python


def environment(tmp_path: Path) -> dict[str, str]:
    return {"PATH": f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": str(tmp_path)}


def test_python_on_path_is_chosen(tmp_path: Path) -> None:
    python = install(tmp_path / "bin", "3 13")
    install(tmp_path / ".pyenv/versions/3.13.1/bin", "3 13")
    assert find_python(environment(tmp_path)) == str(python)


@pytest.mark.parametrize("broken", ["3 12", "3 131", "", "pyenv"])
def test_python_on_path_that_is_another_gives_way_to_the_newest_of_pyenv(tmp_path: Path, broken: str) -> None:
    install(tmp_path / "bin", broken, works=broken != "pyenv")
    install(tmp_path / ".pyenv/versions/3.13.9/bin", "3 13")
    newest = install(tmp_path / ".pyenv/versions/3.13.10/bin", "3 13")
    assert find_python(environment(tmp_path)) == str(newest)


def test_pyenv_elsewhere_is_found_by_its_variable(tmp_path: Path) -> None:
    python = install(tmp_path / "elsewhere/versions/3.13.2/bin", "3 13")
    where = {**environment(tmp_path), "PATH": "", "PYENV_ROOT": str(tmp_path / "elsewhere")}
    assert find_python(where) == str(python)


def test_python_nowhere_is_none(tmp_path: Path) -> None:
    assert find_python({"PATH": str(tmp_path), "HOME": str(tmp_path)}) is None


def test_dev_without_the_right_python_says_what_to_do_in_one_line(tmp_path: Path) -> None:
    code = "import sys; from tools.dev import interpreter as i; i.WANTED = (3, 99); sys.exit(i.run_in_right_python())"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PATH": "", "HOME": str(tmp_path)}, capture_output=True, text=True
    )
    assert ran.returncode == 1
    assert ran.stdout == ""
    (line,) = ran.stderr.splitlines()
    assert line.startswith("dev.py needs Python 3.13, and this is 3.13.")
    assert "install" in line


def test_dev_in_the_wrong_python_goes_on_in_the_right_one_with_its_arguments(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    python = folder / "python3.13"
    python.write_text('#!/bin/sh\n[ $# = 2 ] && echo "3 99 $0" || echo "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    code = "import sys; from tools.dev import interpreter as i; i.WANTED = (3, 99); sys.exit(i.run_in_right_python())"
    ran = subprocess.run(
        [sys.executable, "-c", code, "start", "--port", "1"],
        cwd=ROOT, env={**environment(tmp_path), "HOME": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, "-c start --port 1\n")


@pytest.mark.parametrize("name", ["dev.py", "tools/__init__.py", "tools/dev/__init__.py", "tools/dev/interpreter.py"])
def test_what_runs_before_the_right_python_is_found_is_readable_to_old_ones(name: str) -> None:
    ast.parse((ROOT / name).read_text("utf-8"), feature_version=(3, 8))
