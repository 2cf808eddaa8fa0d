"""The picture of ``crying-baby``: nutrition as a line, crying as shade, one panel an agent, first seed."""

from typing import TYPE_CHECKING

from multislot.drawing.showing import new_figure
from scenarios.self_reflection.crying_baby.run import Results
from scenarios.self_reflection.crying_baby.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOW, HIGH = 2, 8


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure."""
    first = [(cell.agent, result) for cell, result in results if cell.seed == 1]
    figure = new_figure(8.0, 1.5 * len(first) + 0.8)
    panels = figure.subplots(len(first), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (agent, result) in zip(panels, first, strict=True):
        nutrition: list[int] = result["nutrition"]  # type: ignore[assignment]  # lists, from JSON
        mood: list[int] = result["mood"]  # type: ignore[assignment]
        turns = range(1, len(nutrition) + 1)
        axes.fill_between(turns, 0, 9, where=[m == 0 for m in mood], step="mid", alpha=0.25, label="crying")
        axes.step(turns, nutrition, where="mid", color="black", linewidth=1.0, label="nutrition")
        axes.axhline(LOW, color="0.4", linewidth=0.8, linestyle=":")
        axes.axhline(HIGH, color="0.4", linewidth=0.8, linestyle=":")
        axes.set_ylim(-0.3, 9.3)
        axes.set_ylabel(f"{agent}:\nnutrition")
    panels[-1].set_xlabel(f"turn of seed 1 of {settings.seeds}; dotted: the baby is content between {LOW} and {HIGH}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return {"crying-baby": figure}
