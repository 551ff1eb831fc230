"""One deployment, by either template, of one of the sets of parameters that infra/bicep/snapshots has."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from shared.domain.lane import Lane, parse_lanes
from tests.infra import bicep_snapshot
from tests.infra.planned import Planned
from tests.infra.terraform_arm import translate
from tests.infra.terraform_ids import answers
from tests.infra.terraform_plan import Plan

Template = Literal["bicep", "terraform"]
TEMPLATES: tuple[Template, ...] = get_args(Template)
HOME, STANDBY = "westeurope", "northeurope"
"""The regions of the snapshots."""
SITE = "Microsoft.Web/sites"
ACCOUNT = "Microsoft.Storage/storageAccounts"
SECRET = "Microsoft.KeyVault/vaults/secrets"
ROLE = "Microsoft.Authorization/roleAssignments"
_REFERENCE = re.compile(r"@Microsoft\.KeyVault\(SecretUri=https://([\w-]+)\.vault\.azure\.net/secrets/([\w-]+)\)")
_BY_AN_OPERATOR = {"smtp-url": "smtps://fixit:password@mail.example.com:465"}


@dataclass(frozen=True)
class Deployment:
    """`resources` by their ids; `outputs` by the names that Bicep gives them."""

    parameters: Mapping[str, Any]
    resources: Mapping[str, Planned]
    outputs: Mapping[str, Any]

    def of(self, kind: str) -> list[Planned]:
        """Those of one type."""
        return [each for each in self.resources.values() if each.type == kind]

    def account(self, letter: Literal["h", "d", "l"], location: str) -> Planned:
        """The account of a region: of the host, of the data, or of the standby lane."""
        found = [each for each in self.of(ACCOUNT) if each.body["location"] == location]
        (account,) = [each for each in found if re.fullmatch(f"st[a-z0-9]+?{letter}[0-9a-f]{{13}}", each.name)]
        return account

    def inside(self, account: Planned, kind: str) -> set[str]:
        """The names of an account's queues, tables or containers."""
        return {each.name for each in self.resources.values() if re.match(f"{account.id}/[^/]+/[^/]+/{kind}/", each.id)}

    @property
    def sites(self) -> list[Planned]:
        """The apps, the first one first."""
        return sorted(self.of(SITE), key=lambda site: str(site.body["tags"]["azd-service-name"]))

    def environment(self, site: Planned) -> dict[str, str]:
        """What the app finds in its environment: its settings, those that refer to the vault fetched from there."""
        return {name: self._fetched(text) for name, text in settings(site).items()}

    def _fetched(self, text: str) -> str:
        reference = _REFERENCE.fullmatch(text)
        if reference is None:
            return text
        vault, name = reference.groups()
        secrets = {each.name: each for each in self.of(SECRET) if f"/vaults/{vault}/" in each.id}
        return _BY_AN_OPERATOR.get(name) or str(secrets[name].properties["value"])


def settings(site: Planned) -> dict[str, str]:
    """The settings of an app, as the template says them."""
    return {each["name"]: each["value"] for each in site.properties["siteConfig"]["appSettings"]}


def lanes(site: Planned) -> tuple[Lane, ...]:
    """The lanes of an app."""
    return parse_lanes(settings(site)["FIXIT_LANES"])


@cache
def deployment(template: Template, scenario: str) -> Deployment:
    """What the template makes of the parameters of a scenario."""
    parameters = bicep_snapshot.parameters(scenario)
    return by_bicep(parameters, bicep_snapshot.raw(scenario)) if template == "bicep" else by_terraform(parameters)


def by_bicep(parameters: Mapping[str, Any], snapshot: Any) -> Deployment:
    """The deployment that a snapshot of these parameters shows."""
    resources, outputs = bicep_snapshot.planned(snapshot)
    return _deployment(parameters, resources, outputs)


def by_terraform(parameters: Mapping[str, Any]) -> Deployment:
    """The deployment that Terraform plans for what these parameters are called there."""
    plan = Plan(answers=answers, **as_terraform(parameters))
    resources = [made for resource in plan.resources for made in translate(resource)]
    return _deployment(parameters, resources, {camel(name): value for name, value in plan.outputs.items()})


def _deployment(parameters: Mapping[str, Any], resources: list[Planned], outputs: Mapping[str, Any]) -> Deployment:
    by_id = {each.id: each for each in resources}
    assert len(by_id) == len(resources), "two resources have one id"
    return Deployment(parameters=parameters, resources=by_id, outputs=outputs)


def as_terraform(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """These parameters, by the names that Terraform has for them."""
    return {snake(name): value for name, value in parameters.items()}


def snake(name: str) -> str:
    """As Terraform writes what Bicep writes as instanceMemoryMB: instance_memory_mb."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def camel(name: str) -> str:
    """As Bicep writes what Terraform writes as app_url: appUrl."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)
