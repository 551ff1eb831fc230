"""What stands at .venv and cannot be built on is recognised."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.dev import python_packages
from tools.dev.stamp import Stamp


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / ".venv"
    monkeypatch.setattr(python_packages, "VENV", folder)
    inside = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    monkeypatch.setattr(python_packages, "VENV_PYTHON", folder.joinpath(*inside))
    return folder


def test_no_venv_has_no_fault(venv: Path) -> None:
    assert python_packages.find_fault() is None


def test_venv_that_is_a_file_is_a_fault(venv: Path) -> None:
    venv.touch()
    assert python_packages.find_fault() == "it is not a folder."


def test_venv_that_is_a_dangling_link_is_a_fault(venv: Path) -> None:
    venv.symlink_to(venv / "nowhere")
    assert python_packages.find_fault() == "it is not a folder."


def test_venv_that_is_empty_is_a_fault(venv: Path) -> None:
    venv.mkdir()
    assert python_packages.find_fault() == "it is half-made, or of another Python."


def test_venv_whose_python_is_gone_is_a_fault(venv: Path) -> None:
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to("/nowhere/python3.13")
    assert python_packages.find_fault() == "it is half-made, or of another Python."


def test_venv_without_pip_is_a_fault(venv: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    assert python_packages.find_fault() == "it is half-made, or of another Python."


def test_venv_whose_making_was_interrupted_is_a_fault(venv: Path) -> None:
    venv.mkdir()
    Stamp(venv, venv).begin()
    assert python_packages.find_fault() == "an earlier run was interrupted while making it."


def test_fault_removed_leaves_nothing(venv: Path) -> None:
    venv.mkdir()
    (venv / "rest").touch()
    python_packages.remove()
    assert not venv.exists()
    venv.symlink_to(venv / "nowhere")
    python_packages.remove()
    assert not venv.is_symlink()
