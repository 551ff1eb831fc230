"""What is stored where: every queue, table and container that the code names, and each account for itself."""

import json
import re

from shared.domain import names
from shared.storage.photo_names import INCOMING
from tests.infra.deployment import ACCOUNT, HOME, STANDBY, Deployment, lanes, settings
from tools.dev import cors
from tools.dev.paths import ROOT

COMMON = json.loads((ROOT / "infra" / "common" / "names.json").read_text("utf-8"))


def with_poison(*queues: str) -> set[str]:
    return {name for queue in queues for name in (queue, f"{queue}{names.POISON_SUFFIX}")}


def in_code(ending: str) -> set[str]:
    return {value for name, value in vars(names).items() if name.endswith(ending)}


def test_data_account_has_each_queue_of_the_code_and_its_poison_queue(deployed: Deployment) -> None:  # ID-03
    queues = deployed.inside(deployed.account("d", HOME), "queues")
    assert queues == with_poison(*in_code("_QUEUE")) | set(deployed.parameters.get("replyQueues", []))


def test_data_account_has_each_table_of_the_code(deployed: Deployment) -> None:
    assert deployed.inside(deployed.account("d", HOME), "tables") == in_code("_TABLE")


def test_data_account_has_each_container_of_the_code(deployed: Deployment) -> None:
    assert deployed.inside(deployed.account("d", HOME), "containers") == in_code("_CONTAINER")


def test_standby_account_has_the_queues_of_its_lane_and_nothing_else(everything: Deployment) -> None:
    account = everything.account("l", STANDBY)
    queues = [lane.queue for site in everything.sites for lane in lanes(site) if lane.connection == "FixItStandby"]
    assert everything.inside(account, "queues") == with_poison(*queues)
    assert not everything.inside(account, "tables") | everything.inside(account, "containers")


def test_every_lane_has_its_queue_in_the_account_of_its_connection(deployed: Deployment) -> None:
    accounts = {"FixItStorage": deployed.account("d", HOME)}
    if deployed.parameters.get("standbyLocation"):
        accounts["FixItStandby"] = deployed.account("l", STANDBY)
    for site in deployed.sites:
        for lane in lanes(site):
            account = accounts[lane.connection]
            assert with_poison(lane.queue) <= deployed.inside(account, "queues")


def test_host_account_is_no_account_of_data_and_of_one_app_alone(deployed: Deployment) -> None:  # TM-03
    hosts = [settings(site)["AzureWebJobsStorage__blobServiceUri"] for site in deployed.sites]
    assert len(set(hosts)) == len(hosts)
    for host in hosts:
        name = re.fullmatch(r"https://(\w+)\.blob\.core\.windows\.net", host)
        assert name
        account = next(each for each in deployed.of(ACCOUNT) if each.name == name[1])
        assert deployed.inside(account, "containers") == {COMMON["deploymentContainer"]}
        assert not deployed.inside(account, "queues") | deployed.inside(account, "tables")


def test_uploads_that_nobody_claimed_are_deleted_where_and_when_the_code_expects_it(deployed: Deployment) -> None:
    (policy,) = deployed.of("Microsoft.Storage/storageAccounts/managementPolicies")
    (rule,) = policy.properties["policy"]["rules"]
    assert policy.id.startswith(deployed.account("d", HOME).id)
    assert rule["enabled"] is True
    assert rule["definition"] == {
        "filters": {"blobTypes": ["blockBlob"], "prefixMatch": [f"{names.PHOTO_CONTAINER}/{INCOMING}"]},
        "actions": {"baseBlob": {"delete": {"daysAfterCreationGreaterThan": COMMON["uploadDays"]}}},
    }
    for site in deployed.sites:  # a task may claim its photo until then
        assert float(settings(site)["FIXIT_UNCLAIMED_DAYS"]) <= COMMON["uploadDays"]


def test_browsers_may_upload_what_the_emulator_lets_them(deployed: Deployment) -> None:
    account = deployed.account("d", HOME)
    rules = deployed.resources[f"{account.id}/blobServices/default"].properties["cors"]["corsRules"]
    origins = deployed.parameters.get("uploadOrigins", [])
    expected = {
        "allowedOrigins": origins,
        "allowedMethods": [*cors.METHODS],
        "allowedHeaders": [*cors.HEADERS],
        "exposedHeaders": ["x-ms-request-id"],
        "maxAgeInSeconds": cors.MAX_AGE_SECONDS,
    }
    assert rules == ([expected] if origins else [])
