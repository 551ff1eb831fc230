"""Bodies of `multipart/form-data`, put together byte by byte."""

from collections.abc import Mapping

BOUNDARY = "XX"
HEADERS = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}

PIXEL = bytes.fromhex("47494638396101000100800000fe0000ffffff21f90400000000002c00000000010001000002024401003b")
"""A GIF of one pixel."""


def part(name: str, data: bytes | str, *, file: str | None = None, disposition: str = "", **headers: str) -> bytes:
    """One part; `disposition` stands in place of what is made of the names, `headers` with `_` for `-` come besides."""
    raw = data.encode() if isinstance(data, str) else data
    told = disposition or f'form-data; name="{name}"' + ("" if file is None else f'; filename="{file}"')
    lines = [f"Content-Disposition: {told}", *(f"{key.replace('_', '-')}: {value}" for key, value in headers.items())]
    return f"--{BOUNDARY}\r\n".encode() + "\r\n".join(lines).encode() + b"\r\n\r\n" + raw + b"\r\n"


def body(*parts: bytes) -> bytes:
    """The parts, closed."""
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def form(fields: Mapping[str, str], photo: bytes | None = None, *, file: str = "roof.jpg") -> bytes:
    """The fields of a task, and a photo."""
    parts = [part(name, value) for name, value in fields.items()]
    if photo is not None:
        parts.append(part("photo", photo, file=file, Content_Type="image/jpeg"))
    return body(*parts)
