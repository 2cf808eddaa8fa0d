"""What all agents on a class of models have in common: one decision a step, and learning from what followed.

An agent is asked to `decide`, which changes nothing, and told with `observe` what was done, by whom and what followed.
In the engine it does the same through `act` and `learn` (see `multislot.bayes.mentored`). Whatever it draws it reads
from its stream at an index that only observing advances.
"""

from typing import Any

from multislot.agent import Agent
from multislot.bayes.mentored import AGENT_SLOT, TurnCode
from multislot.bayes.models import Percept, check_action, percept_of
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
        self.models, self.discount, self.horizon = models, check_planning(discount, horizon), horizon
        self.stream = EndlessStream(0, AGENT_SLOT) if stream is None else stream
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
        decision = self.decide()
        done = Done(check_action(action, self.models.n_actions), percept_of(*percept), bool(by_mentor))
        self._follow(done)
        self.record.append(decision)

    def act(self, observation: int) -> int:
        """Returns the action decided on; the last of all stands for deferring."""
        action = self.decide().action
        return self.code.defer if action is None else action

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Learns what `MentoredWorld` says was done, by whom, and what followed."""
        turn = self.code.decode(next_observation)
        self.observe(turn.action, (turn.observation, reward), turn.by_mentor)

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Learns nothing: it is not told what followed, and in the models nothing ever ends."""

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

    def _follow(self, done: Done) -> None:
        """Learns one step and forgets the decision made for it; changes nothing before all is known to be possible."""
        posterior = self.posterior.copy()
        posterior.observe(done.action, done.percept)
        self._learned(done, posterior)
        self.posterior = posterior
        self.done.append(done)
        self._made = None

    def _decided(self) -> Decision:
        """Returns the decision of this step; draws from the stream at an index of this step's own."""
        raise NotImplementedError(f"{type(self).__name__} does not define _decided() -> Decision")

    def _learned(self, done: Done, posterior: Posterior) -> None:
        """Learns what else there is to learn from a step, given the posterior after it; nothing where it raises."""
