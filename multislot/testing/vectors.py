"""Checks of vectorized agents: each row keeps the contract of a single agent."""

from collections.abc import Callable

import numpy as np

from multislot.checks import checked_seed
from multislot.engine.agent import IntArray, VectorAgent
from multislot.testing.agents import Experience, compare, make_up_experience
from multislot.testing.conformance import ConformanceError


def check_vector_agent(
    make: Callable[[], VectorAgent], *, n_observations: int = 4, n_actions: int = 3, steps: int = 40, seed: int = 0
) -> None:
    """Check that acting changes nothing, that equal training gives equal actions, and that rows are isolated copies."""
    seed = checked_seed(seed, bits=63)
    experience = make_up_experience(n_observations, steps, seed)
    other = make_up_experience(n_observations, steps, seed + 1)
    agent = make()
    if not isinstance(agent, VectorAgent):
        raise ConformanceError(f"make() returned a {type(agent).__name__}; expected a multislot.VectorAgent")
    alone = [row[0] for row in _play(agent, experience, n_actions, asks=2)]
    compare(alone, [row[0] for row in _play(make(), experience, n_actions)], _UNLIKE)
    together = _play(make(), experience, n_actions, beside=experience)
    compare(alone, [row[-1] for row in together], _COPY_DIFFERS)
    apart = _play(make(), experience, n_actions, beside=other)
    compare(alone, [row[0] for row in apart], _ROWS_DISTURB)


_UNLIKE = (
    "two agents made and trained in the same way act differently, one of them asked twice as often; acting must not "
    "change the agent: read every random number at an index that only learning advances"
)
_COPY_DIFFERS = (
    "a copied row acts differently from what its original would have done; let move() copy all that was learned"
)
_ROWS_DISTURB = "a row acts differently after its copy has learned; rows share something that learning changes"


def _play(
    agent: VectorAgent, experience: Experience, n_actions: int, *, asks: int = 1, beside: Experience | None = None
) -> list[list[int]]:
    """The actions of every step by row: slot 1, and from half time on its copy, which experiences `beside`."""
    slots: IntArray = np.array([1], dtype=np.int64)
    fork = len(experience) // 2 if beside is not None else len(experience)
    acted = []
    for step, moment in enumerate(experience):
        rows = [moment] if beside is None or step <= fork else [moment, beside[step]]
        observations, rewards, following = (np.array(column) for column in zip(*rows, strict=True))
        actions = [_check_actions(agent, observations, slots, n_actions) for _ in range(asks)][-1]
        acted.append(actions.tolist())
        parents = np.array([0, 0]) if step == fork else np.arange(len(slots))
        slots = np.arange(1, len(parents) + 1)
        agent.move(parents, slots)
        agent.learn_many(observations[parents], actions[parents], rewards[parents], following[parents], slots)
    return acted


def _check_actions(agent: VectorAgent, observations: IntArray, slots: IntArray, n_actions: int) -> IntArray:
    actions = np.asarray(agent.act_many(observations, slots))
    if actions.shape != slots.shape or actions.dtype.kind not in "iu":
        raise ConformanceError(
            f"act_many returned {actions.dtype} of shape {actions.shape}; return integers of shape {slots.shape}"
        )
    if not np.array_equal(actions, agent.act_many(observations, slots)):
        raise ConformanceError("act_many gave two different answers without learning in between")
    if actions.min() < 0 or actions.max() >= n_actions:
        raise ConformanceError(f"act_many returned {actions.tolist()}; return indices of range({n_actions})")
    return actions
