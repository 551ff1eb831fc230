"""The tests of what is deployed run on both templates, and on each set of parameters that has a snapshot."""

import pytest

from tests.infra.bicep_snapshot import SCENARIOS
from tests.infra.deployment import TEMPLATES, Deployment, deployment


@pytest.fixture(params=[(template, scenario) for template in TEMPLATES for scenario in SCENARIOS], ids="-".join)
def deployed(request: pytest.FixtureRequest) -> Deployment:
    """One of all deployments."""
    return deployment(*request.param)


@pytest.fixture(params=TEMPLATES)
def everything(request: pytest.FixtureRequest) -> Deployment:
    """The deployment with every option taken, by either template."""
    return deployment(request.param, "everything")


@pytest.fixture(params=TEMPLATES)
def plain(request: pytest.FixtureRequest) -> Deployment:
    """The deployment for which nothing was asked, by either template."""
    return deployment(request.param, "plain")
