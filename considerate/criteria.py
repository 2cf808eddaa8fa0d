"""The eight criteria: how the futures of others become the auxiliary term of the acting agent's reward.

Equations 1–8 of Alizadeh Alamdari et al. 2021. Each criterion is a small frozen class. From the futures of those
considered, and from the state in which the acting agent ended, it computes the *auxiliary term* F. `augment` binds it
to caring coefficients, futures and a discount factor. The augmented reward is

    r(s, a, s') = α₁·r₁(s, a, s')  +  γ·F(s')  once, when s' is terminal for the acting agent     (equations 1–5, 7)

with F(s') not multiplied by γ in equation 8, as printed, and F(s, a, s') paid at every step in equation 6.

Equations 1–3, 7 and 8 have one coefficient α₂ for one distribution over futures, which belong to no particular agent.
If futures are given by agent, one of the agents considered is drawn uniformly. Equations 4–6 have a coefficient for
each agent. They include the acting agent if it has a future of its own, as in appendix B.2.

A new criterion is a class with one method::

    @dataclass(frozen=True)
    class NashWelfare(Criterion):
        '''The product of the expected futures.'''

        def term(self, others, end, start):
            return math.prod(others.expected(agent, end) for agent in others.agents)
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar

from considerate.distributions import (
    AgentName,
    Distribution,
    Number,
    Option,
    State,
    as_distribution,
    is_finite,
    value_at,
)
from multislot.checks import checked_discount, checked_hashable, known_name, number, python_number, refusal
from multislot.errors import SettingError, UnknownNameError, show_value

__all__ = [
    "CRITERIA",
    "OTHERS",
    "AugmentedReward",
    "Considered",
    "Criterion",
    "Minimum",
    "Negative",
    "Options",
    "PerAgentValue",
    "Simultaneous",
    "Value",
    "ValuedOptions",
    "Worst",
    "augment",
    "get_criterion",
]

OTHERS = "others"
"""The name of a future that belongs to no particular agent."""


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
        """Whether the criterion can use ``future``; a function whose signature is not known is accepted."""
        if not callable(future):
            return False
        try:
            signature(future).bind(*range(3 if self.every_step else 1))
        except TypeError:
            return False
        except ValueError:
            return True
        return True


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
        ranked: the minimum is over these agents. By default it is over all agents with a coefficient and a future.
    """

    ranked: tuple[AgentName, ...] | None = None

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Return the least of the agents' expected future returns from ``end``, each times its coefficient."""
        ranked = others.agents if self.ranked is None else self.ranked
        return min(others.caring[agent] * others.expected(agent, end) for agent in ranked)

    def check(self, others: Considered) -> None:
        """Raise UnknownNameError for a ranked agent without a known future, SettingError if nobody is ranked."""
        super().check(others)
        if isinstance(self.ranked, str) or (self.ranked is not None and not self.ranked):
            raise refusal("ranked", self.ranked, "a tuple of at least one agent", "leave it out to rank all")
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


CRITERIA: dict[str, type[Criterion]] = {
    "value": Value,
    "worst": Worst,
    "neg": Negative,
    "per_agent": PerAgentValue,
    "min": Minimum,
    "sim": Simultaneous,
    "options": Options,
    "valued_options": ValuedOptions,
}
"""Equations 1 to 8 by name, in their order."""


def get_criterion(criterion: "str | Criterion | type[Criterion]") -> Criterion:
    """Return a criterion, which may be given by name, as an instance, or as a class that needs no settings."""
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, type) and issubclass(criterion, Criterion):
        try:
            return criterion()
        except TypeError as error:
            remedy = f"give an instance: {error}"
            raise refusal("criterion", criterion, "a class that needs no settings", remedy) from None
    if not isinstance(criterion, str):
        raise refusal("criterion", criterion, f"a Criterion, or one of {', '.join(CRITERIA)}")
    known_name("criterion", criterion, CRITERIA)
    return CRITERIA[criterion]()


@dataclass(frozen=True)
class AugmentedReward:
    """The acting agent's reward as one criterion augments it; made by `augment`.

    Args:
        criterion: turns the others' futures into the auxiliary term.
        others: those considered, with their coefficients and futures.
        discount: γ.
    """

    criterion: Criterion
    others: Considered
    discount: Number = 1

    @property
    def own_coefficient(self) -> Number:
        """α₁, the coefficient of the acting agent's own reward."""
        return self.others.caring[self.others.acting]

    def term(self, end: State, start: State) -> Number:
        """The term that ending in ``end`` adds to the reward: F, or γ·F where the equation says so; 0 in equation 6."""
        if self.criterion.every_step:
            return 0
        term = self.criterion.term(self.others, end, start)
        if not is_finite(term):
            raise self._no_number("term", term, f"the end state {show_value(end)}")
        return self.discount * term if self.criterion.discounted else term

    def step_term(self, state: State, action: Any, next_state: State) -> Number:
        """The term that one step adds to the reward; 0 except for criteria that pay at every step (equation 6)."""
        if not self.criterion.every_step:
            return 0
        term = self.criterion.step_term(self.others, state, action, next_state)
        if not is_finite(term):
            raise self._no_number(
                "step_term",
                term,
                f"the step from {show_value(state)} to {show_value(next_state)} by {show_value(action)}",
            )
        return term

    def _no_number(self, method: str, term: object, where: str) -> SettingError:
        name = type(self.criterion).__name__
        return SettingError(f"{name}.{method} gave {show_value(term)} for {where}; expected a finite number")

    def __call__(
        self, own_reward: Number, state: State, action: Any, next_state: State, *, terminal: bool, start: State
    ) -> Number:
        """Return r(s, a, s'): the augmented reward of one step.

        Args:
            own_reward: r₁(s, a, s').
            state: s.
            action: a.
            next_state: s'.
            terminal: whether s' is terminal for the acting agent.
            start: s₀, the state in which it began.
        """
        added = self.step_term(state, action, next_state)
        if terminal:
            added += self.term(next_state, start)
        augmented = self.own_coefficient * python_number(own_reward) + added
        if not is_finite(augmented):
            raise refusal("own_reward", own_reward, "a finite number")
        return augmented


def augment(
    criterion: str | Criterion | type[Criterion],
    *,
    acting: AgentName,
    caring: Number | Mapping[Any, Number],
    futures: Any,
    discount: Number = 1,
) -> AugmentedReward:
    """Make the augmented reward of a criterion, coefficients and futures, after checking that they fit.

    Args:
        criterion: an equation by name, or any `Criterion`.
        acting: the acting agent.
        caring: a number, α of all others, with α₁ = 1; or α by agent. Agents without an entry are not considered. α₁
            is 1 unless the mapping has an entry for the acting agent. A negative coefficient is ill will.
        futures: the future of each agent, by agent, as `as_distribution` reads it; or one future that belongs to no
            particular agent, whose name is then `OTHERS` (a table of values as a `Table`, since a mapping is by agent).
        discount: γ, from 0 to 1.
    """
    chosen = get_criterion(criterion)
    discount = checked_discount(discount)
    by_agent = futures if isinstance(futures, Mapping) else {OTHERS: futures}
    distributions = {agent: as_distribution(future) for agent, future in by_agent.items()}
    coefficients = _coefficients(acting, caring, distributions)
    considered = {agent: future for agent, future in distributions.items() if agent in coefficients}
    if not considered:
        raise refusal("caring", caring, "at least one agent with a future", "give its future and its coefficient")
    others = Considered(acting, coefficients, considered)
    chosen.check(others)
    return AugmentedReward(chosen, others, discount)


def _coefficients(
    acting: AgentName, caring: Number | Mapping[Any, Number], futures: Mapping[AgentName, object]
) -> dict[AgentName, Number]:
    """α by agent, with α₁ under the acting agent's name."""
    if not isinstance(caring, Mapping):
        caring = number("caring", caring)
        caring = {agent: caring for agent in futures if agent != acting}
    for agent in caring:
        if agent != acting and agent not in futures:
            raise UnknownNameError("agent", agent, map(str, {acting, *futures}))
    checked = {agent: number(f"caring[{agent!r}]", alpha) for agent, alpha in caring.items()}
    return {checked_hashable("acting", acting): 1, **checked}
