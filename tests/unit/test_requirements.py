"""docs/requirements.md holds every ask once, says how it is met or that it is not, and names tests that run."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TEXT = (DOCS / "requirements.md").read_text("utf-8")
NUMBERS = [f"{kind}{number}" for kind, most in (("S", 85), ("A", 14), ("K", 7)) for number in range(1, most + 1)]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
ROWS = {
    number: (ask, how, tests)
    for number, ask, how, tests in re.findall(r"^\| ([SAK]\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", TEXT, re.M)
}


def test_every_ask_has_one_row_and_they_stand_in_order() -> None:
    assert re.findall(r"^\| *([SAK]\d+)\b", TEXT, re.M) == NUMBERS == list(ROWS)


@pytest.mark.parametrize("number", NUMBERS)
def test_row_names_tests_that_run_or_says_that_there_is_none(number: str) -> None:
    ask, how, tests = ROWS[number]
    assert len(ask) > 10
    assert status(how) == "met" or len(how.partition(":** ")[2]) > 20, "what is missing is not said"
    if tests.startswith("no test: "):
        assert len(tests) > 20, "why is not said"
        return
    named = NAMED.findall(tests)
    assert tests == ", ".join(f"`{path}::{name}`" for path, name in named), "there is something else in the cell"
    assert named and len(set(named)) == len(named)
    assert [f"{path}::{name}" for path, name in named if name not in running(path)] == []


def test_sum_is_that_of_the_rows() -> None:
    found = [status(how) for _, how, _ in ROWS.values()]
    untested = [number for number, (_, _, tests) in ROWS.items() if not NAMED.search(tests)]
    met, partly, missing = (found.count(each) for each in ("met", "in part", "not met"))
    said = f"Met: {met}, in part: {partly}, not met: {missing}. Without a test: {len(untested)}."
    assert said in TEXT.splitlines()


def test_links_of_the_page_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)", TEXT)
    assert len(links) > 10
    assert [path for path, _ in links if not (DOCS / path).is_file()] == []
    assert [f"{path}#{anchor}" for path, anchor in links if anchor and anchor not in anchors(path)] == []


def status(how: str) -> str:
    """Whether it is met, as the third column says."""
    marked = re.match(r"\*\*([^*]+):\*\* ", how)
    if not marked:
        assert "**" not in how
        return "met"
    assert marked[1] in ("in part", "not met")
    return marked[1]


@cache
def running(path: str) -> set[str]:
    """The tests of a file but those that are always skipped."""
    file = ROOT / path
    if not file.is_file():
        return set()
    body = ast.parse(file.read_text("utf-8")).body
    assert not any(is_skip(node) for node in body if isinstance(node, ast.Assign)), f"{path} is skipped as a whole"
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {each.name for each in functions if not any(map(is_skip, each.decorator_list))}


def is_skip(node: ast.AST) -> bool:
    """Whether it says `skip` without an `if`."""
    return any(isinstance(each, ast.Attribute) and each.attr == "skip" for each in ast.walk(node))


@cache
def anchors(path: str) -> set[str]:
    """What can be linked to in a page."""
    return set(slugs((DOCS / path).read_text("utf-8")))


def slugs(text: str) -> Iterator[str]:
    for title in re.findall(r"^#+ (.+)$", text, re.M):
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
