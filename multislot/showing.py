"""Figures and tables for people: matplotlib and pandas are imported when something is shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from multislot.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure of a size in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("a figure", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def whole_table(rows: "Sequence[dict[str, object]]") -> "pd.DataFrame":
    """Return rows as a DataFrame that prints whole.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    try:
        from multislot.tables import WholeTable
    except ImportError:
        raise MissingExtraError("a table as a DataFrame", "plot") from None
    return WholeTable(rows)
