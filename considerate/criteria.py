"""Ways to care: how an acting agent's reward is augmented by the futures of others.

Equations 1–8 of Alizadeh Alamdari et al. 2021. Each criterion is a small frozen class that turns the futures of those
considered, and where the acting agent ended, into the *auxiliary term* F; `augment` binds it to caring coefficients,
futures and a discount factor, and the augmented reward is

    r(s, a, s') = α₁·r₁(s, a, s')  +  γ·F(s')  once, when s' is terminal for the acting agent     (equations 1–5, 7)

with F(s') not multiplied by γ in equation 8, as printed, and F(s, a, s') paid at every step in equation 6.

Equations 1–3, 7 and 8 have one coefficient α₂ for one distribution over the futures of nobody in particular: where
futures are given by agent, one of the agents considered is drawn uniformly. Equations 4–6 have a coefficient for each
agent, and range over the acting agent too if it was given a future of its own (appendix B.2 uses that).

A new criterion is a class with one method::

    @dataclass(frozen=True)
    class NashWelfare(Criterion):
        '''The product of the expected futures.'''

        def term(self, others, end, start):
            return math.prod(others.expected(agent, end) for agent in others.agents)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
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
    finite,
    is_finite,
    value_at,
)
from multislot.errors import SettingError, UnknownNameError

OTHERS = "others"
"""The name under which futures are kept that belong to nobody in particular."""


@dataclass(frozen=True)
class Considered:
    """Those whose futures count, with what is known of them: what a criterion computes with.

    Args:
        acting: the acting agent's name.
        caring: α of each agent considered, and α₁ under the acting agent's name.
        futures: what is known of each agent's future; only agents with a coefficient are in it.
    """

    acting: AgentName
    caring: Mapping[AgentName, Number]
    futures: Mapping[AgentName, Distribution[Any]]

    @property
    def agents(self) -> tuple[AgentName, ...]:
        """Everyone whose future counts, the acting agent included if it has a future of its own."""
        return tuple(self.futures)

    @cached_property
    def pooled(self) -> Distribution[Any]:
        """P(V) of equations 1–3, 7 and 8: one of the others drawn uniformly, then one of its possible futures."""
        return Distribution.pooled([future for agent, future in self.futures.items() if agent != self.acting])

    @property
    def coefficient(self) -> Number:
        """The one α₂ of equations 1–3, 7 and 8; raises SettingError if coefficients differ between the others."""
        of_others = {agent: self.caring[agent] for agent in self.futures if agent != self.acting}
        if len(set(of_others.values())) != 1:
            shown = ", ".join(f"{agent}: {alpha}" for agent, alpha in of_others.items()) or "none"
            raise SettingError(
                f"this criterion has one coefficient for all others, got {shown}; "
                "give one number, or use the criterion 'per_agent' or 'min'"
            )
        return next(iter(of_others.values()))

    def expected(self, agent: AgentName, state: State) -> Number:
        """Returns Σⱼ P(Vᵢⱼ)·Vⱼ⁽ⁱ⁾(state) for agent i."""
        return self.futures[agent].expect(lambda value: value_at(value, state))


class Criterion(ABC):
    """How the futures of those considered become the auxiliary term F; see the module's example."""

    discounted: ClassVar[bool] = True
    """Whether γ multiplies the term."""

    one_coefficient: ClassVar[bool] = False
    """Whether all others share one coefficient α₂; refused at the door if they do not."""

    every_step: ClassVar[bool] = False
    """Whether `step_term` is paid at every step, until all agents have ended, instead of `term` at the end."""

    expects: ClassVar[str] = "a function of states"
    """In words, what each future has to be."""

    @abstractmethod
    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns F: how good it is for those considered that the acting agent ended in ``end``.

        Args:
            others: who is considered, with caring coefficients and futures. The term includes the coefficients.
            end: the acting agent's terminal state s'.
            start: its initial state s₀.
        """

    def step_term(self, others: Considered, state: State, action: Any, next_state: State) -> Number:
        """Returns what one step adds to the reward; nothing, unless `every_step`."""
        return 0

    def check(self, others: Considered) -> None:
        """Raises SettingError if the criterion cannot use these coefficients or futures; called before any step."""
        if self.one_coefficient:
            _ = others.coefficient
        for agent, future in others.futures.items():
            for item in future.items:
                if not self.accepts(item):
                    raise SettingError(f"a future of agent {agent!r} is {item!r}; expected {self.expects}")

    def accepts(self, future: object) -> bool:
        """Whether the criterion can use ``future``."""
        return callable(future) and _takes(future, 3 if self.every_step else 1)


@dataclass(frozen=True)
class Value(Criterion):
    """Equation 1: F = α₂·Σ_V P(V)·V(s'), the expected future return."""

    one_coefficient: ClassVar[bool] = True

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns α₂ times the expected future return from ``end``."""
        return others.coefficient * others.pooled.expect(lambda value: value_at(value, end))


@dataclass(frozen=True)
class Worst(Criterion):
    """Equation 2: F = α₂·min V(s') over the value functions of positive probability."""

    one_coefficient: ClassVar[bool] = True

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns α₂ times the least possible future return from ``end``."""
        worst: Number = min(value_at(value, end) for _, value in others.pooled.support())
        return others.coefficient * worst


@dataclass(frozen=True)
class Negative(Criterion):
    """Equation 3: F = α₂·Σ_V P(V)·min(V(s'), V(s₀)): harm counts, help beyond the initial state does not."""

    one_coefficient: ClassVar[bool] = True

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns α₂ times the expected future return, each value capped at its value in ``start``."""
        return others.coefficient * others.pooled.expect(
            lambda value: min(value_at(value, end), value_at(value, start))
        )


@dataclass(frozen=True)
class PerAgentValue(Criterion):
    """Equation 4: F = Σᵢ αᵢ·Σⱼ P(Vᵢⱼ)·Vⱼ⁽ⁱ⁾(s')."""

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns the sum of the agents' expected future returns from ``end``, each times its coefficient."""
        return sum(others.caring[agent] * others.expected(agent, end) for agent in others.agents)


@dataclass(frozen=True)
class Minimum(Criterion):
    """Equation 5: F = minᵢ αᵢ·Σⱼ P(Vᵢⱼ)·Vⱼ⁽ⁱ⁾(s'), the maximin ("Rawlsian") welfare.

    Args:
        ranked: the agents among whom the worst off is looked for; by default all who have a coefficient and a future.
    """

    ranked: tuple[AgentName, ...] | None = None

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns the least of the agents' expected future returns from ``end``, each times its coefficient."""
        ranked = others.agents if self.ranked is None else self.ranked
        return min(others.caring[agent] * others.expected(agent, end) for agent in ranked)

    def check(self, others: Considered) -> None:
        """Raises UnknownNameError for a ranked agent of whom nothing is known, SettingError if nobody is ranked."""
        super().check(others)
        if self.ranked is not None and not self.ranked:
            raise SettingError("the criterion 'min' ranks nobody; name at least one agent, or leave ranked out")
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
        """Returns 0: nothing is paid for the end as such."""
        return 0

    def step_term(self, others: Considered, state: State, action: Any, next_state: State) -> Number:
        """Returns the sum of the agents' expected rewards of this step, each times its coefficient."""
        return sum(
            others.caring[agent] * future.expect(lambda reward: value_at(reward, state, action, next_state))
            for agent, future in others.futures.items()
        )


@dataclass(frozen=True)
class Options(Criterion):
    """Equation 7: F = α₂·Σ_I P(I)·𝕀_I(s'), the probability that the option that is wanted next can start."""

    one_coefficient: ClassVar[bool] = True
    expects: ClassVar[str] = "an Option"

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns α₂ times the probability of an option that can start in ``end``."""
        return others.coefficient * others.pooled.expect(lambda option: int(option.can_start(end)))

    def accepts(self, future: object) -> bool:
        """Whether ``future`` is an option."""
        return isinstance(future, Option)


@dataclass(frozen=True)
class ValuedOptions(Criterion):
    """Equation 8: F = α₂·Σ P(⟨I, V⟩)·𝕀_I(s')·V(s'), as printed without γ.

    An option that cannot start counts 0, as printed. Where V is negative that is more than the option is worth if it
    can, so that closing it pays: in the task ``box``, where values are minus what a walk costs, the acting agent takes
    the key away. Give value functions that are nowhere negative to make closing an option no gain.
    """

    one_coefficient: ClassVar[bool] = True
    discounted: ClassVar[bool] = False
    expects: ClassVar[str] = "an Option with a value function"

    def term(self, others: Considered, end: State, start: State) -> Number:
        """Returns α₂ times the expected return of the options that can start in ``end``."""
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
    """Returns the criterion of this name; a criterion, or a class of criteria without settings, is taken as it is.

    Raises:
        UnknownNameError: no criterion has this name; the message suggests the nearest.
        SettingError: it is neither a name nor a criterion.
    """
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, type) and issubclass(criterion, Criterion):
        return _made(criterion)
    if not isinstance(criterion, str):
        raise SettingError(f"criterion is {criterion!r}; expected a name ({', '.join(CRITERIA)}) or a Criterion")
    if criterion not in CRITERIA:
        raise UnknownNameError("criterion", criterion, CRITERIA)
    return CRITERIA[criterion]()


def _made(criterion: type[Criterion]) -> Criterion:
    """A criterion of a class; SettingError if the class needs settings, or is not finished."""
    try:
        return criterion()
    except TypeError as error:
        raise SettingError(f"no criterion can be made of the class alone: {error}; give a criterion") from None


def _takes(function: Callable[..., Any], number: int) -> bool:
    """Whether a function can be called with so many arguments; taken to be so if that is not known."""
    try:
        signature(function).bind(*range(number))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


@dataclass(frozen=True)
class AugmentedReward:
    """The acting agent's reward as one criterion augments it; made by `augment`.

    Args:
        criterion: what becomes of the others' futures.
        others: who is considered, and what is known of them.
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
        """Returns what ending in ``end`` adds to the reward: F, γ·F where the equation has it so; 0 in equation 6.

        Raises:
            SettingError: the criterion gives no finite number.
        """
        if self.criterion.every_step:
            return 0
        term = self.criterion.term(self.others, end, start)
        if not is_finite(term):
            raise self._no_number("term", term, f"the end state {end!r}")
        return self.discount * term if self.criterion.discounted else term

    def step_term(self, state: State, action: Any, next_state: State) -> Number:
        """Returns what one step adds to the reward; 0 except for criteria that pay at every step (equation 6).

        Raises:
            SettingError: the criterion gives no finite number.
        """
        if not self.criterion.every_step:
            return 0
        term = self.criterion.step_term(self.others, state, action, next_state)
        if not is_finite(term):
            raise self._no_number("step_term", term, f"the step from {state!r} to {next_state!r} by {action!r}")
        return term

    def _no_number(self, method: str, term: object, where: str) -> SettingError:
        """The error of a criterion that gives something else than a number."""
        name = type(self.criterion).__name__
        return SettingError(f"{name}.{method} gave {term!r} for {where}; expected a finite number")

    def __call__(
        self, own_reward: Number, state: State, action: Any, next_state: State, *, terminal: bool, start: State
    ) -> Number:
        """Returns r(s, a, s'): the augmented reward of one step.

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
    """Binds a criterion to coefficients and futures, and checks that they fit.

    Args:
        criterion: an equation by name, or any `Criterion`.
        acting: the acting agent.
        caring: a number, α of everyone else, with α₁ = 1; or α by agent, where agents left out are not considered, and
            α₁ is 1 unless it is given under the acting agent's name. A coefficient may be negative: that is ill will.
        futures: what is known of each agent, as `as_distribution` reads it, by agent; or of nobody in particular, which
            then has the name `OTHERS`.
        discount: γ, from 0 to 1.

    Raises:
        SettingError: a number is out of its domain, or the criterion cannot use these coefficients or futures.
        UnknownNameError: a coefficient is given for an agent of whom nothing is known.
    """
    chosen = get_criterion(criterion)
    if not 0 <= finite(discount, "the discount") <= 1:
        raise SettingError(f"the discount is {discount!r}; expected a number from 0 to 1")
    by_agent = futures if isinstance(futures, Mapping) else {OTHERS: futures}
    known = {agent: as_distribution(future) for agent, future in by_agent.items()}
    coefficients = _coefficients(acting, caring, known)
    considered = {agent: future for agent, future in known.items() if agent in coefficients}
    if not considered:
        raise SettingError("nobody is considered; give a future and a caring coefficient for at least one agent")
    others = Considered(acting, coefficients, considered)
    chosen.check(others)
    return AugmentedReward(chosen, others, discount)


def _coefficients(
    acting: AgentName, caring: Number | Mapping[Any, Number], known: Mapping[AgentName, object]
) -> dict[AgentName, Number]:
    """Returns α by agent, with α₁ under the acting agent's name."""
    if not isinstance(caring, Mapping):
        caring = {agent: caring for agent in known if agent != acting}
    for agent, alpha in caring.items():
        if agent != acting and agent not in known:
            raise UnknownNameError("agent", agent, map(str, {acting, *known}))
        finite(alpha, f"the caring coefficient of agent {agent!r}")
    return {acting: 1, **caring}
