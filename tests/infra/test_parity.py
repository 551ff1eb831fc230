"""Bicep and Terraform deploy the same: the same resources, with the same names and properties, and the same outputs."""

import re

import pytest

from tests.infra.bicep_snapshot import SCENARIOS, literal, parameters
from tests.infra.comparable import comparable
from tests.infra.deployment import as_terraform, deployment, snake
from tests.infra.terraform_plan import Plan, variables
from tools.dev.paths import ROOT

MAIN = (ROOT / "infra" / "bicep" / "main.bicep").read_text("utf-8")
DRAWN = {"receiptKey", "callbackKey"}
"""What Bicep can draw as the default of a parameter only. Terraform draws it elsewhere."""

each_scenario = pytest.mark.parametrize("scenario", SCENARIOS)


@each_scenario
def test_both_templates_deploy_the_same_resources(scenario: str) -> None:
    bicep, terraform = deployment("bicep", scenario), deployment("terraform", scenario)
    assert sorted(bicep.resources) == sorted(terraform.resources)


@each_scenario
def test_both_templates_say_the_same_of_each_resource(scenario: str) -> None:
    bicep, terraform = deployment("bicep", scenario), deployment("terraform", scenario)
    assert comparable(bicep) == comparable(terraform)


@each_scenario
def test_both_templates_tell_the_same_in_the_end(scenario: str) -> None:
    assert deployment("bicep", scenario).outputs == deployment("terraform", scenario).outputs


@each_scenario
def test_terraform_plans_all_of_it_without_what_is_known_only_later(scenario: str) -> None:
    plan = Plan(**as_terraform(parameters(scenario)))
    assert len(plan.resources) > 30
    assert "${" not in "".join(resource.address for resource in plan.resources)


def bicep_parameters() -> dict[str, tuple[str, str]]:
    """The description and the default of each parameter, as they are written."""
    found = re.findall(r"@description\('((?:[^'\\]|\\.)*)'\)\n(?:@.*\n)*param (\w+) [^=\n]+?(?: = (.+))?\n", MAIN)
    assert len(found) == len(re.findall("^param ", MAIN, re.MULTILINE))
    return {name: (description.replace("\\'", "'"), default) for description, name, default in found}


def test_both_templates_have_the_same_parameters_with_the_same_descriptions() -> None:
    said = {name: description for name, (description, _) in bicep_parameters().items() if name not in DRAWN}
    assert variables("description") == as_terraform(said)


def test_parameters_have_the_same_defaults_in_both_templates() -> None:
    given = {name: default for name, (_, default) in bicep_parameters().items() if default and name not in DRAWN}
    assert variables("default") == {snake(name): literal(default) for name, default in given.items()}
