"""Policies with coins: each copy that has a history draws its own action from the probabilities of the policy.

With a *shared* coin all copies draw once, together. Then a policy is a mixture of plans, its worth is the mean of
theirs, and the best plan is as good. With *private* coins the worth is a polynomial in the probabilities. It is linear
in the probabilities of a history that at most one copy can have, so a coin gains nothing there. At α = 1 a coin gains
nothing at all: the expected sum over all copies adds up history by history, and the expected number of copies with a
history depends on the probabilities like the realization weights of one agent with perfect recall (Kuhn 1953). So
private coins can gain only at α ≠ 1, under a criterion, or without memory.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from multislot.checks import checked_hashable, known_name, number, refusal
from multislot.errors import show_value
from multislot.exact.copies.joint import Chances
from multislot.exact.copies.optimizing import Maximum, Polynomial
from multislot.exact.copies.polynomials import Algebraic, Located


@dataclass
class Unknowns:
    """The unknown probabilities after each history or observation, numbered as they are asked for.

    The probability of the last action is an unknown, that of the action before it an unknown share of the rest, and so
    on; the first action gets what is left.

    Args:
        actions: the actions, in order.
        fixed: the action where it is known.
    """

    actions: Sequence[Hashable]
    fixed: Mapping[Hashable, Hashable] = field(default_factory=dict)
    first: dict[Hashable, int] = field(default_factory=dict)

    def __call__(self, situation: Hashable) -> Chances:
        """Return the probability of each action as a polynomial."""
        if situation in self.fixed:
            return {self.fixed[situation]: Fraction(1)}
        start = self.first.setdefault(situation, len(self.first) * (len(self.actions) - 1))
        return self.located([Polynomial.unknown(start + place) for place in range(len(self.actions) - 1)])

    def solved(self, maximum: Maximum) -> Mapping[Hashable, Mapping[Hashable, Located]]:
        """Return the probabilities where the polynomial is largest; actions of probability 0 are left out."""
        return {
            situation: self.located(
                [maximum.place.get(start + place, Fraction()) for place in range(len(self.actions) - 1)]
            )
            for situation, start in self.first.items()
        } | {situation: {action: Fraction(1)} for situation, action in self.fixed.items()}

    def shares(self, chances: Mapping[Hashable, Fraction]) -> Mapping[int, Fraction]:
        """Return the unknowns of the first situation, from the probabilities of its actions."""
        rest, shares = sum(chances.values(), Fraction()), {}
        for place, action in enumerate(reversed(self.actions[1:])):
            chance = chances.get(action, Fraction())
            shares[place] = chance / rest if rest else Fraction()
            rest -= chance
        return shares

    def located(self, shares: Sequence[Any]) -> Mapping[Hashable, Any]:
        """Return the probability of each action from the unknowns of one situation, or from their values."""
        rest: Any = Fraction(1)
        chances: dict[Hashable, Any] = {}
        for action, share in zip(reversed(self.actions[1:]), shares, strict=True):
            if isinstance(rest, Algebraic) and isinstance(share, Algebraic):  # their product is not computed
                rest, share = _rounded(rest), _rounded(share)
            chances[action] = rest * share
            rest = rest * (1 - share)
        chances[self.actions[0]] = rest
        return {action: chances[action] for action in self.actions if chances[action] != 0}


def distribution(policy: Callable[[Any], Any], history: Any, actions: Collection[Hashable]) -> dict[Hashable, Fraction]:
    """Return the probability of each action of a policy after a history, in Fractions."""
    answer, name = policy(history), f"policy({show_value(history)})"
    chances = (
        {action: _rounded(p) if isinstance(p, Algebraic) else Fraction(number(name, p)) for action, p in answer.items()}
        if isinstance(answer, Mapping)
        else {checked_hashable(name, answer): Fraction(1)}
    )
    total = sum(chances.values(), Fraction())
    if not chances or min(chances.values()) < 0 or abs(total - 1) > Fraction(1, 10**9):
        raise refusal(name, answer, "an action, or probabilities of actions that sum to 1")
    known = set(actions)
    for action in chances:
        known_name("action", action, known)
    return {action: chance / total for action, chance in chances.items() if chance}


def _rounded(number: Algebraic) -> Fraction:
    """Return a rational number that differs by less than 1e-30."""
    return sum(number.within(Fraction(1, 10**30)), Fraction()) / 2
