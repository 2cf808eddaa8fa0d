"""The standard agents that a conservative one is compared with: none defers, and none fears the worst.

The full mixture is AIXI on the class (Hutter 2005): it takes the first action of the Bayes-adaptive best plan. The
others act on the most likely model, on a model drawn from the posterior (Thompson 1933), or on no model at all
(Q-learning).
"""

from typing import Any

import numpy as np

from multislot.agents.tabular import QLearner
from multislot.bayes.agents import ClassAgent
from multislot.bayes.arrays import Floats, as_reward
from multislot.bayes.checks import check_stream, checked_index
from multislot.bayes.graph import Summaries
from multislot.bayes.memory import PLANS, Memory
from multislot.bayes.models import Percept, as_percept, check_action, check_state
from multislot.bayes.planning import MixturePlan, best_mixture_plan, one_hot
from multislot.bayes.posterior import ModelClass, Posterior, draw
from multislot.bayes.record import Decision, Done, Recorded, sample_of
from multislot.checks import whole
from multislot.stream import Stream

WEIGHT_DIGITS = 9


class BayesAgent(ClassAgent):
    """Maximises the mixture's value: AIXI on the class.

    Args:
        models: the class.
        discount: γ in [0, 1).
        horizon: number of rewards that it looks ahead.
        depth: steps for which it counts on what it will learn; beyond, each model is granted its own best plan. The
            whole horizon by default, which is exact and may be too large.
        stream: it draws nothing.
        n_inner: number of observations, to read the engine's indices; that of the tabular models by default.
    """

    def __init__(
        self,
        models: ModelClass,
        discount: float,
        horizon: int,
        depth: int | None = None,
        stream: Stream | None = None,
        n_inner: int | None = None,
    ) -> None:
        super().__init__(models, discount, horizon, stream, n_inner)
        self.depth = None if depth is None else whole("depth", depth)
        settings = (MixturePlan, self.discount, self.horizon, self.depth)
        self._plans: Memory[MixturePlan] = models.remembered(settings, lambda: Memory(PLANS))

    def settings(self) -> dict[str, Any]:
        """Returns what a resumed agent must have been made with, too."""
        return {**super().settings(), "depth": self.depth}

    def _decided(self) -> Decision:
        weights = np.round(self.posterior.weights, WEIGHT_DIGITS)
        summaries = tuple(s if w > 0 else None for s, w in zip(self.posterior.summaries, weights.tolist(), strict=True))
        plan = self._plans.once((summaries, weights.tobytes()), lambda: self._planned(weights, summaries))
        return Decision(len(self.done), plan.action, "best for the mixture", plan.value)

    def _planned(self, weights: Floats, summaries: Summaries) -> MixturePlan:
        return best_mixture_plan(self.models, weights, self.discount, self.horizon, summaries, self.depth)


class SingleModelAgent(ClassAgent):
    """Base of the agents that act as if one model were the truth; a subclass says which."""

    def _model(self) -> int:
        """Returns the index of the model that is believed at this step."""
        raise NotImplementedError(f"{type(self).__name__} does not define _model() -> int")

    def _decided(self) -> Decision:
        index = self._model()
        action_values = self._action_values(index)
        action = int(np.argmax(one_hot(action_values[None, :])[0]))
        return Decision(len(self.done), action, f"best for {self.models.names[index]}", float(action_values.max()))

    def _action_values(self, index: int) -> Floats:
        """[A], the normalised action values of one model, from where it is."""
        if self.models.stack is not None:
            state: Any = self.posterior.summaries[index]
            best: Floats = self.models.stack.best_action_values(self.discount, self.horizon)[index, state]
            return best
        alone = np.eye(len(self.models))[index]
        summaries = tuple(self.posterior.summaries)
        return best_mixture_plan(self.models, alone, self.discount, self.horizon, summaries).action_values


class MostLikelyAgent(SingleModelAgent):
    """Acts as is best in the most likely model; ties go to the lower index."""

    def _model(self) -> int:
        return self.posterior.top_set(0.0)[0]


class ThompsonAgent(SingleModelAgent):
    """Draws a model from the posterior and acts as is best in it, for some steps or until it is refuted.

    Args:
        models: the class.
        discount: γ in [0, 1).
        horizon: number of rewards that it looks ahead.
        period: steps between draws.
        stream: what it draws from, one number a step.
        n_inner: number of observations, to read the engine's indices; that of the tabular models by default.

    Raises:
        SettingError: if the period is less than 1.
    """

    def __init__(
        self,
        models: ModelClass,
        discount: float,
        horizon: int,
        period: int = 1,
        stream: Stream | None = None,
        n_inner: int | None = None,
    ) -> None:
        super().__init__(models, discount, horizon, stream, n_inner)
        self.period = whole("period", period)
        self.believed = self._draw(self.posterior)

    def settings(self) -> dict[str, Any]:
        """Returns what a resumed agent must have been made with, too."""
        return {**super().settings(), "period": self.period}

    def _model(self) -> int:
        return self.believed

    def _learned(self, done: Done, posterior: Posterior) -> None:
        if posterior.steps % self.period == 0 or posterior.log_weights[self.believed] == -np.inf:
            self.believed = self._draw(posterior)

    def _draw(self, posterior: Posterior) -> int:
        """A model drawn from the posterior, with this step's own number."""
        return draw(posterior.weights, self.stream.at(posterior.steps))


class QLearningAgent(Recorded):
    """Q-learning on the observations, asked and told as the agents on a class of models are.

    Args:
        n_states: number of observations.
        n_actions: number of actions.
        stream: what it draws from.
        start: the observation that stands for the beginning, where nothing is observed there.
        settings: of `multislot.agents.QLearner`.

    Raises:
        SettingError: if an argument is out of its domain.
    """

    def __init__(self, n_states: int, n_actions: int, stream: Stream, start: int = 0, **settings: float) -> None:
        check_stream(stream)
        self.n_states, n_actions = whole("n_states", n_states), whole("n_actions", n_actions)
        self.state = self.start = checked_index("start", start, self.n_states)
        known = {name: float(number) for name, number in settings.items()}
        self.learner = QLearner(self.n_states, n_actions, stream, **known)
        self.done: list[Done] = []
        self.record: list[Decision] = []
        sizes = {"n_states": self.n_states, "n_actions": n_actions, "start": self.start}
        self._premises = {**sizes, **known, "stream": sample_of(stream)}

    def settings(self) -> dict[str, Any]:
        """Returns what a resumed agent must have been made with, too."""
        return {"agent": type(self).__name__, **self._premises}

    def decide(self) -> Decision:
        """Returns the decision of this step."""
        action = int(self.learner.act(self.state))
        value = float(self.learner.values[self.state * self.learner.n_actions + action])
        return Decision(len(self.done), action, "Q-learning", value)

    def observe(self, action: int, percept: Percept, by_mentor: bool = False) -> None:
        """Learns one step, whoever acted.

        Raises:
            SettingError: if there is no such action.
        """
        action, (state, reward) = check_action(action, self.learner.n_actions), as_percept(percept)
        self.record.append(self.decide())
        self.learner.learn(self.state, action, reward, state)
        self.done.append(self._note(action, (state, reward), by_mentor))
        self.state = state

    def observe_last(self, action: int | None, reward: float, by_mentor: bool = False) -> None:
        """Learns the last step of an episode, after which nothing counts; nothing where what was done is not known.

        Raises:
            SettingError: if there is no such action.
        """
        known = None if action is None else check_action(action, self.learner.n_actions)
        self.record.append(self.decide())
        if known is not None:
            self.learner.learn_last(self.state, known, as_reward(reward))
        self.done.append(self._note(known, (None, as_reward(reward)), by_mentor))
        self.end_episode()

    def _begin(self, first: int | None = None) -> None:
        self.state = self.start if first is None else check_state(first, self.n_states)
