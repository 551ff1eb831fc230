"""azure.yaml and its hooks: each shell has its own, and they do what they say."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.running import bare_environment
from tests.support.yaml_files import read_yaml
from tools.dev.paths import ROOT
from tools.dev.ports import free_port

AZURE: dict[str, Any] = read_yaml(ROOT / "azure.yaml")
HOOKS = {
    (event, system): ROOT / hook["run"] for event, hooks in AZURE["hooks"].items() for system, hook in hooks.items()
}
SHELLS = {"posix": ["sh"], "windows": ["pwsh", "-NoProfile", "-File"]}
SYSTEMS = [
    pytest.param("posix", marks=pytest.mark.skipif(sys.platform == "win32", reason="azd takes the others there")),
    pytest.param("windows", marks=pytest.mark.skipif(not shutil.which("pwsh"), reason="there is no pwsh")),
]


def run(event: str, system: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [*SHELLS[system], str(HOOKS[event, system])]
    env = {**bare_environment(), **variables}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)


class Healthy(BaseHTTPRequestHandler):
    """Answers where the app does, and nowhere else; below /redirected it asks to sign in, as the platform would."""

    def do_GET(self) -> None:
        redirect = self.path == "/redirected/api/health"
        self.send_response(302 if redirect else 200 if self.path in ("/api/health", "/signed-in") else 404)
        if redirect:
            self.send_header("Location", "/signed-in")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def healthy() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Healthy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_each_event_has_a_hook_for_each_shell() -> None:
    assert set(HOOKS) == {(event, system) for event in ("preprovision", "postdeploy") for system in SHELLS}
    assert {hooks[system]["shell"] for hooks in AZURE["hooks"].values() for system in hooks} == {"sh", "pwsh"}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such bit")
@pytest.mark.parametrize("event", ["preprovision", "postdeploy"])
def test_hooks_for_sh_may_be_run(event: str) -> None:  # azd runs the file itself
    assert os.access(HOOKS[event, "posix"], os.X_OK)
    assert HOOKS[event, "posix"].read_text("utf-8").startswith("#!/bin/sh\n")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", ["ab", "f1", "a-b", "fixit", "fixit-dev", "fixit-prod-2"])
def test_a_name_that_fits_all_resources_is_taken(system: str, name: str) -> None:
    ran = run("preprovision", system, AZURE_ENV_NAME=name)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    "name", ["", "a", "Fix-It", "9lives", "x--y", "fixit-", "-fixit", "fix_it", "fixit-prod-12", "fix it", "fixit\nx"]
)
def test_a_name_that_does_not_fit_is_refused_before_anything_is_made(system: str, name: str) -> None:  # DI-05
    ran = run("preprovision", system, AZURE_ENV_NAME=name)
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"'{name}' cannot be the name of an environment")
    assert "azd env new fixit-dev" in ran.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_deployment_ends_with_the_addresses_that_answer(system: str, healthy: str) -> None:
    ran = run("postdeploy", system, appUrl=healthy)
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout.splitlines()
    assert told[0] == f"Fix-It answers at {healthy}"
    assert "Roles that were just given take effect within minutes" in told[1]
    assert "docs/deploy.md, The first minutes" in told[2]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_second_app_that_does_not_answer_fails_the_deployment_in_time(system: str, healthy: str) -> None:
    silent = f"http://127.0.0.1:{free_port()}"
    ran = run("postdeploy", system, appUrl=healthy, standbyAppUrl=silent, FIXIT_HEALTH_SECONDS="0")
    assert ran.returncode == 1
    assert ran.stdout.splitlines() == [f"Fix-It answers at {healthy}"]
    assert f"{silent}/api/health does not answer after 0 s" in ran.stderr


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_app_that_asks_to_sign_in_before_it_tells_its_health_does_not_answer(system: str, healthy: str) -> None:
    ran = run("postdeploy", system, appUrl=f"{healthy}/redirected", FIXIT_HEALTH_SECONDS="0")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "/redirected/api/health does not answer after 0 s" in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="azd takes the other hook there")
def test_a_machine_without_curl_is_told_so_and_nothing_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to(str(shutil.which("sh")))
    ran = run("postdeploy", "posix", appUrl="http://127.0.0.1", PATH=str(tmp_path))
    assert ran.returncode == 1
    assert "curl is not installed" in ran.stderr


def test_both_apps_get_the_same_package_and_the_second_only_where_there_is_one() -> None:
    services = {name: dict(service) for name, service in AZURE["services"].items()}
    assert services["api-standby"].pop("condition") == "${FIXIT_SECOND_APP=false}"
    assert services["api"] == services["api-standby"]
    assert (ROOT / services["api"]["project"] / "host.json").exists()
