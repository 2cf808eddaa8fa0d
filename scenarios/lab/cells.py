"""What the modules of scenarios share: the type of finished cells, ways to choose among them, and types of pictures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from matplotlib import axes, figure

Result: TypeAlias = dict[str, Any]
Results: TypeAlias = Sequence[tuple[Any, Result]]
"""Finished cells, each with its result as JSON gives it back: fractions are texts and tuples are lists."""
Axes: TypeAlias = "axes.Axes"
Figure: TypeAlias = "figure.Figure"
Figures: TypeAlias = "dict[str, figure.Figure]"
"""The pictures of a scenario, by name."""


def select_pairs(results: Results, **fields: object) -> Results:
    """The cells whose fields have these values, with their results, in order."""
    return [(cell, result) for cell, result in results if all(getattr(cell, name) == fields[name] for name in fields)]


def select(results: Results, **fields: object) -> list[Result]:
    """Results of the cells whose fields have these values, in order."""
    return [result for _, result in select_pairs(results, **fields)]


def collect(results: Results, key: str, **fields: object) -> list[Any]:
    """What results have under a key, for the cells whose fields have these values, in order."""
    return [result[key] for result in select(results, **fields)]
