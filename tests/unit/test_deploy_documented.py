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
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        environment |= set(re.findall(r"\bvars\.(FIXIT_\w+)", workflow.read_text("utf-8")))
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


NAME = r"([A-Za-z_]\w*)"
SET_OR_USED = re.compile(rf"(?:^ *(?:export )?|; ){NAME}=|\bfor {NAME} in |\$\{{?{NAME}\b(?!:-)", re.MULTILINE)


def _never_set(page: str) -> list[str]:
    """The variables that a page uses, and that no block of commands has set before. A loop's end with its block."""
    known: set[str] = set()
    missing: list[str] = []
    for number, part in enumerate(re.split(r"^```(?:sh)?$", page, flags=re.MULTILINE)):
        of_loops: set[str] = set()
        for assigned, looped, used in SET_OR_USED.findall(part):
            if used and used not in known | of_loops:
                missing.append(used)
            if number % 2:  # the others are text, which sets nothing
                known.add(assigned)
                of_loops.add(looped)
    return missing


def test_each_variable_of_a_command_is_set_before() -> None:
    assert DEPLOY.count("\n```sh\n") * 2 == DEPLOY.count("\n```")
    assert _never_set(DEPLOY) == []


def test_variable_that_is_not_set_is_found() -> None:
    block = "curl $URL\nA=1; B=$A\nfor c in $B; do\n  echo ${D:-x} $c\ndone\n"
    page = f"```sh\n{block}```\n`E=1` `$A` `$c`\n```sh\necho ${{E}}\n```\n"
    assert _never_set(page) == ["URL", "c", "E"]


def test_outputs_that_are_named_are_there() -> None:
    outputs = set(re.findall(r"^output (\w+) ", MAIN, re.MULTILINE))
    named = set(re.findall(r"\$\(of (\w+)\)", DEPLOY))
    terraform = (ROOT / "infra" / "terraform" / "outputs.tf").read_text("utf-8")
    assert {"appName", "appUrl"} <= named <= outputs
    assert {snake(name) for name in named} <= set(re.findall(r'^output "(\w+)"', terraform, re.MULTILINE))
