"""The app and its monitoring in Terraform, in the words of ARM."""

from tests.infra.arm_of_data import Body
from tests.infra.given import Given
from tests.infra.not_understood import NotUnderstood


def plan(given: Given) -> dict[str, Body]:
    """The plan of an app."""
    if given.take("os_type") != "Linux" or (sku := given.take("sku_name")) != "FC1":
        raise NotUnderstood("another plan than Flex Consumption")
    sku_of_arm = {"name": sku, "tier": "FlexConsumption"}
    return {"": {"sku": sku_of_arm, "kind": "functionapp", "properties": {"reserved": True}}}


def by_azapi(given: Given) -> dict[str, Body]:
    """What is sent to ARM as it stands, open and sensitive parts together."""
    given.take("type")
    for name in ("response_export_values", "ignore_casing", "sensitive_body_version"):
        given.may(name)  # how the provider treats it
    identities = [
        {"type": each.take("type"), "userAssignedIdentities": {one: {} for one in each.take("identity_ids")}}
        for each in given.blocks("identity")
    ]
    body = _merged(given.may("body") or {}, given.may("sensitive_body") or {})
    return {"": {**body, "identity": identities[0] if identities else None}}


def _merged(left: Body, right: Body) -> Body:
    both = dict(left)
    for key, value in right.items():
        inner = both.get(key)
        both[key] = _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return both


def workspace(given: Given) -> dict[str, Body]:
    """Where logs are kept."""
    properties = {
        "sku": {"name": given.take("sku")},
        "retentionInDays": given.take("retention_in_days"),
        "features": {"disableLocalAuth": not given.take("local_authentication_enabled")},
    }
    return {"": {"properties": properties}}


def insights(given: Given) -> dict[str, Body]:
    """Where telemetry is sent."""
    kind = given.take("application_type")
    properties = {
        "Application_Type": kind,
        "WorkspaceResourceId": given.take("workspace_id"),
        "DisableLocalAuth": given.take("local_authentication_disabled"),
    }
    return {"": {"kind": kind, "properties": properties}}


def action_group(given: Given) -> dict[str, Body]:
    """Who is told."""
    receivers = [
        {
            "name": each.take("name"),
            "emailAddress": each.take("email_address"),
            "useCommonAlertSchema": each.take("use_common_alert_schema"),
        }
        for each in given.blocks("email_receiver")
    ]
    properties = {"enabled": True, "groupShortName": given.take("short_name"), "emailReceivers": receivers}
    return {"": {"properties": properties}}


def alert(given: Given) -> dict[str, Body]:
    """A question that is asked of the logs again and again."""
    criteria = given.block("criteria")
    periods = criteria.block("failing_periods")
    question = {
        "query": criteria.take("query"),
        "timeAggregation": criteria.take("time_aggregation_method"),
        "operator": criteria.take("operator"),
        "threshold": criteria.take("threshold"),
        "failingPeriods": {
            "numberOfEvaluationPeriods": periods.take("number_of_evaluation_periods"),
            "minFailingPeriodsToAlert": periods.take("minimum_failing_periods_to_trigger_alert"),
        },
    }
    properties = {
        "displayName": given.take("display_name"),
        "description": given.take("description"),
        "severity": given.take("severity"),
        "enabled": True,
        "scopes": given.take("scopes"),
        "evaluationFrequency": given.take("evaluation_frequency"),
        "windowSize": given.take("window_duration"),
        "autoMitigate": given.take("auto_mitigation_enabled"),
        "criteria": {"allOf": [question]},
        "actions": {"actionGroups": [one for each in given.blocks("action") for one in each.take("action_groups")]},
    }
    return {"": {"kind": "LogAlert", "properties": properties}}


def workbook(given: Given) -> dict[str, Body]:
    """Pages of charts."""
    properties = {
        "displayName": given.take("display_name"),
        "category": given.take("category"),
        "sourceId": given.take("source_id"),
        "serializedData": given.take("data_json"),
    }
    return {"": {"kind": "shared", "properties": properties}}
