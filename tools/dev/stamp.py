"""A note inside a made folder: what it was made from and what was in it, to tell whether it must be made again."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Stamp:
    """The stamp of one folder. `contents` is the folder whose entries must all still be there."""

    folder: Path
    contents: Path

    @property
    def _file(self) -> Path:
        return self.folder / ".made-by-dev.json"

    @property
    def is_unfinished(self) -> bool:
        """Whether making the folder began and did not end."""
        return self._file.exists() and self._read().get("from") is None

    def is_of(self, made_from: str) -> bool:
        """Whether the folder was wholly made from this, and nothing of it is missing since."""
        note = self._read()
        if note.get("from") != made_from or not self.contents.is_dir():
            return False
        return set(note["entries"]) <= _entries(self.contents)

    def begin(self) -> None:
        """Note that making it has begun."""
        self._file.write_text("{}", encoding="utf-8")

    def finish(self, made_from: str) -> None:
        """Note that it is made."""
        note = {"from": made_from, "entries": sorted(_entries(self.contents))}
        unseen = self._file.with_suffix(".new")
        unseen.write_text(json.dumps(note), encoding="utf-8")
        unseen.replace(self._file)

    def _read(self) -> dict[str, Any]:
        try:
            note = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return note if isinstance(note, dict) else {}


def digest(files: Iterable[Path], *more: str) -> str:
    """What a folder is made from, in short: the contents of the files, and whatever else matters."""
    sum_ = hashlib.sha256()
    for part in (*(path.read_bytes() for path in files), *(text.encode() for text in more)):
        sum_.update(len(part).to_bytes(8) + part)
    return sum_.hexdigest()


def _entries(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir() if entry.name != "__pycache__" and not entry.name.startswith(".")}
