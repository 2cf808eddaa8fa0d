"""What all agents on a class of models have in common: one decision a step, a record of all, and resuming.

An agent is asked to `decide`, which changes nothing, and told with `observe` what was done, by whom and what followed.
In the engine it does the same through `act` and `learn` (see `multislot.bayes.mentored`). Whatever it draws it reads
from its stream at an index that only observing advances.
"""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from multislot.agent import Agent
from multislot.bayes.mentored import AGENT_SLOT, TurnCode
from multislot.bayes.models import Percept, check_action, percept_of
from multislot.bayes.planning import check_planning
from multislot.bayes.posterior import ModelClass, Posterior
from multislot.errors import SettingError
from multislot.stream import EndlessStream, Stream

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent decided at one step, and why.

    Attributes:
        step: number of percepts observed before it.
        action: what it takes; None where it defers.
        reason: in a word or two.
        value: the value it decided by: pessimistic, or of whatever the agent believes.
    """

    step: int
    action: int | None
    reason: str
    value: float


class Done(NamedTuple):
    """One step as it happened."""

    action: int
    percept: Percept
    by_mentor: bool


class ClassAgent(Agent):
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

    def columns(self) -> dict[str, list[Any]]:
        """Returns the record as columns, ready to plot or to make a data frame of."""
        names = [field.name for field in fields(self.record[0])] if self.record else []
        return {name: [getattr(decision, name) for decision in self.record] for name in names}

    def settings(self) -> dict[str, Any]:
        """Returns what a resumed agent must have been made with, too."""
        return {
            "agent": type(self).__name__,
            "models": len(self.models),
            "prior": self.models.prior.tolist(),
            "discount": self.discount,
            "horizon": self.horizon,
        }

    def save(self, path: str | Path) -> None:
        """Writes the agent's life so far as JSON."""
        record = [asdict(decision) for decision in self.record]
        life = {"format": FORMAT, "settings": self.settings(), "done": self.done, "record": record}
        Path(path).write_text(json.dumps(life))

    def resume(self, path: str | Path) -> None:
        """Takes up a saved life; the agent must be fresh and made with the same models, settings and stream.

        What is learned is learned again, so that the agent goes on bit for bit as the one that was saved.

        Raises:
            SettingError: if the agent is not fresh, or its settings differ from those of the saved one.
        """
        life = json.loads(Path(path).read_text())
        if self.done:
            raise SettingError(f"this agent has already lived {len(self.done)} steps; resume with a fresh one")
        mine = json.loads(json.dumps(self.settings()))
        if life["settings"] != mine:
            differ = sorted(name for name in mine if life["settings"].get(name) != mine[name])
            raise SettingError(f"the saved agent had other settings: {', '.join(differ)}; make this one with the same")
        for action, percept, by_mentor in life["done"]:
            self._follow(Done(action, percept_of(*percept), by_mentor))
        self.record = [self._read_decision(row) for row in life["record"]]

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

    def _read_decision(self, row: dict[str, Any]) -> Decision:
        """Returns a decision read back from JSON."""
        return Decision(**row)
