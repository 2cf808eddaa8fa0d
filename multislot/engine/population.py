"""Many slots at once: the protocol in arrays, for a `VectorAgent` that answers for all its occupants.

The rules, errors and traces are those of `multislot.engine.protocol`, but no dictionaries are made.
"""

from collections.abc import Collection, Mapping

import numpy as np

from multislot.engine.agent import FloatArray, IntArray, VectorAgent
from multislot.engine.forest import Recorder
from multislot.engine.slots import Slots, check_alive
from multislot.engine.turn import ArrayTurn, Percept, Turn, settle
from multislot.engine.world import World
from multislot.errors import AgentError, NoAgentError, bad_action


class Population:
    """A `VectorAgent`, the slots of its rows (ascending) and their last observations; arrays of shape [rows]."""

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
            shown = ", ".join(map(str, self.slots[:8].tolist())) + ", …" * (len(self.slots) > 8)
            raise AgentError(
                f"step {step}, slots {shown}: {type(self.agent).__name__}.act_many returned "
                f"{actions.dtype} of shape {actions.shape}; "
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
        """Move the rows and learn; `actions` are those of the rows before the move."""
        self.agent.move(parents, slots)
        self.agent.learn_many(self.observations[parents], actions[parents], rewards, observations, slots)
        self.slots, self.observations = slots, observations

    def arrive(
        self,
        targets: list[int],
        sources: Mapping[int, int],
        actions: Mapping[int, int],
        percepts: Mapping[int, Percept],
    ) -> None:
        """Learn the percepts of the rows in `targets`, ascending; the other arguments are by slot."""
        acted = np.array([actions[slot] for slot in self.slots.tolist()], dtype=np.int64)
        parents = np.searchsorted(self.slots, [sources[target] for target in targets]).astype(np.int64)
        rewards = np.array([percepts[target].reward for target in targets], dtype=np.float64)
        observations = np.array([percepts[target].observation for target in targets], dtype=np.int64)
        self.learn(parents, np.array(targets, dtype=np.int64), acted, rewards, observations)

    def drop(self, ended: tuple[int, ...]) -> None:
        """Remove the rows that have ended."""
        kept = np.flatnonzero(~np.isin(self.slots, ended))
        self.agent.move(kept, self.slots[kept])
        self.slots, self.observations = self.slots[kept], self.observations[kept]


def run_population(
    world: World, population: Population, steps: int, recorder: Recorder, individuals: Slots, most: int
) -> None:
    """Run the protocol in arrays, where one `VectorAgent` lives in all slots; `individuals` are simulated."""
    order = population.slots
    for step in range(1, steps + 1):
        if not len(population.slots):
            break
        individuals.step = step
        actions = population.act(world.n_actions, step)
        answer = world.step_many(population.slots.copy(), actions.copy())  # copies that the world may keep or change
        turn = _check_turn(answer, population.slots, world.n_observations, step, individuals.simulated)
        check_alive(len(turn.targets), most, step)
        parents = np.searchsorted(population.slots, turn.sources)
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


def _check_turn(
    turn: Turn | ArrayTurn, slots: IntArray, n_observations: int, step: int, simulated: Collection[int]
) -> ArrayTurn:
    """The array form of a world's answer; an answer that `_keeps_protocol` does not accept is checked as a `Turn`."""
    if isinstance(turn, ArrayTurn) and _keeps_protocol(turn, slots, n_observations, simulated):
        return turn
    sources, spawned, percepts, ended = settle(turn, dict.fromkeys(slots.tolist()), n_observations, step, simulated)
    if spawned:
        raise NoAgentError(
            "the world spawns an agent but run() was given one VectorAgent for all slots",
            "give run() an agent or a factory for the slot",
            spawned[0],
            step,
        )
    observations = [percept.observation for percept in percepts.values()]
    rewards = [percept.reward for percept in percepts.values()]
    return Turn.from_arrays([sources[slot] for slot in percepts], list(percepts), observations, rewards, ended)


def _keeps_protocol(turn: ArrayTurn, slots: IntArray, n_observations: int, simulated: Collection[int]) -> bool:
    targets, seen = turn.targets, turn.observations
    return (
        not turn.spawned
        and bool((slots[np.minimum(np.searchsorted(slots, turn.sources), len(slots) - 1)] == turn.sources).all())
        and bool((targets[:1] > 0).all() and (targets[1:] > targets[:-1]).all())
        and bool(((seen >= 0) & (seen < n_observations) & np.isfinite(turn.rewards)).all())
        and not (turn.ended and len(np.setdiff1d(turn.ended, targets)))
        and not (simulated and np.isin(list(simulated), targets).any())
    )
