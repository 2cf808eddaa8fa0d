"""Criteria by name, and the augmented reward of the acting agent.

A criterion (`considerate.equations`) is bound to caring coefficients, futures and a discount factor by `augment`. With
its auxiliary term F the augmented reward is

    r(s, a, s') = α₁·r₁(s, a, s')  +  γ·F(s')  once, when s' is terminal for the acting agent     (equations 1–5, 7)

with F(s') not multiplied by γ in equation 8, as printed, and F(s, a, s') paid at every step in equation 6 (Alizadeh
Alamdari et al. 2021).

A new criterion is a class with one method::

    @dataclass(frozen=True)
    class NashWelfare(Criterion):
        '''The product of the expected futures.'''

        def term(self, others, end, start):
            return math.prod(others.expected(agent, end) for agent in others.agents)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from considerate.distributions import (
    OTHERS,
    AgentName,
    Number,
    State,
    as_distribution,
    is_finite,
)
from considerate.equations import (
    Considered,
    Criterion,
    Minimum,
    Negative,
    Options,
    PerAgentValue,
    Simultaneous,
    Value,
    ValuedOptions,
    Worst,
)
from multislot.checks import checked_discount, number, refusal
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
    if criterion not in CRITERIA:
        raise UnknownNameError("criterion", criterion, CRITERIA)
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
        return self.own_coefficient * own_reward + added


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
            particular agent, whose name is then `OTHERS`.
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
    for agent, alpha in caring.items():
        if agent != acting and agent not in futures:
            raise UnknownNameError("agent", agent, map(str, {acting, *futures}))
        number(f"caring[{agent!r}]", alpha)
    return {acting: 1, **caring}
