"""What importing the app does and does not do, and that a broken part takes nothing else with it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.eventually import eventually
from tests.support.fixit_app import PAGES, FixIt
from tests.support.running import bare_environment
from tools.dev.paths import ROOT

IMPORT = """
import json, sys
opened = []
talk = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg")
sys.addaudithook(lambda event, args: opened.append([event, str(args)]) if event in talk else None)
import function_app
found = function_app.app.get_functions()
functions = {each.get_function_name(): [json.loads(raw) for raw in each.get_raw_bindings()] for each in found}
assert len(functions) == len(found)
print(json.dumps({"modules": sorted(sys.modules), "opened": opened, "functions": functions}))
"""
HEAVY = (
    *("azure.identity", "azure.storage.blob", "azure.monitor", "pydantic", "opentelemetry"),
    *("PIL", "pillow_heif", "aiosmtplib", "azure.communication"),
    # Ours, which neither a submit nor a delivery needs:
    *("shared.services.edit", "shared.services.reassign", "shared.domain.patch"),
    *("shared.services.operations", "shared.services.reopen", "shared.services.sweep", "shared.web.letter_"),
    *("shared.services.find_tasks", "shared.storage.task_lists", "shared.domain.task_filter", "shared.web.task_"),
    *("shared.services.batch", "shared.channels", "shared.imaging.render"),
    *("shared.services.notify", "shared.services.run_step", "shared.services.resend", "shared.storage.notices"),
    *("shared.services.photo_", "shared.services.sweep_uploads", "shared.storage.photo", "shared.storage.sas"),
    *("shared.web.multipart", "shared.web.photo_"),
    *("shared.services.health", "shared.services.stats", "shared.web.operator_answers"),
    *("shared.services.people", "shared.storage.people", "shared.domain.person", "shared.web.people"),
    *("shared.web.openapi", "shared.web.pages", "shared.web.form_body", "shared.services.forms", "jinja2"),
)


def imported(**settings: str) -> dict[str, Any]:
    """The app imported in a bare process, with no other setting."""
    command = [sys.executable, "-W", "error", "-c", IMPORT]
    environment = {**bare_environment(), **settings}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    loaded: dict[str, Any] = json.loads(run.stdout)
    return loaded


def test_importing_the_app_opens_nothing_and_loads_nothing_heavy() -> None:
    loaded = imported()
    assert loaded["opened"] == []
    assert [name for name in loaded["modules"] if name.startswith(HEAVY)] == []


def test_functions_are_exactly_these_and_the_catch_all_sorts_last() -> None:  # WR-07
    assert sorted(imported()["functions"]) == [
        "cancel",
        "delete_person",
        "discard_letters",
        "docs",
        "edit_task",
        "get_letter",
        "get_person",
        "get_photo",
        "get_receipt",
        "get_stats",
        "get_task",
        "get_task_by_key",
        "get_thumbnail",
        "health",
        "health_details",
        "list_letters",
        "list_notices",
        "list_tasks",
        "notify",
        "notify_poison",
        "offer_photo",
        "openapi",
        "photo",
        "photo_poison",
        "put_person",
        "record",
        "record_poison",
        "redrive_letters",
        "report",
        "resend_callbacks",
        "resend_callbacks_of_range",
        "retry_task",
        "submit",
        "submit_batch",
        "sweep",
        "zz_anything_else",
    ]


def test_pages_for_a_person_are_functions_only_where_people_sign_in() -> None:
    signed_in = imported(FIXIT_AUTH="easyauth", FIXIT_PLATFORM_AUTH="true")
    assert signed_in["functions"].keys() - imported()["functions"].keys() == set(PAGES)
    assert [name for name in signed_in["modules"] if name.startswith(HEAVY)] == []


def test_queue_triggers_take_bytes_from_the_data_account() -> None:
    triggers = [bindings[0] for bindings in imported()["functions"].values()]
    queues = [trigger for trigger in triggers if trigger["type"] == "queueTrigger"]
    names = ("fixits", "fixit-photos", "fixit-notices")
    assert {(trigger["queueName"], trigger["connection"], trigger["dataType"]) for trigger in queues} == {
        (name + suffix, "FixItStorage", "BINARY") for name in names for suffix in ("", "-poison")
    }


def test_sweeper_runs_every_five_minutes_and_not_because_a_host_starts() -> None:
    (timer,) = imported()["functions"]["sweep"]
    assert (timer["type"], timer["schedule"]) == ("timerTrigger", "0 */5 * * * *")
    # What was missed while no host ran is made up for.
    assert (timer["runOnStartup"], timer["useMonitor"]) == (False, True)


def test_report_is_written_every_minute() -> None:
    (timer,) = imported()["functions"]["report"]
    assert (timer["type"], timer["schedule"]) == ("timerTrigger", "0 * * * * *")
    assert (timer["runOnStartup"], timer["useMonitor"]) == (False, False)


def test_deployed_requirements_are_pinned_exactly() -> None:  # WR-06
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = [line.split("#")[0].strip() for line in (ROOT / name).read_text("utf-8").splitlines()]
        assert [line for line in lines if line and not re.fullmatch(r"[a-z0-9.-]+==[0-9][0-9.]*|-r \S+", line)] == []


BLOCKER = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        frame, importer = sys._getframe(1), ""
        while frame and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        importer = frame.f_code.co_filename if frame else ""
        if name.startswith("azure.storage.blob") and "/shared/" in importer:
            raise ImportError(f"{name} is broken")

sys.meta_path.insert(0, Block())
"""


def test_library_that_does_not_import_costs_only_what_needs_it(tmp_path: Path) -> None:  # WR-05
    (tmp_path / "sitecustomize.py").write_text(BLOCKER)
    with FixIt(settings={"PYTHONPATH": f"{tmp_path}:{ROOT}"}) as broken:
        accepted = broken.submit()
        assert broken.settled(accepted["receipt"])["state"] == "succeeded"
        broken.stores.put("not json")
        eventually(lambda: any("StepFailed: ImportError" in line for line in broken.host.lines()))
        assert broken.submit()
        assert broken.host.returncode is None


def test_missing_settings_are_a_500_problem_that_names_none_and_a_log_line_that_names_all() -> None:
    with FixIt(settings={"FIXIT_RECEIPT_KEYS": "short", "FIXIT_SUBMIT_SECONDS": "soon"}) as unset:
        answer = unset.post(b'{"title":"t"}')
        assert (answer.status, answer.json["code"]) == (500, "not_configured")
        assert "FIXIT" not in answer.body.decode()
        assert unset.host.wait_line("FIXIT_RECEIPT_KEYS .*FIXIT_SUBMIT_SECONDS")
        assert unset.get("/api/health").status == 200
        assert unset.wire.of(op="put") == []


def test_app_works_over_localhost_as_over_its_address() -> None:  # AZ-05
    with FixIt() as product:
        straight = product.storage.connection_string.replace("127.0.0.1", "localhost")
        product.host.terminate()
        with product.another_host(FixItStorage=straight, AzureWebJobsStorage=straight) as host:
            product.url = host.url
            accepted = product.submit()
            assert product.settled(accepted["receipt"])["state"] == "succeeded"
