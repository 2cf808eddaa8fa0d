"""Draw the pictures that are kept with the pages, so that a plain clone has them: ``make pictures`` writes them all."""

import io
from pathlib import Path

import caring_pictures
import door_pictures
import hunter_sweep
import learned_futures
import puzzles
from PIL import Image

from multislot.drawing.styling import house_style

FOLDER = Path(__file__).parents[1] / "static" / "pictures"
COLORS = 128
PICTURES = (
    caring_pictures.PICTURES
    | door_pictures.PICTURES
    | puzzles.PICTURES
    | {
        "hunter_sweep": hunter_sweep.picture,
        "learned_futures": learned_futures.picture,
    }
)


def main() -> None:
    """Draw each picture as a small PNG, and print the table of learned futures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        drawn = io.BytesIO()
        with house_style():
            draw().savefig(drawn, format="png", dpi=110)
        with Image.open(drawn) as picture:
            picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(
                FOLDER / f"{name}.png", optimize=True
            )
    print(learned_futures.table(learned_futures.read()))


if __name__ == "__main__":
    main()
