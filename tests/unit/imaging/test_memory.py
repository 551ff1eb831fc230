"""What a decode takes, of the kinds that take most: it is what the limit on pixels was chosen by."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WIDTH, HEIGHT = 4_000, 2_500
BYTES_A_PIXEL = 17

MADE = {
    "webp": "saved(clear, 'WEBP', lossless=True, quality=0, method=0, exif=turned, icc_profile=profile)",
    "png": "with_chunk(saved(clear, 'PNG', icc_profile=profile), chunk(b'eXIf', turned))",
    "jpeg": "jpeg(plain, exif_segment(turned), progressive=True, subsampling=0, icc_profile=profile)",
    "cmyk": "jpeg(plain.convert('CMYK'), exif_segment(turned), progressive=True)",
    "grey-16": "with_chunk(saved(plain.convert('I').convert('I;16'), 'PNG'), chunk(b'tRNS', b'\\1\\2'))",
}

PROGRAM = """
import resource, sys
from PIL import Image, ImageCms
from tests.support.pictures import *
if sys.argv[1] == "make":
    plain = Image.new("RGB", ({width}, {height}), RED)
    clear = plain.convert("RGBA")
    clear.paste((1, 2, 3, 0), (0, 0, 2_000, 2_000))
    turned, profile = tiff(orientation=6), ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    sys.stdout.buffer.write({made})
else:
    from shared.imaging.render import render
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    render(jpeg())
    data, before = sys.stdin.buffer.read(), peak()
    render(data)
    print(peak() - before)
"""


@pytest.mark.full
@pytest.mark.parametrize("kind", MADE)
def test_a_decode_takes_no_more_for_a_pixel_than_the_limit_allows_for(kind: str) -> None:
    program = [sys.executable, "-c", PROGRAM.format(width=WIDTH, height=HEIGHT, made=MADE[kind])]
    made = subprocess.run([*program, "make"], cwd=ROOT, capture_output=True, check=True).stdout
    taken = int(subprocess.run([*program, "render"], cwd=ROOT, input=made, capture_output=True, check=True).stdout)
    assert 4 * WIDTH * HEIGHT < taken < BYTES_A_PIXEL * WIDTH * HEIGHT, taken / WIDTH / HEIGHT
