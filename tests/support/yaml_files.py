"""Reads the YAML files of the repository."""

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]


def read_yaml(path: Path) -> Any:
    """Its content. A key `on` stays a word: YAML 1.1, which PyYAML reads, takes it for true."""
    read = yaml.safe_load(path.read_text("utf-8"))
    if isinstance(read, dict) and True in read:
        read["on"] = read.pop(True)
    return read
