"""The variables that host and app run under: the process's own, then local.settings.json, then what the host sets."""

import os
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path

ENVIRONMENT = "AZURE_FUNCTIONS_ENVIRONMENT"


def set_variables(
    environment: MutableMapping[str, str],
    file_variables: Mapping[str, str],
    *,
    app: Path,
    port: int,
    functions: Sequence[str],
) -> None:
    """The environment is as Core Tools would leave it for host and worker. `functions` is the `--functions` list.

    Source: azure-functions-core-tools, StartHostAction.cs. The environment's name is Development unless the process
    itself, not the file, says otherwise.
    """
    name = environment.get(ENVIRONMENT) or "Development"
    environment.update(file_variables)
    environment[ENVIRONMENT] = name
    environment["WEBSITE_HOSTNAME"] = f"localhost:{port}"
    environment["AzureWebJobsScriptRoot"] = str(app)
    environment.setdefault("FUNCTIONS_CORETOOLS_ENVIRONMENT", "True")
    environment.setdefault("PYTHON_ENABLE_DEBUG_LOGGING", "1")
    environment.setdefault("AzureFunctionsJobHost__logging__logLevel__Function", "Information")
    for index, function in enumerate(functions):
        environment[f"AzureFunctionsJobHost__functions__{index}"] = function


def processors(environment: Mapping[str, str]) -> int:
    """How many the host counts on: 1 on a Consumption plan, else those that this process may use."""
    return 1 if environment.get("WEBSITE_SKU") == "Dynamic" else os.process_cpu_count() or 1
