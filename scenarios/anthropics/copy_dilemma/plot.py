"""The picture of ``copy-dilemma``: which joint policies stand, learners, and what deciding alone costs."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from scenarios.anthropics.copy_dilemma.game import COOPERATE, DEFECT, equilibria, worth_of_history
from scenarios.anthropics.copy_dilemma.run import PUZZLE, copies
from scenarios.anthropics.copy_dilemma.settings import Settings
from scenarios.anthropics.experiment import Results, by_part, steps
from scenarios.anthropics.pictures import ALPHA_COLOURS, BELOW, Panel, learners, three_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STANDING = {
    (True, False): ("#4477aa", "both cooperate"),
    (True, True): ("#aa3377", "both cooperate, or both defect"),
    (False, False): ("#ccbb44", "one signal cooperates, the other defects"),
    (False, True): ("#cccccc", "both defect"),
}
FINE = 41


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    panels = [
        ("joint policies that no history would leave", standing_map(settings, results)),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("what each gets, α=0", worths(settings)),
    ]
    title = f"copy-dilemma:  T={settings.T}, R={settings.R}, P={settings.P}, S={settings.S}"
    return {"copy-dilemma": three_panels(title, panels)}


def _standing(settings: Settings, caring: Fraction, differ: Fraction) -> tuple[bool, bool]:
    """Whether cooperating after both signals stands, and whether defecting does; by trying all policies."""
    found = equilibria(copies(settings, differ), caring)
    return (COOPERATE, COOPERATE) in found, (DEFECT, DEFECT) in found


def standing_map(settings: Settings, results: Results) -> Panel:
    """Return a panel of the joint policies that stand, over α and δ."""

    def draw(axes: "Axes") -> None:
        from matplotlib.colors import ListedColormap
        from matplotlib.lines import Line2D

        grid, kinds = steps(Fraction(1), FINE), list(STANDING)
        shade = np.array([[kinds.index(_standing(settings, a, d)) for a in grid] for d in grid])
        colours = [colour for colour, _ in STANDING.values()]
        options = {"origin": "lower", "extent": (0, 1, 0, 1), "aspect": "auto", "alpha": 0.5}
        axes.imshow(shade, cmap=ListedColormap(colours), vmin=0, vmax=len(kinds) - 1, **options)  # type: ignore[arg-type]
        for cell, column in by_part(results, "map"):
            heights = [float(differ) for differ in PUZZLE.prices(settings)]
            dots = ["#4477aa" if one else "#555555" for one in column["accepted"]]
            axes.scatter([float(Fraction(cell.which))] * len(heights), heights, s=7, c=dots, zorder=3, clip_on=False)
        axes.set(
            xlabel="caring coefficient α", ylabel="probability δ that the signals differ", xlim=(0, 1), ylim=(0, 1)
        )
        met = [STANDING[kinds[index]] for index in sorted(set(shade.ravel().tolist()))]
        handles = [Line2D([], [], ls="", marker="s", color=colour, alpha=0.6, label=name) for colour, name in met]
        axes.legend(handles=handles, **BELOW)

    return draw


def worths(settings: Settings) -> Panel:
    """Return a panel of what each copy gets at α = 0: by the policy from the beginning, and by the equilibria."""

    def draw(axes: "Axes") -> None:
        grid = steps(Fraction(1), FINE)
        planned = [float(copies(settings, differ).planned(Fraction(0))[0]) for differ in grid]
        axes.plot([float(d) for d in grid], planned, color=ALPHA_COLOURS[Fraction(1)], linewidth=4, alpha=0.5)
        axes.plot([], [], color=ALPHA_COLOURS[Fraction(1)], linewidth=4, alpha=0.5, label="chosen from the beginning")
        points = [
            (float(differ), _each(settings, differ, policy)) for differ in grid for policy in _alone(settings, differ)
        ]
        axes.plot(*zip(*points, strict=True), "o", color="#ee6677", markersize=3.5, label="each history decides alone")
        axes.set(xlabel="probability δ that the signals differ", ylabel="payoff of a copy", xlim=(-0.02, 1.02))
        axes.set_ylim(bottom=0)
        axes.legend(**BELOW)

    return draw


def _alone(settings: Settings, differ: Fraction) -> list[tuple[str, str]]:
    return equilibria(copies(settings, differ), Fraction(0))


def _each(settings: Settings, differ: Fraction, policy: tuple[str, str]) -> float:
    """What a copy gets on average."""
    acts = dict(zip(("left", "right"), policy, strict=True))
    total = sum(worth_of_history(copies(settings, differ), Fraction(0), signal, acts) for signal in acts)
    return float(total) / 2
