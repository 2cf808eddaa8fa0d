"""Previews: a picture as a page shows it, a tenth of its size on disk."""

import io

WIDTH = 1000
"""Largest width of a preview, in pixels."""
SUFFIX = ".preview.webp"
QUALITY, COLORS = 70, 64


def preview(png: bytes) -> bytes:
    """Return a picture as WebP, at most `WIDTH` pixels wide: with few colors or with some loss, whichever is smaller.

    Raises:
        ImportError: Pillow is not installed; it comes with matplotlib.
    """
    from PIL import Image

    with Image.open(io.BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    few = io.BytesIO()
    picture.quantize(COLORS, dither=Image.Dither.NONE).convert("RGB").save(few, "webp", lossless=True)
    lossy = io.BytesIO()
    picture.save(lossy, "webp", quality=QUALITY)
    return min(few.getvalue(), lossy.getvalue(), key=len)
