"""The picture of ``absent-minded-driver``: the best chance of continuing, learners, and what each chance is worth."""

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BELOW, BLUE, RED
from multislot.statistics import bootstrap
from scenarios.anthropics.absent_minded_driver import roads
from scenarios.anthropics.absent_minded_driver.learners import KINDS
from scenarios.anthropics.absent_minded_driver.run import HIGHEST, chance, mapped, worth
from scenarios.anthropics.absent_minded_driver.settings import Settings
from scenarios.anthropics.experiment import Results, by_part, steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = dict(zip(KINDS, (RED, BLUE), strict=True))
BINS, FINE = 25, 121


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    panels = [
        ("best probability of continuing", _map(settings, results)),
        ("what learners without memory reach", _curves(settings, results)),
        ("what continuing with probability p is worth", worths(settings)),
    ]
    title = f"absent-minded-driver:  a={settings.a}, b={settings.b}, c={settings.c}"
    return {"absent-minded-driver": lettered(title, panels)}


def _map(settings: Settings, results: Results) -> Panel:
    def draw(axes: "Axes") -> None:
        grid, end = steps(HIGHEST, FINE), float(HIGHEST)
        shade = np.array([[float(chance(settings.a, b, c)) for b in grid] for c in grid])
        extent = (0, end, 0, end)
        image = axes.imshow(
            shade, origin="lower", extent=extent, aspect="auto", cmap="viridis", vmin=0, vmax=1, alpha=0.8
        )
        for cell, column in by_part(results, "map"):
            heights = [float(c) for c in mapped(settings)]
            places, values = (
                [float(Fraction(cell.which))] * len(heights),
                [float(Fraction(p)) for p in column["chances"]],
            )
            style = {"cmap": "viridis", "vmin": 0, "vmax": 1, "edgecolors": "white", "linewidths": 0.4}
            axes.scatter(places, heights, s=22, c=values, zorder=3, clip_on=False, **style)  # type: ignore[arg-type]
        axes.plot(float(settings.b), float(settings.c), "*", color=RED, markersize=13, zorder=4, label="payoffs here")
        axes.set(
            xlabel="worth b of the second exit", ylabel="worth c of driving past both", xlim=extent[:2], ylim=extent[2:]
        )
        colours = axes.figure.colorbar(image, ax=axes)
        colours.set_label("probability; area: closed form")
        axes.plot([], [], "o", color="0.5", markeredgecolor="white", label="by the engine")
        axes.legend(**BELOW)

    return draw


def _curves(settings: Settings, results: Results) -> Panel:
    def draw(axes: "Axes") -> None:
        edges = np.linspace(0, settings.rounds, BINS + 1).astype(int)
        for kind in KINDS:
            worths = [result["worths"] for cell, result in by_part(results, "learner") if cell.which == kind]
            binned = np.array([[np.mean(one[low:high]) for low, high in pairwise(edges)] for one in worths])
            low, high = bootstrap(binned, np.random.default_rng(0))
            middle = (edges[:-1] + edges[1:]) / 2
            axes.plot(middle, binned.mean(axis=0), color=COLOURS[kind], label=kind)
            axes.fill_between(middle, low, high, color=COLOURS[kind], alpha=0.2, linewidth=0)
        plan = roads.best((settings.a, settings.b, settings.c))
        levels = {"best random policy": plan.value, "best pure policy": plan.pure_value}
        for (name, level), style in zip(levels.items(), ("--", ":"), strict=True):
            axes.axhline(float(level), color="black", linestyle=style, linewidth=1, label=name)  # type: ignore[arg-type]
        axes.set(xlabel="drive", ylabel=f"worth of a drive (mean of {settings.seeds}, 95% bootstrap)")
        axes.legend(ncols=2, **BELOW)

    return draw


def worths(settings: Settings) -> Panel:
    """Return a panel of what each probability of continuing is worth."""

    def draw(axes: "Axes") -> None:
        a, b, c = pays = settings.a, settings.b, settings.c
        grid, p = steps(Fraction(1), FINE), chance(*pays)
        again = roads.planned_again(pays, 1 / (1 + p))
        axes.plot([float(x) for x in grid], [float(worth(a, b, c, x)) for x in grid], color=BLUE)
        places = [(p, "o", "planned from the beginning"), (again, "s", "planned again at a junction")]
        for place, mark, name in [*places, (Fraction(int(c > a)), "^", "best pure policy")]:
            axes.plot(float(place), float(worth(a, b, c, place)), mark, markersize=9, label=f"{name}: p={place}")
        axes.set(xlabel="probability p of continuing", ylabel="worth of a drive")
        axes.legend(**BELOW)

    return draw
