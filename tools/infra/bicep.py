"""What the Bicep compiler says of infra/bicep. It works on a copy: a check writes nothing into the tree."""

import shutil
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from tools.infra.program import Said, find, run
from tools.infra.result import Failed, Skipped

PATTERNS = ("bicep/**/*.bicep", "bicep/**/*.bicepparam")
DEPLOYED_TO = ("--subscription-id", "00000000-0000-0000-0000-000000000000", "--location", "westeurope")


def find_bicep(root: Path) -> Path:
    """Where the compiler is. Skipped if it is nowhere."""
    # The Azure CLI keeps its own in a place of its own, which is not on PATH.
    of_azure_cli = Path.home() / ".azure" / "bin"
    places = (of_azure_cli / "bicep", of_azure_cli / "bicep.exe", root.parent / "shared" / "tools" / "bicep")
    found = find("bicep", variable="BICEP", places=places)
    if found is None:
        raise Skipped("no bicep is found: run `az bicep install`, put one on PATH, or name it in BICEP")
    return found


@dataclass(frozen=True)
class Bicep:
    """`infra` of the root, and an empty folder to work in."""

    root: Path
    scratch: Path

    def copy(self, name: str) -> Path:
        """A copy of `infra` of this name, with what templates read from beside them."""
        return Path(shutil.copytree(self.root / "infra", self.scratch / name))

    def run(self, *arguments: str, folder: Path) -> Said:
        """Run the compiler. Its words name files as they are named in the repository."""
        # Without ICU, as in a slim image, .NET ends at once unless it is told to do without.
        invariant = {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
        said = run(find_bicep(self.root), *arguments, folder=folder, more=invariant)
        here = f"{folder.resolve()}/"
        return Said(
            status=said.status,
            output=said.output.replace(here, "infra/"),
            errors=said.errors.replace(here, "infra/"),
        )

    def build(self) -> str:
        """The template compiles, and the compiler has nothing to say."""
        folder = self.copy("build")
        said = self.run("build", "bicep/main.bicep", "--outfile", str(self.scratch / "main.json"), folder=folder)
        return _quiet(said)

    def lint(self) -> str:
        """The linter has nothing to say of any file."""
        folder = self.copy("lint")
        for pattern in PATTERNS:
            _quiet(self.run("lint", "--pattern", pattern, folder=folder))
        return ""

    def form(self) -> str:
        """Formatting the files changes none of them."""
        folder = self.copy("form")
        for pattern in PATTERNS:
            _quiet(self.run("format", "--pattern", pattern, folder=folder))
        files = [path for pattern in PATTERNS for path in sorted((self.root / "infra").glob(pattern))]
        changes = [change for path in files for change in self._changes(path, folder)]
        if changes:
            raise Failed("\n".join(changes))
        return f"{len(files)} files"

    def snapshot(self, name: str, folder: Path) -> tuple[str, Path | None]:
        """What it says of a .bicepparam file in a copy, and the snapshot of it; None if it made none."""
        made = (folder / name).with_suffix(".snapshot.json")
        made.unlink(missing_ok=True)
        said = self.run("snapshot", name, "--mode", "overwrite", *DEPLOYED_TO, folder=folder)
        return said.text, made if made.exists() else None

    def _changes(self, path: Path, formatted: Path) -> list[str]:
        inside = path.relative_to(self.root / "infra")
        texts = (path.read_text("utf-8").splitlines(), (formatted / inside).read_text("utf-8").splitlines())
        return list(unified_diff(*texts, f"infra/{inside.as_posix()}", "formatted", n=0, lineterm=""))


def _quiet(said: Said) -> str:
    """Warnings leave the exit status at 0: any word counts."""
    if said.status or said.text:
        raise Failed(said.text or f"bicep ended with status {said.status}")
    return ""
