"""The document against the running app: no 500, and every answer as the document says it.

Schemathesis makes the requests: what each parameter and body may and may not be, in order and at random, and sequences
that follow the document's links from a submit to its status.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fixit_app import FixIt
from tools.dev.paths import ROOT

KEYS = {"DEVHOST_FUNCTION_KEY": "f" * 32, "DEVHOST_MASTER_KEY": "m" * 32}
NOT_OURS = (
    "not_a_server_error",  # 503 and 504 are in the document; a check of our own is for 500
    "positive_data_acceptance",  # a schema cannot say all: bytes of the notes, something to read, queues on a list
    "use_after_free",  # a task that was reversed stays, and says so
)


pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def locked() -> Iterator[FixIt]:
    """The app, asking for keys as the platform does."""
    with FixIt(settings=KEYS, options=["--keys"]) as running:
        yield running


def run(fixit: FixIt, folder: Path, *options: str) -> None:
    """Have Schemathesis try the app; what it found stands in the failure."""
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{fixit.url}/api/openapi.json"),
        *("--header", f"x-functions-key: {KEYS['DEVHOST_MASTER_KEY']}"),
        *("--checks", "all", "--exclude-checks", ",".join(NOT_OURS)),
        *(
            "--continue-on-failure",
            "--warnings",
            "off",
            "--no-color",
            "--workers",
            "4",
            "--suppress-health-check",
            "all",
            "--request-timeout",
            "30",
        ),
        *options,
    ]
    hooks = str(ROOT / "tests" / "support" / "schemathesis_hooks.py")
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": hooks, "COLUMNS": "100"}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1_700)
    lines = (*ran.stdout.splitlines(), *ran.stderr.splitlines())
    print("\n".join(line[:500] for line in lines)[-12_000:])
    assert ran.returncode == 0
    assert [line for line in fixit.host.lines() if "a request failed" in line] == []


def test_every_answer_is_as_the_document_says(locked: FixIt, tmp_path: Path) -> None:
    run(locked, tmp_path, "--phases", "examples,fuzzing", "--max-examples", "4", "--seed", "1")


OF_ONE_TASK = ("submit", "get_receipt", "get_task", "get_task_by_key", "edit_task", "cancel", "retry_task")


def test_what_links_lead_to_is_as_the_document_says(locked: FixIt, tmp_path: Path) -> None:
    seen = len(locked.host.lines())
    only = [word for name in OF_ONE_TASK for word in ("--include-operation-id", name)]
    run(locked, tmp_path, "--phases", "stateful", "--max-examples", "20", "--seed", "1", *only)
    called = Counter(re.findall(r"Executing 'Functions\.(\w+)'", "\n".join(locked.host.lines()[seen:])))
    print(called)
    assert all(called[name] for name in OF_ONE_TASK)


@pytest.mark.full
@pytest.mark.timeout(1_800)
def test_every_answer_is_as_the_document_says_for_long(locked: FixIt, tmp_path: Path) -> None:
    run(locked, tmp_path, "--max-examples", "100")
