"""Checks of worlds: the protocol, λ at the start, equal bits from equal seeds, copies with the same future."""

import copy as copying
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from multislot.checks import checked_callable, checked_instance, checked_seed, whole
from multislot.engine.agent import IntArray
from multislot.engine.forest import COLUMNS
from multislot.engine.trace import Trace
from multislot.engine.turn import ArrayTurn, Percept, Turn
from multislot.engine.world import World
from multislot.errors import MultislotError
from multislot.testing.conformance import ConformanceError, pickle_and_read
from multislot.zoo.episode import Episode


def check_world(make: Callable[[], World], *, steps: int = 30, seed: int = 0, starts_empty: bool = True) -> None:
    """Run all checks of worlds: the protocol, λ, seeds, copies, pickling, the array form.

    Args:
        make: makes a new world.
        steps: number of steps, with made-up actions.
        seed: of the worlds and of the actions.
        starts_empty: the first observation is λ; False for worlds that show something at the start.
    """
    name = type(make).__name__ if isinstance(make, World) else "MyWorld"
    checked_callable("make", make, "a function that makes a world", f"give lambda: {name}(…)")
    steps, seed = whole("steps", steps), checked_seed(seed)
    play(make(), steps, seed)
    if starts_empty:
        check_empty_observation(make, steps, seed)
    check_world_seeds(make, steps, seed)
    check_world_copies(make, steps, seed)
    check_world_pickles(make, steps, seed)
    check_array_form(make, steps, seed)


def check_empty_observation(make: Callable[[], World], steps: int, seed: int) -> None:
    """Check that agents first observe λ, index 0, and never again (Orseau 2014, Def. 4)."""
    trace = play(make(), steps, seed)
    for slot, observation in trace.start.items():
        if observation != 0:
            raise ConformanceError(f"slot {slot} first observes {observation}; the first observation is λ, index 0")
    for step, observations in enumerate(trace.observations, start=1):
        for slot, observation in observations.items():
            if observation == 0:
                raise ConformanceError(
                    f"slot {slot} observes 0 at step {step}; 0 is reserved for λ, count observations from 1"
                )


def check_world_seeds(make: Callable[[], World], steps: int, seed: int) -> None:
    """Check that the same seed gives the same bits, in a new world and in one that was used before."""
    world = make()
    expected = play(world, steps, seed)
    _compare_traces(
        expected,
        play(make(), steps, seed),
        "two worlds started with the same seed differ; draw all randomness from EndlessStream(seed, WORLD_FOUNDER)",
    )
    play(world, steps + 1, seed ^ 1)  # one more step, so that no cycle hides what was not reset
    _compare_traces(
        expected,
        play(world, steps, seed),
        "a world started again with the same seed differs; start() must set everything that a run changes",
    )


def check_world_copies(make: Callable[[], World], steps: int, seed: int) -> None:
    """Check that a world copied during a run has the same future, and that playing with the copy does not change it.

    So a planner may try anything in a copy: its draws do not come from the real world's stream.
    """
    expected = play(make(), steps, seed)

    def with_copied_world(episode: Episode) -> Episode:
        return copying.deepcopy(episode, {id(episode.world): episode.world.copy()})

    for copied in (with_copied_world, copying.deepcopy):
        episode, actions = Episode(make(), seed), np.random.default_rng(seed)
        _advance(episode, actions, steps // 2)
        duplicate, same_actions = copied(episode), copying.deepcopy(actions)
        _advance(copied(episode), np.random.default_rng(seed + 1), steps)
        _advance(duplicate, same_actions, steps - steps // 2)
        _compare_traces(
            expected,
            duplicate.trace,
            "a world copied during a run and given the same actions has another future; copy everything that a run "
            "changes, and nothing that the original still changes",
        )
        _advance(episode, actions, steps - steps // 2)
        _compare_traces(
            expected,
            episode.trace,
            "a world notices what happens to its copy; they share something that a run changes, such as a generator "
            "of random numbers",
        )


def check_world_pickles(make: Callable[[], World], steps: int, seed: int) -> None:
    """Check that a world pickled during a run continues as it would have."""
    expected = play(make(), steps, seed)
    episode, actions = Episode(make(), seed), np.random.default_rng(seed)
    _advance(episode, actions, steps // 2)
    episode.world = pickle_and_read(episode.world)
    _advance(episode, actions, steps - steps // 2)
    _compare_traces(
        expected, episode.trace, "a world read back from a pickle has another future; keep all its state in it"
    )


def check_array_form(make: Callable[[], World], steps: int, seed: int) -> None:
    """Check that ``step_many`` and ``step`` give the same answers."""
    by_arrays = checked_instance("world", make(), World)
    if type(by_arrays).step_many is World.step_many:
        return
    _compare_traces(
        play(make(), steps, seed),
        play(_InArrays(by_arrays), steps, seed),
        "step_many() and step() answer the same actions differently",
    )


class _InArrays(World):
    def __init__(self, world: World) -> None:
        self.world = world
        self.n_observations, self.n_actions = world.n_observations, world.n_actions

    def start(self, seed: int) -> dict[int, Percept]:
        return self.world.start(seed)

    def step(self, actions: Mapping[int, int]) -> "Turn | ArrayTurn":
        slots = sorted(actions)
        chosen: IntArray = np.array([actions[slot] for slot in slots], dtype=np.int64)
        return self.world.step_many(np.array(slots, dtype=np.int64), chosen)


def play(world: World, steps: int, seed: int) -> Trace:
    """Play a world with made-up actions and return the trace; it is shorter if no agent is left."""
    checked_instance("world", world, World)
    with _report_protocol():
        episode = Episode(world, seed)
    _advance(episode, np.random.default_rng(seed), steps)
    return episode.trace


@contextmanager
def _report_protocol() -> Iterator[None]:
    try:
        yield
    except MultislotError as error:
        raise ConformanceError(f"the world breaks the protocol: {error}") from error


def _advance(episode: Episode, actions: np.random.Generator, steps: int) -> None:
    for _ in range(steps):
        if episode.occupants:
            chosen = actions.integers(episode.world.n_actions, size=len(episode.occupants)).tolist()
            with _report_protocol():
                episode.step(dict(zip(episode.occupants, chosen, strict=True)))


def _compare_traces(expected: Trace, got: Trace, message: str) -> None:
    if all(np.array_equal(getattr(expected, name), getattr(got, name)) for name in COLUMNS):
        return
    steps = range(min(expected.steps, got.steps) + 1)
    differs = next((step for step in steps if _at(expected, step) != _at(got, step)), len(steps))
    raise ConformanceError(f"{message} (they differ from step {differs} on)")


def _at(trace: Trace, step: int) -> list[list[float]]:
    rows = trace.rows(step)
    return [getattr(trace, name)[rows].tolist() for name in ("slot", "parent", "observation", "reward")]
