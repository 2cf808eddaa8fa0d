"""Checks of PettingZoo environments, to the end of an episode and through births and deaths."""

import copy as copying
from collections.abc import Callable
from typing import Any

from gymnasium.utils.env_checker import data_equivalence

from multislot.checks import checked_parts
from multislot.errors import show_value
from multislot.testing.conformance import ConformanceError

DICTIONARIES = ("observations", "rewards", "terminations", "truncations", "infos")
Answer = tuple[dict[str, Any], ...]


def check_environment(make: Callable[[], Any], *, seed: int = 0) -> None:
    """Play a PettingZoo ParallelEnv to the end, together with a twin and with copies that are taken on the way.

    PettingZoo's ``parallel_seed_test`` stops after one step; this check continues, through births and deaths.

    Args:
        make: makes a new environment, whose episodes end.
        seed: of the environment and of the actions.
    """
    first, second = (checked_parts("make()", make(), "reset", "step", remedy="return an environment") for _ in range(2))
    _compare(_start(first, seed), _start(second, seed), "two environments with the same seed differ at the start")
    finished, step = set[str](), 0
    while first.agents:
        step += 1
        if step & (step - 1) == 0:  # a copy is taken at steps 1, 2, 4, 8, …
            duplicate = copying.deepcopy(second)
        present = set(first.agents)
        answer = _step(first)
        _check_answer(first, answer, present, finished)
        _compare(answer, _step(second), f"two environments with the same seed differ at step {step}")
        _compare(answer, _step(duplicate), f"a copied environment has another future at step {step}")


def _start(environment: Any, seed: int) -> Answer:
    answer: Answer = environment.reset(seed=seed)
    for number, agent in enumerate(environment.agents):
        if environment.action_space(agent) is not environment.action_space(agent):
            raise ConformanceError(f"{agent} has a new action space at every call, which cannot be seeded; keep one")
        environment.action_space(agent).seed(seed + number)
    return answer


def _step(environment: Any) -> Answer:
    actions = {agent: environment.action_space(agent).sample() for agent in environment.agents}
    answer: Answer = environment.step(actions)
    return answer


def _check_answer(environment: Any, answer: Answer, present: set[str], finished: set[str]) -> None:
    """Check the five dictionaries of one step and note the agents that have finished."""
    observations, _, terminations, truncations, _ = answer
    everybody = present | set(environment.agents)
    for name, column in zip(DICTIONARIES, answer, strict=True):
        if set(column) != everybody:
            raise ConformanceError(
                f"the {name} hold {sorted(column)}; expected all that acted or were born: {sorted(everybody)}"
            )
    if returned := finished & everybody:
        raise ConformanceError(f"{min(returned)} had finished and returns; give newborn agents new names")
    finished |= {agent for agent in everybody if terminations[agent] or truncations[agent]}
    if staying := finished & set(environment.agents):
        raise ConformanceError(f"{min(staying)} has finished and is still among the agents")
    for agent, observation in observations.items():
        if not environment.observation_space(agent).contains(observation):
            raise ConformanceError(f"{agent} observes {show_value(observation)}, which is not in its observation space")


def _compare(first: Answer, second: Answer, message: str) -> None:
    names = DICTIONARIES if len(first) == len(DICTIONARIES) else ("observations", "infos")
    for name, entries, others in zip(names, first, second, strict=True):
        for agent in sorted(entries.keys() | others.keys()):
            if not data_equivalence(entries.get(agent), others.get(agent)):
                values = f"{show_value(entries.get(agent))} and {show_value(others.get(agent))}"
                raise ConformanceError(f"{message}: {name} of {agent}: {values}")
