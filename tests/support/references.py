"""What a page of the documentation refers to, and whether it is there."""

import ast
import re
from functools import cache
from pathlib import Path

from tools.dev.paths import ROOT

_LINK = re.compile(r"\]\((?!https?:)([^)]+)\)")
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def dead_links(page: Path) -> list[str]:
    """The links that lead to no file, or to no heading of it."""
    # A link may be broken across two lines.
    return [link for link in _LINK.findall(" ".join(page.read_text("utf-8").split())) if not _leads(page, link)]


def _leads(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


def missing_tests(text: str) -> list[str]:
    """The tests that a text names and that never run, since they are not there or are always skipped."""
    return [f"{path}::{name}" for path, name in _TEST.findall(text) if not _runs(path, name)]


def _runs(path: str, name: str) -> bool:
    return (ROOT / path).exists() and (not name or name in _running(path))


@cache
def _running(path: str) -> set[str]:
    body = ast.parse((ROOT / path).read_text("utf-8")).body
    if any(_is_skip(node) for node in body if isinstance(node, ast.Assign)):
        return set()
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {each.name for each in functions if not any(map(_is_skip, each.decorator_list))}


def _is_skip(node: ast.AST) -> bool:
    """Whether it says `skip` without an `if`."""
    return any(isinstance(each, ast.Attribute) and each.attr == "skip" for each in ast.walk(node))
