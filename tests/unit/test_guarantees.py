"""docs/guarantees.md speaks of tests that exist, and each of its promises names one."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "guarantees.md").read_text("utf-8")


def test_each_promise_names_its_proof_and_each_proof_is_a_test() -> None:
    promises = TEXT.partition("## Promises")[2].partition("\n## ")[0].split("\n### ")[1:]
    assert len(promises) > 5
    assert [promise.partition("\n")[0] for promise in promises if "*Proof:* `tests/" not in promise] == []
    named = re.findall(r"`(tests/\S+\.py)(?:::(\w+))?`", TEXT)
    assert [f"{path}::{name}" for path, name in named if name and name not in names_in(path)] == []
    assert [path for path, _ in named if not (ROOT / path).exists()] == []


def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
