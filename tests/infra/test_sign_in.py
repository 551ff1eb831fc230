"""Sign-in over HTTPS alone, and for a day at most: what both templates tell the platform of it."""

import pytest

from tests.infra.deployment import TEMPLATES, deployment


@pytest.mark.parametrize("template", TEMPLATES)
def test_platform_signs_people_in_over_https_alone(template: str) -> None:
    everything = deployment(template, "everything")
    said = [each.properties["httpSettings"] for each in everything.of("Microsoft.Web/sites/config")]
    assert said == [{"requireHttps": True}] * len(everything.sites)


@pytest.mark.parametrize("template", TEMPLATES)
def test_session_ends_after_a_working_day(template: str) -> None:
    everything = deployment(template, "everything")
    said = [each.properties["login"]["cookieExpiration"] for each in everything.of("Microsoft.Web/sites/config")]
    assert said == [{"convention": "FixedTime", "timeToExpiration": "08:00:00"}] * len(everything.sites)
