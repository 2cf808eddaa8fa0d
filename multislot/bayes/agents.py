"""What all agents on a class of models have in common: one decision a step, and learning from what followed.

An agent is asked to `decide`, which changes nothing, and told with `observe` what was done, by whom and what followed.
In the engine it does the same through `act` and `learn` (see `multislot.bayes.mentored`). Whatever it draws it reads
from its stream at an index that only observing advances.
"""

from copy import copy
from typing import Any

from multislot.agent import Agent
from multislot.bayes.arrays import as_reward
from multislot.bayes.checks import check_is, check_stream
from multislot.bayes.mentored import AGENT_SLOT, TurnCode
from multislot.bayes.models import Percept, as_percept, check_action
from multislot.bayes.planning import check_planning
from multislot.bayes.posterior import ModelClass, Posterior
from multislot.bayes.record import Decision, Done, Recorded, digest_of, sample_of
from multislot.stream import EndlessStream, Stream


class ClassAgent(Recorded, Agent):
    """Base of the agents on a class of models; a subclass writes `_decided` and, if it learns more, `_learned`.

    Args:
        models: the class.
        discount: γ in [0, 1).
        horizon: number of rewards that every value looks ahead.
        stream: what it draws from.
        n_inner: number of observations, to read the engine's indices; that of the tabular models by default.

    Attributes:
        posterior: over the models.
        done: the steps so far.
        record: the decisions so far, one for each step done.
    """

    def __init__(
        self,
        models: ModelClass,
        discount: float,
        horizon: int,
        stream: Stream | None = None,
        n_inner: int | None = None,
    ) -> None:
        check_is("models", models, ModelClass)
        self.models, self.discount, self.horizon = models, check_planning(discount, horizon), int(horizon)
        self.stream = EndlessStream(0, AGENT_SLOT) if stream is None else stream
        check_stream(self.stream)
        states = models.stack.n_states if models.stack is not None else 1
        self.code = TurnCode(states if n_inner is None else n_inner, models.n_actions)
        self.posterior: Posterior = models.posterior()
        self.done: list[Done] = []
        self.record: list[Decision] = []
        self._made: Decision | None = None

    def decide(self) -> Decision:
        """Returns the decision of this step; asking again gives the same."""
        if self._made is None:
            self._made = self._decided()
        return self._made

    def observe(self, action: int, percept: Percept, by_mentor: bool = False) -> None:
        """Learns one step: what was done, what followed, and who did it; nothing where it raises.

        Raises:
            SettingError: if there is no such action.
            UnexplainedError: if no model of the class allows it.
        """
        action, percept = check_action(action, self.models.n_actions), as_percept(percept)
        posterior = self.posterior.copy()
        posterior.observe(action, percept)
        self._follow(self._note(action, percept, by_mentor), posterior)

    def observe_last(self, action: int | None, reward: float, by_mentor: bool = False) -> None:
        """Learns the last step of an episode, of which only the reward is known, and who acted; then begins anew.

        Args:
            action: what was done; None if that is not known, either.
            reward: what was paid.
            by_mentor: who did it.

        Raises:
            SettingError: if there is no such action.
            UnexplainedError: if no model of the class allows it.
        """
        posterior = self.posterior.copy()
        posterior.observe_reward(action, reward)
        known = None if action is None else check_action(action, self.models.n_actions)
        self._follow(self._note(known, (None, as_reward(reward)), by_mentor), posterior)
        self.end_episode()

    def act(self, observation: int) -> int:
        """Returns the action decided on; the last of all stands for deferring. An episode may begin, which is seen."""
        action = (self._anew(observation) if self._begins(observation) else self).decide().action
        return self.code.defer if action is None else action

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Learns what `MentoredWorld` says was done, by whom, and what followed."""
        self._arrive(observation)
        turn = self.code.decode(next_observation)
        self.observe(turn.action, (turn.observation, reward), turn.by_mentor)

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Learns what was paid in the last step of an episode; what followed, and what a mentor did, it is not told."""
        self._arrive(observation)
        deferred = action == self.code.defer
        self.observe_last(None if deferred else action, reward, deferred)

    def settings(self) -> dict[str, Any]:
        """Returns what a resumed agent must have been made with, too."""
        return {
            "agent": type(self).__name__,
            "models": digest_of(self.models.models),
            "stream": sample_of(self.stream),
            "prior": self.models.prior.tolist(),
            "discount": self.discount,
            "horizon": self.horizon,
        }

    def _follow(self, done: Done, posterior: Posterior) -> None:
        """Takes up what was learned from a step, all of which is known to be possible."""
        decision = self.decide()
        self._learned(done, posterior)
        self.posterior = posterior
        self.record.append(decision)
        self.done.append(done)
        self._made = None

    def _begin(self, first: int | None = None) -> None:
        posterior = self.posterior.copy()
        posterior.begin(first)
        self.posterior, self._made = posterior, None

    def _begins(self, observation: int) -> bool:
        """Whether an observation says that an episode begins which the agent has not begun."""
        begins = self.code.is_first(observation)
        return begins and (self.is_under_way or self.first != self.code.observed(observation))

    def _arrive(self, observation: int) -> None:
        """Begins an episode where an observation says so."""
        if self._begins(observation):
            self.begin_episode(self.code.observed(observation))

    def _anew(self, observation: int) -> "ClassAgent":
        """One that decides as if an episode began; it shares the life, which deciding does not touch."""
        other = copy(self)
        other._begin(self.code.observed(observation))
        return other

    def _decided(self) -> Decision:
        """Returns the decision of this step; draws from the stream at an index of this step's own."""
        raise NotImplementedError(f"{type(self).__name__} does not define _decided() -> Decision")

    def _learned(self, done: Done, posterior: Posterior) -> None:
        """Learns what else there is to learn from a step, given the posterior after it; nothing where it raises."""
