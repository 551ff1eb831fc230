"""docs/deploy.md speaks of what is there: options, functions, settings, alerts."""

import json
import re

import pytest

from tests.infra.deployment import snake
from tools.dev.paths import ROOT

DEPLOY = (ROOT / "docs" / "deploy.md").read_text("utf-8")
MAIN = (ROOT / "infra" / "bicep" / "main.bicep").read_text("utf-8")
APP = (ROOT / "function_app.py").read_text("utf-8")
OPTIONS = set(re.findall(r"^param (\w+) .+? = .+$", MAIN, re.MULTILINE)) - {"receiptKey", "callbackKey"}
"""But for two, which nobody gives."""


def _section(title: str) -> str:
    return DEPLOY.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


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
    variables = {f"FIXIT_{snake(name)}".upper() for name in OPTIONS}
    assert [name for name in sorted(variables) if f"'{name}'" not in read] == []
    assert set(re.findall(r"azd env set (FIXIT_\w+)", DEPLOY)) <= variables


def test_there_are_as_many_alerts() -> None:
    alerts = json.loads((ROOT / "infra" / "common" / "alerts.json").read_text("utf-8"))
    assert f"| {['six', 'seven', 'eight', 'nine', 'ten'][len(alerts) - 6]} alerts" in DEPLOY
