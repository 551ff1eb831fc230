"""infra/terraform: its form, and its fit to the providers' schemas, where there is a program that can tell offline."""

import sys
from pathlib import Path

from tools.infra.program import find, run
from tools.infra.result import Failed, Skipped


def form(root: Path) -> str:
    """`terraform fmt` would change nothing."""
    terraform = find("terraform", variable="TERRAFORM")
    if terraform is None:
        raise Skipped("no terraform is found on PATH or in TERRAFORM")
    said = run(terraform, "fmt", "-check", "-diff", "-recursive", "infra/terraform", folder=root)
    if said.status:
        raise Failed(said.text or f"terraform ended with status {said.status}")
    return ""


def schema(root: Path) -> str:
    """Every argument and reference is one that there is."""
    checker = root.parent / "shared" / "tools" / "terraform" / "tfcheck.py"
    if not checker.is_file():
        # It fetches the providers, and their schemas with them.
        raise Skipped("no schema is here; in infra/terraform: `terraform init -backend=false && terraform validate`")
    said = run(sys.executable, checker, "infra/terraform", folder=root)
    if said.status:
        raise Failed(said.text or f"tfcheck ended with status {said.status}")
    return said.text.splitlines()[-1]
