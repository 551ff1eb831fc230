"""What the code calls, and the roles that each call needs: written out here, since roles.json could lose one unseen."""

from tests.infra.deployment import ROLE, Deployment
from tests.infra.test_roles import identity, places

# https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
BLOB_OWNER = "b7e6dc6d-f1e8-4753-8033-0f276bb0955b"
BLOB_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
QUEUE_CONTRIBUTOR = "974c5e8b-45b9-4653-ba55-5f855dd0fb88"
TABLE_CONTRIBUTOR = "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3"
SECRETS_USER = "4633458b-17de-408a-b874-0445c86b69e6"
SECRETS_OFFICER = "b86a8fe4-44ce-4948-aee5-eccb2c155cd7"
METRICS_PUBLISHER = "3913510d-42f4-4e42-8a64-420c390055eb"

APP = {
    ("host", BLOB_OWNER),  # the host: its package, locks of timers, keys of callers
    ("host", TABLE_CONTRIBUTOR),  # the host: its diagnostic events
    ("data", QUEUE_CONTRIBUTOR),  # put, peek, properties; the trigger's get, update, delete, and put to poison; create
    ("data", TABLE_CONTRIBUTOR),  # entities; create of a table
    ("data", BLOB_CONTRIBUTOR),  # blobs; create of a container; the key that signs links
    ("standby", QUEUE_CONTRIBUTOR),  # as on data
    ("vault", SECRETS_USER),  # the platform: references in settings
    ("insights", METRICS_PUBLISHER),  # the host: telemetry, as the component takes no key
}
DEVELOPER = {
    ("data", QUEUE_CONTRIBUTOR),
    ("data", TABLE_CONTRIBUTOR),
    ("data", BLOB_CONTRIBUTOR),
    ("standby", QUEUE_CONTRIBUTOR),
    ("vault", SECRETS_OFFICER),
}


def held(deployed: Deployment, principal: str) -> set[tuple[str, str]]:
    mine = (each for each in deployed.of(ROLE) if each.properties["principalId"] == principal)
    return {(each.scope, each.properties["roleDefinitionId"].rpartition("/")[2]) for each in mine}


def test_app_has_the_roles_that_its_calls_need_and_no_more(deployed: Deployment) -> None:
    for site in deployed.sites:
        where = places(deployed, site.body["location"])
        assert held(deployed, identity(site)) == {(where[place], role) for place, role in APP if where[place]}


def test_developer_may_look_at_data_and_write_secrets_and_no_more(everything: Deployment) -> None:
    where = places(everything, everything.sites[0].body["location"])
    developer = everything.parameters["developerPrincipalId"]
    assert held(everything, developer) == {(where[place], role) for place, role in DEVELOPER}


def test_an_identity_is_no_user_and_a_developer_is_one(everything: Deployment) -> None:  # else Azure refuses the role
    developer = everything.parameters["developerPrincipalId"]
    for each in everything.of(ROLE):
        expected = "User" if each.properties["principalId"] == developer else "ServicePrincipal"
        assert each.properties["principalType"] == expected
