"""The picture of ``copy-dilemma``: which joint policies stand, learners, and what deciding alone costs."""

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BELOW, BLUE, GREY, PURPLE, RED, YELLOW
from multislot.exact.maps.map_drawing import draw_pieces, name_colours
from scenarios.anthropics.copy_dilemma.game import (
    COOPERATE,
    DEFECT,
    equilibria,
    threshold_of_cooperation,
    threshold_of_defection,
    worth_of_history,
)
from scenarios.anthropics.copy_dilemma.run import PUZZLE, copies
from scenarios.anthropics.copy_dilemma.settings import Settings
from scenarios.anthropics.experiment import Results, steps
from scenarios.anthropics.pictures import ALPHA_COLOURS, learners

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STANDING = {
    (True, False): (BLUE, "both cooperate"),
    (True, True): (PURPLE, "both cooperate, or both defect"),
    (False, False): (YELLOW, "one signal cooperates, the other defects"),
    (False, True): (GREY, "both defect"),
}
FINE = 41


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """One figure of three panels."""
    panels = [
        ("joint policies that no history would leave", standing_map(settings)),
        ("what learners come to do", learners(PUZZLE, settings, results)),
        ("what each gets, α=0", worths(settings)),
    ]
    title = f"copy-dilemma:  T={settings.T}, R={settings.R}, P={settings.P}, S={settings.S}"
    return {"copy-dilemma": lettered(title, panels)}


def _standing(settings: Settings, caring: Fraction, differ: Fraction) -> tuple[bool, bool]:
    """Whether cooperating after both signals stands, and whether defecting does; by trying all policies."""
    found = equilibria(copies(settings, differ), caring)
    return (COOPERATE, COOPERATE) in found, (DEFECT, DEFECT) in found


def standing_map(settings: Settings) -> Panel:
    """Return a panel of the joint policies that stand, over α and δ; exact in α."""

    def draw(axes: "Axes") -> None:
        differ = steps(Fraction(1), FINE)
        lines = [_standing_by_caring(settings, one) for one in differ]
        colours = {kind: colour for kind, (colour, _) in STANDING.items()}
        draw_pieces(axes, differ, lines, Fraction(1), colours, upright=False)
        axes.set(xlabel="caring coefficient α", ylabel="probability δ that the signals differ")
        met = {kind for line in lines for _, kind in line}
        name_colours(axes, {name: colour for kind, (colour, name) in STANDING.items() if kind in met})

    return draw


def _standing_by_caring(settings: Settings, differ: Fraction) -> list[tuple[Fraction, tuple[bool, bool]]]:
    """Return from which α on what stands: between the thresholds in closed form it is found by trying all policies."""
    payoffs = copies(settings, differ).payoffs
    thresholds = {threshold_of_cooperation(payoffs, differ), threshold_of_defection(payoffs, differ)}
    cuts = [Fraction(0), *sorted(one for one in thresholds if 0 < one < 1), Fraction(1)]
    return [(low, _standing(settings, (low + high) / 2, differ)) for low, high in pairwise(cuts)]


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
        axes.plot(*zip(*points, strict=True), "o", color=RED, markersize=3.5, label="each history decides alone")
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
