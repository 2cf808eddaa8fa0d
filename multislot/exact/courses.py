"""What happens in a kernel: who is copied from whom if every slot has its likeliest outcome."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from multislot.checks import whole
from multislot.errors import TooLargeError
from multislot.exact.kernel import CheckedKernel, Kernel, Number

MOST_AGENTS = 1_000


@dataclass(frozen=True)
class Agent:
    """Who is in a slot after a step.

    Attributes:
        slot: the slot.
        source: the slot it was copied from; its own before the first step.
        history: its (action, observation) pairs; the last is that of this step.
        reward: what this step paid it.
    """

    slot: int
    source: int
    history: tuple[tuple[Hashable, Hashable], ...]
    reward: Number


@dataclass(frozen=True)
class Stage:
    """Everyone after a step.

    Attributes:
        step: the step; 0 is the beginning.
        agents: the agents, by slot.
        deleted: the slots whose agents have no copy any more.
    """

    step: int
    agents: tuple[Agent, ...]
    deleted: tuple[int, ...]


def likeliest_course(kernel: Kernel, policy: Callable[..., Hashable], steps: int) -> list[Stage]:
    """Return what happens if every slot has its likeliest outcome, the first of several.

    Args:
        kernel: the world.
        policy: from a history, a tuple of (action, observation) pairs, to the action.
        steps: how many steps.

    Raises:
        TooLargeError: more than `MOST_AGENTS` agents are alive.
    """
    checked, states = CheckedKernel(kernel), dict(kernel.start)
    stages = [Stage(0, tuple(Agent(slot, slot, (), 0) for slot in sorted(states)), ())]
    for step in range(1, whole("steps", steps, 0) + 1):
        found: dict[int, Agent] = {}
        deleted, after = [], dict[int, Hashable]()
        for agent in stages[-1].agents:
            action = policy(agent.history)
            outcomes = checked.outcomes(agent.slot, states[agent.slot], action)
            _, arrivals = max(outcomes, key=lambda outcome: outcome[0])
            if not arrivals:
                deleted.append(agent.slot)
            for target, arrival in arrivals.items():
                history = (*agent.history, (action, arrival.observation))
                found[target], after[target] = Agent(target, agent.slot, history, arrival.reward), arrival.state
        if len(found) > MOST_AGENTS:
            raise TooLargeError(f"{len(found)} agents are alive after step {step}; expected at most {MOST_AGENTS}")
        states = after
        stages.append(Stage(step, tuple(found[slot] for slot in sorted(found)), tuple(deleted)))
    return stages
