"""Finite model classes and what has been learned about them, in the log domain.

``w(ν|h) ∝ w(ν) · Π ν(o, r | h, a)`` over every step (Cohen and Hutter 2020). For a class of tabular models an update is
one row of a sparse table that holds all models side by side.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from multislot.bayes.arrays import Floats, as_reward
from multislot.bayes.memory import SETTINGS, Memory
from multislot.bayes.models import (
    History,
    PerceptKey,
    WorldModel,
    as_percept,
    begun,
    checked_model,
    following,
    law_of,
    percept_of,
)
from multislot.bayes.stack import LikelihoodTables, ModelStack, tabular_of_one_size
from multislot.bayes.top_sets import top_set
from multislot.bayes.weights import LogWeights, Weighed, checked_prior
from multislot.checks import checked_index, refusal
from multislot.errors import MultislotError

Remembered = TypeVar("Remembered")


class UnexplainedError(MultislotError, ValueError):
    """Every model of a class gives what was seen probability 0.

    Args:
        step: the step concerned, counted from 1.
        action: the action taken; None where it is not known.
        percept: the (observation, reward) that followed, with None for an observation that is not known; None where it
            is the action itself, a mentor's, that no mentor-model allows.
    """

    def __init__(self, step: int, action: int | None, percept: tuple[int | None, float] | None) -> None:
        self.step, self.action, self.percept = step, action, percept
        what = "the mentor's choice of it" if percept is None else f"observation {percept[0]} with reward {percept[1]}"
        if percept is not None and percept[0] is None:
            what = f"a last reward of {percept[1]}"
        taken = "unknown" if action is None else action
        super().__init__(
            f"step {step}, action {taken}: every model of the class gives {what} probability 0; widen the class"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.step, self.action, self.percept)


class ModelClass:
    """A finite class of world-models with a prior.

    Args:
        models: at least one; all with the same number of actions. Tabular models of one size are computed with side by
            side.
        prior: [K], positive and summing to 1; the same for each where left out.
        names: [K], for people; ``model 0, model 1, …`` where left out.
    """

    def __init__(
        self, models: Iterable[WorldModel], prior: ArrayLike | None = None, names: Sequence[str] | None = None
    ) -> None:
        if not isinstance(models, Iterable):
            raise refusal("models", models, "a list of world-models")
        self.models = tuple(models)
        for index, model in enumerate(self.models):
            checked_model(f"models[{index}]", model)
        self.prior = checked_prior(prior, len(self.models), "models")
        self.names = tuple(names) if names is not None else tuple(f"model {i}" for i in range(len(self.models)))
        if len(self.names) != len(self.models):
            raise refusal("names", self.names, f"{len(self.models)}, one for each model")
        self.n_actions = common_action_count("models", self.models)
        self._memory: Memory[Any] = Memory(SETTINGS)

    def remembered(self, key: Hashable, make: Callable[[], Remembered]) -> Remembered:
        """The plans for a key, made where they are not kept: they depend on the class, and its agents share them."""
        plans: Remembered = self._memory.once(key, make)
        return plans

    def __len__(self) -> int:
        return len(self.models)

    def posterior(self, history: History = ()) -> "Posterior":
        """Return the posterior after a history.

        Raises:
            UnexplainedError: at the first step to which every model gives probability 0.
        """
        posterior = Posterior(self)
        for action, percept in history:
            posterior.observe(action, percept)
        return posterior

    @cached_property
    def stack(self) -> ModelStack | None:
        """The models side by side for planning, or None where they are not tabular models of one size."""
        tabular = tabular_of_one_size(self.models)
        return ModelStack(tabular) if tabular else None

    @cached_property
    def tables(self) -> LikelihoodTables | None:
        """The likelihoods of all models side by side, or None where they are not tabular models of one size."""
        tabular = tabular_of_one_size(self.models)
        return LikelihoodTables(tabular) if tabular else None

    def __deepcopy__(self, memo: dict[int, object]) -> "ModelClass":
        return self


class Posterior(Weighed):
    """The posterior over a class; it grows with `observe`."""

    def __init__(self, models: ModelClass) -> None:
        self.models = models
        self.steps = 0
        self._weights = LogWeights.of(models.prior)
        self.begin()

    def observe(self, action: int, percept: PerceptKey) -> None:
        """Learn one step, or nothing where it raises.

        Raises:
            UnexplainedError: every model that is left gives the percept probability 0.
        """
        action, percept = checked_index("action", action, self.models.n_actions), as_percept(percept)
        weights = self._updated(self._likelihoods(action, percept), action, percept)
        summaries = list(self.summaries)
        for index in range(len(summaries)):
            if self.models.tables is not None:
                summaries[index] = percept[0]
            elif weights.log[index] > -np.inf:
                summaries[index] = following(self.models.models[index], summaries[index], action, percept)
        self.summaries = summaries
        self._state = percept[0] if self.models.tables is not None else None
        self._weights, self.steps = weights, self.steps + 1

    def observe_reward(self, action: int | None, reward: float) -> None:
        """Learn the reward of an episode's last step, or nothing where it raises; `begin` comes next.

        The action may be unknown, too (None: a mentor's). Then the models in which no action can be paid so are
        refuted, and the others keep their weights. To weigh them by a guess of what the mentor did would need a right
        guess: with a wrong one ``1/w(μ|h)`` is no supermartingale, on which the agent's guarantees rest. With this rule
        it never rises.

        Raises:
            UnexplainedError: every model that is left gives the reward probability 0.
        """
        known, actions = as_reward(reward), range(self.models.n_actions)
        if action is None:
            chances = [self._reward_likelihoods(choice, known) for choice in actions]
            likelihoods = (np.max(chances, axis=0) > 0).astype(float)
        else:
            likelihoods = self._reward_likelihoods(checked_index("action", action, len(actions)), known)
        self._weights, self.steps = self._updated(likelihoods, action, (None, known)), self.steps + 1

    def begin(self, first: int | None = None) -> None:
        """Let every model return to its beginning, where an episode begins; weights stay.

        Args:
            first: what is observed there; None where nothing is (λ).
        """
        self.summaries = [begun(model, first) for model in self.models.models]
        is_common = self.models.tables is not None and len(set(self.summaries)) == 1
        self._state = cast("int", self.summaries[0]) if is_common else None

    def _updated(self, likelihoods: Floats, action: int | None, percept: tuple[int | None, float]) -> LogWeights:
        """Return the weights after an observation of these likelihoods, [K]."""
        weights = self._weights.updated(likelihoods)
        if weights is None:
            raise UnexplainedError(self.steps + 1, action, percept)
        return weights

    def _reward_likelihoods(self, action: int, reward: float) -> Floats:
        """Return [K], the probability that each model gives to a reward, whatever is observed."""
        likelihoods = np.zeros(len(self.models))
        for index in np.flatnonzero(self.log_weights > -np.inf):
            law = law_of(self.models.models[index], self.summaries[index], action)
            likelihoods[index] = sum(chance for (_, paid), chance in law.items() if as_reward(paid) == reward)
        return likelihoods

    def _likelihoods(self, action: int, percept: PerceptKey) -> Floats:
        """Return [K], the probability that each model gives to a percept."""
        tables = self.models.tables
        if tables is not None and self._state is not None:
            return tables.likelihood(self._state, action, percept)
        likelihoods = np.zeros(len(self.models))
        for index in np.flatnonzero(self.log_weights > -np.inf):
            law = law_of(self.models.models[index], self.summaries[index], action)
            likelihoods[index] = sum(chance for known, chance in law.items() if percept_of(*known) == percept)
        return likelihoods

    def top_set(self, beta: float) -> tuple[int, ...]:
        """Return ``M^β`` as indices in falling posterior order."""
        return top_set(self.log_weights, self.weights, beta)


def common_action_count(name: str, members: Sequence[Any]) -> int:
    """Return the number of actions that all members of a class have."""
    counts = {member.n_actions for member in members}
    if len(counts) > 1:
        raise refusal(f"{name} with n_actions", sorted(counts), "the same number of actions in each")
    count: int = counts.pop()
    return count
