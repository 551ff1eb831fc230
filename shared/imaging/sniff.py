"""Of which kind a photo is, by its first bytes. Its name and its content type are its sender's word, and not asked."""

from shared.imaging.outline import Kind

_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1")


def sniff(data: bytes) -> Kind | None:
    """The kind of a photo, or None where it is none of those that can be read."""
    if data.startswith(b"\xff\xd8\xff"):
        return Kind.JPEG
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return Kind.PNG
    if data.startswith((b"GIF87a", b"GIF89a")):
        return Kind.GIF
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return Kind.WEBP
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC_BRANDS:
        return Kind.HEIC
    return None
