"""`extensionBundle` of host.json: the package that brings every trigger but HTTP and timer.

Source: HOST, ExtensionBundleConfigurationHelper.cs; NuGet's version ranges.
"""

import re

from devhost.errors import HostConfigError
from devhost.settings.host_settings import FILE, SECTION, HostSettings

DEFAULT_ID = "Microsoft.Azure.Functions.ExtensionBundle"
DEFAULT_VERSION = "[4.*, 5.0.0)"

_ID = re.compile(r"\w+(?:[.-]\w+)*")
_LABELS = r"(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
_EXACT = re.compile(rf"[0-9]+(?:\.[0-9]+){{0,3}}{_LABELS}")
_FLOATING = re.compile(rf"(?:[0-9]+\.){{0,3}}\*|{_EXACT.pattern}")
_INTERVAL = re.compile(r"([\[(])\s*([^,\])]*?)\s*(?:(,)\s*([^,\])]*?)\s*)?([\])])")


def read_extension_bundle(settings: HostSettings) -> str | None:
    """The bundle's id and version range in one text; None where there is none.

    Raises:
        HostConfigError: the section lacks an id or a version, or has one that cannot be.
    """
    if not settings.exists("extensionBundle"):
        return None
    version, identity = settings.leaf("extensionBundle.version"), settings.leaf("extensionBundle.id")
    if version is None or not is_version_range(version.text):
        raise _refused("version", version.text if version else None, DEFAULT_VERSION)
    if identity is None or not _ID.fullmatch(identity.text) or len(identity.text) > 100:
        raise _refused("id", identity.text if identity else None, DEFAULT_ID)
    return f"{identity.text} {version.text}"


def is_version_range(text: str) -> bool:
    """Whether NuGet reads the text as a range: `[4.*, 5.0.0)`, `4.0.2` (that or newer), `4.*`."""
    text = text.strip()
    interval = _INTERVAL.fullmatch(text)
    if interval is None:
        return _FLOATING.fullmatch(text) is not None
    opening, lowest, comma, highest, closing = interval.groups()
    if comma is None:
        return opening + closing == "[]" and _FLOATING.fullmatch(lowest) is not None
    if not lowest and not highest:
        return False
    if (lowest and not _FLOATING.fullmatch(lowest)) or (highest and not _EXACT.fullmatch(highest)):
        return False
    return not (lowest and highest) or _numbers(lowest) <= _numbers(highest)


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in re.split("[-+*]", version)[0].split(".") if number]
    return tuple(numbers + [0] * (4 - len(numbers)))


def _refused(key: str, text: str | None, example: str) -> HostConfigError:
    return HostConfigError(
        f"{FILE} (or {SECTION}__extensionBundle__{key}): the value of extensionBundle.{key} is "
        f'{"missing" if text is None else f"invalid: {text!r}"}. It may be "{example}".'
    )
