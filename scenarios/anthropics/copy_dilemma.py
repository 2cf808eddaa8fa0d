"""A prisoner's dilemma against your own copy: whoever has seen the same does the same.

One agent is copied, and the two copies play a prisoner's dilemma. Before they choose, each sees a signal, left or
right; with probability δ the two signals differ. Copies with the same history act alike. So a copy that defects is met
by its own defection wherever the signals agree; where they differ the other's choice is its own. Each history decides
for all who have it, and values its own payoff plus α times the other's. At δ = 0 the copies cooperate without any
caring, the superrational answer (Hofstadter 1983). Told apart for sure, at δ = 1, they are two players like any others
and need an α of 2/3 to cooperate. Chosen from the beginning, for both, cooperation is best for every α and δ as long as
T + S ≤ 2R.

A policy says what to do after each signal. A history decides for all copies that have it, for both where the signals
agree. A policy is an *equilibrium* if no history gains by deciding otherwise while the other keeps its decision. All
four policies are tried.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Annotated

from pydantic import Field

from multislot.drawing.pictures import Panel
from multislot.drawing.styling import BELOW, BLUE, GREY, PURPLE, RED, YELLOW
from multislot.engine.turn import Percept, Turn
from multislot.errors import SettingError
from multislot.exact import Arrival, DecisionMap, plan_for_copies
from multislot.exact.copies.joint import Numbers
from multislot.exact.kernel import Number
from multislot.exact.maps.map_drawing import draw_pieces, name_colors
from multislot.exact.maps.map_results import Axis
from scenarios.anthropics.coupons import Outcomes
from scenarios.anthropics.learning import FULL_SIZE, ONE_SURVIVOR, AnthropicSettings, Lesson
from scenarios.anthropics.pictures import ALPHA_COLORS, three_panels
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.experiment import Experiment, LearningCase, steps
from scenarios.lab.rounds import Rounds
from scenarios.lab.table import Row, caught_row, formula_row, plain_row

DEFECT, COOPERATE = "defect", "cooperate"
SIGNALS = ("left", "right")
Policy = tuple[str, str]
"""What is done after left, and after right."""


@dataclass(frozen=True)
class Payoffs:
    """What a player gets: T, R, P or S of the prisoner's dilemma."""

    temptation: Fraction
    reward: Fraction
    punishment: Fraction
    sucker: Fraction

    def of(self, own: str, other: str) -> Fraction:
        if own == COOPERATE:
            return self.reward if other == COOPERATE else self.sucker
        return self.temptation if other == COOPERATE else self.punishment


@dataclass(frozen=True)
class Copies:
    """One agent is copied; the copies see signals and choose once.

    The reward of a choice only says which it was, 1 or 2: kernels know no interaction. `Worth` makes payoffs of it.

    Attributes:
        differ: δ, the probability that the two signals differ.
    """

    payoffs: Payoffs
    differ: Fraction
    actions: Sequence[str] = (DEFECT, COOPERATE)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "alone"})

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """Copy the agent, with a signal for each copy; pay their choices; then nothing happens."""
        if state == "alone":
            return [
                (chance, {slot: Arrival("asked", signal) for slot, signal in zip((1, 2), pair, strict=True)})
                for pair, chance in self.signals()
            ]
        choice = 1 + (action == COOPERATE) if state == "asked" else 0
        return [(1, {slot: Arrival("over", "over", choice)})]

    def signals(self) -> Iterator[tuple[tuple[str, str], Fraction]]:
        for first, second in product(SIGNALS, repeat=2):
            yield (first, second), (self.differ if first != second else 1 - self.differ) / 2

    def planned(self, caring: Fraction) -> tuple[Fraction, Policy]:
        """The worth of the best policy from the beginning, and that policy, by the engine."""
        plan = plan_for_copies(self, criterion=Worth(self.payoffs, caring), discount=1, horizon=2)
        first = plan.policy(())
        left, right = (str(plan.policy(((first, signal),))) for signal in SIGNALS)
        return Fraction(plan.value), (left, right)


@dataclass(frozen=True)
class Worth:
    """Worth of a step, computed from the copies' choices: a criterion of our own for the planner."""

    payoffs: Payoffs
    caring: Fraction

    def __call__(self, choices: Numbers) -> Number:
        """The average over both copies of own payoff plus α times the other's; 0 before they choose."""
        if 0 in choices:
            return Fraction()
        first, second = (COOPERATE if choice == 2 else DEFECT for choice in choices)
        return (1 + self.caring) * (self.payoffs.of(first, second) + self.payoffs.of(second, first)) / 2


def worth_of_history(copies: Copies, caring: Fraction, signal: str, policy: Mapping[str, str]) -> Fraction:
    """Expected worth for all copies that have seen a signal: each one's own payoff plus α times the other's."""
    total = Fraction()
    for pair, chance in copies.signals():
        for own, other in (pair, pair[::-1]):
            if own == signal:
                mine, yours = policy[own], policy[other]
                total += chance * (copies.payoffs.of(mine, yours) + caring * copies.payoffs.of(yours, mine))
    return total


def gain_from_cooperating(copies: Copies, caring: Fraction, signal: str, policy: Policy) -> Fraction:
    """What a history gains if it cooperates rather than defects, given what the other history does."""
    acts = dict(zip(SIGNALS, policy, strict=True))
    worths = [worth_of_history(copies, caring, signal, acts | {signal: act}) for act in (COOPERATE, DEFECT)]
    return worths[0] - worths[1]


def equilibria(copies: Copies, caring: Fraction) -> list[Policy]:
    """All policies that no history would leave; one that is indifferent stays."""
    standing = []
    for policy in product((DEFECT, COOPERATE), (DEFECT, COOPERATE)):
        gains = [gain_from_cooperating(copies, caring, signal, policy) for signal in SIGNALS]
        signs = [1 if act == COOPERATE else -1 for act in policy]
        if all(gain * sign >= 0 for gain, sign in zip(gains, signs, strict=True)):
            standing.append(policy)
    return standing


def threshold_of_cooperation(payoffs: Payoffs, differ: Fraction) -> Fraction:
    """The α from which cooperating after both signals is an equilibrium, in closed form.

    It is where ``(1 − δ)(1 + α)(R − P) + δ (R + αR − T − αS) = 0``.
    """
    t, r, p, s = payoffs.temptation, payoffs.reward, payoffs.punishment, payoffs.sucker
    return (differ * (t - r) - (1 - differ) * (r - p)) / (differ * (r - s) + (1 - differ) * (r - p))


def threshold_of_defection(payoffs: Payoffs, differ: Fraction) -> Fraction:
    """The α up to which defecting after both signals is an equilibrium, in closed form.

    It is where ``(1 − δ)(1 + α)(R − P) + δ (S + αT − P − αP) = 0``.
    """
    t, r, p, s = payoffs.temptation, payoffs.reward, payoffs.punishment, payoffs.sucker
    return (differ * (p - s) - (1 - differ) * (r - p)) / (differ * (t - p) + (1 - differ) * (r - p))


class Played(Rounds):
    """Rounds of the game: the copies are paid what their choices come to."""

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Go on by a step; where both chose, pay them."""
        chose = self._round.done == 1
        turn = super().step(actions)
        if not chose:
            return turn
        payoffs: Payoffs = self.kernel.payoffs  # type: ignore[attr-defined]
        acts = {slot: self.kernel.actions[action] for slot, action in actions.items()}
        paid = {
            slot: Percept(percept.observation, float(payoffs.of(str(acts[slot]), str(acts[3 - slot]))))
            for slot, percept in turn.percepts.items()
        }
        return Turn(turn.copies, paid)


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
    payoffs = Payoffs(settings.T, settings.R, settings.P, settings.S)
    return Copies(payoffs, settings.δ if differ is None else differ)


def cooperates(settings: Settings, caring: Fraction, differ: Fraction) -> bool:
    """Whether cooperating after both signals is an equilibrium, by trying all policies."""
    return (COOPERATE, COOPERATE) in equilibria(copies(settings, differ), caring)


def formula(settings: Settings, caring: Fraction, differ: Fraction) -> bool:
    return caring >= threshold_of_cooperation(copies(settings).payoffs, differ)


def rows(settings: Settings) -> list[Row]:
    condition = f"T={settings.T}, R={settings.R}, P={settings.P}, S={settings.S}"
    differences = [Fraction(0), settings.δ, Fraction(1)]
    return [
        *(row for differ in differences for row in _thresholds(settings, differ, condition)),
        *(row for differ in differences for row in _from_the_beginning(settings, differ, condition)),
        _control(settings, condition),
    ]


def _thresholds(settings: Settings, differ: Fraction, condition: str) -> Iterator[Row]:
    """Yield the α at which equilibria change, from what a history gains and in closed form."""
    game, case = copies(settings, differ), f"δ={differ}"
    formulas = {COOPERATE: threshold_of_cooperation, DEFECT: threshold_of_defection}
    for act, closed in formulas.items():
        at_0, at_1 = (gain_from_cooperating(game, Fraction(k), "left", (act, act)) for k in (0, 1))
        threshold = at_0 / (at_0 - at_1)  # the gain is linear in α
        ours, formula = (_range(alpha, act) for alpha in (threshold, closed(game.payoffs, differ)))
        source = "(1 − δ)(1 + α)(R − P) and δ times what is gained against a copy that acts otherwise sum to 0"
        yield formula_row(f"α at which both {act}", case, condition, ours, formula, source)


def _range(alpha: Fraction, act: str) -> str:
    """For which α ≥ 0 a policy stands, in words."""
    if act == COOPERATE:
        return f"from {alpha}" if alpha > 0 else "always"
    return f"up to {alpha}" if alpha >= 0 else "never"


def _from_the_beginning(settings: Settings, differ: Fraction, condition: str) -> Iterator[Row]:
    """Yield the worth of the best joint policy, chosen once for both copies, and the policy."""
    game = copies(settings, differ)
    best = best_average(settings, differ)
    source = "the larger of (1 + α)R and what mixed policies get"
    for caring in (Fraction(0), Fraction(1)):
        value, policy = game.planned(caring)
        case = f"δ={differ}, α={caring}"
        yield formula_row("worth from the beginning", case, condition, value, (1 + caring) * best, source)
        after_left, after_right = policy
        words = f"{after_left} after left, {after_right} after right"
        yield plain_row(
            "policy from the beginning",
            case,
            condition,
            f"{after_left} after both" if after_left == after_right else words,
        )


def best_average(settings: Settings, differ: Fraction) -> Fraction:
    """What each gets on average by the best policy: both cooperate, or one signal cooperates and the other defects."""
    mixed = (1 - differ) * (settings.R + settings.P) / 2 + differ * (settings.T + settings.S) / 2
    return max(settings.R, mixed)


def _control(settings: Settings, condition: str) -> Row:
    """An analysis that lets a copy decide for itself alone finds no cooperation at δ = 0, α = 0."""
    alone = threshold_of_cooperation(copies(settings).payoffs, Fraction(1)) <= 0
    together = cooperates(settings, Fraction(0), Fraction(0))
    quantity = "letting each copy decide for itself alone"
    source = "copies with the same history act alike"
    return caught_row(quantity, f"δ=0, α=0, {condition}", alone != together, source)


def differences(settings: Settings) -> Iterator[Fraction]:
    for differ in steps(Fraction(1), 5):
        best = best_average(settings, differ)
        for caring in (Fraction(0), Fraction(1, 3), Fraction(2)):
            yield copies(settings, differ).planned(caring)[0] - (1 + caring) * best


def learning_cases(settings: Settings) -> list[LearningCase]:
    """Copies that see the same; copies told apart, with and without caring; controls in which only chance differs."""
    nobody, everybody = Fraction(0), Fraction(1)
    cares = cooperates(settings, everybody, everybody)
    return [
        _learners(settings, nobody, nobody, apart=False, accepts=True),
        _learners(settings, everybody, nobody, apart=True, accepts=False),
        _learners(settings, everybody, everybody, apart=True, accepts=cares),
        _learners(
            settings, nobody, nobody, apart=True, accepts=True, words=", random numbers of their own", control=APART
        ),
        _learners(
            settings, everybody, nobody, apart=False, accepts=False, words=", the same random numbers", control=ALIKE
        ),
    ]


def _learners(
    settings: Settings,
    differ: Fraction,
    caring: Fraction,
    *,
    apart: bool,
    accepts: bool,
    words: str = "",
    control: str = "",
) -> LearningCase:
    lesson = Lesson(copies(settings, differ), 2, LENGTH, (1, "left"), settings.rounds, repeated=Played)
    pays = (settings.T, settings.R, settings.P, settings.S)
    # A little more or less caring leaves the decision as it is.
    is_robust = (
        len({cooperates(settings, near, differ) for near in (max(Fraction(0), caring - CLEAR), caring + CLEAR)}) == 1
    )
    is_clear = is_robust and min(high - low for high, low in pairwise(pays)) >= CLEAR
    name = f"δ={differ}, α={caring}{words}"
    return lesson.case(name, ONE_SURVIVOR, caring, accepts, apart=apart, control=control, is_clear=is_clear)


def decisions(settings: Settings) -> DecisionMap:
    words, ends = {True: COOPERATE, False: DEFECT}, tuple(steps(Fraction(1), settings.resolution))
    stands = tuple(tuple(words[cooperates(settings, caring, differ)] for differ in ends) for caring in ends)
    return DecisionMap(Axis("caring", ends), Axis("δ", ends), (DEFECT, COOPERATE), {"cooperating stands": stands})


EXPERIMENT = Experiment(
    rows,
    differences,
    decisions,
    formula=lambda settings, caring, differ: [formula(settings, caring, differ)],
    learning_cases=learning_cases,
    price="δ",
    words=WORDS,
)
cells, run_cell, table = EXPERIMENT.cells, EXPERIMENT.run_cell, EXPERIMENT.table


STANDING = {
    (True, False): (BLUE, "both cooperate"),
    (True, True): (PURPLE, "both cooperate, or both defect"),
    (False, False): (YELLOW, "one signal cooperates, the other defects"),
    (False, True): (GREY, "both defect"),
}
FINE = 41


def figures(settings: Settings, results: Results) -> Figures:
    first = "joint policies that no history would leave", standing_map(settings)
    words = f"T={settings.T}, R={settings.R}, P={settings.P}, S={settings.S}"
    third = "what each gets, α=0", worths(settings)
    return three_panels("copy-dilemma", words, EXPERIMENT, settings, results, first, third)


def standing_map(settings: Settings) -> Panel:
    def draw(axes: Axes) -> None:
        differ = steps(Fraction(1), FINE)
        lines = [_standing_by_caring(settings, each) for each in differ]
        colors = {kind: color for kind, (color, _) in STANDING.items()}
        draw_pieces(axes, differ, lines, Fraction(1), colors, upright=False)
        axes.set(xlabel="caring coefficient α", ylabel="probability δ that the signals differ")
        met = {kind for line in lines for _, kind in line}
        name_colors(axes, {name: color for kind, (color, name) in STANDING.items() if kind in met})

    return draw


def _standing_by_caring(settings: Settings, differ: Fraction) -> list[tuple[Fraction, tuple[bool, bool]]]:
    """From which α on what stands: between the thresholds in closed form it is found by trying all policies."""
    payoffs = copies(settings, differ).payoffs
    thresholds = {threshold_of_cooperation(payoffs, differ), threshold_of_defection(payoffs, differ)}
    cuts = [Fraction(0), *sorted(alpha for alpha in thresholds if 0 < alpha < 1), Fraction(1)]
    standing = [(low, equilibria(copies(settings, differ), (low + high) / 2)) for low, high in pairwise(cuts)]
    return [(low, ((COOPERATE, COOPERATE) in policies, (DEFECT, DEFECT) in policies)) for low, policies in standing]


def worths(settings: Settings) -> Panel:
    """A panel of what each copy gets at α = 0: by the policy from the beginning, and by the equilibria."""

    def draw(axes: Axes) -> None:
        grid = steps(Fraction(1), FINE)
        planned = [float(copies(settings, differ).planned(Fraction(0))[0]) for differ in grid]
        axes.plot([float(d) for d in grid], planned, color=ALPHA_COLORS[Fraction(1)], linewidth=4, alpha=0.5)
        axes.plot([], [], color=ALPHA_COLORS[Fraction(1)], linewidth=4, alpha=0.5, label="chosen from the beginning")
        points = [
            (float(differ), _each(settings, differ, policy))
            for differ in grid
            for policy in equilibria(copies(settings, differ), Fraction(0))
        ]
        axes.plot(*zip(*points, strict=True), "o", color=RED, markersize=3.5, label="each history decides alone")
        axes.set(xlabel="probability δ that the signals differ", ylabel="payoff of a copy", xlim=(-0.02, 1.02))
        axes.set_ylim(bottom=0)
        axes.legend(**BELOW)

    return draw


def _each(settings: Settings, differ: Fraction, policy: tuple[str, str]) -> float:
    acts = dict(zip(("left", "right"), policy, strict=True))
    total = sum(worth_of_history(copies(settings, differ), Fraction(0), signal, acts) for signal in acts)
    return float(total) / 2
