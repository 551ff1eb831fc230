"""What the app reads is what is deployed: every setting, with values that it takes, and a connection per trigger."""

import json
import re
from functools import cache
from typing import Any

from shared.domain.access import parse_guard
from shared.settings import Settings
from tests.infra.deployment import Deployment, lanes, settings
from tests.integration.test_app_start import imported
from tests.unit.test_settings import ROOT, read_by_the_app

FIXED: dict[str, str] = json.loads((ROOT / "infra" / "common" / "settings.json").read_text("utf-8"))
HOST = json.loads((ROOT / "host.json").read_text("utf-8"))
NEEDED = {"FixItStorage": "UseDevelopmentStorage=true", "FIXIT_RECEIPT_KEYS": "k" * 32}


def test_every_setting_that_is_read_is_set(deployed: Deployment) -> None:
    for site in deployed.sites:
        assert {name for name in settings(site) if name.startswith("FIXIT_")} == read_by_the_app()


def test_no_setting_is_set_twice(deployed: Deployment) -> None:
    for site in deployed.sites:
        names = [each["name"].lower() for each in site.properties["siteConfig"]["appSettings"]]
        assert sorted(names) == sorted(set(names))


def test_fixed_settings_are_the_defaults_of_the_app() -> None:
    assert Settings.from_environment(NEEDED | FIXED) == Settings.from_environment(NEEDED)


def test_fixed_settings_are_deployed_where_nobody_asked_for_others(deployed: Deployment) -> None:
    for site in deployed.sites:
        expected = FIXED | deployed.parameters.get("settings", {})
        assert {name: settings(site)[name] for name in FIXED} == expected


def test_app_takes_all_that_is_deployed(deployed: Deployment) -> None:
    for site in deployed.sites:
        environment = deployed.environment(site)
        read = Settings.from_environment(environment)
        read.check()
        assert read.usable_receipt_keys()
        assert read.usable_callback_keys()
        assert read.reply_queues == frozenset(deployed.parameters.get("replyQueues", []))
        assert bool(read.smtp_url) == deployed.parameters.get("smtpFromVault", False)
        assert {lane.connection for lane in read.lanes} <= read.accounts.keys()
        assert parse_guard(environment).by == ("easyauth" if "signInClientId" in deployed.parameters else "key")


def test_secrets_are_references_to_the_vault_of_the_deployment(deployed: Deployment) -> None:
    (vault,) = deployed.of("Microsoft.KeyVault/vaults")
    for site in deployed.sites:
        for name in ("FIXIT_RECEIPT_KEYS", "FIXIT_CALLBACK_KEYS", "FIXIT_SMTP_URL"):
            value = settings(site)[name]
            secret = rf"@Microsoft\.KeyVault\(SecretUri=https://{vault.name}\.vault\.azure\.net/secrets/[a-z-]+\)"
            is_off = name == "FIXIT_SMTP_URL" and not deployed.parameters.get("smtpFromVault")
            # Without a version, so that it can be rotated.
            assert value == "" if is_off else re.fullmatch(secret, value)


def test_second_app_has_the_same_lanes_in_the_other_order(everything: Deployment) -> None:
    first, second = (lanes(site) for site in everything.sites)
    assert [(lane.connection, lane.use) for lane in first] == [("FixItStorage", "primary"), ("FixItStandby", "standby")]
    assert [(lane.connection, lane.use) for lane in second] == [
        ("FixItStandby", "primary"),
        ("FixItStorage", "standby"),
    ]
    assert {lane.name for lane in first} == {lane.name for lane in second}


@cache
def triggers(environment: str) -> dict[str, list[dict[str, Any]]]:
    """The bindings of the functions that the app registers."""
    functions: dict[str, list[dict[str, Any]]] = imported(**json.loads(environment))["functions"]
    return functions


def test_every_connection_of_a_trigger_is_set_with_the_identity(deployed: Deployment) -> None:
    for site in deployed.sites:
        environment = deployed.environment(site)
        bindings = [each for found in triggers(json.dumps(environment)).values() for each in found]
        connections = {each["connection"] for each in bindings if "connection" in each}
        assert connections == {lane.connection for lane in lanes(site)} | {"FixItStorage"}
        for connection in connections:
            for part in ("queueServiceUri", "credential", "clientId"):
                assert environment[f"{connection}__{part}"]


def test_addresses_are_written_in_full(deployed: Deployment) -> None:  # ID-01
    for site in deployed.sites:
        uris = [value for name, value in settings(site).items() if name.endswith("ServiceUri")]
        assert len(uris) >= 6
        assert all(re.fullmatch(r"https://[a-z0-9]+\.(blob|queue|table)\.core\.windows\.net", uri) for uri in uris)


def test_function_times_out_later_than_two_steps_may_take(deployed: Deployment) -> None:
    hours, minutes, seconds = map(int, HOST["functionTimeout"].split(":"))
    for site in deployed.sites:
        assert (hours * 60 + minutes) * 60 + seconds > 2 * float(settings(site)["FIXIT_STEP_SECONDS"])


def test_telemetry_has_where_to_go_as_host_json_sends_it(deployed: Deployment) -> None:
    assert HOST["telemetryMode"] == "OpenTelemetry"
    for site in deployed.sites:
        assert settings(site)["APPLICATIONINSIGHTS_CONNECTION_STRING"].startswith("InstrumentationKey=")
