"""The common part of all agents with a mentor: they decide, learn what followed, and write their life to a file.

`decide` returns a decision and does not change the agent. `observe` gives the agent three facts: the action, who took
it, and the percept that followed. In the engine `act` and `learn` do the same (see `multislot.bayes.mentored`). Random
numbers come from the agent's stream. Their index grows when the agent observes, and only then.

A life may consist of episodes. When the world starts again, models and mentors return to their beginning, and what was
learned of them stays. In the models nothing ever ends, so an end itself teaches nothing.

A resumed agent learns its life again. At every step it must decide what the saved agent decided, so that it continues
bit for bit as the saved agent would. So models, mentors and functions are compared by the decisions to which they lead.
"""

import json
from collections.abc import Mapping
from copy import copy, deepcopy
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from multislot.bayes.mentored import AGENT_SLOT, TurnCode, code_of
from multislot.bayes.models import PerceptKey, Seen, as_percept, as_reward
from multislot.bayes.planning import checked_planning
from multislot.bayes.posterior import FiniteClass, ModelClass, Posterior, Weighed
from multislot.checks import checked_index, checked_instance, checked_path, checked_stream
from multislot.engine.agent import Agent
from multislot.engine.stream import EndlessStream, Stream
from multislot.errors import SettingError
from multislot.files.foreign import read_json
from multislot.files.writing import write_file

FORMAT = 4
LARGEST_LIFE = 10**9
"""The largest number of bytes of a saved life."""
STREAM_SAMPLE = 4
PRIORS = {"models": "prior", "mentors": "mentors' prior"}
"""What a file calls the priors of the classes."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent decided at one step, and why.

    Attributes:
        step: number of percepts observed before it.
        action: its action; None if it defers.
        reason: in a few words.
        value: the value by which it decided: the pessimistic one, or the one that the agent believes in.
    """

    step: int
    action: int | None
    reason: str
    value: float


class Done(NamedTuple):
    """One step as it happened.

    Attributes:
        action: None if it is not known, since the mentor acted and the episode ended.
        percept: (observation, reward); the observation is None if it is not known, since the episode ended.
        by_mentor: whether the mentor acted.
        last: whether an episode ended with this step.
        first: the observation before this step if an episode began with it; None if nothing was observed.
    """

    action: int | None
    percept: Seen
    by_mentor: bool
    last: bool = False
    first: int | None = None


class MentoredAgent(Agent):
    """Base of the agents that live in a `MentoredWorld`; a subclass writes `_decide`.

    Its posteriors follow the steps and the episodes. What else a subclass learns, it adds to `_start`, `_begin` and
    `_learn`.

    Attributes:
        believes: the names of the attributes that are posteriors.
        compared: the names of the attributes that must match on resume; a callable is compared by its name.
        code: reads the engine's indices.
        stream: what it draws from.
        done: the steps so far.
        record: the decisions so far, one for each step done.
        first: what was observed before the first step of the present episode; None if nothing was (λ).
    """

    believes: ClassVar[tuple[str, ...]] = ()
    compared: ClassVar[tuple[str, ...]] = ()
    code: TurnCode
    stream: Stream
    done: list[Done]
    record: list[Decision]
    first: int | None
    _made: Decision | None

    def decide(self) -> Decision:
        """Return the decision of this step; asking again gives the same."""
        if self._made is None:
            self._made = self._decide()
        return self._made

    def observe(self, action: int, percept: PerceptKey, by_mentor: bool = False) -> None:
        """Learn one step: what was done, what followed, and who did it. If this raises, nothing has been learned.

        Raises:
            UnexplainedError: no model of the class allows it.
        """
        self._follow(checked_index("action", action, self.code.n_actions), as_percept(percept), by_mentor)

    def observe_last(self, action: int | None, reward: float, by_mentor: bool = False) -> None:
        """Learn an episode's last step, whose action may be unknown (None), and start again.

        Raises:
            UnexplainedError: no model of the class allows it.
        """
        done = None if action is None else checked_index("action", action, self.code.n_actions)
        self._follow(done, (None, as_reward(reward)), by_mentor)
        self.end_episode()

    def end_episode(self) -> None:
        """Start again after the last observed step, unless that has been done; everything learned is kept."""
        if self.is_under_way:
            self.done[-1] = self.done[-1]._replace(last=True)
            self.first = None
            self._begin()

    def begin_episode(self, first: int | None = None) -> None:
        """Start again, as `end_episode` does; `first` is observed before the first step, None is nothing (λ)."""
        observation = None if first is None else as_percept((first, 0.0))[0]
        self.end_episode()
        self._begin(observation)
        self.first = observation

    @property
    def is_under_way(self) -> bool:
        """Whether a step has been done in the present episode."""
        return bool(self.done) and not self.done[-1].last

    def fresh(self, stream: Stream) -> Self:
        """Return an agent with the same settings that has not lived yet and draws from `stream`."""
        other = copy(self)
        other._start(stream)
        return other

    def act(self, observation: int) -> int:
        """Return the action; the last one means deferring. The observation may begin an episode."""
        action = (self._restart(observation) if self._begins(observation) else self).decide().action
        return self.code.defer if action is None else action

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Learn what `MentoredWorld` says was done, by whom, and what followed."""
        self._arrive(observation)
        turn = self.code.decode(next_observation)
        self.observe(turn.action, (turn.observation, reward), turn.by_mentor)

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Learn the reward of an episode's last step. What followed is not known, nor what a mentor did."""
        self._arrive(observation)
        deferred = action == self.code.defer
        self.observe_last(None if deferred else action, reward, deferred)

    def settings(self) -> dict[str, Any]:
        """Return the settings that must match on resume."""
        stream = [self.stream.at(index) for index in range(STREAM_SAMPLE)]
        compared = {PRIORS.get(name, name): _as_plain(getattr(self, name)) for name in self.compared}
        return {"agent": type(self).__name__, "stream": stream, **compared}

    def columns(self) -> dict[str, list[Any]]:
        """Return the record as columns of a data frame; ``last`` marks the ends of episodes."""
        names = [field.name for field in fields(self.record[0])] if self.record else []
        columns = {name: [getattr(decision, name) for decision in self.record] for name in names}
        return {**columns, "last": [done.last for done in self.done]}

    def save(self, path: str | Path) -> None:
        """Write the agent's life so far as JSON; an older file stays intact until the new one is complete."""
        record = [asdict(decision) for decision in self.record]
        life = {"format": FORMAT, "settings": self.settings(), "done": self.done, "record": record}
        write_file(checked_path("path", path), json.dumps(life))

    def resume(self, path: str | Path) -> None:
        """Continue a saved life; the agent must be fresh and made with the same models, settings and stream."""
        if self.done:
            raise SettingError(f"this agent has already lived {len(self.done)} steps; resume with a fresh one")
        saved, steps = _read(checked_path("path", path))
        mine = json.loads(json.dumps(self.settings()))
        differ = sorted(name for name in mine if saved.get(name) != mine[name])
        if differ:
            raise SettingError(f"the saved agent had other settings: {', '.join(differ)}; make this one with the same")
        living = deepcopy(self)
        for (action, (observation, reward), by_mentor, last, first), decided in steps:
            if first is not None:
                living.begin_episode(first)
            if action is None or observation is None:
                living.observe_last(action, reward, by_mentor)
            else:
                living.observe(action, (observation, reward), by_mentor)
                if last:
                    living.end_episode()
            if json.loads(json.dumps(asdict(living.record[-1]))) != decided:
                raise SettingError(f"at step {len(living.done)} this agent decides otherwise than the saved one did")
        self.__dict__.update(living.__dict__)

    def _decide(self) -> Decision:
        """The decision of this step; it draws from the stream at indices that no other step uses."""
        raise NotImplementedError(f"{type(self).__name__} does not define _decide() -> Decision")

    def _learn(self, done: Done, beliefs: Mapping[str, Weighed]) -> None:
        """Learn what posteriors do not; `beliefs` are those after the step. If this raises, nothing has changed."""

    def _begin(self, first: int | None = None) -> None:
        """Return to where an episode begins; `first` is observed there."""
        beliefs = self._copied_beliefs()
        for belief in beliefs.values():
            belief.begin(first)
        self.__dict__.update(beliefs)
        self._made = None

    def _copied_beliefs(self) -> dict[str, Weighed]:
        """Copies of all posteriors, by attribute: updating them may raise, and then nothing must have changed."""
        return {name: getattr(self, name).copy() for name in self.believes}

    def _start(self, stream: Stream | None) -> None:
        """Forget everything, and draw from a stream from now on."""
        self.stream = checked_stream(EndlessStream(0, AGENT_SLOT) if stream is None else stream)
        self.done, self.record, self.first, self._made = [], [], None, None

    def _follow(self, action: int | None, percept: Seen, by_mentor: bool) -> None:
        done = Done(action, percept, bool(by_mentor), first=None if self.is_under_way else self.first)
        decision = self.decide()
        beliefs = self._copied_beliefs()
        for belief in beliefs.values():
            belief.observe(action, percept, done.by_mentor)
        self._learn(done, beliefs)
        self.__dict__.update(beliefs)
        self.record.append(decision)
        self.done.append(done)
        self._made = None

    def _begins(self, observation: int) -> bool:
        """Whether an observation begins an episode that the agent has not started."""
        begins = self.code.is_first(observation)
        return begins and (self.is_under_way or self.first != self.code.observed(observation))

    def _arrive(self, observation: int) -> None:
        if self._begins(observation):
            self.begin_episode(self.code.observed(observation))

    def _restart(self, observation: int) -> Self:
        """An agent that decides as if an episode began; it shares the life, which deciding does not change."""
        other = copy(self)
        other._begin(self.code.observed(observation))
        return other


class ClassAgent(MentoredAgent):
    """Base of the agents on a class of models; a subclass writes `_decide`.

    Args:
        models: the class.
        discount: γ in [0, 1).
        horizon: the number of future rewards that every decision counts, the same at every step. So the agent plans
            as if its life never ended. (`multislot.exact.AIMU` plans up to a fixed ``last_step``.)
        stream: what it draws from.
        n_inner: number of observations, to read the engine's indices; that of the tabular models by default. With
            models that are not tables of one size, `run` needs it; `decide` and `observe` do not.

    Attributes:
        posterior: over the models.
    """

    believes: ClassVar[tuple[str, ...]] = ("posterior",)
    compared: ClassVar[tuple[str, ...]] = ("models", "discount", "horizon")
    posterior: Posterior

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
        self.code = code_of(n_inner, [] if models.stack is None else [models.stack.n_states], models.n_actions)
        self._start(stream)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.models}, discount={self.discount:g}, horizon={self.horizon})"

    def _start(self, stream: Stream | None) -> None:
        super()._start(stream)
        self.posterior = self.models.posterior()


def _as_plain(value: Any) -> Any:
    """A setting as JSON: a class of models by its prior, a function by its name."""
    if isinstance(value, FiniteClass):
        return value.prior.tolist()
    return getattr(value, "__name__", "schedule") if callable(value) else value


def _read(path: str | Path) -> tuple[dict[str, Any], list[tuple[Done, dict[str, Any]]]]:
    try:
        life = read_json(path, LARGEST_LIFE)
        if life["format"] != FORMAT:
            raise SettingError(f"its format is {life['format']}, expected {FORMAT}")
        done = [Done(action, (seen, paid), *rest) for action, (seen, paid), *rest in life["done"]]
        return dict(life["settings"]), list(zip(done, life["record"], strict=True))
    except (ValueError, KeyError, TypeError) as wrong:
        raise SettingError(f"{path} holds no saved life: {wrong}") from wrong
