"""Many copies of a kernel's world stepped together, in arrays: the fast form of `multislot.zoo.vectors.SlotVector`.

Every pair of slot and hidden state that can be reached gets a number. Tables say what follows from each of them and
each action, so that a step of all copies is a few operations of NumPy. Percepts, lives and random numbers are those of
`FixedView` over `KernelWorld`, bit for bit.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from multislot.checks import checked_seed, refusal, wrong_type
from multislot.engine.copy_sets import find_sources
from multislot.engine.stream import BLOCK, WORLD_FOUNDER, EndlessStream
from multislot.errors import MultislotError, SettingError, bad_action
from multislot.exact.world import KernelWorld
from multislot.zoo.episode import LARGEST_SEED
from multislot.zoo.fixed import FixedView
from multislot.zoo.infos import ACTION_MASK, BOOTSTRAP, FINAL, FINAL_INFO

Array: TypeAlias = npt.NDArray[Any]
MOST_PLACES = 10_000
"""The largest number of reachable pairs of slot and hidden state."""
EMPTY = 0
"""The number of an empty slot."""


class TooManyError(Exception):
    """More places can be reached than tables are made for."""


class Tables:
    """What follows in a kernel's world with N slots: P places, A actions, O outcomes, at most M of one action.

    Attributes:
        first: [P·A], the number of the first outcome of a place and an action.
        counts: [P·A], how many outcomes there are.
        chances: [P·A, M], their probabilities.
        places: [O, N], the place of the copy that arrives in each slot, `EMPTY` for none.
        observations, rewards: [O, N], what the copies observe.
        beyond: [O], whether a copy arrives in a slot above N.
        targets: for each outcome, the slots in which copies arrive.
        masks: [P, A], the actions that do something of their own.
        start: [N], the places in which an episode starts.
    """

    def __init__(self, world: KernelWorld, slots: int) -> None:
        self.numbers = {observation: index for index, observation in enumerate(world.coding.observations, 1)}
        kernel, actions, self.slots = world.kernel, world.coding.actions, slots
        self.known: dict[tuple[int, Hashable], int] = {}
        self.start = np.zeros(slots, np.int64)
        for slot, state in kernel.start.items():
            self.start[slot - 1] = self._number(slot, state)
        self.rows: list[tuple[Array, Array, Array, bool]] = [self._arrivals({})]
        self.targets: list[tuple[int, ...]] = [()]
        first, counts, chances = [0] * len(actions), [1] * len(actions), [[1.0]] * len(actions)
        masks = [[1] + [0] * (len(actions) - 1)]
        waiting = self.known
        while waiting:
            before = len(self.known)
            for slot, state in list(waiting):
                outcomes = [kernel.outcomes(slot, state, action) for action in actions]
                masks.append([int(its not in outcomes[:k]) for k, its in enumerate(outcomes)])
                for its in outcomes:
                    first.append(len(self.rows))
                    counts.append(len(its))
                    chances.append([float(probability) for probability, _ in its])
                    self.rows += [self._arrivals(arrivals) for _, arrivals in its]
                    self.targets += [tuple(arrivals) for _, arrivals in its]
            waiting = dict(list(self.known.items())[before:])
        most = max(counts)
        self.first, self.counts = np.array(first), np.array(counts)
        self.chances = np.array([row + [0.0] * (most - len(row)) for row in chances])
        self.masks = np.array(masks, np.int8)
        self.places, self.observations, self.rewards = (
            np.array(part) for part in list(zip(*self.rows, strict=True))[:3]
        )
        self.beyond = np.array([row[3] for row in self.rows])

    def _number(self, slot: int, state: Hashable) -> int:
        if len(self.known) > MOST_PLACES:
            raise TooManyError
        return self.known.setdefault((slot, state), len(self.known) + 1)

    def _arrivals(self, arrivals: Mapping[int, Any]) -> tuple[Array, Array, Array, bool]:
        """Places, observations and rewards of one outcome, [N] each, and whether a slot above N is filled."""
        places, seen, paid = np.zeros(self.slots, np.int64), np.zeros(self.slots, np.int64), np.zeros(self.slots)
        for slot, (state, observation, reward) in arrivals.items():
            if slot <= self.slots:
                places[slot - 1] = self._number(slot, state)
                seen[slot - 1], paid[slot - 1] = self.numbers[observation], float(reward)
        return places, seen, paid, any(slot > self.slots for slot in arrivals)


def tables_of(view: object) -> Tables | None:
    """Tables for a view, None where it must be stepped one by one: no bare kernel, too many states, or pictures."""
    if type(view) is not FixedView or type(view.stage.world) is not KernelWorld:
        return None
    if view.render_mode is not None or max(view.stage.world.kernel.start) > view.slots:
        return None
    try:
        return Tables(view.stage.world, view.slots)
    except (MultislotError, TooManyError, KeyError):
        return None  # what is wrong with a kernel is said when an episode comes to it


class KernelRows:
    """Copies of a fixed view, with the state of all in arrays of shape [K, N].

    Args:
        view: the fixed view.
        tables: its tables.
        copies: K.
    """

    def __init__(self, view: FixedView, tables: Tables, copies: int) -> None:
        self.tables, self.shape, self.limit = tables, (copies, view.slots), view.stage.max_cycles
        self.n_actions, self.width = view.stage.world.n_actions, 1 + view.stage.world.n_observations
        self.places, self.births, self.parents = (np.zeros(self.shape, np.int64) for _ in range(3))
        self.now, self.drawn = (np.zeros(copies, np.int64) for _ in range(2))
        self.numbers, self.blocks = np.zeros((copies, BLOCK)), np.full(copies, -1)
        self.seeds: list[np.random.Generator | None] = [None] * copies
        self.streams = [EndlessStream(0, WORLD_FOUNDER) for _ in range(copies)]
        self.started = False

    def reset(self, seeds: Sequence[int | None]) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in every copy, with a seed for each; return observations and infos."""
        for copy, seed in enumerate([None if seed is None else checked_seed(seed) for seed in seeds]):
            self._begin(copy, seed)
        self.started = True
        return self._observe(np.zeros(self.shape, np.int64)), _with_flags(self._infos(np.zeros(self.shape, np.bool_)))

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Make one step in every copy; return observations, rewards, terminations, truncations and infos."""
        if not self.started:
            raise SettingError("the environment has not started; call reset() first")
        tables, occupied = self.tables, self.places != EMPTY
        self.now += 1
        outcomes = self._draw(self._checked(actions, occupied), occupied)
        arriving = tables.places[outcomes] != EMPTY  # [K, source, target]
        beyond = tables.beyond[outcomes]
        crowded = (arriving.sum(axis=1) > 1).any(axis=1) | (beyond.sum(axis=1) > 1)
        for copy in np.flatnonzero(crowded).tolist():
            drawn = enumerate(outcomes[copy].tolist(), 1)
            copies = {slot: tables.targets[outcome] for slot, outcome in drawn if outcome}
            find_sources(copies, copies, int(self.now[copy]))  # raises the engine's error of two in one slot
        sources = arriving.argmax(axis=1)
        self.places, seen, rewards = (
            table[outcomes].sum(axis=1) for table in (tables.places, tables.observations, tables.rewards)
        )
        arrived = self.places != EMPTY
        stayed = arrived & (sources == np.arange(self.shape[1]))
        born, deleted = arrived & ~stayed, occupied & ~stayed
        self.births = np.where(born, self.now[:, None], np.where(arrived, self.births, 0))
        self.parents = np.where(born, sources + 1, np.where(arrived, self.parents, 0))
        terminated = ~arrived.any(axis=1) & ~beyond.any(axis=1)
        truncated = ~terminated & ((self.now >= self.limit) | beyond.any(axis=1))
        observations, infos = self._observe(seen), _with_flags(self._infos(deleted))
        if (terminated | truncated).any():
            infos |= self._restart(terminated | truncated, observations, infos)
        left, cut = terminated[:, None] | deleted, np.repeat(truncated, self.shape[1])
        return observations, rewards.ravel(), left.ravel(), cut, infos

    def _begin(self, copy: int, seed: int | None) -> None:
        """Begin an episode in one copy."""
        seeds = self.seeds[copy]
        if seed is not None or seeds is None:
            seeds = self.seeds[copy] = np.random.default_rng(seed)
        seed = int(seeds.integers(LARGEST_SEED)) if seed is None else seed
        self.streams[copy], self.blocks[copy] = EndlessStream(seed, WORLD_FOUNDER), -1
        self.places[copy], self.births[copy], self.parents[copy] = self.tables.start, 0, 0
        self.now[copy] = self.drawn[copy] = 0

    def _checked(self, actions: Any, occupied: Array) -> Array:
        taken = np.asarray(actions)
        if taken.dtype.kind not in "iu":
            raise wrong_type("actions", actions, "whole numbers")
        if taken.shape != (occupied.size,):
            raise refusal("actions", actions, f"one for each of {occupied.size} rows")
        taken = taken.reshape(self.shape)
        wrong = occupied & ((taken < 0) | (taken >= self.n_actions))
        if wrong.any():
            copy, slot = np.argwhere(wrong)[0]
            raise bad_action(int(taken[copy, slot]), self.n_actions, int(slot) + 1, int(self.now[copy]))
        return np.where(occupied, taken, 0)

    def _draw(self, actions: Array, occupied: Array) -> Array:
        """Draw each slot's outcome, in order; return their numbers, [K, N]. Only a choice takes a random number."""
        tables, steps = self.tables, self.places * self.n_actions + actions
        outcomes, counts = tables.first[steps], tables.counts[steps]
        chance = counts > 1
        if not chance.any():
            return outcomes
        index = self.drawn[:, None] + chance.cumsum(axis=1) - 1
        self.drawn += chance.sum(axis=1)
        rows = np.nonzero(chance)
        numbers, chances, last = self._read(rows[0], index[rows]), tables.chances[steps[rows]], counts[rows] - 1
        chosen = last.copy()
        for outcome in range(int(last.max()) - 1, -1, -1):
            left = numbers.copy()
            for column in range(outcome + 1):  # in this order, as floats are subtracted one by one in `KernelWorld`
                left -= chances[:, column]
            chosen[(left < 0) & (outcome < last)] = outcome
        outcomes[rows] += chosen
        return outcomes

    def _read(self, copies: Array, index: Array) -> Array:
        """The numbers of the copies' streams at some indices."""
        read = np.empty(len(index))
        blocks = index // BLOCK
        for block in np.unique(blocks):
            here = blocks == block
            for copy in np.unique(copies[here & (self.blocks[copies] != block)]).tolist():
                self.numbers[copy], self.blocks[copy] = list(self.streams[copy].load(int(block))), block
            read[here] = self.numbers[copies[here], index[here] - block * BLOCK]
        return read

    def _restart(self, over: Array, observations: Array, infos: dict[str, Any]) -> dict[str, Any]:
        """Begin an episode in the copies that are over; return what Gymnasium says of the last one."""
        rows = np.repeat(over, self.shape[1])
        final = np.full(rows.size, None, object)
        for row in np.flatnonzero(rows):
            final[row] = observations[row].copy()
        last = {key: values.copy() for key, values in infos.items() if key[0] != "_"}
        for values in last.values():
            values[~rows] = 0
        for copy in np.flatnonzero(over).tolist():
            self._begin(copy, None)
        observations[rows] = self._observe(np.zeros(self.shape, np.int64))[rows]
        for key, value in self._infos(np.zeros(self.shape, np.bool_)).items():
            infos[key][rows] = value[rows]
        said = {FINAL: final, FINAL_INFO: _with_flags(last, rows)}
        return said | {f"_{key}": rows.copy() for key in said}

    def _observe(self, seen: Array) -> Array:
        """Observations [R, 1 + n_observations]: whether an agent lives there, then what it sees as a one-hot."""
        observations = np.zeros((seen.size, self.width), np.float32)
        observations[:, 0] = self.places.ravel() != EMPTY
        observations[np.arange(seen.size), 1 + seen.ravel()] = 1
        return observations

    def _infos(self, deleted: Array) -> dict[str, Any]:
        """The infos of a fixed view in numbers, [R] each."""
        occupied = self.places != EMPTY
        values: dict[str, Array] = {
            "slot": np.tile(np.arange(1, self.shape[1] + 1), self.shape[0]),
            "occupied": occupied.ravel(),
            "has_parent": (self.parents > 0).ravel(),
            "parent": self.parents.ravel(),
            "birth_step": self.births.ravel(),
            "deleted": deleted.ravel(),
            "ended": np.zeros(deleted.size, np.bool_),
            BOOTSTRAP: ~deleted.ravel(),
            ACTION_MASK: self.tables.masks[self.places.ravel()],
        }
        return {key: value.copy() for key, value in values.items()}


def _with_flags(values: dict[str, Array], rows: Array | None = None) -> dict[str, Any]:
    """Infos with Gymnasium's flags: the rows that have each value, by default all."""
    every = np.ones(len(values["slot"]), np.bool_) if rows is None else rows
    return values | {f"_{key}": every.copy() for key in values}
