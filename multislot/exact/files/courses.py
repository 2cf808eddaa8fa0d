"""What happens in a kernel: who is copied from whom on the likeliest run with a copy."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import prod
from typing import TypeAlias

from multislot.checks import whole
from multislot.errors import TooLargeError
from multislot.exact.kernel import CheckedKernel, Kernel, Number, Outcome

MOST_AGENTS = 1_000
MOST_PATHS = 10_000
"""The largest number of beginnings of runs in which a copy is sought."""

Steps: TypeAlias = tuple[tuple[Hashable, Hashable], ...]
Policy: TypeAlias = Callable[..., Hashable]


@dataclass(frozen=True)
class Agent:
    """Who is in a slot after a step; the last (action, observation) pair and the reward are of this step.

    Attributes:
        source: the slot it was copied from; its own slot before the first step.
    """

    slot: int
    source: int
    history: tuple[tuple[Hashable, Hashable], ...]
    reward: Number


@dataclass(frozen=True)
class Stage:
    """Everyone after a step, by slot; step 0 is the beginning.

    Attributes:
        deleted: the slots whose agents have no copy any more.
        chance: the probability of what happens in this step, given what happened before.
    """

    step: int
    agents: tuple[Agent, ...]
    deleted: tuple[int, ...]
    chance: Number = 1


def copying_course(kernel: Kernel, policy: Policy, steps: int) -> list[Stage]:
    """Return the stages of the likeliest run on which somebody is copied.

    If nobody is copied within the first `MOST_PATHS` beginnings, every slot has its likeliest outcome. A policy takes a
    history, a tuple of (action, observation) pairs.
    """
    checked = CheckedKernel(kernel)
    copies = [_first_copy(checked, policy, steps, slot) for slot in sorted(kernel.start)]
    outcomes = max(copies, key=lambda chosen: prod(probability for probability, _ in chosen.values()) * bool(chosen))
    return _follow(checked, policy, steps, outcomes)


def _first_copy(checked: CheckedKernel, policy: Policy, steps: int, slot: int) -> dict[tuple[int, int], Outcome]:
    """Outcomes by step and slot that lead the agent of a slot to its likeliest first copy; none if it has no copy."""
    order = count()
    waiting: list[tuple[float, int, int, Hashable, Steps, dict[tuple[int, int], Outcome]]] = []
    heappush(waiting, (-1.0, next(order), slot, checked.start[slot], (), {}))
    for _ in range(MOST_PATHS):
        if not waiting:
            return {}
        chance, _, slot, state, history, chosen = heappop(waiting)
        if chosen and len(next(reversed(chosen.values()))[1]) > 1:
            return chosen
        if len(history) == steps:
            continue
        action = policy(history)
        for outcome in checked.outcomes(slot, state, action):
            probability, arrivals = outcome
            after = {**chosen, (len(history) + 1, slot): outcome}
            for target, arrival in list(arrivals.items())[:1]:
                seen = (*history, (action, arrival.observation))
                heappush(waiting, (chance * float(probability), next(order), target, arrival.state, seen, after))
    return {}


def _follow(
    checked: CheckedKernel, policy: Policy, steps: int, chosen: Mapping[tuple[int, int], Outcome]
) -> list[Stage]:
    """Stages in which slots have the chosen outcomes, by step and slot, and otherwise their likeliest ones."""
    states = dict(checked.start)
    stages = [Stage(0, tuple(Agent(slot, slot, (), 0) for slot in sorted(states)), ())]
    for step in range(1, whole("steps", steps, 0) + 1):
        alive: dict[int, Agent] = {}
        chance: Number = 1
        deleted, after = [], dict[int, Hashable]()
        for agent in stages[-1].agents:
            action = policy(agent.history)
            outcomes = checked.outcomes(agent.slot, states[agent.slot], action)
            probability, arrivals = chosen.get((step, agent.slot)) or max(outcomes, key=lambda outcome: outcome[0])
            chance *= probability
            if not arrivals:
                deleted.append(agent.slot)
            for target, arrival in arrivals.items():
                history = (*agent.history, (action, arrival.observation))
                alive[target], after[target] = Agent(target, agent.slot, history, arrival.reward), arrival.state
        if len(alive) > MOST_AGENTS:
            raise TooLargeError(f"{len(alive)} agents are alive after step {step}; expected at most {MOST_AGENTS}")
        states = after
        stages.append(Stage(step, tuple(alive[slot] for slot in sorted(alive)), tuple(deleted), chance))
    return stages
