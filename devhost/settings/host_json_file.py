"""The file host.json itself: whether it is there, can be read, and has the version that the host knows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devhost.errors import HostConfigError
from devhost.settings.extension_bundle import DEFAULT_ID, DEFAULT_VERSION
from devhost.settings.host_settings import FILE, setting_text
from devhost.settings.lenient_json import JsonError, read_json_object

VERSION = "2.0"


@dataclass(frozen=True, kw_only=True)
class HostJson:
    """What the file holds, and what is to be said about it."""

    root: Mapping[str, Any]
    notices: tuple[str, ...] = ()


def read_host_json(folder: Path) -> HostJson:
    """The folder's host.json. One that is missing, or `{}`, stands for the default, which is written if it can be.

    Only the default of a missing file has an extension bundle: with `{}` there is no queue trigger.

    Raises:
        HostConfigError: it cannot be read, is no JSON object, or its version is not "2.0".
    """
    path = folder / FILE
    try:
        document = read_json_object(path)
    except FileNotFoundError:
        bundle = {"id": DEFAULT_ID, "version": DEFAULT_VERSION}
        return _default(path, "is missing", {"version": VERSION, "extensionBundle": bundle})
    except OSError as error:
        raise HostConfigError(f"{FILE}: {path} cannot be read ({error.strerror}).") from error
    except JsonError as error:
        raise HostConfigError(f"{FILE}: {error}. Unable to parse host configuration file '{path}'.") from error
    if not document.root:
        return _default(path, "is empty (so there is no extension bundle, and no queue trigger)", {"version": VERSION})
    _check_version(document.root)
    notices = tuple(f"{FILE}: {key} stands twice; the last one counts." for key in document.repeated)
    return HostJson(root=document.root, notices=notices)


def _check_version(root: Mapping[str, Any]) -> None:
    version = root.get("version")
    if version is None or version == "":
        other = next((key for key in root if key.lower() == "version" and key != "version"), None)
        spelling = f' "{other}" is not it: here the case counts.' if other else ""
        raise HostConfigError(
            f'{FILE}: the required property version is missing.{spelling} Add "version": "{VERSION}".'
        )
    text = json.dumps(version) if isinstance(version, dict | list) else setting_text(version)
    if text != VERSION:
        raise HostConfigError(
            f'{FILE}: version is {json.dumps(version)}; it must be the text "{VERSION}", whatever the version of '
            "the host: it is that of the file's layout."
        )


def _default(path: Path, problem: str, root: Mapping[str, Any]) -> HostJson:
    try:
        path.write_text(json.dumps(root, indent=2) + "\n", encoding="utf-8")
    except OSError:
        return HostJson(root=root, notices=(f"{FILE}: {path} {problem}; the default is used.",))
    return HostJson(root=root, notices=(f"{FILE}: {path} {problem}; the default was written there.",))
