"""What a camera wrote beside a picture: which way is up, and where it was taken.

A reader of its own, since the decoder's looks at every entry, and entries can be made to take memory without bounds.
A block that is broken in any way says nothing; it never makes a photo unusable.
"""

import math
import struct
from dataclasses import dataclass

_ORIENTATION, _GPS = 0x0112, 0x8825
_LATITUDE_REF, _LATITUDE, _LONGITUDE_REF, _LONGITUDE = 1, 2, 3, 4
_ASCII, _SHORT, _LONG, _RATIONAL = 2, 3, 4, 5
_ENTRY_BYTES = 12


@dataclass(frozen=True, kw_only=True)
class Shot:
    """`orientation`: 1 to 8 as EXIF has it, 1 is upright. `geotag`: latitude and longitude, in decimal degrees."""

    orientation: int = 1
    geotag: tuple[float, float] | None = None


def read_exif(block: bytes) -> Shot:
    """What a TIFF block says. Never raises for what is in it."""
    try:
        tiff = _Tiff(block)
        first = tiff.directory(tiff.first)
    except struct.error:
        return Shot()
    return Shot(orientation=_orientation(tiff, first), geotag=_geotag(tiff, first))


class _Tiff:
    """A block of directories. Everything raises struct.error where the block ends too early or is none."""

    def __init__(self, block: bytes) -> None:
        if block[:4] not in (b"II*\0", b"MM\0*"):
            raise struct.error
        self._block, self._order = block, "<" if block.startswith(b"II") else ">"
        (self.first,) = self._unpack("I", 4)

    def _unpack(self, form: str, position: int) -> tuple[int, ...]:
        return struct.unpack_from(self._order + form, self._block, position)

    def directory(self, position: int) -> dict[int, tuple[int, int, int]]:
        """By tag: the type, the count, and where the value's four bytes are. Of a tag that comes twice, the first."""
        (count,) = self._unpack("H", position)
        if position + 2 + count * _ENTRY_BYTES > len(self._block):
            raise struct.error
        entries: dict[int, tuple[int, int, int]] = {}
        for at in range(position + 2, position + 2 + count * _ENTRY_BYTES, _ENTRY_BYTES):
            tag, kind, values = self._unpack("HHI", at)
            entries.setdefault(tag, (kind, values, at + 8))
        return entries

    def number(self, entry: tuple[int, int, int] | None) -> int | None:
        """One whole number, or None where the entry is none."""
        if entry is None or entry[1] != 1 or entry[0] not in (_SHORT, _LONG):
            return None
        return self._unpack("H" if entry[0] == _SHORT else "I", entry[2])[0]

    def letter(self, entry: tuple[int, int, int] | None) -> str | None:
        """The first letter of a short text, as a capital."""
        if entry is None or entry[0] != _ASCII or not 1 <= entry[1] <= 4:
            return None
        return chr(self._block[entry[2]]).upper()

    def fractions(self, entry: tuple[int, int, int] | None) -> list[float] | None:
        """Three fractions, or None where the entry is something else or a denominator is zero."""
        if entry is None or entry[:2] != (_RATIONAL, 3):
            return None
        (position,) = self._unpack("I", entry[2])
        numbers = self._unpack("6I", position)
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        return [above / below for above, below in pairs] if all(below for _, below in pairs) else None


def _orientation(tiff: _Tiff, entries: dict[int, tuple[int, int, int]]) -> int:
    value = tiff.number(entries.get(_ORIENTATION))
    return value if value is not None and 1 <= value <= 8 else 1


def _geotag(tiff: _Tiff, first: dict[int, tuple[int, int, int]]) -> tuple[float, float] | None:
    """None as well where a part is missing or out of its range: half a place is none."""
    position = tiff.number(first.get(_GPS))
    if position is None:
        return None
    try:
        entries = tiff.directory(position)
        latitude = _degrees(tiff.fractions(entries.get(_LATITUDE)), tiff.letter(entries.get(_LATITUDE_REF)), "NS", 90)
        longitude = _degrees(
            tiff.fractions(entries.get(_LONGITUDE)), tiff.letter(entries.get(_LONGITUDE_REF)), "EW", 180
        )
    except struct.error:
        return None
    return None if latitude is None or longitude is None else (latitude, longitude)


def _degrees(parts: list[float] | None, letter: str | None, letters: str, limit: int) -> float | None:
    if parts is None or letter is None or letter not in letters:
        return None
    degrees = math.fsum(part / 60**power for power, part in enumerate(parts))
    if degrees > limit:
        return None
    return round(-degrees if letter == letters[1] else degrees, 6) + 0.0  # never -0.0
