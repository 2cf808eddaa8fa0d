"""What the modules of scenarios share: the type of finished cells, how to choose among them, and types of pictures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from matplotlib import axes, figure

Result: TypeAlias = dict[str, Any]
Results: TypeAlias = Sequence[tuple[Any, Result]]
"""Finished cells, each with its result as JSON gives it back: fractions are texts and tuples are lists."""
Axes: TypeAlias = "axes.Axes"
Figures: TypeAlias = "dict[str, figure.Figure]"
"""The pictures of a scenario, by name."""


def select(results: Results, **fields: object) -> list[Result]:
    """Results of the cells whose fields have these values, in order."""
    return [result for cell, result in results if all(getattr(cell, name) == value for name, value in fields.items())]
