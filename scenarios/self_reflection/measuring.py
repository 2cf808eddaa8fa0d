"""What the scenarios of this family share: agents by the paper's names, and measurements from the totals of cells."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from extenv.battery import BATTERY
from extenv.measure import Measurement, Score
from extenv.reality_check import Freeze, reality_check
from extenv.running import run
from multislot.agent import AgentFactory
from multislot.agents.tabular import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.errors import UnknownNameError

TABULAR: dict[str, AgentFactory] = {
    "Random": RandomAgent,
    "Constant": ConstantAgent,
    "Simple": SimpleLearner,
    "Naive": NaiveLearner,
    "Q": QLearner,
}
DEEP = ("DQN", "A2C", "PPO")
TABLE_AGENTS = ("Random", "Constant", "Simple", "Q")
OPPOSITE = "opposite of "


def agent_factory(name: str, checked: bool = False, freeze: Freeze = "published") -> AgentFactory:
    """Return the factory of an agent of the paper by its name there, or of its reality check.

    Deep agents are used as in the published experiments.

    Raises:
        UnknownNameError: there is no agent of this name.
        MissingExtraError: a deep agent is asked for and Stable-Baselines3 is not installed.
    """
    if name not in TABULAR and name not in DEEP:
        raise UnknownNameError("agent", name, (*TABULAR, *DEEP))
    if name in DEEP:
        from multislot import agents

        factory: AgentFactory = partial(getattr(agents, name), mode="published")
    else:
        factory = TABULAR[name]
    return reality_check(factory, freeze) if checked else factory


def label(name: str, checked: bool) -> str:
    """Return the name of an agent, or of its reality check, in tables."""
    return f"RC({name})" if checked else name


def portions(name: str) -> Sequence[tuple[str, ...]]:
    """Return the environments by cell: all at once for a tabular agent, one by one for a deep one."""
    return [(environment,) for environment in BATTERY] if name in DEEP else [BATTERY]


def totals(factory: AgentFactory, environments: Iterable[str], steps: int, seed: int) -> dict[str, float]:
    """Return total rewards in environments and their opposites."""
    return {
        (OPPOSITE if opposite else "") + environment: run(
            environment, factory, steps=steps, seed=seed, opposite=opposite
        ).total_reward
        for environment in environments
        for opposite in (False, True)
    }


def measurement(agent: str, steps: int, found: Iterable[tuple[int, Mapping[str, Any]]]) -> Measurement:
    """Return the measure of an agent from ``(seed, totals)`` of its cells."""
    scores = [
        Score(name.removeprefix(OPPOSITE), name.startswith(OPPOSITE), seed, float(total), float(total) / steps)
        for seed, by_name in found
        for name, total in by_name.items()
    ]
    return Measurement(agent, steps, tuple(scores), {name: 1.0 / len(BATTERY) for name in BATTERY})
