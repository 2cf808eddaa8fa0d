"""Many slots at once: the protocol in arrays, for a `VectorAgent` that answers for all its occupants.

The same rules as in `multislot.protocol`, the same errors, the same trace; only no dictionary is made.
"""

import numpy as np

from multislot.agent import FloatArray, IntArray, VectorAgent
from multislot.errors import (
    AgentError,
    NoAgentError,
    bad_action,
    bad_observation,
    bad_reward,
    ended_nobody,
    no_percept,
    percept_for_nobody,
)
from multislot.slots import checked_slot, sources_of
from multislot.trace import Recorder
from multislot.world import ArrayTurn, Turn, World


class Population:
    """A `VectorAgent`, the slots its rows live in (ascending) and what they last observed; arrays of shape [rows]."""

    def __init__(self, agent: VectorAgent) -> None:
        self.agent = agent
        self.slots: IntArray = np.zeros(0, dtype=np.int64)
        self.observations: IntArray = np.zeros(0, dtype=np.int64)

    def enter(self, slots: list[int], observations: list[int]) -> None:
        """Put the rows into their first slots, ascending."""
        self.slots, self.observations = np.array(slots, dtype=np.int64), np.array(observations, dtype=np.int64)

    def act(self, n_actions: int, step: int) -> IntArray:
        """Return the checked action of every row."""
        actions = np.asarray(self.agent.act_many(self.observations, self.slots))
        if actions.shape != self.slots.shape or actions.dtype.kind not in "iu":
            raise AgentError(
                f"{type(self.agent).__name__}.act_many returned {actions.dtype} of shape {actions.shape}; "
                f"expected integers of shape {self.slots.shape}, one action a row"
            )
        bad = (actions < 0) | (actions >= n_actions)
        if bad.any():
            first = int(bad.argmax())
            raise bad_action(actions[first].item(), n_actions, int(self.slots[first]), step)
        return actions.astype(np.int64, copy=False)

    def learn(
        self, parents: IntArray, slots: IntArray, actions: IntArray, rewards: FloatArray, observations: IntArray
    ) -> None:
        """Move the rows and learn; ``actions`` are those of the rows before."""
        self.agent.move(parents, slots)
        self.agent.learn_many(self.observations[parents], actions[parents], rewards, observations, slots)
        self.slots, self.observations = slots, observations

    def drop(self, ended: tuple[int, ...]) -> None:
        """Let rows that have ended leave."""
        kept = np.flatnonzero(~np.isin(self.slots, ended))
        self.agent.move(kept, self.slots[kept])
        self.slots, self.observations = self.slots[kept], self.observations[kept]


def run_population(world: World, population: Population, steps: int, recorder: Recorder) -> None:
    """The protocol where one `VectorAgent` lives in all slots: arrays throughout."""
    order = population.slots
    for step in range(1, steps + 1):
        if not len(population.slots):
            break
        actions = population.act(world.n_actions, step)
        turn = _array_turn(world.step_many(population.slots, actions), step)
        parents = _parents(turn, population.slots, step)
        _check_arrays(turn, world.n_observations, step)
        everyone = np.zeros(len(order), dtype=np.int64)
        acting = np.searchsorted(order, population.slots)
        everyone[acting] = actions
        recorder.action.frombytes(everyone.tobytes())
        recorder.extend(turn.targets, recorder.offsets[-2] + acting[parents], turn.observations, turn.rewards)
        population.learn(parents, turn.targets, actions, turn.rewards, turn.observations)
        order = turn.targets
        if turn.ended:
            recorder.silent.extend(recorder.offsets[-2] + int(np.searchsorted(order, slot)) for slot in turn.ended)
            population.drop(turn.ended)


def _array_turn(turn: Turn | ArrayTurn, step: int) -> ArrayTurn:
    """Return the array form of a world's answer, checked for what the array form cannot express."""
    if isinstance(turn, ArrayTurn):
        return turn
    if tuple(turn.spawned):
        raise NoAgentError(
            "the world spawns an agent but run() was given one VectorAgent for all slots",
            "give run() an agent or a factory for the slot",
            next(iter(turn.spawned)),
            step,
        )
    pairs = [(source, target) for source, targets in turn.copies.items() for target in targets]
    for slot in turn.percepts.keys() - {target for _, target in pairs}:
        raise percept_for_nobody(slot, step)
    for _, target in pairs:
        if target not in turn.percepts:
            raise no_percept(target, step)
    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    percepts = [turn.percepts[target] for target in targets]
    observations, rewards = [percept.observation for percept in percepts], [percept.reward for percept in percepts]
    return Turn.from_arrays(sources, targets, observations, rewards, turn.ended)


def _parents(turn: ArrayTurn, slots: IntArray, step: int) -> IntArray:
    """Return for every target the position of its source among `slots`, after checking the copy sets."""
    parents = np.minimum(np.searchsorted(slots, turn.sources), len(slots) - 1)
    strangers = slots[parents] != turn.sources
    if strangers.any():
        sources_of({int(turn.sources[strangers.argmax()]): ()}, dict.fromkeys(slots[:20].tolist()), step)
    if len(turn.targets) and turn.targets[0] < 1:
        checked_slot(int(turn.targets[0]), step)
    twice = np.flatnonzero(turn.targets[1:] == turn.targets[:-1])
    if len(twice):
        at = int(twice[0])
        sets = {int(turn.sources[at]): [int(turn.targets[at])]}
        sets.setdefault(int(turn.sources[at + 1]), []).append(int(turn.targets[at + 1]))
        sources_of(sets, sets, step)
    for slot in turn.ended:
        if slot not in turn.targets:
            raise ended_nobody(slot, step)
    return parents


def _check_arrays(turn: ArrayTurn, n_observations: int, step: int) -> None:
    bad = (turn.observations < 0) | (turn.observations >= n_observations)
    if bad.any():
        at = int(bad.argmax())
        raise bad_observation(int(turn.observations[at]), n_observations, int(turn.targets[at]), step)
    bad = ~np.isfinite(turn.rewards)
    if bad.any():
        at = int(bad.argmax())
        raise bad_reward(float(turn.rewards[at]), int(turn.targets[at]), step)
