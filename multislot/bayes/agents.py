"""What all agents with a mentor have in common: one decision a step, and learning from what followed.

An agent is asked to `decide`, which changes nothing. It is told with `observe` what was done, by whom, and what
followed. In the engine it does the same through `act` and `learn` (see `multislot.bayes.mentored`). It draws from its
stream, at an index that only observing advances.
"""

from copy import copy
from typing import Any, TypeVar

from multislot.bayes.arrays import as_reward
from multislot.bayes.mentored import AGENT_SLOT, TurnCode
from multislot.bayes.models import PerceptKey, as_percept
from multislot.bayes.planning import checked_planning
from multislot.bayes.posterior import ModelClass, Posterior
from multislot.bayes.record import Decision, Done, Recorded, digest_of, sample_of
from multislot.checks import checked_index, checked_instance, checked_stream
from multislot.engine.agent import Agent
from multislot.engine.stream import EndlessStream, Stream

Self = TypeVar("Self", bound="MentoredAgent")


class MentoredAgent(Recorded, Agent):
    """Base of the agents that live in a `MentoredWorld`; a subclass writes `decide`, `observe` and `observe_last`.

    Attributes:
        code: reads the engine's indices.
        stream: what it draws from.
        done: the steps so far.
        record: the decisions so far, one for each step done.
    """

    code: TurnCode
    stream: Stream

    def decide(self) -> Decision:
        """Return the decision of this step; asking again gives the same."""
        raise NotImplementedError(f"{type(self).__name__} does not define decide() -> Decision")

    def fresh(self: Self, stream: Stream) -> Self:
        """Return an agent with the same settings that has lived nothing and draws from `stream`."""
        other = copy(self)
        other._start(stream)
        return other

    def act(self, observation: int) -> int:
        """Return the action decided on; the last of all stands for deferring. An episode may begin, which is seen."""
        action = (self._restarted(observation) if self._begins(observation) else self).decide().action
        return self.code.defer if action is None else action

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Learn what `MentoredWorld` says was done, by whom, and what followed."""
        self._arrive(observation)
        turn = self.code.decode(next_observation)
        self.observe(turn.action, (turn.observation, reward), turn.by_mentor)

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Learn the reward of an episode's last step; what followed, and what a mentor did, the agent is not told."""
        self._arrive(observation)
        deferred = action == self.code.defer
        self.observe_last(None if deferred else action, reward, deferred)

    def _start(self, stream: Stream) -> None:
        """Forget everything and draw from a stream from now on."""
        self.stream = checked_stream(stream)
        self.done, self.record, self.first = [], [], None

    def _begins(self, observation: int) -> bool:
        """Return whether an observation says that an episode begins which the agent has not begun."""
        begins = self.code.is_first(observation)
        return begins and (self.is_under_way or self.first != self.code.observed(observation))

    def _arrive(self, observation: int) -> None:
        """Begin an episode where an observation says so."""
        if self._begins(observation):
            self.begin_episode(self.code.observed(observation))

    def _restarted(self, observation: int) -> "MentoredAgent":
        """Return an agent that decides as if an episode began; it shares the life, which deciding does not change."""
        other = copy(self)
        other._begin(self.code.observed(observation))
        return other


class ClassAgent(MentoredAgent):
    """Base of the agents on a class of models; a subclass writes `_decided` and, if it learns more, `_learned`.

    Args:
        models: the class.
        discount: γ in [0, 1).
        horizon: the number of rewards that every decision looks ahead. It recedes: it is as long at every step, and no
            end of the agent's life is assumed (`multislot.exact.AIMU` has an end, ``last_step``).
        stream: what it draws from.
        n_inner: number of observations, to read the engine's indices; that of the tabular models by default.

    Attributes:
        posterior: over the models.
    """

    posterior: Posterior
    _made: Decision | None

    def __init__(
        self,
        models: ModelClass,
        discount: float,
        horizon: int,
        stream: Stream | None = None,
        n_inner: int | None = None,
    ) -> None:
        self.models = checked_instance("models", models, ModelClass)
        self.discount, self.horizon = checked_planning(discount, horizon)
        states = models.stack.n_states if models.stack is not None else 1
        self.code = TurnCode(states if n_inner is None else n_inner, models.n_actions)
        self._start(EndlessStream(0, AGENT_SLOT) if stream is None else stream)

    def decide(self) -> Decision:
        """Return the decision of this step; asking again gives the same."""
        if self._made is None:
            self._made = self._decided()
        return self._made

    def observe(self, action: int, percept: PerceptKey, by_mentor: bool = False) -> None:
        """Learn one step, or nothing where it raises: what was done, what followed, and who did it.

        Raises:
            UnexplainedError: no model of the class allows it.
        """
        action, percept = checked_index("action", action, self.models.n_actions), as_percept(percept)
        posterior = self.posterior.copy()
        posterior.observe(action, percept)
        self._follow(self._note(action, percept, by_mentor), posterior)

    def observe_last(self, action: int | None, reward: float, by_mentor: bool = False) -> None:
        """Learn the last step of an episode, as `Recorded.observe_last` says.

        Raises:
            UnexplainedError: no model of the class allows it.
        """
        posterior = self.posterior.copy()
        posterior.observe_reward(action, reward)
        known = None if action is None else checked_index("action", action, self.models.n_actions)
        self._follow(self._note(known, (None, as_reward(reward)), by_mentor), posterior)
        self.end_episode()

    def settings(self) -> dict[str, Any]:
        """Return the settings that must match on resume."""
        return {
            "agent": type(self).__name__,
            "models": digest_of(self.models.models),
            "stream": sample_of(self.stream),
            "prior": self.models.prior.tolist(),
            "discount": self.discount,
            "horizon": self.horizon,
        }

    def _start(self, stream: Stream) -> None:
        super()._start(stream)
        self.posterior, self._made = self.models.posterior(), None

    def _follow(self, done: Done, posterior: Posterior) -> None:
        """Take over what was learned from a step, all of which is known to be possible."""
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

    def _decided(self) -> Decision:
        """Return the decision of this step; draw from the stream at an index of this step's own."""
        raise NotImplementedError(f"{type(self).__name__} does not define _decided() -> Decision")

    def _learned(self, done: Done, posterior: Posterior) -> None:
        """Learn whatever else a step teaches, given the posterior after it; nothing where it raises."""
