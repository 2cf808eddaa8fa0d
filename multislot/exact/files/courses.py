"""What happens in a kernel: who is copied from whom on the likeliest run with a copy."""

from collections.abc import Callable, Hashable, Mapping
from heapq import heappop, heappush
from itertools import count
from math import prod
from typing import Any, TypeAlias

from multislot.checks import whole
from multislot.errors import TooLargeError
from multislot.exact.kernel import CheckedKernel, Kernel, Number, Outcome

MOST_AGENTS = 1_000
MOST_PATHS = 10_000
"""The largest number of beginnings of runs in which a copy is sought."""

Steps: TypeAlias = tuple[tuple[Hashable, Hashable], ...]
Policy: TypeAlias = Callable[..., Hashable]
Stage: TypeAlias = dict[str, Any]
"""Everyone after a step, in the terms of JSON: ``step``, from 0; ``agents``, by slot; ``deleted``, the slots whose
agents have no copy any more; ``chance``, the probability of what happens in this step, given what happened before;
``otherwise``, what else could have happened to the one agent to whom something happens by chance, without ``step``. An
agent has its ``slot``, the slot ``from`` which it was copied (its own at step 0), its last ``action`` (None if every
action would have done the same), what it then ``observes`` and its ``reward``."""


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
    places: dict[int, tuple[Hashable, Steps]] = {slot: (state, ()) for slot, state in sorted(checked.start.items())}
    nothing = {"action": None, "observes": None, "reward": "0"}
    nobody: Stage = {"deleted": [], "chance": "1", "otherwise": []}
    stages = [{"step": 0, "agents": [{"slot": s, "from": s, **nothing} for s in places], **nobody}]
    for step in range(1, whole("steps", steps, 0) + 1):
        chance: Number = 1
        agents, deleted, others = dict[int, Stage](), list[int](), list[list[Stage]]()
        after: dict[int, tuple[Hashable, Steps]] = {}
        for source, (state, history) in places.items():
            action = policy(history)
            each = {one: list(checked.outcomes(source, state, one)) for one in checked.actions}
            outcomes = [outcome for outcome in each[action] if outcome[0] > 0]
            told = None if all(same == each[action] for same in each.values()) else str(action)
            outcome = chosen.get((step, source)) or max(outcomes, key=lambda outcome: outcome[0])
            chance *= outcome[0]
            if not outcome[1]:
                deleted.append(source)
            for slot, (new_state, observation, _) in outcome[1].items():
                after[slot] = new_state, (*history, (action, observation))
            agents |= {agent["slot"]: agent for agent in _arrive(source, told, outcome)["agents"]}
            others.append([_arrive(source, told, other) for other in outcomes if other is not outcome])
        if len(after) > MOST_AGENTS:
            raise TooLargeError(f"{len(after)} agents are alive after step {step}; expected at most {MOST_AGENTS}")
        places = dict(sorted(after.items()))
        by_slot, by_chance = [agents[slot] for slot in places], list(filter(None, others))
        otherwise = by_chance[0] if len(by_chance) == 1 else []
        stages.append(
            {"step": step, "agents": by_slot, "deleted": deleted, "chance": str(chance), "otherwise": otherwise}
        )
    return stages


def _arrive(source: int, action: str | None, outcome: Outcome) -> Stage:
    """What becomes of the agent of one slot in an outcome."""
    agents = [
        {"slot": slot, "from": source, "action": action, "observes": str(seen), "reward": str(reward)}
        for slot, (_, seen, reward) in sorted(outcome[1].items())
    ]
    return {"agents": agents, "deleted": [] if agents else [source], "chance": str(outcome[0])}
