"""Q-learning with a mentor's world around it: the standard agent that has no model."""

from typing import Any

from multislot.agents.tabular import QLearner
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.arrays import as_reward
from multislot.bayes.mentored import TurnCode
from multislot.bayes.models import PerceptKey, as_percept
from multislot.bayes.record import Decision, sample_of
from multislot.checks import checked_index, whole
from multislot.engine.stream import Stream


class QLearningAgent(MentoredAgent):
    """Q-learning on the inner observations; it never defers, and learns from its own and the mentor's steps.

    Args:
        n_states: number of observations.
        n_actions: number of actions.
        stream: what it draws from.
        start: the observation that stands for the beginning, where nothing is observed there.
        settings: of `multislot.agents.QLearner`.
    """

    learner: QLearner
    state: int

    def __init__(self, n_states: int, n_actions: int, stream: Stream, start: int = 0, **settings: float) -> None:
        self.n_states, self.n_actions = whole("n_states", n_states), whole("n_actions", n_actions)
        self.beginning = checked_index("start", start, self.n_states)
        self.rates = {name: float(rate) for name, rate in settings.items()}
        self.code = TurnCode(self.n_states, self.n_actions)
        self._start(stream)

    def settings(self) -> dict[str, Any]:
        """Return the settings that must match on resume."""
        sizes = {"n_states": self.n_states, "n_actions": self.n_actions, "start": self.beginning}
        return {"agent": type(self).__name__, **sizes, **self.rates, "stream": sample_of(self.stream)}

    def decide(self) -> Decision:
        """Return the decision of this step."""
        action = int(self.learner.act(self.state))
        value = float(self.learner.values[self.state * self.n_actions + action])
        return Decision(len(self.done), action, "Q-learning", value)

    def observe(self, action: int, percept: PerceptKey, by_mentor: bool = False) -> None:
        """Learn one step, the agent's or the mentor's."""
        action, (state, reward) = checked_index("action", action, self.n_actions), as_percept(percept)
        self.record.append(self.decide())
        self.learner.learn(self.state, action, reward, state)
        self.done.append(self._note(action, (state, reward), by_mentor))
        self.state = state

    def observe_last(self, action: int | None, reward: float, by_mentor: bool = False) -> None:
        """Learn the last step of an episode, after which nothing counts; nothing if the action is not known."""
        known = None if action is None else checked_index("action", action, self.n_actions)
        self.record.append(self.decide())
        if known is not None:
            self.learner.learn_last(self.state, known, as_reward(reward))
        self.done.append(self._note(known, (None, as_reward(reward)), by_mentor))
        self.end_episode()

    def _start(self, stream: Stream) -> None:
        super()._start(stream)
        self.state = self.beginning
        self.learner = QLearner(self.n_states, self.n_actions, self.stream, **self.rates)

    def _begin(self, first: int | None = None) -> None:
        self.state = self.beginning if first is None else checked_index("first observation", first, self.n_states)
