"""One prefix, many rules for names: whatever prefix and regions are taken, every name is legal."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.domain.names import POISON_SUFFIX
from tests.infra.deployment import Deployment, by_terraform
from tests.infra.name_rules import UNIQUE_IN_THE_WORLD, is_legal

PREFIXES = st.from_regex("[a-z](-?[a-z0-9]){1,11}", fullmatch=True).filter(lambda text: len(text) <= 12)
KNOWN = ["westeurope", "northeurope", "eastus2euap", "germanywestcentral", "jioindiacentral", "uksouth"]
REGIONS = st.sampled_from(KNOWN) | st.from_regex("[a-z]{2,24}[0-9]{0,2}(euap)?", fullmatch=True)
SOMEBODY = "11111111-1111-4111-8111-111111111111"


def planned(prefix: str, location: str, standby: str) -> Deployment:
    """All that can be deployed."""
    return by_terraform(
        {
            "prefix": prefix,
            "location": location,
            "standbyLocation": standby,
            "secondApp": True,
            "privateNetwork": True,
            "developerPrincipalId": SOMEBODY,
            "signInClientId": SOMEBODY,
            "alertEmail": "a@example.com",
        }
    )


@settings(max_examples=25, deadline=None)
@given(prefix=PREFIXES, regions=st.lists(REGIONS, min_size=2, max_size=2, unique=True))
@example(prefix="abcdefghijkl", regions=KNOWN[2:4])  # the longest, of which draws are few
@example(prefix="a-b-c-d-e-fg", regions=KNOWN[2:4])
@example(prefix="ab", regions=KNOWN[:2])
def test_every_name_is_legal_and_none_is_there_twice(prefix: str, regions: list[str]) -> None:  # DI-05
    deployed = planned(prefix, *regions)
    assert illegal(deployed) == []
    assert len({each.lower() for each in deployed.resources}) == len(deployed.resources)
    (people,) = deployed.of("Microsoft.Insights/actionGroups")
    assert len(people.properties["groupShortName"]) <= 12


@settings(max_examples=10, deadline=None)
@given(prefixes=st.lists(PREFIXES, min_size=2, max_size=2, unique=True))
def test_two_prefixes_share_no_name_that_is_unique_in_the_world_and_no_group(prefixes: list[str]) -> None:
    mine, theirs = (names_of(planned(prefix, *KNOWN[:2])) for prefix in prefixes)
    assert len(mine) > 6
    assert not mine & theirs


def names_of(deployed: Deployment) -> set[str]:
    kinds = {*UNIQUE_IN_THE_WORLD, "Microsoft.Resources/resourceGroups"}
    return {each.name for kind in kinds for each in deployed.of(kind)}


def test_prefix_that_ends_like_a_group_for_names_gets_that_group_of_nobody() -> None:
    mine, theirs = (names_of(planned(prefix, *KNOWN[:2])) for prefix in ("fixit", "fixit-dns"))
    assert not mine & theirs


@settings(max_examples=5, deadline=None)
@given(prefix=PREFIXES)
def test_region_has_one_name_however_it_is_written(prefix: str) -> None:
    shown, short = planned(prefix, "West Europe", "North Europe"), planned(prefix, *KNOWN[:2])
    assert shown.resources.keys() == short.resources.keys()


def test_names_of_the_snapshots_are_legal(deployed: Deployment) -> None:
    assert illegal(deployed) == []


def illegal(deployed: Deployment) -> list[str]:
    return [each.id for each in deployed.resources.values() if not is_legal(each.type, each.name)]


def test_every_queue_has_room_for_its_poison_queue(deployed: Deployment) -> None:
    kind = "Microsoft.Storage/storageAccounts/queueServices/queues"
    for queue in deployed.of(kind):
        assert queue.name.endswith(POISON_SUFFIX) or is_legal(kind, queue.name + POISON_SUFFIX)
