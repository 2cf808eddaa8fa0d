"""``fission``: neither, one or both halves survive, for eleven values, all α and the worst life."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from multislot.exact import Arrival, DecisionMap
from scenarios.anthropics.coupons import Outcomes
from scenarios.anthropics.experiment import Puzzle, Results, Taught
from scenarios.anthropics.fission.settings import Settings
from scenarios.anthropics.learning import EVERYONE, FAST, Lesson
from scenarios.anthropics.survivals import (
    COEFFICIENTS,
    HALF,
    WORST,
    Survival,
    geometric,
    mapped,
    price_rows,
    worth_rows,
)
from scenarios.table import Measured

STAY, DIVIDE = "stay", "divide"
LEFT, RIGHT = 2, 3
ENDINGS: Mapping[str, Mapping[tuple[int, ...], Fraction]] = {
    "neither survives": {(): Fraction(1)},
    "one survives": {(LEFT,): Fraction(1)},
    "both survive": {(LEFT, RIGHT): Fraction(1)},
}
WORDS = {True: "accepts", False: "stays"}
MORAL = (
    "To the average over the living two survivors are as good as one, and the second chance is worth having because\n"
    "the first may fail. To the sum they are twice as good. The copy-centred value weighs each half by its own chance\n"
    "and gives nothing for the second. Learners overrate the operation: whoever remembers it has survived it."
)


@dataclass(frozen=True)
class Division:
    """Stay whole, or be divided into slots 2 and 3.

    Attributes:
        survivors: the probability of each set of slots that survive.
        staying: reward of each step if one is not divided.
        reward: reward of each step of each survivor.
    """

    survivors: Mapping[tuple[int, ...], Fraction]
    staying: Fraction
    reward: Fraction

    @property
    def actions(self) -> Sequence[str]:
        """To stay, and to be divided."""
        return (STAY, DIVIDE)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, in slot 1."""
        return {1: "asked"}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Outcomes:
        """Divided or not; after that nothing depends on what is done."""
        if state == "whole" or (state, action) == ("asked", STAY):
            return [(1, {slot: Arrival("whole", "home", self.staying)})]
        if state == "asked":
            return [(p, dict.fromkeys(slots, self._ward)) for slots, p in self.survivors.items()]
        return [(1, {slot: self._ward})]

    @property
    def _ward(self) -> Arrival:
        return Arrival("survivor", "ward", self.reward)


def survivors(q: Fraction) -> Mapping[tuple[int, ...], Fraction]:
    """Return the probability of each set of slots, if each operation succeeds with probability q."""
    return {(): (1 - q) * (1 - q), (LEFT,): q * (1 - q), (RIGHT,): (1 - q) * q, (LEFT, RIGHT): q * q}


def survival(settings: Settings, **changes: Any) -> Survival:
    """The offer of these settings."""
    asked = replace(settings, **changes)
    return Survival(Division(survivors(asked.q), asked.r_s, asked.r), asked.discount, asked.T)


def staying(settings: Settings) -> Fraction:
    """What staying is worth: ``r_s G``."""
    return settings.r_s * geometric(settings.discount, settings.T)


def parts(settings: Settings) -> Mapping[str, Fraction]:
    """In closed form, what a reward of 1 for each survivor is worth to each value."""
    q, gamma, total = settings.q, settings.discount, geometric(settings.discount, settings.T)
    slot, own, some = Fraction(0), q * total, (2 * q - q * q) * total
    return {
        "cpy": own,
        "sta": slot,
        "dyn": slot,
        "one-slot": slot,
        "known-slot": slot,
        "prime-slot": q * (1 + gamma * HALF * (settings.T > 1)),
        "first-copy": some,
        "least-rewarded": some,
        "same-history": own,
        "acted-sequence": own,
        "common-ancestor": 2 * own,
        **{f"α={caring}": some + caring * q * q * total for caring in COEFFICIENTS},
        WORST: some,
    }


def decisions(settings: Settings, alphas: Sequence[Fraction], chances: Sequence[Fraction]) -> DecisionMap:
    """Whether the operation is accepted from the beginning, by the engine."""
    return mapped(lambda q: survival(settings, q=q), alphas, chances)


def formula(settings: Settings, caring: Fraction, q: Fraction) -> bool:
    """The same in closed form: ``r (2q − q² + α q²) > r_s``."""
    return settings.r * (2 * q - q * q + caring * q * q) > settings.r_s


def rows(settings: Settings) -> list[Measured]:
    """Everything exact."""
    common = f"γ={settings.discount}, T={settings.T}, r_s={settings.r_s}, q={settings.q}"
    condition = f"{common}, r={settings.r}"
    closed = parts(settings)
    prices = {name: staying(settings) / worth if worth else None for name, worth in closed.items()}
    formulas = {name: settings.r * worth for name, worth in closed.items()}
    return [
        *worth_rows(survival(settings), formulas, staying(settings), condition),
        *price_rows(lambda reward: survival(settings, r=reward), prices, staying(settings), common),
        *_endings(settings),
        _control(settings, condition),
    ]


def _endings(settings: Settings) -> Iterator[Measured]:
    """What each ending is worth if it is certain: Parfit's three."""
    total, common = geometric(settings.discount, settings.T), f"γ={settings.discount}, T={settings.T}, r={settings.r}"
    for (name, slots), caring in product(ENDINGS.items(), (Fraction(0), Fraction(1))):
        number = len(next(iter(slots)))
        offer = Survival(Division(slots, settings.r_s, settings.r), settings.discount, settings.T)
        expected = settings.r * total * (1 + caring * (number - 1) if number else 0)
        yield Measured(
            f"worth if it is certain, α={caring}",
            f"{name}, {common}",
            offer.for_copies(caring),
            paper=expected,
            case=name,
            source="r G (1 + α(N − 1)) for N survivors",
        )


def _control(settings: Settings, condition: str) -> Measured:
    """Multiplying the sum by the chance of survival is not the average over the living."""
    wrong = settings.r * 2 * settings.q * geometric(settings.discount, settings.T)
    word = "passes" if survival(settings).for_copies(Fraction(0)) == wrong else "refused"
    return Measured(
        "the sum over both halves for α = 0",
        condition,
        word,
        paper="refused",
        kind="control",
        source="2q against 2q − q²",
    )


def grid(settings: Settings) -> Iterator[tuple[Fraction, Fraction]]:
    """All worths by the engine and in closed form, over discounts, horizons and chances."""
    for discount, horizon, q in product((HALF, Fraction(1)), (1, 3), (Fraction(0), Fraction(1, 3), Fraction(1))):
        asked = replace(settings, discount=discount, T=horizon, q=q)
        closed = parts(asked)
        yield from ((worth, asked.r * closed[name]) for name, worth in survival(asked).worths().items())


def taught(settings: Settings) -> Sequence[Taught]:
    """Survivors' memories: they accept as soon as surviving is better than staying, whatever the chance of it."""
    return [_learners(settings, reward) for reward in (settings.r, settings.r_s / 2)]


def _learners(settings: Settings, reward: Fraction) -> Taught:
    kernel, discount = survival(settings, r=reward).kernel, float(settings.discount)
    lesson = Lesson(kernel, RIGHT, settings.T, (0, None), settings.rounds, discount, FAST)
    return Taught(f"{EVERYONE}, α=0, r={reward}", lesson, EVERYONE, Fraction(0), reward > settings.r_s)


PUZZLE = Puzzle(decisions, formula, "q", Fraction(1), rows, grid, taught, WORDS)
cells, run_cell, table = PUZZLE.cells, PUZZLE.run_cell, PUZZLE.table


def story(settings: Settings, results: Results) -> str:
    """The moral."""
    return MORAL
