"""Figures and tables. Matplotlib and pandas are imported when the first one is made.

Every figure is made by `new_figure` or `axes_or_new`, in the style of `multislot.drawing.styling`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from multislot.drawing.styling import house_style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure in the style of this project, of a size in inches. A notebook shows it."""
    with house_style():
        from multislot.drawing.figures import StyledFigure

        return StyledFigure(figsize=(width, height), layout="constrained")


def axes_or_new(axes: "Axes | None", width: float, height: float) -> "Axes":
    """Return the given axes, or those of a new figure of a size in inches, which pyplot knows."""
    if axes is not None:
        return axes
    with house_style():
        from matplotlib import pyplot

        from multislot.drawing.figures import StyledFigure

        figure = pyplot.figure(figsize=(width, height), layout="constrained", FigureClass=StyledFigure)
        return figure.add_subplot()


def whole_table(rows: "Sequence[dict[str, object]]") -> "pd.DataFrame":
    """Return rows as a DataFrame that prints whole."""
    from multislot.drawing.tables import WholeTable

    return WholeTable(rows)
