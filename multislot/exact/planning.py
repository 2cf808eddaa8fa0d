"""Planning in kernels: action values and policies over histories (Orseau 2014, section 4).

A `Plan` ends at a fixed last step, or never. Values are stored by (situation, steps left) and computed without
recursion. So the time grows linearly with the horizon if there are finitely many situations; with Fractions it grows
faster, since they get longer.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations_with_replacement, product
from operator import itemgetter
from typing import Any, TypeAlias

from multislot.checks import checked_discount, checked_horizon, checked_steps, refusal
from multislot.errors import SettingError
from multislot.exact.belief import MOST_WEIGHTS, Belief, History, Situations
from multislot.exact.futures import named
from multislot.exact.kernel import CheckedKernel, Kernel, Number, check_slot, checked_history, exact
from multislot.exact.mixture import Mixture
from multislot.exact.stationary import solve_stationary
from multislot.exact.values import ActionValues, Planner, Value, refusing_overflow


def action_values(
    kernel: Kernel | Mixture,
    value: str | Value,
    *,
    discount: Number,
    horizon: int | None = None,
    slot: int = 1,
    history: History = (),
    most: int = MOST_WEIGHTS,
) -> ActionValues:
    """Return the value of each action after a history, in the kernel's order, with the first best as ``.best``.

    Args:
        kernel: the world, or a `Mixture` of worlds, that is planned in.
        value: ``"cpy"``, ``"sta"``, ``"dyn"`` (Orseau 2014, sections 4.2 to 4.4), another name of `futures.VALUES`, or
            any `Value`.
        discount: γ in [0, 1]; the first reward counts ``γ^0``.
        horizon: the number of steps still to come after `history`; None for endlessly many, with γ < 1.
        slot: the slot of ``"sta"``, worth 0 if an agent cannot have stayed on it; other values estimate the slot.
        history: (action, observation) pairs in the kernel's own terms, oldest first.
        most: how much may be computed: weights of (world, slot, hidden state) over all situations, and answers about
            situations. What exceeds the default is refused within about a quarter of a minute, at about 300 MB.

    Returns:
        Fractions where the kernel's numbers and the discount are ints or Fractions, floats otherwise.

    Raises:
        ImpossibleHistoryError: no slot can have this history.
        TooLargeError: more than `most` would be computed.
        ConsistencyError: without a horizon, ``"dyn"`` has no consistent stationary policy, or several.
    """
    steps = checked_horizon(horizon, least=0)
    check_slot(slot)
    pairs = checked_history(history)
    last_step = None if steps is None else len(pairs) + steps
    return Plan(kernel, named(value, slot), discount, last_step, most).values(pairs)


@dataclass(frozen=True, eq=False)
class Plan:
    """The plan of an agent with a certain value in a kernel or mixture, for any history.

    Args:
        source: the kernel or mixture.
        value: what counts as its future; a name means the same as in `action_values`, with slot 1.
        discount: γ in [0, 1].
        last_step: the absolute end: the step after which nothing counts, counted from 1; None for no end, with γ < 1.
            The agent foresees its later choices, since the end is fixed and the steps left shrink. Without an end,
            beliefs in floats are merged if they differ by less than 1e-12, an approximation; Fractions are not.
        most: how much may be computed, as in `action_values`.
    """

    source: Kernel | Mixture
    value: Value
    discount: Number
    last_step: int | None = None
    most: int = MOST_WEIGHTS
    _stationary: dict[Belief, ActionValues] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.last_step is not None:
            checked_steps("last_step", self.last_step, 0)
        checked_discount(self.discount, endless=self.last_step is None)
        object.__setattr__(self, "discount", exact(self.discount))
        object.__setattr__(self, "value", named(self.value))

    @cached_property
    def situations(self) -> Situations:
        """The situations met so far."""
        met = Situations(self.source, self.value.mark, self.last_step is None, self.value.rule, self.most)
        for world in met.worlds:
            check_copy_sets(world, self.last_step)
        return met

    @cached_property
    def _finite(self) -> Planner:
        return Planner(self.value, self.discount, self.last_step or 0, self.most)

    def over(self, discount: Number, last_step: int | None) -> "Plan":
        """Return the plan for another discount and last step, with the situations that are known already."""
        plan = replace(self, discount=discount, last_step=last_step)
        if last_step is not None and self.last_step is not None and last_step <= self.last_step:
            plan.__dict__["situations"] = self.situations
            if plan.discount == self.discount and not self.value.depends_on_time:
                plan.__dict__["_finite"] = self._finite
        return plan

    @refusing_overflow()
    def values(self, history: History = ()) -> ActionValues:
        """Return the value of each action after a history."""
        belief = self.value.situation(self.situations.belief(history))
        if self.last_step is None:
            if belief not in self._stationary:
                self._stationary.update(solve_stationary(self.value, belief, self.discount))
            return self._as_numbers(self._stationary[belief])
        if len(history) > self.last_step:
            raise refusal("len(history)", len(history), f"at most {self.last_step}, the plan's last step")
        return self._as_numbers(self._finite.action_values(belief, self.last_step - len(history)))

    def policy(self, history: History = ()) -> Hashable:
        """Return the action after a history: the first with the largest value."""
        return self.values(history).best

    def _as_numbers(self, values: ActionValues) -> ActionValues:
        """All as Fractions if everything was exact, otherwise all as floats."""
        is_exact = self.situations.is_exact and isinstance(self.discount, Fraction)
        return ActionValues({action: exact(x) if is_exact else float(x) for action, x in values.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.value, self.discount, self.last_step, self.most)


Occupant: TypeAlias = tuple[int, Hashable]  # slot and hidden state
Pair: TypeAlias = tuple[Occupant, Occupant]

MOST_PAIRS = 20_000


class CopySetsError(SettingError):
    """Two agents, each given as its (slot, hidden state) and its action, come into one slot at a step."""

    def __str__(self) -> str:
        ((one, _), _), ((other, _), _), slot, step = self.args
        problem = f"got a kernel that copies both slot {one} and slot {other} into slot {slot} at step {step}"
        return f"{problem}; expected disjoint copy sets (Orseau 2014, Def. 3): give each slot targets of its own"


def check_copy_sets(world: CheckedKernel, steps: int | None, alike: bool = True) -> None:
    """Check that no two slots are copied into one (Orseau 2014, Def. 3), up to `MOST_PAIRS` occupants and pairs.

    Slots of one world draw their outcomes independently, so it is enough to follow every pair of occupied slots that
    can exist together. Agents with the same history act alike, unless each draws its own action; others may act
    differently. An occupant is followed as its pair with itself.
    """
    starts = sorted(world.start.items(), key=itemgetter(0))
    pairs = dict.fromkeys(combinations_with_replacement(starts, 2), alike)  # whether both have the same history
    seen, step = dict(pairs), 0
    while pairs and step != steps and len(seen) <= MOST_PAIRS:
        step += 1
        following = {}
        for pair, same in pairs.items():
            for after, alike in _follow(world, pair, same, step):
                if after not in seen or (seen[after] and not alike):  # other histories allow more
                    following[after] = seen[after] = alike
        pairs = following


def _follow(world: CheckedKernel, pair: Pair, same: bool, step: int) -> Iterator[tuple[Pair, bool]]:
    """Yield the pairs that a pair becomes, and whether both have the same history."""
    occupant, rival = pair
    choices = zip(world.actions, world.actions, strict=True) if same else product(world.actions, repeat=2)
    for action, its_action in choices:
        outcomes = world.outcomes(*occupant, action)
        copies: Iterable[Iterable[Any]]
        if occupant == rival:
            copies = [combinations_with_replacement(arrivals.items(), 2) for _, arrivals in outcomes]
        else:
            copies = [
                product(arrivals.items(), its_arrivals.items())
                for (_, arrivals), (_, its_arrivals) in product(outcomes, world.outcomes(*rival, its_action))
            ]
        for (slot, arrival), (its_slot, its_arrival) in chain.from_iterable(copies):
            if slot == its_slot and occupant != rival:
                raise CopySetsError((occupant, action), (rival, its_action), slot, step)
            left, right = (slot, arrival.state), (its_slot, its_arrival.state)
            after = (left, right) if slot < its_slot else (right, left)
            yield after, same and arrival.observation == its_arrival.observation
