from pathlib import Path

from devhost.settings.environment import processors, set_variables


def variables(environment: dict[str, str], file: dict[str, str], functions: tuple[str, ...] = ()) -> dict[str, str]:
    set_variables(environment, file, app=Path("/the/app"), port=7071, functions=functions)
    return environment


def test_environment_is_development_whatever_the_file_says() -> None:
    assert variables({}, {"AZURE_FUNCTIONS_ENVIRONMENT": "Staging"})["AZURE_FUNCTIONS_ENVIRONMENT"] == "Development"


def test_environment_that_the_process_names_stays() -> None:
    given = {"AZURE_FUNCTIONS_ENVIRONMENT": "Production"}
    assert variables(given, {})["AZURE_FUNCTIONS_ENVIRONMENT"] == "Production"


def test_environment_tells_the_app_where_it_runs() -> None:
    environment = variables({}, {"Mine": "1"})
    assert environment["Mine"] == "1"
    assert environment["WEBSITE_HOSTNAME"] == "localhost:7071"
    assert environment["AzureWebJobsScriptRoot"] == "/the/app"


def test_environment_carries_the_chosen_functions_as_host_json_overrides() -> None:
    environment = variables({}, {}, functions=("a", "b"))
    assert environment["AzureFunctionsJobHost__functions__0"] == "a"
    assert environment["AzureFunctionsJobHost__functions__1"] == "b"


def test_processors_of_a_consumption_plan_are_one() -> None:
    assert processors({"WEBSITE_SKU": "Dynamic"}) == 1
    assert processors({}) >= 1
