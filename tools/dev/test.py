"""`dev.py test`: style, types, infrastructure and behaviour."""

import time
from collections.abc import Sequence

from tools.dev.foreground import run_module
from tools.dev.paths import ROOT
from tools.dev.prepare import prepare

PROCESSES = "2"
"""Of pytest. Each has its emulator; a file stays in one, so that what it starts for itself is started once."""
SPREAD = ("--dist", "loadfile", "--no-loadscope-reorder")
"""In the order of the folders, so that unit tests come last: files of few and long tests would leave one idle."""


def check(pytest_options: Sequence[str]) -> int:
    """Run all checks, the later ones too when one fails. 0 if all passed, else 1."""
    prepare()
    checks = checks_for(pytest_options)
    results = {}
    for name, module in checks.items():
        began = time.monotonic()
        print(f"\n== {name}: {' '.join(module)}", flush=True)
        passed = run_module(*module) == 0
        results[name] = f"{name} {'passed' if passed else 'FAILED'} in {time.monotonic() - began:.0f} s"
    print(f"\n{', '.join(results.values())}.", flush=True)
    return int(any("FAILED" in result for result in results.values()))


def checks_for(pytest_options: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The modules to run, with their arguments. Who names files or folders of tests does not wait for `infra`."""
    names_some = any((ROOT / word.partition("::")[0]).exists() for word in pytest_options if not word.startswith("-"))
    return {
        "style": ("ruff", "check", "."),
        "format": ("ruff", "format", "--check", "."),
        "types": ("mypy",),
        **({} if names_some else {"infra": ("tools.infra",)}),
        "tests": ("pytest", "-n", PROCESSES, *SPREAD, *pytest_options),
    }
