"""Finite model classes and what has been learned about them, in the log domain.

``w(ν|h) ∝ w(ν) · Π ν(o, r | h, a)`` over every step, and the top set ``M^β``: the models in falling posterior order
until their total weight is more than β (Cohen and Hutter 2020).

Departure from the paper: it says "at least β", which at β = 0 would be no model at all; "more than" makes β = 0 the
most likely model alone. Ties go to the lower index, and weights that differ by rounding only are ties. For a class of
tabular models an update is one row of a sparse table that holds all models side by side.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from multislot.bayes.arrays import Floats, as_floats, as_reward
from multislot.bayes.checks import check_model
from multislot.bayes.memory import SETTINGS, Memory
from multislot.bayes.models import (
    History,
    Percept,
    WorldModel,
    as_percept,
    begun,
    check_action,
    following,
    law_of,
    percept_of,
)
from multislot.bayes.stack import LikelihoodTables, ModelStack, tabular_of_one_size
from multislot.errors import MultislotError, SettingError

Remembered = TypeVar("Remembered")

ROUNDING = 1e-9
TIE_DIGITS = 9
SAFE_SIDE = 1e-12


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

    Raises:
        SettingError: if these disagree, or the prior is not a distribution.
    """

    def __init__(
        self, models: Iterable[WorldModel], prior: ArrayLike | None = None, names: Sequence[str] | None = None
    ) -> None:
        if not isinstance(models, Iterable):
            raise SettingError(f"got the models {models!r}, expected a list of them")
        self.models = tuple(models)
        for index, model in enumerate(self.models):
            check_model(f"model {index}", model)
        self.prior = checked_prior(prior, len(self.models), "models")
        self.names = tuple(names) if names is not None else tuple(f"model {i}" for i in range(len(self.models)))
        if len(self.names) != len(self.models):
            raise SettingError(f"got {len(self.names)} names for {len(self.models)} models")
        counts = {model.n_actions for model in self.models}
        if len(counts) > 1:
            raise SettingError(f"the models have different numbers of actions: {sorted(counts)}")
        self.n_actions = counts.pop()
        self._memory: Memory[Any] = Memory(SETTINGS)

    def remembered(self, key: Hashable, make: Callable[[], Remembered]) -> Remembered:
        """Returns what ``make`` makes for a key: plans depend on the class, its agents share them."""
        found: Remembered = self._memory.once(key, make)
        return found

    def __len__(self) -> int:
        return len(self.models)

    def posterior(self, history: History = ()) -> "Posterior":
        """Returns the posterior after a history.

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


class Posterior:
    """The posterior over a class; it grows with `observe`.

    Args:
        models: the class.

    Attributes:
        log_weights: [K], up to a constant; −∞ for models that are refuted.
        summaries: what each model needs to know of the history; of no meaning for models that are refuted.
        steps: number of percepts observed.
    """

    summaries: list[Hashable]

    def __init__(self, models: ModelClass) -> None:
        self.models = models
        self.log_weights: Floats = np.log(models.prior)
        self.steps = 0
        self._weights: Floats | None = None
        self.begin()

    def observe(self, action: int, percept: Percept) -> None:
        """Learns one step, or nothing where it raises.

        Raises:
            SettingError: if there is no such action.
            UnexplainedError: if every model that is left gives it probability 0.
        """
        action, percept = check_action(action, self.models.n_actions), as_percept(percept)
        log_weights = self._reweighed(self._likelihoods(action, percept), action, percept)
        self.summaries = self._advanced(log_weights, action, percept)
        self._state = percept[0] if self.models.tables is not None else None
        self._take(log_weights)

    def observe_reward(self, action: int | None, reward: float) -> None:
        """Learns the reward alone of an episode's last step, or nothing where it raises; `begin` comes next.

        Where the action is not known, either (None: a mentor's), models are refuted in which no action can be paid so,
        and the others keep their weights. To weigh them by a guess of what the mentor did would need a right guess, or
        ``1/w(μ|h)`` is no supermartingale, on which the agent's guarantees rest. This way it never rises.

        Raises:
            SettingError: if there is no such action.
            UnexplainedError: if every model that is left gives it probability 0.
        """
        known, actions = as_reward(reward), range(self.models.n_actions)
        chances = [
            self._reward_likelihoods(a, known)
            for a in (actions if action is None else [check_action(action, len(actions))])
        ]
        likelihoods = chances[0] if action is not None else (np.max(chances, axis=0) > 0).astype(float)
        self._take(self._reweighed(likelihoods, action, (None, known)))

    def begin(self, first: int | None = None) -> None:
        """Lets every model return to its beginning, where an episode begins; weights stay.

        Args:
            first: what is observed there; None where nothing is (λ).
        """
        self.summaries = [begun(model, first) for model in self.models.models]
        self._state = _common_state(self.models, self.summaries)

    def _reweighed(self, likelihoods: Floats, action: int | None, percept: tuple[int | None, float]) -> Floats:
        """[K], the log weights after something of these likelihoods."""
        with np.errstate(divide="ignore"):
            log_weights: Floats = self.log_weights + np.log(likelihoods)
        if log_weights.max() == -np.inf:
            raise UnexplainedError(self.steps + 1, action, percept)
        return log_weights

    def _take(self, log_weights: Floats) -> None:
        self.log_weights, self._weights = log_weights - log_weights.max(), None
        self.steps += 1

    def _reward_likelihoods(self, action: int, reward: float) -> Floats:
        """[K], the probability that each model gives to a reward, whatever is observed."""
        likelihoods = np.zeros(len(self.models))
        for index in np.flatnonzero(self.log_weights > -np.inf):
            law = law_of(self.models.models[index], self.summaries[index], action)
            likelihoods[index] = sum(chance for (_, paid), chance in law.items() if as_reward(paid) == reward)
        return likelihoods

    def _likelihoods(self, action: int, percept: Percept) -> Floats:
        """[K], the probability that each model gives to a percept."""
        tables = self.models.tables
        if tables is not None and self._state is not None:
            return tables.likelihood(self._state, action, percept)
        likelihoods = np.zeros(len(self.models))
        for index in np.flatnonzero(self.log_weights > -np.inf):
            law = law_of(self.models.models[index], self.summaries[index], action)
            likelihoods[index] = sum(chance for known, chance in law.items() if percept_of(*known) == percept)
        return likelihoods

    def _advanced(self, log_weights: Floats, action: int, percept: Percept) -> list[Hashable]:
        """The summaries one step on."""
        if self.models.tables is not None:
            return [percept[0]] * len(self.models)
        summaries = list(self.summaries)
        for index in np.flatnonzero(log_weights > -np.inf):
            summaries[index] = following(self.models.models[index], summaries[index], action, percept)
        return summaries

    @property
    def weights(self) -> Floats:
        """[K], the posterior."""
        if self._weights is None:
            self._weights = normalised(self.log_weights)
        return self._weights

    def top_set(self, beta: float) -> tuple[int, ...]:
        """Returns ``M^β`` as indices in falling posterior order."""
        return top_set(self.log_weights, self.weights, beta)

    def copy(self) -> "Posterior":
        """Returns a posterior that has learned the same and learns apart."""
        copied = Posterior.__new__(Posterior)
        copied.__dict__.update(self.__dict__)
        copied.summaries = list(self.summaries)
        return copied


def checked_prior(prior: ArrayLike | None, count: int, what: str) -> Floats:
    """Returns a prior over ``count`` things, uniform where None.

    Raises:
        SettingError: if it is not one.
    """
    if not count:
        raise SettingError(f"got no {what}; give at least one")
    weights = np.full(count, 1 / count) if prior is None else as_floats("prior", prior)
    if weights.shape != (count,):
        raise SettingError(f"prior has shape {weights.shape}, expected {(count,)}, one number for each of the {what}")
    if not (weights > 0).all():
        index = int(np.argmin(weights > 0))
        raise SettingError(f"prior[{index}] is {weights[index]}, expected more than 0 (leave out what is impossible)")
    if not abs(weights.sum() - 1) <= ROUNDING:
        raise SettingError(f"prior sums to {weights.sum()}, expected 1")
    return weights


def normalised(log_weights: Floats) -> Floats:
    """Returns weights that sum to 1, [K], from log weights up to a constant."""
    unnormalised: Floats = np.exp(log_weights - log_weights.max())
    weights: Floats = unnormalised / unnormalised.sum()
    return weights


def top_set(log_weights: Floats, weights: Floats, beta: float) -> tuple[int, ...]:
    """Returns the indices of ``M^β``: in falling order until the total is more than β (by more than rounding).

    Args:
        log_weights: [K], up to a constant.
        weights: [K], the same, normalised.
        beta: β.

    Raises:
        SettingError: if β is outside [0, 1).
    """
    check_beta(beta)
    order = np.argsort(-np.round(log_weights - log_weights.max(), TIE_DIGITS), kind="stable")
    possible = len(order) - int(np.isneginf(log_weights).sum())
    count = int(weights[order].cumsum().searchsorted(beta + SAFE_SIDE, side="right")) + 1
    return tuple(order[: min(count, possible)].tolist())


def check_beta(beta: float) -> float:
    """Returns β as a float (it may be a Fraction).

    Raises:
        SettingError: if it is outside [0, 1).
    """
    if not isinstance(beta, (float, Real)) or not 0 <= beta < 1:
        raise SettingError(f"beta is {beta!s}, expected a number in [0, 1)")
    return float(beta)


def draw(weights: Floats, chance: float) -> int:
    """Returns the index that a number in [0, 1) draws from weights [K]; an index of weight 0 is never drawn."""
    total = list(accumulate(weights.tolist()))
    index = bisect_right(total, chance * total[-1])
    return index if index < len(total) else bisect_left(total, total[-1])


def _common_state(models: ModelClass, summaries: list[Hashable]) -> int | None:
    """The state that all tabular models of a class are in, or None where they start in different ones."""
    if models.tables is None or len(set(summaries)) > 1:
        return None
    first = summaries[0]
    return first if isinstance(first, int) else None
