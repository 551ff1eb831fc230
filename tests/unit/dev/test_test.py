"""What `dev.py test` runs."""

import pytest

from tools.dev.test import checks_for


@pytest.mark.parametrize("options", [["--full"], ["-k", "receipt"], ["-x", "--lf"]], ids=" ".join)
def test_infrastructure_is_checked_between_types_and_tests(options: list[str]) -> None:
    assert list(checks_for(options)) == list(checks_for([])) == ["style", "format", "types", "infra", "tests"]
    assert checks_for(options)["tests"] == (*checks_for([])["tests"], *options)


@pytest.mark.parametrize("options", [["tests/unit"], ["-x", "tests/unit/test_layers.py::test_it"]], ids=" ".join)
def test_run_of_some_test_files_does_not_wait_for_the_infrastructure(options: list[str]) -> None:
    assert list(checks_for(options)) == ["style", "format", "types", "tests"]
