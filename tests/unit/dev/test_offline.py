"""A failed install is told in one line, with the likely way out."""

import pytest

from tools.dev.offline import explain
from tools.dev.step import StepFailed

PIP_OFFLINE = [
    "WARNING: Retrying (Retry(total=2)) after connection broken by 'NewConnectionError(\"HTTPSConnection(host="
    "'pkgs.test', port=443): Failed to establish a new connection: [Errno -3] Temporary failure in name resolution\")'",
    "ERROR: Could not find a version that satisfies the requirement aiohttp==3.14.5 (from versions: none)",
    "ERROR: No matching distribution found for aiohttp==3.14.5",
]
NPM_OFFLINE = ["npm error code ENOTFOUND", "npm error network request to https://registry.example/azurite failed"]
PIP_WRONG = ["Collecting aiohttp", "ERROR: No matching distribution found for aiohttp==99"]


def told(lines: list[str]) -> str:
    return str(explain(StepFailed(lines), tool="pip", log=".dev/pip.log", mirror="set PIP_INDEX_URL to a mirror"))


@pytest.mark.parametrize("lines", [PIP_OFFLINE, NPM_OFFLINE])
def test_install_without_network_says_go_online(lines: list[str]) -> None:
    text = told(lines)
    assert text.startswith("pip cannot reach its packages: go online (or set PIP_INDEX_URL to a mirror)")
    assert "\n" not in text


def test_install_that_fails_otherwise_quotes_its_first_error() -> None:
    text = told(PIP_WRONG)
    assert "No matching distribution found for aiohttp==99" in text
    assert ".dev/pip.log" in text


def test_install_that_says_nothing_is_told_too() -> None:
    assert "it said nothing" in told([])
