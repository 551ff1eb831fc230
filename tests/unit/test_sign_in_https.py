"""Whoever is not on HTTPS is not signed in: what both templates tell the platform of its sign-in."""

import pytest

from tests.infra.deployment import TEMPLATES, deployment


@pytest.mark.parametrize("template", TEMPLATES)
def test_platform_signs_people_in_over_https_alone(template: str) -> None:
    everything = deployment(template, "everything")
    said = [each.properties["httpSettings"] for each in everything.of("Microsoft.Web/sites/config")]
    assert said == [{"requireHttps": True}] * len(everything.sites)
