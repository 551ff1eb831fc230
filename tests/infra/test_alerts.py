"""The alerts: values that the service takes, and the same told in docs/monitoring.md. The workbook: its form."""

import json
import re
from typing import Any

import pytest

from tests.support.alerts import ALERTS, COMMON, minutes
from tools.dev.paths import ROOT

# https://learn.microsoft.com/azure/templates/microsoft.insights/scheduledqueryrules, and the provider's own lists
EVERY = {"PT5M", "PT10M", "PT15M", "PT30M", "PT45M", "PT1H", "PT2H", "PT3H", "PT4H", "PT5H", "PT6H", "P1D"}
WINDOWS = EVERY | {"P2D"}
OPERATORS = {"Equal", "GreaterThan", "GreaterThanOrEqual", "LessThan", "LessThanOrEqual"}
DESCRIPTION_MAX = 4_096
LOOK_BACK_MAX = 48 * 60

MEMBERS = {
    *("name", "title", "description", "severity", "query", "every", "window", "operator", "threshold", "failing"),
    "resolves",
}
TABLE = re.compile(r"^\| `([a-z-]+)` \| (\d) \| (\d+) (min|days)(?:, (\d) of (\d))? \|", re.MULTILINE)
DOCUMENT = (ROOT / "docs" / "monitoring.md").read_text("utf-8")
BOOK = json.loads((COMMON / "workbook.json").read_text("utf-8"))

each_alert = pytest.mark.parametrize("alert", ALERTS, ids=[alert["name"] for alert in ALERTS])


def test_document_tells_of_each_alert_what_it_is() -> None:
    alerts = DOCUMENT.partition("## Alerts")[2].partition("\n## ")[0]
    told = {
        name: (int(severity), int(number) * (1 if unit == "min" else 24 * 60), int(of or 1), int(least or 1))
        for name, severity, number, unit, least, of in TABLE.findall(alerts)
    }
    assert told == {
        each["name"]: (each["severity"], minutes(each["window"]), each["failing"]["of"], each["failing"]["min"])
        for each in ALERTS
    }


@each_alert
def test_document_tells_the_texts_and_members_that_an_alert_reads(alert: dict[str, Any]) -> None:
    (row,) = re.findall(rf"^\| `{alert['name']}` .*", DOCUMENT, re.MULTILINE)
    query = "\n".join(alert["query"])
    conditions = query.partition("| where ")[2]
    texts = {text.strip() for text in re.findall(r'message startswith "([a-z ]+)', conditions)}
    members = set(re.findall(r"line\.(\w+)", conditions)) - {"queue"}
    assert [each for each in (*texts, *members) if each not in row] == []


@each_alert
def test_service_takes_the_values(alert: dict[str, Any]) -> None:
    assert alert.keys() == MEMBERS
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", alert["name"])
    assert alert["severity"] in range(5)
    assert (alert["every"] in EVERY, alert["window"] in WINDOWS, alert["operator"] in OPERATORS) == (True, True, True)
    assert 1 <= alert["failing"]["min"] <= alert["failing"]["of"] <= 6
    look_back = minutes(alert["window"]) * alert["failing"]["of"]
    assert minutes(alert["every"]) <= look_back <= LOOK_BACK_MAX
    assert len(alert["description"]) <= DESCRIPTION_MAX


@each_alert
def test_query_is_one_that_a_rule_may_have(alert: dict[str, Any]) -> None:
    table, *steps = alert["query"]
    assert table in ("traces", "requests")  # a rule must not search or unite tables
    assert all(re.match(r"\| (where|extend|summarize) ", step) for step in steps)
    loses_time = any(step.startswith("| summarize ") for step in steps)
    assert not loses_time or alert["failing"]["of"] == 1  # several windows need each row's time
    tokens = set(re.findall(r"\{\w+\}", " ".join(steps)))
    assert tokens <= {"{targetSeconds}", "{apps}"}


def test_names_are_one_alert_each() -> None:
    names = [alert["name"] for alert in ALERTS]
    assert len(set(names)) == len(names)


def test_queues_that_a_query_names_are_the_products() -> None:
    queues = json.loads((COMMON / "names.json").read_text("utf-8"))["queues"]
    named = set(re.findall(r'"(fixit[\w-]*)"', " ".join(line for alert in ALERTS for line in alert["query"])))
    assert named
    assert named <= set(queues)


def test_workbook_is_one_and_each_part_goes_by_its_time() -> None:
    assert BOOK["version"] == "Notebook/1.0"
    names = [item["name"] for item in BOOK["items"]]
    assert len(set(names)) == len(names)
    (times,) = [item["content"]["parameters"] for item in BOOK["items"] if item["type"] == 9]
    assert [(each["name"], each["type"]) for each in times] == [("TimeRange", 4)]
    shown = [item["content"] for item in BOOK["items"] if item["type"] == 3]
    assert shown
    for each in shown:
        assert (each["version"], each["queryType"]) == ("KqlItem/1.0", 0)
        assert each["resourceType"] == "microsoft.insights/components"
        assert each["timeContextFromParameter"] == "TimeRange"
        assert each["visualization"] in ("timechart", "table")


def test_worker_is_told_nowhere_to_export_by_itself() -> None:
    """Were it, the host would no longer hand on what it logs, and no alert would see a line."""
    ours = [*(ROOT / "infra").rglob("*.json"), *(ROOT / "infra").rglob("*.bicep"), *(ROOT / "infra").rglob("*.tf")]
    told = [path.name for path in ours if re.search(r"PYTHON_\w*TELEMETRY", path.read_text("utf-8"))]
    assert told == []
