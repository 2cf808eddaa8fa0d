"""The eight criteria: how the futures of others become the auxiliary term of the acting agent's reward.

Equations 1–8 of Alizadeh Alamdari et al. 2021. Each criterion is a small frozen class. From the futures of those
considered, and from the state in which the acting agent ended, it computes the *auxiliary term* F.
`considerate.criteria.augment` adds it to the reward.

Equations 1–3, 7 and 8 have one coefficient α₂ for one distribution over futures, which belong to no particular agent.
If futures are given by agent, one of the agents considered is drawn uniformly. Equations 4–6 have a coefficient for
each agent. They include the acting agent if it has a future of its own, as in appendix B.2.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar

from considerate.distributions import AgentName, Distribution, Number, Option, State, value_at
from multislot.checks import refusal
from multislot.errors import SettingError, UnknownNameError


@dataclass(frozen=True)
class Considered:
    """Those whose futures count, with their coefficients and futures; the input of a criterion.

    Args:
        acting: the acting agent's name.
        caring: α of each agent considered, and α₁ under the acting agent's name.
        futures: the distribution of each agent's future; only agents with a coefficient have an entry.
    """

    acting: AgentName
    caring: Mapping[AgentName, Number]
    futures: Mapping[AgentName, Distribution[Any]]

    @property
    def agents(self) -> tuple[AgentName, ...]:
        """Everyone whose future counts; this includes the acting agent if it has a future of its own."""
        return tuple(self.futures)

    @cached_property
    def pooled(self) -> Distribution[Any]:
        """P(V) of equations 1–3, 7 and 8: one of the others drawn uniformly, then one of its possible futures."""
        return Distribution.pooled([future for agent, future in self.futures.items() if agent != self.acting])

    @cached_property
    def weighted(self) -> list[tuple[Number, Any]]:
        """Every possible future j of every agent i, with its weight αᵢ·Pᵢⱼ in equation 6."""
        return [
            (self.caring[agent] * probability, item)
            for agent, future in self.futures.items()
            for probability, item in future.support()
        ]

    @property
    def coefficient(self) -> Number:
        """The single α₂ of equations 1–3, 7 and 8; raises SettingError if the others have different coefficients."""
        of_others = {agent: self.caring[agent] for agent in self.futures if agent != self.acting}
        if len(set(of_others.values())) != 1:
            shown = ", ".join(f"{agent}: {alpha}" for agent, alpha in of_others.items())
            raise SettingError(
                f"got caring={{{shown}}}; expected one coefficient for all others; give one number, or use the "
                "criterion 'per_agent' or 'min'"
            )
        return next(iter(of_others.values()))

    def expected(self, agent: AgentName, state: State) -> Number:
        """Return Σⱼ P(Vᵢⱼ)·Vⱼ⁽ⁱ⁾(state) for agent i."""
        return self.futures[agent].expect(lambda value: value_at(value, state))


class Criterion(ABC):
    """How the futures of those considered become the auxiliary term F; see the module's example."""

    discounted: ClassVar[bool] = True
    """Whether the term is multiplied by γ."""

    one_coefficient: ClassVar[bool] = False
    """Whether all others share one coefficient α₂; `check` refuses different ones."""

    every_step: ClassVar[bool] = False
    """Whether `step_term` is paid at every step, until all agents have ended, instead of `term` at the end."""

    expects: ClassVar[str] = "a function of states"
    """The kind of future that the criterion needs, in plain words."""

    @abstractmethod
    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return F: how good it is for those considered that the acting agent ended in ``end``.

        Args:
            others: those considered, with caring coefficients and futures. The term includes the coefficients.
            end: the acting agent's terminal state s'.
            start: its initial state s₀.
        """

    def step_term(self, others: Considered, state: State, action: Any, next_state: State) -> Number:
        """The term that one step adds to the reward; 0 unless `every_step`."""
        return 0

    def check(self, others: Considered) -> None:
        """Raise SettingError if the criterion cannot use these coefficients or futures; called before any step."""
        if self.one_coefficient:
            _ = others.coefficient
        for agent, future in others.futures.items():
            for item in future.items:
                if not self.accepts(item):
                    raise refusal(f"futures[{agent!r}]", item, self.expects)

    def accepts(self, future: object) -> bool:
        """Whether the criterion can use ``future``."""
        return callable(future) and _takes(future, 3 if self.every_step else 1)


@dataclass(frozen=True)
class Value(Criterion):
    """Equation 1: F = α₂·Σ_V P(V)·V(s'), the expected future return."""

    one_coefficient: ClassVar[bool] = True

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return α₂ times the expected future return from ``end``."""
        return others.coefficient * others.pooled.expect(lambda value: value_at(value, end))


@dataclass(frozen=True)
class Worst(Criterion):
    """Equation 2: F = α₂·min V(s') over the value functions of positive probability."""

    one_coefficient: ClassVar[bool] = True

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return α₂ times the least possible future return from ``end``."""
        worst: Number = min(value_at(value, end) for _, value in others.pooled.support())
        return others.coefficient * worst


@dataclass(frozen=True)
class Negative(Criterion):
    """Equation 3: F = α₂·Σ_V P(V)·min(V(s'), V(s₀)): harm counts, help beyond the initial state does not."""

    one_coefficient: ClassVar[bool] = True

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return α₂ times the expected future return, each value capped at its value in ``start``."""
        return others.coefficient * others.pooled.expect(
            lambda value: min(value_at(value, end), value_at(value, start))
        )


@dataclass(frozen=True)
class PerAgentValue(Criterion):
    """Equation 4: F = Σᵢ αᵢ·Σⱼ P(Vᵢⱼ)·Vⱼ⁽ⁱ⁾(s')."""

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return the sum of the agents' expected future returns from ``end``, each times its coefficient."""
        return sum(others.caring[agent] * others.expected(agent, end) for agent in others.agents)


@dataclass(frozen=True)
class Minimum(Criterion):
    """Equation 5: F = minᵢ αᵢ·Σⱼ P(Vᵢⱼ)·Vⱼ⁽ⁱ⁾(s'), the maximin ("Rawlsian") welfare.

    Args:
        ranked: the agents over whom the minimum is taken; by default all who have a coefficient and a future.
    """

    ranked: tuple[AgentName, ...] | None = None

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return the least of the agents' expected future returns from ``end``, each times its coefficient."""
        ranked = others.agents if self.ranked is None else self.ranked
        return min(others.caring[agent] * others.expected(agent, end) for agent in ranked)

    def check(self, others: Considered) -> None:
        """Raise UnknownNameError for a ranked agent without a known future, SettingError if nobody is ranked."""
        super().check(others)
        if self.ranked is not None and not self.ranked:
            raise refusal("ranked", self.ranked, "at least one agent", "leave it out to rank all")
        for agent in self.ranked or ():
            if agent not in others.futures:
                raise UnknownNameError("agent to be ranked", agent, map(str, others.agents))


@dataclass(frozen=True)
class Simultaneous(Criterion):
    """Equation 6: at every step Σᵢ αᵢ·Σⱼ P(rᵢⱼ)·rⱼ⁽ⁱ⁾(s, a, s'), without γ, until all agents have ended.

    The futures are distributions over reward functions of (state, action, next state).
    """

    discounted: ClassVar[bool] = False
    every_step: ClassVar[bool] = True
    expects: ClassVar[str] = "a function of a state, an action and the next state"

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return 0: the end itself pays nothing."""
        return 0

    def step_term(self, others: Considered, state: State, action: Any, next_state: State) -> Number:
        """The weighted sum of the rewards of this step."""
        total: Number = 0
        for weight, reward in others.weighted:
            total += weight * value_at(reward, state, action, next_state)
        return total


@dataclass(frozen=True)
class Options(Criterion):
    """Equation 7: F = α₂·Σ_I P(I)·𝕀_I(s'), the probability that the next agent's option can start."""

    one_coefficient: ClassVar[bool] = True
    expects: ClassVar[str] = "an Option"

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return α₂ times the probability of an option that can start in ``end``."""
        return others.coefficient * others.pooled.expect(lambda option: int(option.can_start(end)))

    def accepts(self, future: object) -> bool:
        """Whether ``future`` is an option."""
        return isinstance(future, Option)


@dataclass(frozen=True)
class ValuedOptions(Criterion):
    """Equation 8: F = α₂·Σ P(⟨I, V⟩)·𝕀_I(s')·V(s'), as printed without γ.

    An option that cannot start counts 0, as printed. If V is negative, the term is larger when the option cannot start.
    For example, in the task ``box``, where values are minus the cost of a walk, the acting agent takes the key away.
    Use value functions that are never negative to avoid this.
    """

    one_coefficient: ClassVar[bool] = True
    discounted: ClassVar[bool] = False
    expects: ClassVar[str] = "an Option with a value function"

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return α₂ times the expected return of the options that can start in ``end``."""
        return others.coefficient * others.pooled.expect(
            lambda option: value_at(option.value, end) if option.can_start(end) else 0
        )

    def accepts(self, future: object) -> bool:
        """Whether ``future`` is an option with a value function."""
        return isinstance(future, Option) and future.value is not None


def _takes(function: Callable[..., Any], number: int) -> bool:
    """Whether a function can be called with this number of arguments; True if its signature is not known."""
    try:
        signature(function).bind(*range(number))
    except TypeError:
        return False
    except ValueError:
        return True
    return True
