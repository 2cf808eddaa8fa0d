"""AIMU and AIXI for every value: agents that plan in the worlds in which they live (Orseau 2014, section 4).

AIMU knows its world, a kernel. AIXI knows a finite class of kernels and a prior; the class is given, where the paper
has all computable environments. Both are history-based agents (Def. 8): they know only their history.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from multislot.engine.agent import Agent
from multislot.engine.history import HistoryAgent
from multislot.exact.belief import Belief
from multislot.exact.futures import named
from multislot.exact.kernel import Kernel, Number, check_slot
from multislot.exact.mixture import OWN, Mixture
from multislot.exact.planning import Plan
from multislot.exact.values import Value, WeightedFuture
from multislot.exact.world import Coding


class AIMU(HistoryAgent):
    """The optimal agent of a known world.

    Args:
        kernel: the world, or a `Mixture` of worlds.
        value: what counts as its future, a name or any `Value` as in `action_values`.
        discount: γ in [0, 1].
        last_step: the absolute end: the step after which nothing counts, counted from 1; None for no end, with γ < 1.
        slot: the slot of ``"sta"``.
        coding: the coding of the world it runs in; by default `Coding.of` all kernels, as `KernelWorld` has it.
    """

    def __init__(
        self,
        kernel: Kernel | Mixture,
        value: str | Value,
        *,
        discount: Number,
        last_step: int | None = None,
        slot: int = 1,
        coding: Coding | None = None,
    ) -> None:
        check_slot(slot)
        self.plan = Plan(kernel, named(value, slot), discount, last_step)
        self.coding = coding or Coding.of(*self.plan.situations.mixture.kernels)
        super().__init__(partial(_plan_action, self.plan, self.coding))

    def __deepcopy__(self, memo: dict[int, Any]) -> Agent:
        memo |= {id(self.plan): self.plan, id(self.coding): self.coding}
        return super().__deepcopy__(memo)

    def belief(self) -> Belief:
        """Return the posterior of (world, slot, hidden state), given its history."""
        return self.plan.situations.belief(self.coding.decode(self.history))


def _plan_action(plan: Plan, coding: Coding, history: Sequence[tuple[int, int]]) -> int:
    """The index of the planned action after a history of indices."""
    return coding.actions.index(plan.policy(coding.decode(history)))


class AIXI(AIMU):
    """The optimal agent of a finite class of worlds with prior weights.

    Args:
        kernels: the class.
        value, discount, last_step, slot, coding: as in `AIMU`.
        prior: a weight for each kernel; by default all equal.
        posterior: ``"sequential"``, ``"count"``, ``"exists"``, ``"own"`` or ``"printed"``, see `Mixture`. By default
            ``"own"``, with which the agent's policy is the maximum of equation (2) at the empty history; for values
            that have no such weights (``"dyn"`` and others that are not a weighted sum) ``"sequential"``.
    """

    def __init__(
        self,
        kernels: Iterable[Kernel],
        value: str | Value,
        *,
        prior: Iterable[Number] = (),
        posterior: str | None = None,
        discount: Number,
        last_step: int | None = None,
        slot: int = 1,
        coding: Coding | None = None,
    ) -> None:
        if posterior is None:
            posterior = OWN if isinstance(named(value, slot), WeightedFuture) else "sequential"
        mixture = Mixture(kernels, prior, posterior)
        super().__init__(mixture, value, discount=discount, last_step=last_step, slot=slot, coding=coding)
