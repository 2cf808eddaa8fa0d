"""Coloured maps; needs the extra ``plot``."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from multislot.showing import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb", "#ee8866", "#44bb99")
BELOW: Mapping[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "frameon": False, "fontsize": 8}


def draw_map(
    axes: "Axes | None", labels: Sequence[Sequence[str]], x_edges: Sequence[float], y_edges: Sequence[float]
) -> "Axes":
    """Draw cells, [x][y], with one colour for each label and a legend below.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    from matplotlib.patches import Patch

    axes = axes_or_new(axes, 5.5, 4.6)
    kinds = list(dict.fromkeys(label for column in labels for label in column))
    colours = {label: COLOURS[index % len(COLOURS)] for index, label in enumerate(kinds)}
    paint(axes, [[colours[label] for label in column] for column in labels], x_edges, y_edges)
    axes.legend(handles=[Patch(color=colours[label], label=label, alpha=0.6) for label in kinds], **BELOW)
    return axes


def paint(axes: "Axes", colours: Sequence[Sequence[Any]], x_edges: Sequence[float], y_edges: Sequence[float]) -> None:
    """Fill cells with colours, [x][y], given their edges."""
    import numpy as np
    from matplotlib.colors import to_rgb

    pixels = np.array([[to_rgb(colour) for colour in column] for column in colours]).swapaxes(0, 1)
    axes.pcolormesh(np.array(x_edges), np.array(y_edges), pixels, alpha=0.6, rasterized=True)
