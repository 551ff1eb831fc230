"""docs/deploy.md, docs/sla.md and decision 20 speak of what is there: options, functions, settings, files, headings."""

import json
import re
from pathlib import Path

import pytest

from tests.unit.test_guarantees import names_in

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = (ROOT / "docs" / "deploy.md").read_text("utf-8")
MAIN = (ROOT / "infra" / "bicep" / "main.bicep").read_text("utf-8")
APP = (ROOT / "function_app.py").read_text("utf-8")
OPTIONS = set(re.findall(r"^param (\w+) .+? = .+$", MAIN, re.MULTILINE)) - {"receiptKey", "callbackKey"}
"""But for two, which nobody gives."""
PAGES = [ROOT / "docs" / name for name in ("deploy.md", "sla.md", "decisions/0020-scale.md")]


def _section(title: str) -> str:
    return DEPLOY.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def _anchor(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_each_option_of_the_template_is_in_the_table_and_no_other() -> None:
    told = [
        name
        for row in re.findall(r"^\| (`.+?) \| .+ \| .+ \|$", _section("Options"), re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    ]
    assert set(told) == OPTIONS
    assert len(told) == len(set(told))


@pytest.mark.parametrize(
    ("name", "default"),
    [("dataRedundancy", "'Standard_ZRS'"), ("alwaysReady", "0"), ("logRetentionDays", "30"), ("secondApp", "false")],
)
def test_defaults_are_those_of_the_template(name: str, default: str) -> None:
    assert re.search(rf"^param {name} \w+ = {default}$", MAIN, re.MULTILINE)
    assert re.search(rf"^\| `{name}` \| `?{default.strip("'")}`? \|", DEPLOY, re.MULTILINE)


def test_functions_that_can_be_paused_are_there() -> None:
    rows = [row.split("|")[2] for row in _section("Pause and resume").splitlines() if row.startswith("|")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    registered = set(re.findall(r'function_name\("(\w+)"\)', APP))
    queues = ("record", "photo", "notify")
    assert named & registered == {"submit", "submit_batch", "new_task", "sweep"}
    assert named - registered == {*queues, *(f"{name}_poison" for name in queues), "record_FixItStandby_fixits"}


def test_settings_that_are_named_are_there() -> None:
    known = set(json.loads((ROOT / "local.settings.example.json").read_text("utf-8"))["Values"])
    environment = set(re.findall(r"azd env set (FIXIT_\w+)", DEPLOY))
    named = set(re.findall(r"\bFIXIT_[A-Z_]+\b", DEPLOY)) - environment
    assert named <= known


def test_azd_reads_each_option_from_a_variable_of_its_name() -> None:
    read = (ROOT / "infra" / "bicep" / "main.bicepparam").read_text("utf-8")
    variables = {"FIXIT_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper() for name in OPTIONS}
    assert [name for name in sorted(variables) if f"'{name}'" not in read] == []
    assert set(re.findall(r"azd env set (FIXIT_\w+)", DEPLOY)) <= variables


def test_there_are_as_many_alerts() -> None:
    alerts = json.loads((ROOT / "infra" / "common" / "alerts.json").read_text("utf-8"))
    assert f"| {['six', 'seven', 'eight', 'nine', 'ten'][len(alerts) - 6]} alerts" in DEPLOY


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_tests_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", " ".join(text.split())):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.MULTILINE)
            assert anchor in map(_anchor, headings), target
    for path, name in re.findall(r"`(tests/\S+\.py)(?:::(\w+))?`", text):
        assert not name or name in names_in(path), name
        assert (ROOT / path).exists(), path
