"""A prisoner's dilemma against your own copy: whoever has seen the same does the same.

One agent is copied, and the two copies play a prisoner's dilemma. Before they choose, each sees a signal, left or
right; with probability δ the two signals differ. Copies with the same history act alike. So a copy that defects is met
by its own defection wherever the signals agree; where they differ the other's choice is its own. Each history decides
for all who have it, and values its own payoff plus α times the other's. At δ = 0 the copies cooperate without any
caring, the superrational answer (Hofstadter 1983). Told apart for sure, at δ = 1, they are two players like any others
and need an α of 2/3 to cooperate. Chosen from the beginning, for both, cooperation is best for every α and δ as long as
from multislot.errors import SettingError
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BELOW, BLUE, GREY, PURPLE, RED, YELLOW
from multislot.errors import SettingError
from multislot.exact import DecisionMap
from multislot.exact.maps.map_drawing import draw_pieces, name_colors
from multislot.exact.maps.map_results import Axis
from scenarios.anthropics.copy_dilemma.game import (
    COOPERATE,
    DEFECT,
    Copies,
    Payoffs,
    Played,
    Policy,
    equilibria,
    gain_from_cooperating,
    threshold_of_cooperation,
    threshold_of_defection,
    worth_of_history,
)
from scenarios.anthropics.experiment import LearningCase, Puzzle, Results, steps
from scenarios.anthropics.learning import ONE_SURVIVOR, Lesson
from scenarios.anthropics.pictures import ALPHA_COLOURS, learners
from scenarios.anthropics.settings import FULL_SIZE, AnthropicSettings
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Pay = Annotated[Fraction, Field(ge=-100, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """The payoffs, and how much the copies differ."""

    T: Annotated[Pay, Field(title="T", description="for defecting against a cooperator")] = Fraction(5)
    R: Annotated[Pay, Field(title="R", description="for cooperating with a cooperator")] = Fraction(3)
    P: Annotated[Pay, Field(title="P", description="for defecting against a defector")] = Fraction(1)
    S: Annotated[Pay, Field(title="S", description="for cooperating with a defector")] = Fraction(0)
    rounds: Annotated[int, Field(ge=40, description="how often the copies of a learner play")] = 300
    δ: Annotated[
        Fraction, Field(ge=0, le=1, title="δ", description="probability that the two see different signals")
    ] = Fraction(3, 4)

    def __post_init__(self) -> None:
        if not self.T > self.R > self.P > self.S:
            raise SettingError(
                f"got T={self.T}, R={self.R}, P={self.P}, S={self.S}; expected T > R > P > S, the order of a "
                "prisoner's dilemma"
            )


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


LENGTH = 2
CLEAR = Fraction(1, 4)
"""Least difference of payoffs, and of α from where the decision turns, at which learners are compared."""
ALIKE = "learners with the same random numbers act alike even where they are told apart"
APART = "learners with random numbers of their own do not act alike even where they see the same"
WORDS = {True: "cooperates", False: "defects"}
MORAL = (
    "Copies that see the same cooperate for nothing: each decides for both. The more they differ, the more they have\n"
    "to care, up to what any two players need. In between there are α at which neither cooperating nor defecting\n"
    "stands after both signals. From the beginning the best plan cooperates after both signals if T + S ≤ 2R. If\n"
    "T + S > 2R and the signals differ often enough, it defects after one of them: the two do better by taking turns.\n"
    "Learners find the equilibria if what they share is what the analysis says: the same random numbers make them\n"
    "alike, numbers of their own make them two."
)


def copies(settings: Settings, differ: Fraction | None = None) -> Copies:
    """The game of these settings."""
    payoffs = Payoffs(settings.T, settings.R, settings.P, settings.S)
    return Copies(payoffs, settings.δ if differ is None else differ)


def accepts(settings: Settings, caring: Fraction, differ: Fraction) -> bool:
    """Whether cooperating after both signals is an equilibrium, by trying all policies."""
    return (COOPERATE, COOPERATE) in equilibria(copies(settings, differ), caring)


def formula(settings: Settings, caring: Fraction, differ: Fraction) -> bool:
    """The same in closed form."""
    return caring >= threshold_of_cooperation(copies(settings).payoffs, differ)


def rows(settings: Settings) -> list[Row]:
    """Everything exact."""
    condition = f"T={settings.T}, R={settings.R}, P={settings.P}, S={settings.S}"
    differences = [Fraction(0), settings.δ, Fraction(1)]
    return [
        *(row for differ in differences for row in _thresholds(settings, differ, condition)),
        *(row for differ in differences for row in _from_the_beginning(settings, differ, condition)),
        _control(settings, condition),
    ]


def _thresholds(settings: Settings, differ: Fraction, condition: str) -> Iterator[Row]:
    """Where the equilibria change, from what a history gains and in closed form."""
    game, case = copies(settings, differ), f"δ={differ}"
    formulas = {COOPERATE: threshold_of_cooperation, DEFECT: threshold_of_defection}
    for act, closed in formulas.items():
        none, one = (gain_from_cooperating(game, Fraction(k), "left", (act, act)) for k in (0, 1))
        yield Row(
            f"α at which both {act}",
            f"{case}, {condition}",
            _said(none / (none - one), act),  # the gain is linear in α
            paper=_said(closed(game.payoffs, differ), act),
            case=case,
            source="(1 − δ)(1 + α)(R − P) and δ times what is gained against a copy that acts otherwise sum to 0",
        )


def _said(alpha: Fraction, act: str) -> str:
    """Return for which α ≥ 0 a policy stands, in words."""
    if act == COOPERATE:
        return f"from {alpha}" if alpha > 0 else "always"
    return f"up to {alpha}" if alpha >= 0 else "never"


def _from_the_beginning(settings: Settings, differ: Fraction, condition: str) -> Iterator[Row]:
    """The best joint policy chosen once for both copies, with an objective of one's own."""
    game = copies(settings, differ)
    best, source = (
        max(settings.R, _mixed_average(settings, differ)),
        "the larger of (1 + α)R and what mixed policies get",
    )
    for caring in (Fraction(0), Fraction(1)):
        value, policy = game.planned(caring)
        case = f"δ={differ}, α={caring}"
        yield Row(
            "worth from the beginning",
            f"{case}, {condition}",
            value,
            paper=(1 + caring) * best,
            case=case,
            source=source,
        )
        yield Row("policy from the beginning", f"{case}, {condition}", _named(policy), case=case)


def _mixed_average(settings: Settings, differ: Fraction) -> Fraction:
    """What each gets on average if one signal cooperates and the other defects."""
    return (1 - differ) * (settings.R + settings.P) / 2 + differ * (settings.T + settings.S) / 2


def _named(policy: Policy) -> str:
    return f"{policy[0]} after both" if policy[0] == policy[1] else f"{policy[0]} after left, {policy[1]} after right"


def _control(settings: Settings, condition: str) -> Row:
    """An analysis that lets a copy decide for itself alone finds no cooperation at δ = 0, α = 0."""
    alone = threshold_of_cooperation(copies(settings).payoffs, Fraction(1)) <= 0
    together = accepts(settings, Fraction(0), Fraction(0))
    word = "refused" if alone != together else "passes"
    return Row(
        "letting each copy decide for itself alone",
        f"δ=0, α=0, {condition}",
        word,
        paper="refused",
        kind="control",
        source="copies with the same history act alike",
    )


def grid(settings: Settings) -> Iterator[tuple[Fraction, Fraction]]:
    """The worth from the beginning by the engine and in closed form, over δ and α."""
    for k in range(5):
        differ = Fraction(k, 4)
        best = max(settings.R, _mixed_average(settings, differ))
        for caring in (Fraction(0), Fraction(1, 3), Fraction(2)):
            yield copies(settings, differ).planned(caring)[0], (1 + caring) * best


def learning_cases(settings: Settings) -> Sequence[LearningCase]:
    """Seeing the same and acting alike; told apart, with and without caring; and each without what makes it so."""
    same = _learners(settings, Fraction(0), Fraction(0), apart=False, accepts=True)
    told = _learners(settings, Fraction(1), Fraction(0), apart=True, accepts=False)
    return [
        same,
        told,
        _learners(settings, Fraction(1), Fraction(1), apart=True, accepts=accepts(settings, Fraction(1), Fraction(1))),
        replace(same, name=f"{same.name}, random numbers of their own", apart=True, control=APART),
        replace(told, name=f"{told.name}, the same random numbers", apart=False, control=ALIKE),
    ]


def _learners(settings: Settings, differ: Fraction, caring: Fraction, *, apart: bool, accepts: bool) -> LearningCase:
    lesson = Lesson(copies(settings, differ), 2, LENGTH, (1, "left"), settings.rounds, repeated=Played)
    pays = (settings.T, settings.R, settings.P, settings.S)
    is_clear = min(high - low for high, low in pairwise(pays)) >= CLEAR and _is_clear(settings, differ, caring)
    return LearningCase(f"δ={differ}, α={caring}", lesson, ONE_SURVIVOR, caring, accepts, apart, is_clear=is_clear)


def _is_clear(settings: Settings, differ: Fraction, caring: Fraction) -> bool:
    """Whether a little more or less caring changes nothing."""
    around = (max(Fraction(0), caring - CLEAR), caring + CLEAR)
    return len({accepts(settings, near, differ) for near in around}) == 1


def decisions(settings: Settings, alphas: Sequence[Fraction], differ: Sequence[Fraction]) -> DecisionMap:
    """Whether cooperating is an equilibrium, over α and δ."""
    words = {True: COOPERATE, False: DEFECT}
    stands = tuple(tuple(words[accepts(settings, caring, one)] for one in differ) for caring in alphas)
    axes = Axis("caring", tuple(alphas)), Axis("δ", tuple(differ))
    return DecisionMap(*axes, (DEFECT, COOPERATE), {"cooperating stands": stands})


PUZZLE = Puzzle(decisions, formula, "δ", Fraction(1), rows, grid, learning_cases, WORDS)
cells, run_cell, table = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL


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
        name_colors(axes, {name: colour for kind, (colour, name) in STANDING.items() if kind in met})

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
