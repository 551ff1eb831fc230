"""From the pixels of any photo to plain ones: 8 bits, grey or sRGB, with alpha only where something shines through."""

import io

from PIL import Image, ImageCms, ImageMath

_ALPHA = {"LA", "RGBA"}
_SPACES = {"L": b"GRAY", "RGB": b"RGB ", "CMYK": b"CMYK"}  # bytes 16 to 20 of a profile


def plain(picture: Image.Image, *, bits: int, profile: bytes) -> Image.Image:
    """The same look in mode L, LA, RGB or RGBA, with no `info`. `bits`: of one sample, as the file had it."""
    picture = _without_palette(picture, bits)
    alpha = picture.getchannel("A") if picture.mode in _ALPHA else None
    if alpha is not None and alpha.getextrema() == (255, 255):
        alpha = None
    if picture.mode in _ALPHA and (alpha is None or profile):
        picture = picture.convert(picture.mode.removesuffix("A"))
    if picture.mode not in _ALPHA:
        picture = _in_srgb(picture, profile)
    if alpha is not None and picture.mode not in _ALPHA:
        picture.putalpha(alpha)
    picture.info = {}
    return picture


def on_white(picture: Image.Image) -> Image.Image:
    """A plain picture without alpha, as RGB."""
    if picture.mode not in _ALPHA:
        return picture.convert("RGB")
    picture = picture.convert("RGBA")
    white = Image.new("RGB", picture.size, "white")
    white.paste(picture, mask=picture.getchannel("A"))
    return white


def _without_palette(picture: Image.Image, bits: int) -> Image.Image:
    """In mode L, LA, RGB, RGBA or CMYK. A single transparent colour of the file becomes alpha."""
    clear = picture.info.pop("transparency", None)
    if picture.mode == "I;16":  # converting would clip and not scale
        grey = picture.point(lambda value: value * (1 / 256)).convert("L")
        if clear is not None:
            grey.putalpha(_all_but(picture, clear))
        return grey
    if clear is not None:
        picture.info["transparency"] = clear if picture.mode == "P" else _in_8_bits(clear, picture.mode, bits)
        return picture.convert("RGBA")
    if picture.mode in {"L", "LA", "RGB", "RGBA", "CMYK"}:
        return picture
    if picture.mode == "1":
        return picture.convert("L")
    if picture.mode in {"La", "RGBa"}:  # of a HEIC: colours that are already dimmed by their alpha
        return picture.convert(picture.mode.upper())
    return picture.convert("RGB")


def _all_but(picture: Image.Image, value: int) -> Image.Image:
    wide = picture.convert("I")
    mask = ImageMath.lambda_eval(lambda given: given["convert"]((given["wide"] != value) * 255, "L"), wide=wide)
    assert isinstance(mask, Image.Image)
    return mask


def _in_8_bits(clear: int | tuple[int, ...], mode: str, bits: int) -> int | tuple[int, ...]:
    """A transparent colour as its pixels have it: the decoder scales those to 8 bits, and not the colour."""
    if isinstance(clear, tuple):
        return tuple(value >> (bits - 8) for value in clear) if bits == 16 else clear
    return clear * 255 // (2**bits - 1) if mode == "L" and bits < 8 else clear


def _in_srgb(picture: Image.Image, profile: bytes) -> Image.Image:
    """The colours as a browser would show them by the profile; by no profile where it is broken or of other colours."""
    if profile[16:20] == _SPACES[picture.mode]:
        try:
            meant = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(picture, meant, ImageCms.createProfile("sRGB"), outputMode="RGB")
            assert converted is not None
            return converted
        except (ImageCms.PyCMSError, OSError):
            pass
    return picture.convert("RGB") if picture.mode == "CMYK" else picture
