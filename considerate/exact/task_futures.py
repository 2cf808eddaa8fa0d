"""The others' futures that the acting agent of a Craft-World task knows, and their rewards at each step.

By default it knows the true ones: each other agent's value function, reward function or option, as the task has it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from considerate.craftworld.arrays import ENDED, Graph
from considerate.craftworld.definition import Task
from considerate.craftworld.rules import State
from considerate.criteria import AugmentedReward, Criterion, Options, Simultaneous, ValuedOptions
from considerate.distributions import Number, value_at
from considerate.exact.paths.rationals import Rationals
from multislot.errors import SettingError


def known_futures(task: Task, criterion: Criterion, own: bool = False) -> dict[str, Any]:
    """Return each agent's future as the task has it: a value function, a reward function or an option.

    A reward function of those who come later pays their whole return in the step in which the acting agent ends.

    Args:
        task: the task.
        criterion: which kind of future it needs.
        own: whether to include the acting agent's own future, if the task has one.
    """
    if isinstance(criterion, Options | ValuedOptions):
        if task.partner is not None:
            raise SettingError(
                f"{type(criterion).__name__} needs options that others may begin afterwards; in task {task.name!r} "
                f"{task.partner.name!r} acts at the same time: use the criterion 'sim' or one of value functions"
            )
        return dict(task.options())
    values = task.value_functions()
    own_value = task.own_value_function() if own else None
    if own_value is not None:
        values = {task.acting.name: own_value} | values
    if not criterion.every_step:
        return dict(values)
    rewards: dict[str, Any] = {agent: LaterReward(value) for agent, value in values.items()}
    if task.partner is not None:
        rewards[task.partner.name] = PartnerReward(task)
    return rewards


@dataclass(frozen=True)
class LaterReward:
    """An agent's whole return as its reward of the step in which the acting agent ends (section 3.3).

    The return is not discounted further at γ < 1, although its steps come later. Later steps, which a wrapper may still
    evaluate, pay 0.
    """

    value: Callable[[State], Number]

    def __call__(self, before: State, action: object, after: State) -> Number:
        """Return the reward of a step."""
        return self.value(after) if after.things[ENDED] and not before.things[ENDED] else 0


@dataclass(frozen=True)
class PartnerReward:
    """The partner's reward of a step; the step in which the acting agent ends includes all later rewards."""

    task: Task

    def __call__(self, before: State, action: object, after: State) -> Number:
        """Return the reward of a step."""
        return 0 if self.task.partner is None else self.task.partner.reward(before, after)


def step_terms(graph: Graph, reward: AugmentedReward) -> Rationals:
    """Compute [S, A], the criterion's term of each step; a reward function with several weights is evaluated once."""
    if not isinstance(reward.criterion, Simultaneous):
        return step_values(graph, reward.step_term)
    total = Rationals.zeros(graph.targets.shape)
    values: dict[int, Rationals] = {}
    for weight, function in reward.others.weighted:
        if id(function) not in values:
            values[id(function)] = step_values(graph, function)
        total += values[id(function)].times(weight)
    return total


def step_values(graph: Graph, function: Callable[[State, str, State], Number]) -> Rationals:
    """Evaluate a function of (state, action, next state) at every step, [S, A]; 0 in terminal states."""
    if isinstance(function, PartnerReward) and function.task.graph is graph:
        return function.task.partner_rewards
    return graph.evaluate(lambda *step: value_at(function, *step))
