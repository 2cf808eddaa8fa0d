"""A prisoner's dilemma against your own copy: two copies that have seen the same signal act alike.

One agent is copied, and the two copies play a prisoner's dilemma. Before they choose, each sees a signal, left or
right. With probability δ the two signals differ. Copies with the same history act alike. So if the signals agree, a
copy that defects meets its own defection. If they differ, the other copy decides by itself. Each history decides for
all copies that have it. It counts its own payoff plus α times the payoff of the other.

At δ = 0 the copies cooperate without any caring, which is the superrational answer (Hofstadter 1983). At δ = 1 the
signals always differ. The copies are then two ordinary players, and need an α of 2/3 to cooperate.

A policy says what to do after each signal. It is an *equilibrium* if no history gains by deciding otherwise while the
other history keeps its decision. All four policies are tried.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from multislot.drawing.styling import BELOW, BLUE, GREY, PURPLE, RED, YELLOW
from multislot.engine.turn import Percept, Turn
from multislot.errors import SettingError
from multislot.exact import Arrival, DecisionMap, plan_for_copies
from multislot.exact.maps.map_results import Axis
from multislot.exact.maps.mapping import between
from scenarios.anthropics.coupons import Outcomes
from scenarios.anthropics.learning import FULL_SIZE, AnthropicSettings, Lesson
from scenarios.anthropics.pictures import ALPHA_COLORS, draw_puzzle
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.experiment import Experiment, LearningCase, describe
from scenarios.lab.rounds import Rounds
from scenarios.lab.table import Row, caught_row, formula_row, plain_row

DEFECT, COOPERATE = "defect", "cooperate"
SIGNALS = ("left", "right")
Policy = tuple[str, str]
"""What is done after left, and after right."""
Pay = Annotated[Fraction, Field(ge=-100, le=100)]


@dataclass(frozen=True)
class Settings(AnthropicSettings):
    """The payoffs, and how much the copies differ."""

    T: Annotated[Pay, Field(description="for defecting against a cooperator")] = Fraction(5)
    R: Annotated[Pay, Field(description="for cooperating with a cooperator")] = Fraction(3)
    P: Annotated[Pay, Field(description="for defecting against a defector")] = Fraction(1)
    S: Annotated[Pay, Field(description="for cooperating with a defector")] = Fraction(0)
    rounds: Annotated[int, Field(ge=40, description="how often the copies of a learner play")] = 300
    δ: Annotated[Fraction, Field(ge=0, le=1, description="probability that the two see different signals")] = Fraction(
        3, 4
    )

    def __post_init__(self) -> None:
        if not self.T > self.R > self.P > self.S:
            raise SettingError(
                f"got T={self.T}, R={self.R}, P={self.P}, S={self.S}; expected T > R > P > S, the order of a "
                "prisoner's dilemma"
            )

    def payoff(self, own: str, other: str) -> Fraction:
        against = {COOPERATE: (self.R, self.S), DEFECT: (self.T, self.P)}[own]
        return against[other == DEFECT]

    def signals(self) -> Iterator[tuple[tuple[str, str], Fraction]]:
        """Yield what the two copies see, with its probability."""
        for first, second in product(SIGNALS, repeat=2):
            yield (first, second), (self.δ if first != second else 1 - self.δ) / 2


QUICK = Settings(rounds=250)
FULL = replace(Settings(), **FULL_SIZE)


LENGTH = 2
CLEAR = Fraction(1, 4)
"""Least difference of payoffs, and of α from where the decision turns, at which learners are compared."""
ALIKE = "learners with the same random numbers act alike even where they are told apart"
APART = "learners with random numbers of their own do not act alike even where they see the same"
MORAL = (
    "Two copies that see the same signal cooperate without caring for each other, because each decides for both. The\n"
    "more often the copies' signals differ, the more the copies must care for each other to cooperate, but never more\n"
    "than two strangers must. For some caring coefficients α, neither always cooperating nor always defecting is an\n"
    "equilibrium. If the two copies together get most when both cooperate (T + S ≤ 2R), the best plan made before the\n"
    "copying always cooperates. If the two copies together get more when only one of them cooperates (T + S > 2R),\n"
    "and signals differ often enough, the best plan defects after one of the two signals, so that the copies take\n"
    "turns. Learners find the equilibria. Learning copies act alike only if they share their random numbers."
)


@dataclass(frozen=True)
class Copies:
    """One agent is copied; the copies see signals and choose once.

    The reward of a choice only says which it was, 1 or 2: kernels know no interaction. `plan_together` and `Played`
    make payoffs of it.
    """

    game: Settings
    actions: Sequence[str] = (DEFECT, COOPERATE)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "alone"})

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """Copy the agent, with a signal for each copy; pay their choices; then nothing happens."""
        if state == "alone":
            return [
                (chance, {slot: Arrival("asked", signal) for slot, signal in zip((1, 2), pair, strict=True)})
                for pair, chance in self.game.signals()
            ]
        choice = 1 + (action == COOPERATE) if state == "asked" else 0
        return [(1, {slot: Arrival("over", "over", choice)})]


class Played(Rounds):
    """Rounds of the game: the copies are paid what their choices come to."""

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Go on by a step; where both chose, pay them."""
        chose = self.done == 1
        turn = super().step(actions)
        if not chose:
            return turn
        game: Settings = self.kernel.game  # type: ignore[attr-defined]
        acts = {slot: str(self.kernel.actions[action]) for slot, action in actions.items()}
        paid = {
            slot: Percept(percept.observation, float(game.payoff(acts[slot], acts[3 - slot])))
            for slot, percept in turn.percepts.items()
        }
        return Turn(turn.copies, paid)


def plan_together(game: Settings, caring: Fraction) -> tuple[Fraction, Policy]:
    """The worth of the best policy from the beginning, and that policy, by the engine.

    A step is worth the average over both copies of the own payoff plus α times the other's.
    """

    def worth(choices: Sequence[Any]) -> Fraction:
        if 0 in choices:
            return Fraction()
        first, second = (COOPERATE if choice == 2 else DEFECT for choice in choices)
        return (1 + caring) * (game.payoff(first, second) + game.payoff(second, first)) / 2

    plan = plan_for_copies(Copies(game), criterion=worth, discount=1, horizon=LENGTH)
    first = plan.policy(())
    left, right = (str(plan.policy(((first, signal),))) for signal in SIGNALS)
    return Fraction(plan.value), (left, right)


def worth_of_history(game: Settings, caring: Fraction, signal: str, policy: Mapping[str, str]) -> Fraction:
    """Expected worth for all copies that have seen a signal: each one's own payoff plus α times the other's."""
    total = Fraction()
    for pair, chance in game.signals():
        for own, other in (pair, pair[::-1]):
            if own == signal:
                mine, yours = policy[own], policy[other]
                total += chance * (game.payoff(mine, yours) + caring * game.payoff(yours, mine))
    return total


def gain_from_cooperating(game: Settings, caring: Fraction, signal: str, policy: Policy) -> Fraction:
    """What a history gains if it cooperates rather than defects, given what the other history does."""
    acts = dict(zip(SIGNALS, policy, strict=True))
    worths = [worth_of_history(game, caring, signal, acts | {signal: act}) for act in (COOPERATE, DEFECT)]
    return worths[0] - worths[1]


def equilibria(game: Settings, caring: Fraction) -> list[Policy]:
    """All policies that no history would leave; one that is indifferent stays."""
    standing = []
    for policy in product((DEFECT, COOPERATE), (DEFECT, COOPERATE)):
        gains = [gain_from_cooperating(game, caring, signal, policy) for signal in SIGNALS]
        if all(gain >= 0 if act == COOPERATE else gain <= 0 for gain, act in zip(gains, policy, strict=True)):
            standing.append(policy)
    return standing


def threshold(game: Settings, act: str) -> Fraction:
    """The α at which an act after both signals begins or ceases to be an equilibrium, in closed form.

    It is where ``(1 − δ)(1 + α)(R − P) + δ g = 0``. Here g is what a copy gains against one that acts otherwise:
    ``R + αR − T − αS`` by cooperating with a cooperator, ``S + αT − P − αP`` with a defector.
    """
    own, others = (game.T - game.R, game.R - game.S) if act == COOPERATE else (game.P - game.S, game.T - game.P)
    together = (1 - game.δ) * (game.R - game.P)
    return (game.δ * own - together) / (game.δ * others + together)


def cooperates(game: Settings, caring: Fraction) -> bool:
    """Whether cooperating after both signals is an equilibrium, by trying all policies."""
    return (COOPERATE, COOPERATE) in equilibria(game, caring)


def _range(alpha: Fraction, act: str) -> str:
    """For which α ≥ 0 a policy stands, in words."""
    if act == COOPERATE:
        return f"from {alpha}" if alpha > 0 else "always"
    return f"up to {alpha}" if alpha >= 0 else "never"


def best_average(game: Settings) -> Fraction:
    """What each gets on average by the best policy: both cooperate, or one signal cooperates and the other defects."""
    return max(game.R, (1 - game.δ) * (game.R + game.P) / 2 + game.δ * (game.T + game.S) / 2)


def _learners(
    game: Settings, caring: int, *, apart: bool, accepts: bool, words: str = "", control: str = ""
) -> LearningCase:
    asked = Copies(game), 2, LENGTH, (1, "left"), game.rounds
    lesson = Lesson(*asked, caring=Fraction(caring), repeated=Played, apart=apart)
    # A little more or less caring leaves the decision as it is.
    is_robust = cooperates(game, max(Fraction(0), caring - CLEAR)) == cooperates(game, caring + CLEAR)
    is_clear = is_robust and min(game.T - game.R, game.R - game.P, game.P - game.S) >= CLEAR
    return LearningCase(f"δ={game.δ}, α={caring}{words}", lesson, accepts, control, is_clear)


class Dilemma(Experiment):
    """The dilemma of copies who may see signals of their own."""

    price = "δ"
    words = MappingProxyType({True: "cooperates", False: "defects"})

    def rows(self, settings: Settings) -> Iterator[Row]:
        condition = describe(settings, "TRPS")
        games = [replace(settings, δ=differ) for differ in (Fraction(0), settings.δ, Fraction(1))]
        for game, act in product(games, (COOPERATE, DEFECT)):
            at_0, at_1 = (gain_from_cooperating(game, Fraction(k), "left", (act, act)) for k in (0, 1))
            # The gain is linear in α.
            ours, formula = (_range(alpha, act) for alpha in (at_0 / (at_0 - at_1), threshold(game, act)))
            source = "(1 − δ)(1 + α)(R − P) and δ times what is gained against a copy that acts otherwise sum to 0"
            yield formula_row(f"α at which both {act}", f"δ={game.δ}", condition, ours, formula, source)
        for game, caring in product(games, (Fraction(0), Fraction(1))):
            value, (left, right) = plan_together(game, caring)
            case, best = f"δ={game.δ}, α={caring}", (1 + caring) * best_average(game)
            source = "the larger of (1 + α)R and what mixed policies get"
            yield formula_row("worth from the beginning", case, condition, value, best, source)
            words = f"{left} after both" if left == right else f"{left} after left, {right} after right"
            yield plain_row("policy from the beginning", case, condition, words)
        # An analysis that lets a copy decide for itself alone finds no cooperation at δ = 0, α = 0.
        alone = threshold(games[-1], COOPERATE) <= 0
        together = cooperates(games[0], Fraction(0))
        quantity = "letting each copy decide for itself alone"
        source = "copies with the same history act alike"
        yield caught_row(quantity, f"δ=0, α=0, {condition}", alone != together, source)

    def differences(self, settings: Settings) -> Iterator[Fraction]:
        alphas = (Fraction(0), Fraction(1, 3), Fraction(2))
        for differ, caring in product(between(0, 1, 5), alphas):
            game = replace(settings, δ=differ)
            yield plan_together(game, caring)[0] - (1 + caring) * best_average(game)

    def decisions(self, settings: Settings) -> DecisionMap:
        words, ends = {True: COOPERATE, False: DEFECT}, between(0, 1, settings.resolution)
        games = [replace(settings, δ=differ) for differ in ends]
        stands = tuple(tuple(words[cooperates(game, caring)] for game in games) for caring in ends)
        return DecisionMap(Axis("caring", ends), Axis("δ", ends), (DEFECT, COOPERATE), {"cooperating stands": stands})

    def learning_cases(self, settings: Settings) -> list[LearningCase]:
        """Copies that see the same, copies told apart with and without caring, and controls: only chance differs."""
        same, told_apart = (replace(settings, δ=Fraction(differ)) for differ in (0, 1))
        cares = cooperates(told_apart, Fraction(1))
        return [
            _learners(same, 0, apart=False, accepts=True),
            _learners(told_apart, 0, apart=True, accepts=False),
            _learners(told_apart, 1, apart=True, accepts=cares),
            _learners(same, 0, apart=True, accepts=True, words=", random numbers of their own", control=APART),
            _learners(told_apart, 0, apart=False, accepts=False, words=", the same random numbers", control=ALIKE),
        ]

    def accept_by_formula(self, settings: Settings, x: Fraction, y: Fraction) -> list[bool]:
        """Whether cooperating stands at α = x and δ = y, in closed form."""
        return [x >= threshold(replace(settings, δ=y), COOPERATE)]


DILEMMA = Dilemma()
cells, run_cell, table = DILEMMA.cells, DILEMMA.run_cell, DILEMMA.table


STANDING = {
    (True, False): (BLUE, "both cooperate"),
    (True, True): (PURPLE, "both cooperate,\nor neither"),
    (False, False): (YELLOW, "only one\ncooperates"),
    (False, True): (GREY, "neither"),
}
FINE = 41


def figures(settings: Settings, results: Results) -> Figures:
    first = "joint policies that no history would leave", partial(draw_standing, settings=settings)
    words = describe(settings, "TRPS")
    third = "what each gets, α=0", partial(draw_worths, settings=settings)
    return draw_puzzle("copy-dilemma", words, DILEMMA, settings, results, first, third)


def draw_standing(axes: Axes, settings: Settings) -> None:
    x, y = Axis("α", (Fraction(0), Fraction(1))), Axis("δ", between(0, 1, FINE))
    lines = tuple(tuple(_standing_by_caring(replace(settings, δ=each))) for each in y.values)
    standing = DecisionMap(x, y, tuple(STANDING), {"standing": ()}, swept="x", lines={"standing": lines})
    colors = {(kind,): color for kind, (color, _) in STANDING.items()}
    standing.draw_areas(axes, colors)
    axes.set(xlabel="caring coefficient α", ylabel="probability δ that the signals differ")
    met = {kind for line in lines for _, kind in line}
    standing.name_areas(axes, colors, {(kind,): name for kind, (_, name) in STANDING.items() if kind in met})


def _standing_by_caring(game: Settings) -> list[tuple[Fraction, tuple[bool, bool]]]:
    """From which α on what stands: between the thresholds in closed form it is found by trying all policies."""
    inner = {alpha for alpha in (threshold(game, COOPERATE), threshold(game, DEFECT)) if 0 < alpha < 1}
    cuts = [Fraction(0), *sorted(inner), Fraction(1)]
    standing = [(low, equilibria(game, (low + high) / 2)) for low, high in pairwise(cuts)]
    return [(low, ((COOPERATE, COOPERATE) in policies, (DEFECT, DEFECT) in policies)) for low, policies in standing]


def draw_worths(axes: Axes, settings: Settings) -> None:
    """Draw what each copy gets at α = 0: by the policy from the beginning, and by the equilibria."""
    games = [replace(settings, δ=differ) for differ in between(0, 1, FINE)]
    planned = [float(plan_together(game, Fraction(0))[0]) for game in games]
    wide: dict[str, Any] = {"color": ALPHA_COLORS[Fraction(1)], "linewidth": 4, "alpha": 0.5}
    axes.plot([float(game.δ) for game in games], planned, label="chosen from the beginning", **wide)
    points = []
    for game in games:
        for policy in equilibria(game, Fraction(0)):
            acts = dict(zip(SIGNALS, policy, strict=True))
            payoffs = [worth_of_history(game, Fraction(0), signal, acts) for signal in SIGNALS]
            points.append((float(game.δ), float(sum(payoffs)) / 2))
    axes.plot(*zip(*points, strict=True), "o", color=RED, markersize=3.5, label="each history decides alone")
    axes.set(xlabel="probability δ that the signals differ", ylabel="payoff of a copy", xlim=(-0.02, 1.02))
    axes.set_ylim(bottom=0)
    axes.legend(**BELOW)
