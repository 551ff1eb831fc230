"""`python -m tools.infra`: one line for each check of the infrastructure. Exit status 1 if one failed."""

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tools.dev.paths import ROOT
from tools.infra import checkov, environment, snapshots, terraform, workflows
from tools.infra.bicep import Bicep
from tools.infra.result import Failed, Result, Skipped, carry_out

AT_ONCE = 2
"""Programs that mostly compute: more would only wait for each other."""

Check = Callable[[], str]


def main() -> int:
    """Run the checks. Their results are told as they come."""
    parser = argparse.ArgumentParser(prog="python -m tools.infra", description="The checks of infra/ and .github.")
    parser.add_argument("--renew", action="store_true", help="write the snapshots of Bicep anew")
    parser.add_argument("--json", action="store_true", help="print the results as one JSON list, once all are there")
    given = parser.parse_args()
    with (
        contextlib.redirect_stdout(sys.stderr if given.json else sys.stdout),
        tempfile.TemporaryDirectory(prefix="fixit-infra-") as scratch,
    ):
        results = _carry_out(_checks(ROOT, Path(scratch), renew=given.renew))
    return tell(results, as_json=given.json)


def tell(results: Sequence[Result], *, as_json: bool) -> int:
    """The results as a program reads them, if asked for, and the exit status."""
    if as_json:
        print(json.dumps([asdict(result) for result in results], indent=1))
    return int(any(result.outcome == "FAILED" for result in results))


def _checks(root: Path, scratch: Path, *, renew: bool) -> Mapping[str, Check]:
    bicep = Bicep(root, scratch)
    checks: dict[str, Check] = {
        "bicep build": bicep.build,
        "bicep lint": bicep.lint,
        "bicep format": bicep.form,
        "bicep snapshots": partial(snapshots.compare, bicep, renew=renew),
        "terraform fmt": partial(terraform.form, root),
        "terraform schema": partial(terraform.schema, root),
    }
    checkovs: dict[str, Check] = {
        "checkov bicep": partial(checkov.bicep, root, scratch),
        "checkov terraform": partial(checkov.terraform, root),
    }
    try:
        environment.prepare()
    except (Failed, Skipped) as missing:
        checkovs = dict.fromkeys(checkovs, partial(_give_up, missing))
    workflow_checks = {
        "zizmor": partial(workflows.zizmor, root),
        "actionlint": partial(workflows.actionlint, root),
    }
    return checks | checkovs | workflow_checks


def _give_up(reason: Exception) -> str:
    raise reason


def _carry_out(checks: Mapping[str, Check]) -> list[Result]:
    """Two at a time. Each is told when it is done, and so are those before it."""
    results = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for result in pool.map(carry_out, checks.keys(), checks.values()):
            print(result.line(), flush=True)
            results.append(result)
    return results


if __name__ == "__main__":
    sys.exit(main())
