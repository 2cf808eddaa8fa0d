"""An agent and its mentor as a world of the engine: the agent in slot 1, the mentor in slot 2, nobody is ever copied.

The agent's last action is *defer*. Both act at every step; the mentor's action is ignored unless the agent defers. Both
observe who acted, what was done and what followed (Cohen and Hutter 2020). For a person at the keyboard use PettingZoo
(`multislot.bayes.zoo`), where the mentor is asked only if the agent defers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np

from multislot.bayes.builders import ACTIONS, Grid
from multislot.bayes.memory import LAWS, Memory
from multislot.bayes.mentor import Mentor
from multislot.bayes.models import Law, WorldModel, begin_member, draw, law_of, make_percept
from multislot.checks import checked_instance, checked_parts, checked_stream, refusal, whole
from multislot.engine.agent import Agent
from multislot.engine.stream import EndlessStream, Stream
from multislot.engine.turn import Percept, Turn
from multislot.engine.world import World

AGENT_SLOT, MENTOR_SLOT = 1, 2
EMPTY_OBSERVATION = 0


class SharedTurn(NamedTuple):
    """What agent and mentor observe after a step: the inner observation, the action, and whether the mentor acted."""

    observation: int
    action: int
    by_mentor: bool


@dataclass(frozen=True)
class TurnCode:
    """What agent and mentor observe as indices: λ, shared turns, and beginnings.

    0 is λ, an episode that begins with nothing observed. A shared turn is ``1 + (by_mentor·A + action)·O +
    observation``. An episode that begins with an observation is ``1 + 2·A·O + observation``.

    Attributes:
        n_inner: number of inner observations O; 0 if it is not known, so that no index of a turn can be read.
        n_actions: number of inner actions A; deferring is not one of them.
    """

    n_inner: int
    n_actions: int

    def __post_init__(self) -> None:
        whole("n_inner", self.n_inner, 0)
        whole("n_actions", self.n_actions)

    @cached_property
    def n_turns(self) -> int:
        """Number of shared turns."""
        if not self.n_inner:
            raise refusal("n_inner", None, "the world's number of observations", "the agent's models do not tell it")
        return 2 * self.n_actions * self.n_inner

    @cached_property
    def n_observations(self) -> int:
        """Number of indices."""
        return 1 + self.n_turns + self.n_inner

    @property
    def defer(self) -> int:
        """The agent's action that leaves the step to the mentor."""
        return self.n_actions

    def encode(self, turn: SharedTurn) -> int:
        """Return a turn's index."""
        checked_instance("turn", turn, SharedTurn)
        return 1 + (turn.by_mentor * self.n_actions + turn.action) * self.n_inner + turn.observation

    def decode(self, index: int) -> SharedTurn:
        """Return the turn of an index."""
        index = whole("observation", index, -inf)
        if not 0 < index <= self.n_turns:
            remedy = f"was the agent made for a world with {self.n_inner} observations (n_inner)?"
            raise refusal("observation", index, f"a shared turn, 1..{self.n_turns}", remedy)
        rest, observation = divmod(index - 1, self.n_inner)
        by_mentor, action = divmod(rest, self.n_actions)
        return SharedTurn(observation, action, bool(by_mentor))

    def encode_first(self, observation: int) -> int:
        """Return the index of an episode that begins with an observation."""
        return 1 + self.n_turns + whole("observation", observation, -inf)

    def is_first(self, index: int) -> bool:
        """Return whether an episode begins: with nothing observed (λ), or with an observation."""
        index = whole("observation", index, -inf)
        return index == EMPTY_OBSERVATION or self.n_turns < index < self.n_observations

    def observed(self, index: int) -> int | None:
        """Return the inner observation; None at λ."""
        index = whole("observation", index, -inf)
        if index == EMPTY_OBSERVATION:
            return None
        return index - 1 - self.n_turns if self.is_first(index) else self.decode(index).observation


def code_of(n_inner: int | None, sizes: Iterable[int], n_actions: int) -> TurnCode:
    """The code of an agent: `n_inner` if it is given, else the largest of the numbers of observations of its models."""
    return TurnCode(max(sizes, default=0) if n_inner is None else whole("n_inner", n_inner), n_actions)


class MentoredWorld(World):
    """Any world of one agent, with a mentor in a slot of its own.

    Agent and mentor both see what the inner world shows first. For a `ModelWorld`, whose first percept means nothing,
    that is λ. When the inner world ends, both leave. When it starts again, by `run` or by ``reset``, the same two may
    live on with all that they have learned. The first observation, or λ, tells them that an episode begins. The engine
    does not tell those who leave what followed their last step (`Agent.learn_last`); a loop over PettingZoo may tell
    them with ``learn``.

    Args:
        inner: a world whose slot 1 is always occupied, and is the only one.
    """

    def __init__(self, inner: World) -> None:
        checked_instance("inner", inner, World)
        self.inner = inner
        self.code = TurnCode(inner.n_observations, inner.n_actions)
        self.begins_empty = isinstance(inner, ModelWorld)
        self.n_observations = 1 + self.code.n_turns if self.begins_empty else self.code.n_observations
        self.n_actions = inner.n_actions + 1

    def start(self, seed: int) -> dict[int, Percept]:
        """Start the inner world; both see what it shows first."""
        percept = self._only(self.inner.start(seed))
        first = EMPTY_OBSERVATION if self.begins_empty else self.code.encode_first(percept.observation)
        return {slot: Percept(first, info=percept.info) for slot in (AGENT_SLOT, MENTOR_SLOT)}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Do the agent's action, or the mentor's if the agent defers."""
        by_mentor = actions[AGENT_SLOT] == self.code.defer
        action = actions[MENTOR_SLOT if by_mentor else AGENT_SLOT]
        if not 0 <= action < self.inner.n_actions:
            remedy = "the agent deferred: it needs a mentor that acts" if action == self.code.defer else ""
            raise refusal("the mentor's action", action, f"one of 0..{self.inner.n_actions - 1}", remedy)
        turn = self.inner.step({AGENT_SLOT: action})
        percept = self._only(turn.percepts)
        seen = self.code.encode(SharedTurn(percept.observation, action, by_mentor))
        shared = Percept(seen, percept.reward, percept.info)
        ended = (AGENT_SLOT, MENTOR_SLOT) if AGENT_SLOT in tuple(turn.ended) else ()
        stay = {slot: (slot,) for slot in (AGENT_SLOT, MENTOR_SLOT)}
        return Turn(stay, dict.fromkeys(stay, shared), ended)

    def describe(self, observation: int) -> str:
        """Return who did what and what followed, or what an episode begins with."""
        if self.code.is_first(observation):
            first = self.code.observed(observation)
            return "λ" if first is None else f"beginning: {self.inner.describe(first)}"
        turn = self.code.decode(observation)
        who = "mentor" if turn.by_mentor else "agent"
        return f"{who}: {self.inner.describe_action(turn.action)} → {self.inner.describe(turn.observation)}"

    def describe_action(self, action: int) -> str:
        """Return the meaning of an action."""
        return "defer" if action == self.code.defer else self.inner.describe_action(action)

    def _only(self, percepts: Mapping[int, Percept]) -> Percept:
        if set(percepts) != {AGENT_SLOT}:
            raise refusal("slots of the inner world", sorted(percepts), f"slot {AGENT_SLOT} alone")
        return percepts[AGENT_SLOT]


class MentorAgent(Agent):
    """A mentor as the occupant of a slot.

    Args:
        mentor: the mentor; its actions depend on the percepts alone.
        code: the code of the world.
        stream: the numbers that it draws, one for each step.
    """

    def __init__(self, mentor: Mentor, code: TurnCode, stream: Stream | None = None) -> None:
        self.mentor = checked_parts("mentor", mentor, "n_actions", "begin", "choose", "after")
        self.code = checked_instance("code", code, TurnCode)
        self.stream: Stream = checked_stream(EndlessStream(0, MENTOR_SLOT) if stream is None else stream)
        self.summary: Any = begin_member(mentor, None)
        self.steps = 0

    def act(self, observation: int) -> int:
        """Return the mentor's action."""
        return self.mentor.choose(self._at(observation), self.stream.at(self.steps))

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Follow what was done, by either of them."""
        turn, summary = self.code.decode(next_observation), self._at(observation)
        self.summary = self.mentor.after(summary, turn.action, make_percept(turn.observation, reward))
        self.steps += 1

    def learn_last(self, observation: int, action: int, reward: float) -> None:
        """Count the step. What followed is unknown, and a new episode begins."""
        self.steps += 1

    def _at(self, observation: int) -> Any:
        begins = self.code.is_first(observation)
        return begin_member(self.mentor, self.code.observed(observation)) if begins else self.summary


class ModelWorld(World):
    """A world-model as the true world.

    Args:
        model: gives the law of every next percept.
        n_inner: number of observations.
        grid: describes observations and actions that are cells and directions.
    """

    def __init__(self, model: WorldModel, n_inner: int, grid: Grid | None = None) -> None:
        self.model = checked_parts("model", model, "n_actions", "begin", "law", "after")
        self.grid = grid
        self._laws: Memory[Law] = Memory(LAWS)
        self.n_observations, self.n_actions = whole("n_inner", n_inner), model.n_actions

    def start(self, seed: int) -> dict[int, Percept]:
        """Start again; the percept means nothing."""
        self.stream = EndlessStream(seed, 0)
        self.summary, self.steps = self.model.begin(), 0
        return {AGENT_SLOT: Percept(EMPTY_OBSERVATION)}

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Draw the next percept."""
        action = actions[AGENT_SLOT]
        law = self._laws.once((self.summary, action), lambda: law_of(self.model, self.summary, action))
        percept = list(law)[draw(np.array(list(law.values())), self.stream.at(self.steps))]
        self.summary, self.steps = self.model.after(self.summary, action, percept), self.steps + 1
        return Turn({AGENT_SLOT: (AGENT_SLOT,)}, {AGENT_SLOT: Percept(*percept)})

    def describe(self, observation: int) -> str:
        """Return the observation; a cell of a grid by its place and its kind."""
        return str(observation) if self.grid is None else self.grid.describe(observation)

    def describe_action(self, action: int) -> str:
        """Return the action; a grid's by the name of its direction."""
        return str(action) if self.grid is None else ACTIONS[action]
