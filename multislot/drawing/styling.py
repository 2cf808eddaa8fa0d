"""The style of all figures: colors for any color vision, and text that is legible at a width of 800 pixels.

The style is in ``figures.mplstyle``. For figures of your own:
``matplotlib.pyplot.style.use("multislot.drawing.figures")``.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from multislot.errors import MissingExtraError

BLUE, RED, GREEN, YELLOW, CYAN, PURPLE, INK = COLORS = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#444444",
)  # fmt: skip
"""Paul Tol's bright scheme, for people with any color vision; also the color cycle of the style."""
GREY = "#bbbbbb"
BELOW: Mapping[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2)}
"""How a legend goes below its panel."""
STYLE = Path(__file__).with_name("figures.mplstyle")


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the style of this project, inside a ``with`` block or in a function that is decorated with it.

    A reader's own settings of Matplotlib do not count: they may need LaTeX, for example.
    """
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtraError("a figure", "plot") from None
    with rc_context(_style()):
        yield


def shades(number: int, first: float = 0.0, last: float = 0.85) -> Any:
    """Colors of an ordered series, [number, 4], between two places on matplotlib's scale viridis; dark comes first."""
    from matplotlib import colormaps

    return colormaps["viridis"]([first + (last - first) * k / max(number - 1, 1) for k in range(number)])


@cache
def _style() -> Any:
    from matplotlib import rc_params_from_file

    return {name: value for name, value in rc_params_from_file(STYLE).items() if name != "backend"}
