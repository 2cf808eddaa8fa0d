"""Credit along the copy tree: returns and advantages for learners that are copied and deleted.

A run is a forest of rows, each an agent after a step, in a slot. C(x) is the set of rows copied from row x in the next
step. Row c arrives with reward ``r_c`` and observation ``o_c``. A *future* says how x weighs its copies:

=======  ==================================  ===================================================================
future   ``w_c``                             rows that learn
=======  ==================================  ===================================================================
``cpy``  1 / number of rows in C(x)          all that acted
``sum``  1                                   all that acted
``dyn``  1 in x's own slot, otherwise 0      all that acted
``sta``  as ``dyn``                          those that acted, of agents that never left the slot they started in
=======  ==================================  ===================================================================

The expected return of the first row equals an exact value of `multislot.exact`: ``sum`` is ``common-ancestor``; ``dyn``
and ``sta`` have the same name; ``cpy`` (Orseau 2014, eq. 5) is equal where copy sets are not random and observations
tell copies apart. Where copy sets are random, the return counts chance once and the paper's value counts it twice.
Where copies see the same, the return weighs each copy by its path, and the paper gives all copies with one history the
same weight.

So λ also decides what a table of histories learns if every row that learns counts alike. These λ have the exact value
as their fixed point; *blind* copies are copies that see the same:

=======  ==========  =========================  ========================  ========================
future   told apart  told apart, random copies  blind, copies not random  blind, random copies
=======  ==========  =========================  ========================  ========================
``cpy``  every λ     none                       λ = 0                     none
``dyn``  every λ     every λ                    λ = 1                     λ = 1
``sum``  every λ     every λ                    every λ                   every λ
``sta``  every λ     every λ                    every λ                   every λ
=======  ==========  =========================  ========================  ========================

For ``cpy`` and blind copies λ = 1 learns the value that weighs copies by their paths. For ``dyn`` and blind copies a
one-step target takes the mean of all slots that may have a history for the value of the slot that is followed.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from multislot.checks import known_name, refusal, share, wrong_type
from multislot.engine.trace import Trace

__all__ = ["CopyTree", "lineage_advantages", "lineage_returns"]

Future: TypeAlias = Literal["cpy", "sum", "dyn", "sta"]
Array: TypeAlias = npt.NDArray[Any]


class CopyTree(NamedTuple):
    """The rows of a run as plain arrays, R rows in any order; a tuple of the same columns does as well.

    Attributes:
        parents: the row that each row continues; its own index where there is none, shape [R].
        rewards: what each row received on arrival, shape [R]; Fractions (dtype object) give exact results.
        slots: shape [R].
        acted: false for the last rows of a run and for an agent's last percept, shape [R].
    """

    parents: npt.ArrayLike
    rewards: npt.ArrayLike
    slots: npt.ArrayLike
    acted: npt.ArrayLike


def lineage_returns(trace: Trace | CopyTree, *, future: Future, discount: Any) -> Array:
    """Discounted returns along the copy tree, ``G(x) = Σ_{c ∈ C(x)} w_c (r_c + γ G(c))``, up to the end of the run.

    Args:
        trace: what happened.
        future: how an agent weighs its copies; see the module.
        discount: γ, from 0 to 1.

    Returns:
        One entry for each row, NaN where a row does not learn; shape [R].
    """
    tree = _Tree(trace, future)
    return tree.learning(tree.accumulate(tree.mean(tree.rewards), tree.share("discount", discount)))


def lineage_advantages(
    trace: Trace | CopyTree, values: npt.ArrayLike, *, future: Future, discount: Any, gae_lambda: Any
) -> Array:
    """Generalized advantages along the copy tree; on a line they are those of Schulman et al. 2016.

    ``A(x) = δ(x) + γλ Σ_{c ∈ C(x)} w_c A(c)`` with ``δ(x) = Σ_{c ∈ C(x)} w_c (r_c + γ V(o_c)) − V(o_x)``. Only the
    future of a deleted agent is 0. Rows that have not acted count with their value: the run stopped there. A `Trace`
    also says which agents the world ended before the last step; their values do not count. Where the last step of a
    run is the end of an episode, give 0 as the values of its rows.

    Args:
        trace: what happened.
        values: V of each row's observation, shape [R].
        future: how an agent weighs its copies; see the module.
        discount: γ, from 0 to 1.
        gae_lambda: λ; 0 for one-step targets, 1 for returns minus values.

    Returns:
        One entry for each row, NaN where a row does not learn; shape [R].
    """
    tree = _Tree(trace, future)
    discount = tree.share("discount", discount)
    expected = np.asarray(values)
    if expected.shape != tree.acted.shape:
        raise refusal("values.shape", expected.shape, f"{tree.acted.shape}, one value for each row")
    expected = np.where(tree.ended, 0, expected)
    errors = tree.mean(tree.rewards + discount * expected) - expected
    return tree.learning(tree.accumulate(errors, discount * tree.share("gae_lambda", gae_lambda)))


class _Tree:
    """The rows of a run by generation, and the weight of each in its parent's future."""

    def __init__(self, trace: Trace | CopyTree, future: str) -> None:
        known_name("future", future, get_args(Future))
        self.ended: Array | bool = False
        if isinstance(trace, Trace):
            self.ended = ~trace.acted & (np.arange(len(trace.slot)) < trace.offsets[-2])
            trace = CopyTree(trace.parent, trace.reward, trace.slot, trace.acted)
        elif not isinstance(trace, Sequence) or len(trace) != len(CopyTree._fields):
            raise wrong_type("trace", trace, "a Trace or CopyTree", "give what run() returns")
        self.parents, self.rewards, slots, self.acted = _checked(*trace)
        children = np.flatnonzero(self.parents != np.arange(len(self.parents)))
        self.generations = _generations(self.parents, children)
        exact = self.rewards.dtype == object
        weights = np.full(len(slots), Fraction(1) if exact else 1.0, dtype=self.rewards.dtype)
        in_own_slot = slots == slots[self.parents]
        if future == "cpy":
            copies = np.bincount(self.parents[children], minlength=len(slots))[self.parents]
            weights = weights / np.maximum(copies, 1).astype(weights.dtype)
        elif future != "sum":
            weights = weights * in_own_slot
        self.weights = weights
        self.learns = self.acted.copy()
        if future == "sta":
            stayed = np.ones(len(slots), dtype=bool)
            for rows in self.generations:
                stayed[rows] = stayed[self.parents[rows]] & in_own_slot[rows]
            self.learns &= stayed

    def share(self, name: str, value: Any) -> Any:
        """A checked number from 0 to 1; a float unless results are exact."""
        checked = share(name, value)
        return checked if self.rewards.dtype == object else float(checked)

    def mean(self, arrivals: Array) -> Array:
        """Weighted sum over each row's copies, ``Σ_{c ∈ C(x)} w_c arrivals(c)``; shape [R]."""
        sums = np.zeros(len(arrivals), dtype=arrivals.dtype)
        for rows in self.generations:
            np.add.at(sums, self.parents[rows], self.weights[rows] * arrivals[rows])
        return sums

    def accumulate(self, terms: Array, factor: Any) -> Array:
        """Solve ``X(x) = terms(x) + factor Σ_{c ∈ C(x)} w_c X(c)``; 0 for rows that did not act; shape [R]."""
        totals: Array = np.where(self.acted, terms, 0 * terms)
        for rows in reversed(self.generations):
            np.add.at(totals, self.parents[rows], factor * self.weights[rows] * totals[rows])
        return totals

    def learning(self, numbers: Array) -> Array:
        """The numbers of rows that learn, otherwise NaN; shape [R]."""
        return np.where(self.learns, numbers, np.nan)


def _checked(*columns: npt.ArrayLike) -> Sequence[Array]:
    parents, rewards, slots, acted = map(np.asarray, columns)
    shapes = [column.shape for column in (parents, rewards, slots, acted)]
    if rewards.ndim != 1 or len(set(shapes)) > 1:
        raise refusal("shapes", shapes, "four arrays of one length: parents, rewards, slots, acted")
    if rewards.dtype != object:
        rewards = rewards.astype(np.float64)
    if parents.size and not (parents.dtype.kind in "iu" and parents.min() >= 0 and parents.max() < len(parents)):
        raise refusal("parents", parents, f"whole numbers from 0 to {len(parents) - 1}")
    acted = acted.astype(bool)
    if not acted[parents[parents != np.arange(len(parents))]].all():
        raise refusal("acted", acted, "true for every row that has copies")
    return parents.astype(np.intp), rewards, slots, acted


def _generations(parents: Array, children: Array) -> list[Array]:
    """The rows with a parent, by the number of their ancestors; parents come first."""
    depths, ancestors = np.zeros(len(parents), dtype=np.intp), parents
    depths[children] = 1
    for _ in range(len(parents).bit_length()):  # ancestors are twice as far away after each round
        depths, ancestors = depths + depths[ancestors], ancestors[ancestors]
    if (parents[ancestors] != ancestors).any():
        raise refusal("parents", parents, "a forest: no row may be its own ancestor")
    ordered = children[np.argsort(depths[children], kind="stable")]
    return np.split(ordered, np.flatnonzero(np.diff(depths[ordered])) + 1) if len(ordered) else []
