"""Sign-in: where the platform asks for it, of whom, how, and for how long."""

import json
import re

from tests.infra.deployment import Deployment, settings
from tests.infra.test_app_settings import HOST, triggers


def test_platform_signs_people_in_exactly_where_the_app_believes_it(deployed: Deployment) -> None:
    pages = {each.id.partition("/config/")[0] for each in deployed.of("Microsoft.Web/sites/config")}
    believing = {site.id for site in deployed.sites if settings(site)["FIXIT_AUTH"] == "easyauth"}
    assert pages == believing
    assert believing in (set(), {site.id for site in deployed.sites})


def test_platform_lets_everybody_to_what_the_app_keeps_open(everything: Deployment) -> None:
    for each in everything.of("Microsoft.Web/sites/config"):
        rules = each.properties["globalValidation"]
        assert rules["requireAuthentication"] is True
        prefix = HOST["extensions"]["http"]["routePrefix"]
        functions = triggers(json.dumps(everything.environment(everything.sites[0])))
        is_open = ("get_receipt", "health", "openapi", "docs")
        routes = [functions[name][0]["route"] for name in is_open]
        assert sorted(rules["excludedPaths"]) == sorted(f"/{prefix}/{re.sub(r'{\w+}', '*', route)}" for route in routes)


def test_platform_signs_people_in_over_https_alone(everything: Deployment) -> None:
    said = [each.properties["httpSettings"] for each in everything.of("Microsoft.Web/sites/config")]
    assert said == [{"requireHttps": True}] * len(everything.sites)


def test_session_ends_after_a_working_day(everything: Deployment) -> None:
    said = [each.properties["login"]["cookieExpiration"] for each in everything.of("Microsoft.Web/sites/config")]
    assert said == [{"convention": "FixedTime", "timeToExpiration": "08:00:00"}] * len(everything.sites)
