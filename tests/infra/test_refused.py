"""What both templates refuse: a deployment that could not work does not begin."""

from typing import Any

import pytest

from tests.infra.bicep_compiler import asked
from tests.infra.bicep_snapshot import parameters
from tests.infra.deployment import as_terraform, snake
from tests.infra.terraform_plan import Plan
from tests.infra.terraform_values import Refused
from tools.infra.bicep import Bicep

PLAIN = parameters("plain")
TAKEN = ("fixit", "ab", "a1", "fix-it-2", "abcdefghijkl", "a-b-c-d-e-f")
FAULTY = (
    *("Fix-It", "9lives", "a", "x--y", "", "-a", "a-", "fix_it", "a b", "fixît", "ａｂ", "fixit\n", "fixit\nx"),
    *("abcdefghijklm", "a-b-c-d-e-f-g"),
)
PREFIXES = dict.fromkeys(TAKEN, True) | dict.fromkeys(FAULTY, False)

TOLD_WHEN_RUN: dict[str, dict[str, Any]] = {
    "prefix": {"prefix": "Fix-It"},
    "standby-in-the-same-region": {"standbyLocation": "West Europe"},
    "second-app-without-a-region": {"secondApp": True},
    "setting-that-is-a-secret": {"settings": {"FIXIT_RECEIPT_KEYS": "k" * 32}},
}
TOLD_AT_ONCE: dict[str, dict[str, Any]] = {
    "redundancy": {"dataRedundancy": "Premium_LRS"},
    "memory": {"instanceMemoryMB": 512},
    "no-instance": {"maximumInstanceCount": 0},
    "no-request": {"perInstanceConcurrency": 0},
    "too-many-requests": {"perInstanceConcurrency": 1_001},
    "too-many-ready": {"alwaysReady": 1_001},
    "days-of-logs": {"logRetentionDays": 29},
}
REFUSED = TOLD_WHEN_RUN | TOLD_AT_ONCE | {"setting-that-is-computed": {"settings": {"FIXIT_LANES": ""}}}


@pytest.mark.parametrize("prefix", PREFIXES, ids=ascii)
def test_terraform_refuses_prefixes_of_which_a_name_could_be_illegal(prefix: str) -> None:  # DI-05
    if PREFIXES[prefix]:
        assert Plan(prefix=prefix, location="westeurope").resources
    else:
        with pytest.raises(Refused, match="prefix must be"):
            Plan(prefix=prefix, location="westeurope")


def test_bicep_refuses_the_same_prefixes(bicep: Bicep) -> None:  # DI-05
    folder = bicep.copy("infra")
    (folder / "bicep" / "asked.bicep").write_text(
        "import { isPrefix } from 'naming.bicep'\n"
        "param prefixes string[]\n"
        "output taken array = map(prefixes, each => isPrefix(each))\n",
        encoding="utf-8",
    )
    said, snapshot = asked(bicep, folder, "asked.bicep", {"prefixes": [*PREFIXES]})
    assert said == ""
    assert dict(zip(PREFIXES, snapshot["outputs"]["taken"], strict=True)) == PREFIXES


@pytest.mark.parametrize("values", REFUSED.values(), ids=REFUSED.keys())
def test_terraform_refuses_and_names_what_is_wrong(values: dict[str, Any]) -> None:
    (wrong,) = values
    with pytest.raises(Refused, match=f"^{snake(wrong)} "):
        Plan(**as_terraform(PLAIN | values))


@pytest.mark.parametrize("values", TOLD_WHEN_RUN.values(), ids=TOLD_WHEN_RUN.keys())
def test_bicep_refuses_and_names_what_is_wrong(bicep: Bicep, values: dict[str, Any]) -> None:
    (wrong,) = values
    said, snapshot = asked(bicep, bicep.copy("infra"), "main.bicep", PLAIN | values)
    assert snapshot is None
    assert f"is not valid: {wrong} " in said


def test_bicep_refuses_what_its_decorators_exclude(bicep: Bicep) -> None:
    values = {name: value for each in TOLD_AT_ONCE.values() for name, value in each.items()}
    said, snapshot = asked(bicep, bicep.copy("infra"), "main.bicep", PLAIN | values)
    assert snapshot is None
    assert said.count(": Error BCP") == len(values)
