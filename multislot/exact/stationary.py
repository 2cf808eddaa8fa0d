"""The infinite horizon, where the situations that can be reached are finitely many (Orseau 2014, section 4).

A `WeightedFuture` discounted by γ < 1 is a contraction (deletion is absorption at 0). So policy iteration ends at its
optimum, exactly if the numbers are exact. The dynamic slot-centered value is not an optimum, since later selves
maximize something else. There a policy is *consistent* if in every reachable situation it takes the first best action,
given that it is followed from then on. There may be none, one or several; all are found.
"""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any, TypeAlias, TypeVar

from multislot.checks import refusal
from multislot.errors import MultislotError, SettingError, TooLargeError
from multislot.exact.belief import Belief
from multislot.exact.kernel import Number
from multislot.exact.mixture.weights import Particle
from multislot.exact.values import (
    FLOAT_TIE,
    STEP_TIE,
    ActionValues,
    DynamicSlotCentered,
    Value,
    WeightedFuture,
    summed,
)

__all__ = ["ConsistencyError"]

Row: TypeAlias = tuple[Number, Mapping[Any, Number]]  # a constant, and the weights of other unknowns
StationaryPolicy: TypeAlias = Mapping[Belief, ActionValues]
"""A policy that depends on the situation alone: the values in each situation, if it is followed from then on."""

Situation = TypeVar("Situation", bound=Hashable)

MOST_SITUATIONS = 5_000
MOST_ASSIGNMENTS = 10_000
MOST_EXACT = 300


class ConsistencyError(MultislotError):
    """There is not exactly one consistent stationary policy, so an endless future has no unique value.

    ``policies`` are those that are consistent, none or several.
    """

    def __init__(self, policies: list[Any], first_actions: list[object]) -> None:
        self.policies, self.first_actions = policies, first_actions
        super().__init__(policies, first_actions)

    def __str__(self) -> str:
        if not self.policies:
            return "no stationary policy is consistent: later selves would not act as foreseen; give a horizon"
        return (
            f"{len(self.policies)} stationary policies are consistent, which first do {self.first_actions}; "
            "choose one of `.policies`, or give a horizon"
        )


def solve_stationary(value: Value, root: Belief, discount: Number) -> StationaryPolicy:
    """Return the one stationary policy that is optimal (or, for the dynamic value, consistent) from `root` on."""
    if isinstance(value, WeightedFuture) and not value.depends_on_time:
        actions = root.situations.actions

        def rows(belief: Belief) -> Mapping[Hashable, Row]:
            return {action: belief.once(value.summary, belief, action, None) for action in actions}

        met = reachable(root, lambda belief: (after for _, weights in rows(belief).values() for after in weights))
        return optimal_values({belief: rows(belief) for belief in met}, discount)
    if not isinstance(value, DynamicSlotCentered):
        raise refusal("value", type(value).__name__, "one with a solution without a last step", "give a horizon")
    policies = consistent_policies(value, root, discount)
    if len(policies) != 1:
        raise ConsistencyError(policies, [policy[root].best for policy in policies])
    return policies[0]


def reachable(root: Situation, successors: Callable[[Situation], Iterable[Situation]]) -> list[Situation]:
    """Return all situations that can follow `root`, itself first."""
    met, known = [root], {root}
    for belief in met:
        new = [after for after in dict.fromkeys(successors(belief)) if after not in known]
        met += new
        known.update(new)
        if len(met) > MOST_SITUATIONS:
            raise TooLargeError(
                f"there are more than {MOST_SITUATIONS} situations, the limit without a last step; "
                "give a horizon, or a kernel whose situations return"
            )
    return met


def optimal_values(rows: Mapping[Any, Mapping[Any, Row]], discount: Number) -> dict[Any, ActionValues]:
    """Return the optimal value of each choice at each node, by policy iteration.

    ``rows[node][choice]`` has the reward, and the weight of each node that may come next.
    """
    _check_finite(rows, discount)
    return _iterate_policies(rows, discount)


def _iterate_policies(
    rows: Mapping[Any, Mapping[Any, Row]], discount: Number, least: float | None = None
) -> dict[Any, ActionValues]:
    """The values to which policy iteration comes.

    Raises:
        ZeroDivisionError: the worth of a policy is infinite, or less than `least` at some node.
    """
    policy = {node: next(iter(choices)) for node, choices in rows.items()}
    most: dict[Any, Number] = dict.fromkeys(rows, -inf)
    while True:
        chosen = {node: choices[policy[node]] for node, choices in rows.items()}
        worth = solve_linear(
            {
                node: (constant, {after: discount * weight for after, weight in weights.items()})
                for node, (constant, weights) in chosen.items()
            }
        )
        if least is not None and not min(worth.values()) >= least:
            raise ZeroDivisionError
        values = {
            node: ActionValues(
                {
                    choice: summed([reward, *(discount * weight * worth[after] for after, weight in weights.items())])
                    for choice, (reward, weights) in choices.items()
                }
            )
            for node, choices in rows.items()
        }
        # What one step gains counts up to 1/(1-γ) times, so it is not compared as coarsely as an agent's choices are.
        better = {
            node: its_values.within(0)[0]
            for node, its_values in values.items()
            if policy[node] not in its_values.within(STEP_TIE)
        }
        if not better or all(worth[node] <= most[node] for node in most):  # the second only if rounding makes a circle
            return values
        policy |= better
        most = {node: max(worth[node], most[node]) for node in rows}


def _check_finite(rows: Mapping[Any, Mapping[Any, Row]], discount: Number) -> None:
    """Check that no policy makes the weights grow as fast as the discount shrinks them.

    That is certain where each step's weights sum to less than 1/γ. Otherwise the policy that gathers the most weight is
    sought: its discounted sum is finite if and only if that of every policy is.
    """
    heaviest = max(sum(weights.values(), Fraction()) for choices in rows.values() for _, weights in choices.values())
    if discount * heaviest < 1:
        return
    from scipy.sparse.linalg import MatrixRankWarning

    counted = {
        node: {choice: (Fraction(1), weights) for choice, (_, weights) in choices.items()}
        for node, choices in rows.items()
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MatrixRankWarning)  # here a singular system is an answer
            _iterate_policies(counted, discount, least=1 - FLOAT_TIE)  # a node alone gathers 1, so less is infinite
    except ZeroDivisionError:
        raise SettingError(
            f"got discount={discount}; expected one below 1/growth, where the weight of all futures may grow by up to "
            f"{heaviest} a step; give a horizon, or a smaller discount"
        ) from None


def solve_linear(rows: Mapping[Any, Row]) -> dict[Any, Number]:
    """Solve ``x_k = constant_k + Σ_m weight_km x_m``, exactly where all numbers are exact.

    Powers of the weights shrink, so exact elimination needs no pivots. It is done one strongly connected component at a
    time, so that exact numbers stay small.

    Raises:
        ZeroDivisionError: powers of the weights do not shrink, and elimination met that.
        TooLargeError: a component is too large for exact elimination.
    """
    if any(isinstance(x, float) for constant, weights in rows.values() for x in (constant, *weights.values())):
        return _solve_floats(rows)
    solved: dict[Any, Number] = {}
    for component in _components({node: weights for node, (_, weights) in rows.items()}):
        if len(component) > MOST_EXACT:
            raise TooLargeError(
                f"{len(component)} situations lead to each other; exact numbers are solved for up to {MOST_EXACT}: "
                "use a float discount, or give a horizon"
            )
        _eliminate({node: rows[node] for node in component}, solved)
    return solved


def _components(successors: Mapping[Any, Iterable[Any]]) -> Iterator[set[Any]]:
    """Yield the strongly connected components of a graph, those that others lead to first (Tarjan's order)."""
    import networkx

    graph = networkx.DiGraph((node, other) for node, others in successors.items() for other in others)
    graph.add_nodes_from(successors)
    yield from networkx.strongly_connected_components(graph)


def _solve_floats(rows: Mapping[Any, Row]) -> dict[Any, Number]:
    import numpy as np
    from scipy.sparse import coo_array, eye_array
    from scipy.sparse.linalg import spsolve

    index = {node: number for number, node in enumerate(rows)}
    entries = [(index[a], index[b], float(w)) for a, (_, weights) in rows.items() for b, w in weights.items()]
    where = ([row for row, _, _ in entries], [column for _, column, _ in entries])
    weights = coo_array(([weight for _, _, weight in entries], where), shape=(len(rows), len(rows)))
    constants = np.array([float(constant) for constant, _ in rows.values()])
    return dict(zip(rows, spsolve((eye_array(len(rows)) - weights).tocsc(), constants).tolist(), strict=True))


def _eliminate(rows: Mapping[Any, Row], solved: dict[Any, Number]) -> None:
    """Add the solution of one component to `solved`, which holds all else that it needs."""
    done: list[tuple[Any, Number, dict[Any, Number]]] = []
    for node, (constant, weights) in rows.items():
        constant += sum(weight * solved[other] for other, weight in weights.items() if other in solved)
        left = {other: weight for other, weight in weights.items() if other not in solved}
        for earlier, its_constant, its_weights in done:
            factor = left.pop(earlier, 0)
            constant += factor * its_constant
            for other, weight in its_weights.items():
                left[other] = left.get(other, 0) + factor * weight
        scale = 1 / (1 - Fraction(left.pop(node, 0)))
        done.append((node, constant * scale, {other: weight * scale for other, weight in left.items()}))
    for node, constant, weights in reversed(done):
        solved[node] = constant + sum(weight * solved[other] for other, weight in weights.items())


def consistent_policies(value: DynamicSlotCentered, root: Belief, discount: Number) -> list[StationaryPolicy]:
    """Return every consistent stationary policy of the dynamic slot-centered value, from `root` on.

    The situations are taken one strongly connected component at a time, last ones first; within one all assignments of
    actions are tried.
    """
    actions = root.situations.actions
    met = reachable(root, lambda belief: (after for action in actions for after in belief.after(action).values()))
    successors = {b: [after for action in actions for after in b.after(action).values()] for b in met}
    partials = [_Partial(value, discount, {}, {})]
    for component in _components(successors):
        together = [belief for belief in met if belief in component]
        if len(actions) ** len(together) * len(partials) > MOST_ASSIGNMENTS:
            raise TooLargeError(
                f"met {len(met)} situations, {len(together)} of which lead to each other: more than {MOST_ASSIGNMENTS} "
                "stationary policies would have to be tried; give a horizon"
            )
        choices = [dict(zip(together, chosen, strict=True)) for chosen in product(actions, repeat=len(together))]
        partials = [longer for partial in partials for chosen in choices for longer in partial.extend(chosen)]
    return [partial.values for partial in partials]


@dataclass(frozen=True)
class _Partial:
    value: DynamicSlotCentered
    discount: Number
    on_slot: Mapping[tuple[Belief, Particle], Number]
    values: Mapping[Belief, ActionValues]

    def extend(self, chosen: Mapping[Belief, Hashable]) -> Iterator["_Partial"]:
        """Yield this policy with more situations' actions, if it stays consistent."""
        rows = {(b, particle): self._row(b, particle, chosen[b]) for b in chosen for particle in b.weights}
        on_slot = {**self.on_slot, **solve_linear(rows)}
        values = {b: self._action_values(b, on_slot) for b in chosen}
        if all(values[b].best == action for b, action in chosen.items()):
            yield _Partial(self.value, self.discount, on_slot, {**self.values, **values})

    def _row(self, belief: Belief, particle: Particle, action: Hashable) -> Row:
        constant: Number = Fraction()
        weights: dict[tuple[Belief, Particle], Number] = {}
        for chance, reward, after, there in belief.once(self.value.staying, belief, particle, action):
            constant += chance * reward
            if (after, there) in self.on_slot:
                constant += chance * self.discount * self.on_slot[after, there]
            else:
                weights[after, there] = weights.get((after, there), 0) + self.discount * chance
        return constant, weights

    def _action_values(self, belief: Belief, on_slot: Mapping[Any, Number]) -> ActionValues:
        return ActionValues(
            {
                action: summed(
                    weight * chance * worth
                    for particle, weight in belief.weights.items()
                    for chance, reward, after, there in belief.once(self.value.staying, belief, particle, action)
                    for worth in (reward, self.discount * on_slot[after, there])
                )
                for action in belief.situations.actions
            }
        )
