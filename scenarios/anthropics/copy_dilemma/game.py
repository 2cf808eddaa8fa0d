"""The game of two copies: its joint policies, and which of them no history would leave.

A policy says what to do after each signal. History s decides for all copies who have seen s, at once: for both where
the signals agree. It values, for each of them, its own payoff plus α times the other's. A policy is an *equilibrium* if
no history gains by deciding otherwise while the other does as before. All four policies are tried, so these are all.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from multislot.engine.turn import Percept, Turn
from multislot.exact import Arrival, plan_for_copies
from multislot.exact.copies.joint import Numbers
from multislot.exact.kernel import Number
from scenarios.anthropics.coupons import Outcomes
from scenarios.lab.rounds import Rounds

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
        """Return the payoff of one player."""
        if own == COOPERATE:
            return self.reward if other == COOPERATE else self.sucker
        return self.temptation if other == COOPERATE else self.punishment


@dataclass(frozen=True)
class Copies:
    """One agent is copied; the copies see signals and choose once.

    The reward of a choice only says which it was, 1 or 2: kernels know no interaction. `worth` makes payoffs of it.

    Attributes:
        payoffs: of the game.
        differ: δ, the probability that the two signals differ.
    """

    payoffs: Payoffs
    differ: Fraction

    @property
    def actions(self) -> Sequence[str]:
        """To defect, and to cooperate."""
        return (DEFECT, COOPERATE)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, in slot 1."""
        return {1: "alone"}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """Copied with a signal each; asked; and then left alone."""
        if state == "alone":
            return [(chance, dict(zip((1, 2), map(_asked, pair), strict=True))) for pair, chance in self.signals()]
        choice = 1 + (action == COOPERATE) if state == "asked" else 0
        return [(1, {slot: Arrival("over", "over", choice)})]

    def signals(self) -> Iterator[tuple[tuple[str, str], Fraction]]:
        """Yield each pair of signals with its probability."""
        for first, second in product(SIGNALS, repeat=2):
            yield (first, second), (self.differ if first != second else 1 - self.differ) / 2

    def worth(self, caring: Fraction) -> "Worth":
        """Return the objective of a policy chosen from the beginning, for both copies."""
        return Worth(self.payoffs, caring)

    def planned(self, caring: Fraction) -> tuple[Fraction, Policy]:
        """Return the worth of the best policy from the beginning, and that policy, by the engine."""
        plan = plan_for_copies(self, criterion=self.worth(caring), discount=1, horizon=2)
        first = plan.policy(())
        left, right = (str(plan.policy(((first, signal),))) for signal in SIGNALS)
        return Fraction(plan.value), (left, right)


def _asked(signal: str) -> Arrival:
    return Arrival("asked", signal)


@dataclass(frozen=True)
class Worth:
    """What a step is worth, from the copies' choices: an objective of one's own, as the engine takes it.

    Attributes:
        payoffs: of the game.
        caring: α.
    """

    payoffs: Payoffs
    caring: Fraction

    def __call__(self, choices: Numbers) -> Number:
        """Return the average over both copies of own payoff plus α times the other's; 0 before they choose."""
        if 0 in choices:
            return Fraction()
        first, second = (COOPERATE if choice == 2 else DEFECT for choice in choices)
        return (1 + self.caring) * (self.payoffs.of(first, second) + self.payoffs.of(second, first)) / 2


def worth_of_history(copies: Copies, caring: Fraction, signal: str, policy: Mapping[str, str]) -> Fraction:
    """Return what all copies that have seen a signal get, each its own payoff and α times the other's."""
    total = Fraction()
    for pair, chance in copies.signals():
        for own, other in (pair, pair[::-1]):
            if own == signal:
                mine, yours = policy[own], policy[other]
                total += chance * (copies.payoffs.of(mine, yours) + caring * copies.payoffs.of(yours, mine))
    return total


def gain_from_cooperating(copies: Copies, caring: Fraction, signal: str, policy: Policy) -> Fraction:
    """Return what a history gains if it cooperates rather than defects, given what the other history does."""
    acts = dict(zip(SIGNALS, policy, strict=True))
    worths = [worth_of_history(copies, caring, signal, acts | {signal: act}) for act in (COOPERATE, DEFECT)]
    return worths[0] - worths[1]


def equilibria(copies: Copies, caring: Fraction) -> list[Policy]:
    """Return all policies that no history would leave; one that is indifferent stays."""
    found = []
    for policy in product((DEFECT, COOPERATE), (DEFECT, COOPERATE)):
        gains = [gain_from_cooperating(copies, caring, signal, policy) for signal in SIGNALS]
        signs = [1 if act == COOPERATE else -1 for act in policy]
        if all(gain * sign >= 0 for gain, sign in zip(gains, signs, strict=True)):
            found.append(policy)
    return found


def threshold_of_cooperation(payoffs: Payoffs, differ: Fraction) -> Fraction:
    """Return the α from which cooperating after both signals is an equilibrium, in closed form.

    It is where ``(1 − δ)(1 + α)(R − P) + δ (R + αR − T − αS) = 0``.
    """
    t, r, p, s = payoffs.temptation, payoffs.reward, payoffs.punishment, payoffs.sucker
    return (differ * (t - r) - (1 - differ) * (r - p)) / (differ * (r - s) + (1 - differ) * (r - p))


def threshold_of_defection(payoffs: Payoffs, differ: Fraction) -> Fraction:
    """Return the α up to which defecting after both signals is an equilibrium, in closed form.

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
