"""docs/errors.md names every code that the app can give, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = "\n".join(path.read_text("utf-8") for path in (*ROOT.glob("shared/**/*.py"), ROOT / "function_app.py"))
CODES = (ROOT / "docs" / "errors.md").read_text("utf-8").partition("## The columns")[0]
DOCUMENTED = set(re.findall(r"^\| `([a-z_]+)` \|", CODES, re.MULTILINE))

# Codes of base classes, which no answer carries.
ABSTRACT = {"error", "invalid_request", "not_found", "step_failed", "try_later", "outcome_unknown"}


def test_every_code_is_documented_and_nothing_else() -> None:
    given = set(re.findall(r'\bcode: ClassVar\[str\] = "([a-z_]+)"', SOURCES))
    given |= set(re.findall(r'\bcode="([a-z_]+)"', SOURCES))
    given |= set(re.findall(r'^    code = "([a-z_]+)"', SOURCES, re.MULTILINE))
    given |= set(re.findall(r'^[A-Z_]+ = "([a-z]+_[a-z_]+)"$', SOURCES, re.MULTILINE))
    given |= set(re.findall(r'(?:problem|_members)\(\s*\d+,\s*"([a-z_]+)"', SOURCES))
    assert given - ABSTRACT == DOCUMENTED
