"""The tests of what is deployed run on both templates, and on each set of parameters that has a snapshot."""

from pathlib import Path

import pytest

from tests.infra.bicep_snapshot import SCENARIOS
from tests.infra.deployment import TEMPLATES, Deployment, deployment
from tools.dev.paths import ROOT
from tools.infra.bicep import Bicep, find_bicep
from tools.infra.result import Skipped


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


@pytest.fixture
def bicep(tmp_path: Path) -> Bicep:
    """The compiler, with an empty folder to work in; skipped where there is none."""
    try:
        find_bicep(ROOT)
    except Skipped as skipped:
        pytest.skip(str(skipped))
    return Bicep(ROOT, tmp_path)
