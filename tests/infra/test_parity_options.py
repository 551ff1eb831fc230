"""Each option by itself, and some together: Bicep and Terraform deploy the same there, too, as far as that is asked."""

from typing import Any

import pytest

from tests.infra.bicep_compiler import asked
from tests.infra.bicep_snapshot import parameters
from tests.infra.comparable import comparable
from tests.infra.deployment import by_bicep, by_terraform
from tools.infra.bicep import Bicep

PLAIN, EVERYTHING = parameters("plain"), parameters("everything")
LANE = {"standbyLocation": EVERYTHING["standbyLocation"]}
APART = {name: value for name, value in EVERYTHING.items() if name not in PLAIN.keys() | {"secondApp", *LANE}}
OPTIONS: dict[str, dict[str, Any]] = {
    **{name: {name: value} for name, value in APART.items() if name != "signInTenantId"},
    "standby": LANE,
    "standby-private": {**LANE, "privateNetwork": True},
    "standby-developer": {**LANE, "developerPrincipalId": EVERYTHING["developerPrincipalId"]},
    "second-app": {**LANE, "secondApp": True},
    "second-app-sign-in": {**LANE, "secondApp": True, "signInClientId": EVERYTHING["signInClientId"]},
    "region-as-it-is-shown": {"location": "West Europe", "standbyLocation": "North Europe"},
    "prefix-with-dashes": {"prefix": "a-b-c-d-e-f"},
}


@pytest.mark.full
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_both_templates_deploy_the_same_with(bicep: Bicep, options: dict[str, Any]) -> None:
    values = PLAIN | options
    said, snapshot = asked(bicep, bicep.copy("infra"), "main.bicep", values)
    assert said == ""
    mine, theirs = by_bicep(values, snapshot), by_terraform(values)
    assert comparable(mine) == comparable(theirs)
    assert mine.outputs == theirs.outputs
