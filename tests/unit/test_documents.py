"""Every page leads where it says, and speaks of tests that run."""

from pathlib import Path

import pytest

from tests.support.references import dead_links, missing_tests
from tools.dev.paths import ROOT

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "infra").rglob("*.md")]


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_tests_are_there(page: Path) -> None:
    assert dead_links(page) == []
    assert missing_tests(page.read_text("utf-8")) == []


def test_what_is_not_there_is_seen(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# A heading\n[one](#a-heading) [two](#none)\n[three](none.md)\n")
    assert dead_links(tmp_path / "page.md") == ["#none", "none.md"]
    named = "`tests/unit/test_documents.py::test_none`, `tests/none.py`, `tests/unit/test_documents.py`"
    assert missing_tests(named) == ["tests/unit/test_documents.py::test_none", "tests/none.py::"]
