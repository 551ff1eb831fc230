"""Who may do what: the roles of roles.json, each on one account, vault or component, and no other."""

import json
import re

from tests.infra import cloud
from tests.infra.deployment import HOME, ROLE, STANDBY, Deployment, lanes, settings
from tests.infra.planned import Planned
from tools.dev.paths import ROOT

COMMON = json.loads((ROOT / "infra" / "common" / "roles.json").read_text("utf-8"))
ROLES: dict[str, str] = {role: name for name, role in COMMON["roles"].items()}
DATA_ROLES = ("Storage Blob Data", "Storage Queue Data", "Storage Table Data")


def role_of(assignment: Planned) -> str:
    return ROLES[assignment.properties["roleDefinitionId"].rpartition("/")[2]]


def places(deployed: Deployment, location: str) -> dict[str, str]:
    """The ids of what roles.json calls host, data and so on, for an app in this region."""
    has_standby = bool(deployed.parameters.get("standbyLocation"))
    return {
        "host": deployed.account("h", location).id,
        "data": deployed.account("d", HOME).id,
        "standby": deployed.account("l", STANDBY).id if has_standby else "",
        "vault": deployed.of("Microsoft.KeyVault/vaults")[0].id,
        "insights": deployed.of("Microsoft.Insights/components")[0].id,
    }


def expected(deployed: Deployment) -> set[tuple[str, str, str]]:
    """Who has which role where."""
    who = [("app", site.body["location"], identity(site)) for site in deployed.sites]
    if developer := deployed.parameters.get("developerPrincipalId"):
        who.append(("developer", HOME, developer))
    return {
        (principal, each["role"], place)
        for kind, location, principal in who
        for each in COMMON["assignments"]
        if each["who"] == kind and (place := places(deployed, location)[each["where"]])
    }


def identity(site: Planned) -> str:
    """The principal of an app's one identity."""
    (found,) = site.body["identity"]["userAssignedIdentities"]
    return cloud.made_id("principalId", found.rpartition("/")[2])


def test_roles_are_those_of_the_list_and_no_others(deployed: Deployment) -> None:
    given = [(each.properties["principalId"], role_of(each), each.scope) for each in deployed.of(ROLE)]
    assert len(set(given)) == len(given)
    assert set(given) == expected(deployed)


def test_app_may_update_and_move_messages_of_every_queue_that_it_listens_to(deployed: Deployment) -> None:  # ID-03
    for site in deployed.sites:
        accounts = {settings(site)[f"{lane.connection}__queueServiceUri"] for lane in lanes(site)}
        uris = {f"https://{name}.queue.{cloud.STORAGE_SUFFIX}" for name in queue_accounts(deployed, site)}
        assert accounts == uris


def queue_accounts(deployed: Deployment, site: Planned) -> set[str]:
    """Where an app has the role that holds get, update, delete and put."""
    mine = (each for each in deployed.of(ROLE) if each.properties["principalId"] == identity(site))
    return {each.scope.rpartition("/")[2] for each in mine if role_of(each) == "Storage Queue Data Contributor"}


def test_nobody_has_a_role_on_a_group_or_more(deployed: Deployment) -> None:
    for each in deployed.of(ROLE):
        assert re.search(r"/resourceGroups/[^/]+/providers/[^/]+/[^/]+/[^/]+$", each.scope), each.scope


def test_one_identity_fetches_the_package_and_runs_the_app_and_has_its_roles(deployed: Deployment) -> None:  # DI-04
    for site in deployed.sites:
        (mine,) = site.body["identity"]["userAssignedIdentities"]
        storage = site.properties["functionAppConfig"]["deployment"]["storage"]
        said = settings(site)
        assert storage["authentication"] == {"type": "UserAssignedIdentity", "userAssignedIdentityResourceId": mine}
        assert site.properties["keyVaultReferenceIdentity"] == mine
        client = cloud.made_id("clientId", mine.rpartition("/")[2])
        connections = {name: value for name, value in said.items() if name.endswith("__clientId")}
        assert len(connections) >= 2
        assert set(connections.values()) == {client}
        assert said["APPLICATIONINSIGHTS_AUTHENTICATION_STRING"] == f"ClientId={client};Authorization=AAD"
        for name in connections:
            assert said[name.replace("__clientId", "__credential")] == "managedidentity"
        host = said["AzureWebJobsStorage__blobServiceUri"]
        assert storage["value"].startswith(f"{host}/")
        held = {role_of(each) for each in deployed.of(ROLE) if each.properties["principalId"] == identity(site)}
        assert all(any(role.startswith(kind) for role in held) for kind in DATA_ROLES)
