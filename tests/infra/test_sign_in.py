"""Sign-in over HTTPS alone, and for a working day at most: what both templates tell the platform of it."""

from tests.infra.deployment import Deployment


def test_platform_signs_people_in_over_https_alone(everything: Deployment) -> None:
    said = [each.properties["httpSettings"] for each in everything.of("Microsoft.Web/sites/config")]
    assert said == [{"requireHttps": True}] * len(everything.sites)


def test_session_ends_after_a_working_day(everything: Deployment) -> None:
    said = [each.properties["login"]["cookieExpiration"] for each in everything.of("Microsoft.Web/sites/config")]
    assert said == [{"convention": "FixedTime", "timeToExpiration": "08:00:00"}] * len(everything.sites)
