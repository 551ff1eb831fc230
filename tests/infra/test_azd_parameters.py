"""infra/bicep/main.bicepparam: what azd has in its environment is what the template is given."""

import json
import os
from collections.abc import Mapping
from typing import Any

import pytest

from tests.infra.bicep_snapshot import literal, parameters
from tests.infra.deployment import snake
from tests.infra.test_parity import DRAWN, bicep_parameters
from tools.infra.bicep import Bicep

EVERYTHING = parameters("everything")
BY_AZD = {"prefix": "AZURE_ENV_NAME", "location": "AZURE_LOCATION"}
VARIABLES = {name: BY_AZD.get(name, f"FIXIT_{snake(name)}".upper()) for name in bicep_parameters() if name not in DRAWN}


def given(bicep: Bicep, monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str]) -> dict[str, Any]:
    """The parameters that the template is given with nothing but this of azd in the environment."""
    for name in os.environ:
        if name.startswith(("AZURE_", "FIXIT_")):
            monkeypatch.delenv(name)
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    said = bicep.run("build-params", "bicep/main.bicepparam", "--stdout", folder=bicep.copy("infra"))
    assert (said.status, said.errors) == (0, "")
    told = json.loads(json.loads(said.output)["parametersJson"])["parameters"]
    return {name: each["value"] for name, each in told.items()}


def written(value: Any) -> str:
    """As docs/deploy.md says: lists by commas, objects as JSON."""
    if isinstance(value, list):
        return " , ".join(value)
    return value if isinstance(value, str) else json.dumps(value)


def test_each_variable_is_the_parameter_of_its_name(bicep: Bicep, monkeypatch: pytest.MonkeyPatch) -> None:
    assert EVERYTHING.keys() == VARIABLES.keys()
    environment = {VARIABLES[name]: written(value) for name, value in EVERYTHING.items()}
    assert given(bicep, monkeypatch, environment) == EVERYTHING


@pytest.mark.parametrize("are", ["absent", "empty"])
def test_what_is_not_said_is_the_default_of_the_template(
    bicep: Bicep, monkeypatch: pytest.MonkeyPatch, are: str
) -> None:  # a workflow passes on a variable that there is not as an empty one
    said = {VARIABLES[name]: EVERYTHING[name] for name in BY_AZD}
    empty = dict.fromkeys(VARIABLES.values(), "") if are == "empty" else {}
    defaults = {
        name: literal(default) for name, (_, default) in bicep_parameters().items() if name in VARIABLES and default
    }
    expected = defaults | {name: EVERYTHING[name] for name in BY_AZD}
    assert given(bicep, monkeypatch, empty | said) == expected
