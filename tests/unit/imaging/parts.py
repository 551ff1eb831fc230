"""What a file is made of, read here from its bytes and not by what is tested."""

import struct


def jpeg_parts(data: bytes) -> list[str]:
    """The names of a JPEG's segments in order. AssertionError where anything is behind its end."""
    assert data[:2] == b"\xff\xd8"
    names, at = [], 2
    while data[at + 1] != 0xD9:
        assert data[at] == 0xFF, at
        marker, (length,) = data[at + 1], struct.unpack_from(">H", data, at + 2)
        names.append(f"{marker:02X}{'' if marker != 0xE0 else ':' + data[at + 4 : at + 8].decode()}")
        at += 2 + length
        if marker == 0xDA:
            while data[at] != 0xFF or data[at + 1] == 0 or 0xD0 <= data[at + 1] <= 0xD7:
                at += 1
    assert at + 2 == len(data)
    return names


def png_parts(data: bytes) -> list[str]:
    """The names of a PNG's chunks in order. AssertionError where anything is behind its end."""
    names: list[str] = []
    at = 8
    while not names or names[-1] != "IEND":
        length, kind = struct.unpack_from(">I4s", data, at)
        names.append(kind.decode())
        at += 12 + length
    assert at == len(data)
    return names
