"""The world of a file with ``memory = false``: what is best for an agent that sees where it is and remembers nothing.

Its plan says for each observation how likely each action is, and is made at the beginning, for all copies together.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from multislot.errors import SettingError
from multislot.exact.copies.memoryless import MemorylessPlan, best_memoryless
from multislot.exact.copies.polynomials import Located
from multislot.exact.files.worlds import FileKernel
from multislot.exact.kernel import Number

FORGETFUL = "forgetful"
"""What stands in the place of a value: there is one plan, and whose rewards count is not asked."""
COIN = "toss a coin"
"""The decision of a map where the plan gives several actions a chance."""
MOST_DENOMINATOR = 10**9
"""Fractions with a larger denominator are shown as decimals: they are irrational numbers, rounded."""


@dataclass(frozen=True)
class Forgetful:
    """A world without memory, and the settings under which it is solved.

    Args:
        kernel: the world.
        discount: γ.
        horizon: the number of steps from the beginning.
        seen: the observation at which it is asked; None for the first at which an action matters.
    """

    kernel: FileKernel
    discount: Fraction
    horizon: int | None
    seen: str | None = None

    @cached_property
    def plan(self) -> MemorylessPlan:
        """The best plan."""
        return self._best({})

    @property
    def policy(self) -> Mapping[Hashable, Mapping[Hashable, Located]]:
        """The probability of each action after each observation at which it matters."""
        return {seen: chances for seen, chances in self.plan.policy.items() if seen in self.plan.decisive}

    @property
    def pure(self) -> Mapping[Hashable, Hashable]:
        """The action of the best plan without chance after each of these observations."""
        return {seen: action for seen, action in self.plan.pure_policy.items() if seen in self.plan.decisive}

    def _best(self, fixed: Mapping[Hashable, Hashable]) -> MemorylessPlan:
        if self.horizon is None:
            raise SettingError("got horizon=inf for an agent without memory; give a number of steps, such as 5")
        return best_memoryless(self.kernel, discount=self.discount, horizon=self.horizon, fixed=fixed)

    @property
    def asked(self) -> Hashable:
        """The observation at which it is asked what to do."""
        known = self.policy
        if self.seen is not None and known and self.seen not in known:
            raise SettingError(f"got after=[…, {self.seen!r}]; no action matters when an agent sees that")
        return self.seen if self.seen is not None else next(iter(known), None)

    @property
    def chances(self) -> Mapping[Hashable, Located]:
        """The probability of each action where it is asked."""
        return self.policy.get(self.asked, {self.kernel.actions[0]: Fraction(1)})

    @property
    def decision(self) -> str:
        """The action where it is asked, or `COIN`."""
        return str(next(iter(self.chances))) if len(self.chances) == 1 else COIN

    def chances_after(self, seen: Hashable) -> Mapping[Hashable, Number]:
        """The probability of each action after an observation; one that is irrational, as a float."""
        chances = self.policy.get(seen, {self.kernel.actions[0]: Fraction(1)})
        return {action: _as_number(chance) for action, chance in chances.items()}

    def values(self) -> dict[str, dict[str, Any]]:
        """The one decision, in the form in which those of values are written.

        The worth of an action is that of the best plan which always takes it where it is asked.
        """
        worths = {action: self._best({self.asked: action}) for action in self.kernel.actions}
        best = max(worth.lower for worth in worths.values())
        optimal = [str(action) for action, worth in worths.items() if worth.lower == best]
        certain = len(self.chances) == 1
        mixed = ", ".join(f"{action} {show_number(chance)}" for action, chance in self.chances.items())
        chosen = self.decision if certain else mixed
        return {
            FORGETFUL: {
                "best": chosen,
                "optimal": optimal if certain else [chosen],
                "tied": certain and len(optimal) > 1,
                "actions": {str(action): _worth(worth) for action, worth in worths.items()},
            }
        }

    def reply(self) -> dict[str, Any]:
        """The whole plan in the terms of JSON."""
        return {
            "worth": _worth(self.plan),
            "chances": {
                _seen(seen): {str(action): show_number(chance) for action, chance in chances.items()}
                for seen, chances in self.policy.items()
            },
            "without_chance": {
                "worth": show_number(self.plan.pure_value),
                "actions": {_seen(seen): str(action) for seen, action in self.pure.items()},
            },
        }

    def sentence(self) -> str:
        """The best plan in words."""
        if not self.policy:
            return "No action matters here."
        plans = [f"if it sees “{_seen(seen)}”, {_do(chances)}" for seen, chances in self.policy.items()]
        said = f"An agent that forgets does best like this: {'; '.join(plans)}. This is worth {_worth(self.plan)}."
        if all(len(chances) == 1 for chances in self.policy.values()):
            return said
        pure = [f"“{action}” if it sees “{_seen(seen)}”" for seen, action in self.pure.items()]
        worth = show_number(self.plan.pure_value)
        return f"{said} Without a coin the best is {', '.join(pure)}: worth {worth}."


def show_number(number: Located) -> str:
    """A number as a fraction, or, if it is irrational, as a decimal."""
    shown = _as_number(number)
    return f"{shown:.9g}" if isinstance(shown, float) else str(shown)


def _as_number(number: Located) -> Number:
    """A number as a fraction, or, if it is irrational, as a float."""
    if isinstance(number, Fraction) and number.denominator <= MOST_DENOMINATOR:
        return number
    return float(number)


def _worth(plan: MemorylessPlan) -> str:
    """The worth of a plan; bounds if they are not close together."""
    if plan.best_value is not None:
        return show_number(plan.best_value)
    low, high = f"{float(plan.lower):.9g}", f"{float(plan.upper):.9g}"
    return low if low == high else f"{float(plan.lower):.5g} to {float(plan.upper):.5g}"


def _do(chances: Mapping[Hashable, Located]) -> str:
    if len(chances) == 1:
        return f"always “{next(iter(chances))}”"
    return " or ".join(f"“{action}” with probability {show_number(chance)}" for action, chance in chances.items())


def _seen(seen: Hashable) -> str:
    return "nothing yet" if seen is None else str(seen)
