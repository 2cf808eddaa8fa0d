"""Previews: one panel of a figure as a page shows it, a tenth of its size on disk."""

import io
import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 1000
"""Largest width of a preview, in pixels."""
SUFFIX = "preview.webp"
WIDTH_INCHES, HEIGHT_INCHES, LEGEND_INCHES, LEGEND_BELOW = 4.6, 3.5, 0.8, 0.6
TITLE_LETTERS = 46
QUALITY, COLORS = 70, 64


def preview(figure: "Figure") -> bytes:
    """Draw one panel as WebP, at most `WIDTH` pixels wide: with few colors or with some loss, whichever is smaller."""
    from PIL import Image

    png = io.BytesIO()
    keep_one_panel(figure).savefig(png, format="png")
    with Image.open(png) as opened:
        picture = opened.convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    few = io.BytesIO()
    picture.quantize(COLORS, dither=Image.Dither.NONE).convert("RGB").save(few, "webp", lossless=True)
    lossy = io.BytesIO()
    picture.save(lossy, "webp", quality=QUALITY)
    return min(few.getvalue(), lossy.getvalue(), key=len)


def keep_one_panel(figure: "Figure") -> "Figure":
    """Remove all panels but the first, with the color bars of the others; a figure of one panel stays as it is."""
    from matplotlib.gridspec import GridSpec
    from matplotlib.transforms import ScaledTranslation

    panels = [axes for axes in figure.axes if not _owners(axes)]
    if len(panels) < 2:
        return figure
    kept = panels[0]
    for axes in list(figure.axes):
        if axes is not kept and kept not in _owners(axes):
            axes.remove()
    bars = [axes for axes in figure.axes if axes is not kept]
    if kept.get_subplotspec() is not None and all(bar.get_subplotspec() is None for bar in bars):
        kept.set_subplotspec(GridSpec(1, 1, figure=figure)[0])
    for place in ("left", "center", "right"):
        title = " ".join(kept.get_title(loc=place).split())
        kept.set_title(textwrap.fill(re.sub(r"^\([a-z]\) ", "", title), TITLE_LETTERS), loc=place)
    height = HEIGHT_INCHES + (LEGEND_INCHES if figure.legends else 0)
    legend = kept.get_legend()
    if legend and legend.get_bbox_to_anchor().y1 < kept.bbox.y0:  # below: the panel is less high now
        below = ScaledTranslation(0, -LEGEND_BELOW, figure.dpi_scale_trans)
        legend.set_bbox_to_anchor((0.5, 0), transform=kept.transAxes + below)
        height += max(0, legend.get_window_extent().height / figure.dpi - LEGEND_INCHES)
    if figure.get_suptitle():
        figure.suptitle("")
    figure.set_size_inches(WIDTH_INCHES, height)
    return figure


def _owners(axes: "Axes") -> "list[Axes]":
    """The plots that a color bar belongs to; an empty list if these axes are not a color bar."""
    return list((getattr(axes, "_colorbar_info", None) or {}).get("parents", []))
