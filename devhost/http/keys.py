"""Function and admin keys for local use: who may call what when `--keys` is on.

DEVHOST_FUNCTION_KEY and DEVHOST_MASTER_KEY set them; what is not set is made once and kept in `.dev/keys.json` under
the app's folder, readable for its owner alone. Keys are never logged, only the place where they are.
"""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from devhost.errors import HostConfigError

FUNCTION_KEY_VARIABLE = "DEVHOST_FUNCTION_KEY"
MASTER_KEY_VARIABLE = "DEVHOST_MASTER_KEY"


class Level(IntEnum):
    """What a caller has shown, or what a function asks for: each includes those before it."""

    ANONYMOUS = 0
    FUNCTION = 1
    ADMIN = 2


def read_level(text: object) -> Level:
    """A binding's `authLevel`, in any case; `function` where there is none or it is unknown."""
    return Level.__members__.get(str(text).upper(), Level.FUNCTION)


@dataclass(frozen=True, kw_only=True)
class Keys:
    """The keys in force. `source` says for people where they are."""

    function_key: str = field(repr=False)
    master_key: str = field(repr=False)
    source: str

    def level_of(self, headers: Mapping[str, str], query: Mapping[str, str]) -> Level:
        """What this caller has shown.

        `headers` by lower-case name, `query` by name as sent. A header that is there but empty hides the query.
        """
        given = headers.get("x-functions-key")
        if given is None:
            given = next((value for name, value in query.items() if name.lower() == "code"), "")
        if _equal(given, self.master_key):
            return Level.ADMIN
        return Level.FUNCTION if _equal(given, self.function_key) else Level.ANONYMOUS


def _equal(given: str, key: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), key.encode())


def load_keys(folder: Path, environment: Mapping[str, str]) -> Keys:
    """The keys of the app in this folder, made now if there are none.

    Raises:
        HostConfigError: `.dev/keys.json` cannot be read or written.
    """
    function_key, master_key = environment.get(FUNCTION_KEY_VARIABLE), environment.get(MASTER_KEY_VARIABLE)
    if function_key and master_key:
        return Keys(
            function_key=function_key,
            master_key=master_key,
            source=f"the environment ({FUNCTION_KEY_VARIABLE}, {MASTER_KEY_VARIABLE})",
        )
    path = folder / ".dev" / "keys.json"
    try:
        kept = _keep(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HostConfigError(
            f"{path}: no keys can be had from it ({type(error).__name__}). Remove it, or set "
            f"{FUNCTION_KEY_VARIABLE} and {MASTER_KEY_VARIABLE}."
        ) from error
    return Keys(
        function_key=function_key or kept["functionKey"], master_key=master_key or kept["masterKey"], source=str(path)
    )


def _keep(path: Path) -> dict[str, str]:
    """The keys in the file; a file that is not there is made in one piece, so that two hosts agree on it."""
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        keys = {"functionKey": secrets.token_urlsafe(32), "masterKey": secrets.token_urlsafe(32)}
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(keys, indent=2) + "\n")
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    kept = json.loads(path.read_text())
    return {name: _text(kept[name]) for name in ("functionKey", "masterKey")}


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a key is a text that is not empty")
    return value
