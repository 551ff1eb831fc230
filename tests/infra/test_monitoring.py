"""Alerts and the workbook are deployed as infra/common has them, with the numbers of the deployment put in."""

import json

from tests.infra.deployment import Deployment, settings
from tests.support.alerts import ALERTS, COMMON, query

ALERT = "Microsoft.Insights/scheduledQueryRules"


def test_each_alert_is_deployed_and_no_other(deployed: Deployment) -> None:
    prefix = deployed.parameters["prefix"]
    assert {each.name for each in deployed.of(ALERT)} == {f"alert-{prefix}-{each['name']}" for each in ALERTS}


def test_alert_asks_what_the_list_says_of_the_insights_of_the_deployment(deployed: Deployment) -> None:
    (insights,) = deployed.of("Microsoft.Insights/components")
    (target,) = {settings(site)["FIXIT_TARGET_SECONDS"] for site in deployed.sites}
    found = {each.name.removeprefix(f"alert-{deployed.parameters['prefix']}-"): each for each in deployed.of(ALERT)}
    for alert in ALERTS:
        said = found[alert["name"]].properties
        (question,) = said["criteria"]["allOf"]
        assert question["query"] == query(alert, target=float(target), apps=len(deployed.sites))
        assert (question["operator"], question["threshold"]) == (alert["operator"], alert["threshold"])
        failing = question["failingPeriods"]
        assert failing["numberOfEvaluationPeriods"] == alert["failing"]["of"]
        assert failing["minFailingPeriodsToAlert"] == alert["failing"]["min"]
        assert (said["severity"], said["autoMitigate"]) == (alert["severity"], alert["resolves"])
        assert (said["evaluationFrequency"], said["windowSize"]) == (alert["every"], alert["window"])
        assert said["enabled"] is True
        assert said["scopes"] == [insights.id]


def test_alerts_are_told_to_whom_the_deployment_names(deployed: Deployment) -> None:
    groups = deployed.of("Microsoft.Insights/actionGroups")
    mails = [each["emailAddress"] for group in groups for each in group.properties["emailReceivers"]]
    assert mails == ([deployed.parameters["alertEmail"]] if "alertEmail" in deployed.parameters else [])
    for alert in deployed.of(ALERT):
        assert alert.properties["actions"]["actionGroups"] == [group.id for group in groups]


def test_workbook_is_the_one_of_the_repository(deployed: Deployment) -> None:
    (workbook,) = deployed.of("Microsoft.Insights/workbooks")
    book = json.loads((COMMON / "workbook.json").read_text("utf-8"))
    assert json.loads(workbook.properties["serializedData"]) == book
