"""The standard agents to compare with: they never defer, and do not plan for the worst case.

The full mixture is AIXI on the class (Hutter 2005): it takes the first action of the Bayes-adaptive best plan. Others
act on the most likely model, or on a model drawn from the posterior (Thompson 1933). Q-learning has no model.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from multislot.agents.tabular import QLearner
from multislot.bayes.agents import ClassAgent, Decision, Done, MentoredAgent
from multislot.bayes.memory import PLANS, Memory
from multislot.bayes.mentored import TurnCode
from multislot.bayes.models import draw
from multislot.bayes.planning import MixturePlan, best_mixture_plan, find_first_best
from multislot.bayes.posterior import ModelClass, Weighed
from multislot.checks import checked_index, checked_stream, whole
from multislot.engine.stream import Stream
from multislot.mdp.chains import Floats

WEIGHT_DIGITS = 9


class BayesAgent(ClassAgent):
    """Maximizes the mixture's value: AIXI on the class.

    A small ``depth`` can make the agent stand still. Beyond it each model gets its own best plan, as if the truth were
    revealed then. Waiting is therefore worth almost as much as the best plan. If each first step is risky in some
    model, an agent with ``depth=1`` or ``2`` waits at every step: it goes nowhere and learns nothing. If risks
    matter, give a depth that is longer than the path to what resolves them.

    Args:
        models, discount, horizon, stream, n_inner: as in `ClassAgent`; it draws nothing.
        depth: number of steps for which it counts on what it will learn; beyond, each model gets its own best plan.
            By default the whole horizon, which is exact and may be too large.
    """

    compared = (*ClassAgent.compared, "depth")

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
        self._plans: Memory[MixturePlan] = models.plans.once(settings, lambda: Memory(PLANS))

    def _decide(self) -> Decision:
        weights = np.round(self.posterior.weights, WEIGHT_DIGITS)
        summaries = tuple(s if w > 0 else None for s, w in zip(self.posterior.summaries, weights.tolist(), strict=True))
        plan = self._plans.once(
            (summaries, weights.tobytes()),
            lambda: best_mixture_plan(self.models, weights, self.discount, self.horizon, summaries, self.depth),
        )
        return Decision(len(self.done), plan.action, "best for the mixture", plan.value)


class SingleModelAgent(ClassAgent):
    """Base of the agents that act as if one model were the truth; a subclass chooses it."""

    def _model(self) -> int:
        """The index of the model that it believes at this step."""
        raise NotImplementedError(f"{type(self).__name__} does not define _model() -> int")

    def _decide(self) -> Decision:
        index = self._model()
        action_values = self._action_values(index)
        action = find_first_best(action_values, self.discount, self.horizon)
        return Decision(len(self.done), action, f"best for {self.models.names[index]}", float(action_values.max()))

    def _action_values(self, index: int) -> Floats:
        """[A], the normalized action values of one model after the history so far."""
        if self.models.stack is not None:
            state: Any = self.posterior.summaries[index]
            best: Floats = self.models.stack.best_action_values(self.discount, self.horizon)[index, state]
            return best
        alone = np.eye(len(self.models))[index]
        summaries = tuple(self.posterior.summaries)
        return best_mixture_plan(self.models, alone, self.discount, self.horizon, summaries).action_values


class MostLikelyAgent(SingleModelAgent):
    """Takes the best action of the most likely model; ties go to the lower index."""

    def _model(self) -> int:
        return self.posterior.top_set(0.0)[0]


class ThompsonAgent(SingleModelAgent):
    """Draws a model from the posterior and takes its best actions, for some steps or until it is refuted.

    Args:
        models, discount, horizon, stream, n_inner: as in `ClassAgent`; it draws one number a step.
        period: steps between draws.
    """

    compared = (*ClassAgent.compared, "period")

    def __init__(
        self,
        models: ModelClass,
        discount: float,
        horizon: int,
        period: int = 1,
        stream: Stream | None = None,
        n_inner: int | None = None,
    ) -> None:
        self.period = whole("period", period)
        super().__init__(models, discount, horizon, stream, n_inner)

    def _start(self, stream: Stream | None) -> None:
        super()._start(stream)
        self.believed = self._draw(self.posterior)

    def _model(self) -> int:
        return self.believed

    def _learn(self, done: Done, beliefs: Mapping[str, Weighed]) -> None:
        posterior = beliefs["posterior"]
        if posterior.steps % self.period == 0 or posterior.log_weights[self.believed] == -np.inf:
            self.believed = self._draw(posterior)

    def _draw(self, posterior: Weighed) -> int:
        return draw(posterior.weights, self.stream.at(posterior.steps))


class QLearningAgent(MentoredAgent):
    """Q-learning on the inner observations; it never defers, and learns from its own and the mentor's steps.

    Args:
        n_states: number of observations.
        n_actions: number of actions.
        stream: what it draws from.
        start: the observation that stands for the beginning if nothing is observed there.
        settings: of `multislot.agents.QLearner`.
    """

    compared = ("n_states", "n_actions", "start")
    learner: QLearner
    state: int

    def __init__(self, n_states: int, n_actions: int, stream: Stream, start: int = 0, **settings: float) -> None:
        self.n_states, self.n_actions = whole("n_states", n_states), whole("n_actions", n_actions)
        self.start = checked_index("start", start, self.n_states)
        self.rates = {name: float(rate) for name, rate in settings.items()}
        self.code = TurnCode(self.n_states, self.n_actions)
        self._start(checked_stream(stream))

    def settings(self) -> dict[str, Any]:
        """Return the settings that must match on resume."""
        return {**super().settings(), **self.rates}

    def _decide(self) -> Decision:
        action = int(self.learner.act(self.state))
        value = float(self.learner.values[self.state * self.n_actions + action])
        return Decision(len(self.done), action, "Q-learning", value)

    def _learn(self, done: Done, beliefs: Mapping[str, Weighed]) -> None:
        """Learn one step, the agent's or the mentor's; nothing if the action is not known."""
        action, (state, reward) = done.action, done.percept
        if action is not None and state is None:
            self.learner.learn_last(self.state, action, reward)
        elif action is not None and state is not None:
            self.learner.learn(self.state, action, reward, state)
            self.state = state

    def _start(self, stream: Stream | None) -> None:
        super()._start(stream)
        self.state = self.start
        self.learner = QLearner(self.n_states, self.n_actions, self.stream, **self.rates)

    def _begin(self, first: int | None = None) -> None:
        super()._begin(first)
        self.state = self.start if first is None else checked_index("first observation", first, self.n_states)
