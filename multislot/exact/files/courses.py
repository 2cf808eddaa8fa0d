"""What happens in a kernel: who is copied from whom on the likeliest run with a copy."""

from collections.abc import Callable, Hashable, Mapping
from heapq import heappop, heappush
from itertools import count
from math import prod
from typing import Any, NamedTuple, TypeAlias

from multislot.checks import whole
from multislot.errors import TooLargeError
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel, Number

MOST_AGENTS = 1_000
MOST_PATHS = 10_000
"""The largest number of beginnings of runs in which a copy is sought."""

Steps: TypeAlias = tuple[tuple[Hashable, Hashable], ...]
Policy: TypeAlias = Callable[..., Mapping[Hashable, Number]]
"""From a history, a tuple of (action, observation) pairs, to the chance of each action."""
Stage: TypeAlias = dict[str, Any]
"""Everyone after a step, in the terms of JSON: ``step``, from 0; ``agents``, by slot; ``deleted``, the slots whose
agents have no copy any more; ``chance``, the probability of what happens in this step, given what happened before, and
with the coin that a policy tosses;
``otherwise``, what else could have happened to the one agent to whom something happens by chance, without ``step``. An
agent has its ``slot``, the slot ``from`` which it was copied (its own at step 0), its last ``action`` (None if every
action would have done the same), what it then ``observes`` and its ``reward``."""


class Way(NamedTuple):
    """What can become of an agent in a step: how likely it is, who arrives where, and after which action."""

    chance: Number
    arrivals: Mapping[int, Arrival]
    action: Hashable


def copying_course(kernel: Kernel, policy: Policy, steps: int) -> list[Stage]:
    """Return the stages of the likeliest run on which somebody is copied.

    If nobody is copied within the first `MOST_PATHS` beginnings, what is likeliest happens to every agent.
    """
    checked = CheckedKernel(kernel)
    copies = [_first_copy(checked, policy, steps, slot) for slot in sorted(kernel.start)]
    ways = max(copies, key=lambda chosen: prod(way.chance for way in chosen.values()) * bool(chosen))
    return _follow(checked, policy, steps, ways)


def _first_copy(checked: CheckedKernel, policy: Policy, steps: int, slot: int) -> dict[tuple[int, int], Way]:
    """Ways by step and slot that lead the agent of a slot to its likeliest first copy; none if it has no copy."""
    order = count()
    waiting: list[tuple[float, int, int, Hashable, Steps, dict[tuple[int, int], Way]]] = []
    heappush(waiting, (-1.0, next(order), slot, checked.start[slot], (), {}))
    for _ in range(MOST_PATHS):
        if not waiting:
            return {}
        chance, _, slot, state, history, chosen = heappop(waiting)
        if chosen and len(next(reversed(chosen.values())).arrivals) > 1:
            return chosen
        if len(history) == steps:
            continue
        for way in _ways(checked, policy, slot, state, history):
            after = {**chosen, (len(history) + 1, slot): way}
            for target, arrival in list(way.arrivals.items())[:1]:
                seen = (*history, (way.action, arrival.observation))
                heappush(waiting, (chance * float(way.chance), next(order), target, arrival.state, seen, after))
    return {}


def _ways(checked: CheckedKernel, policy: Policy, slot: int, state: Hashable, history: Steps) -> list[Way]:
    """All that can become of an agent; no coin counts where every action does the same."""
    chances = policy(history)
    if len(chances) > 1 and _does_not_matter(checked, slot, state):
        chances = {next(iter(chances)): 1}
    return [
        Way(chance * probability, arrivals, action)
        for action, chance in chances.items()
        for probability, arrivals in checked.outcomes(slot, state, action)
    ]


def _does_not_matter(checked: CheckedKernel, slot: int, state: Hashable) -> bool:
    """Whether every action does the same."""
    first, *others = (list(checked.outcomes(slot, state, action)) for action in checked.actions)
    return all(same == first for same in others)


def _follow(checked: CheckedKernel, policy: Policy, steps: int, chosen: Mapping[tuple[int, int], Way]) -> list[Stage]:
    """Stages in which the chosen ways are gone, by step and slot, and otherwise the likeliest ones."""
    places: dict[int, tuple[Hashable, Steps]] = {slot: (state, ()) for slot, state in sorted(checked.start.items())}
    nothing = {"action": None, "observes": None, "reward": "0"}
    nobody: Stage = {"deleted": [], "chance": "1", "otherwise": []}
    stages = [{"step": 0, "agents": [{"slot": s, "from": s, **nothing} for s in places], **nobody}]
    for step in range(1, whole("steps", steps, 0) + 1):
        chance: Number = 1
        agents, deleted, others = dict[int, Stage](), list[int](), list[list[Stage]]()
        after: dict[int, tuple[Hashable, Steps]] = {}
        for source, (state, history) in places.items():
            ways = _ways(checked, policy, source, state, history)
            told = not _does_not_matter(checked, source, state)
            way = chosen.get((step, source)) or max(ways, key=lambda way: way.chance)
            chance *= way.chance
            if not way.arrivals:
                deleted.append(source)
            for slot, (new_state, observation, _) in way.arrivals.items():
                after[slot] = new_state, (*history, (way.action, observation))
            agents |= {agent["slot"]: agent for agent in _arrive(source, told, way)["agents"]}
            ways.remove(way)
            others.append([_arrive(source, told, other) for other in ways])
        if len(after) > MOST_AGENTS:
            raise TooLargeError(f"{len(after)} agents are alive after step {step}; expected at most {MOST_AGENTS}")
        places = dict(sorted(after.items()))
        by_slot, by_chance = [agents[slot] for slot in places], list(filter(None, others))
        otherwise = by_chance[0] if len(by_chance) == 1 else []
        stages.append(
            {"step": step, "agents": by_slot, "deleted": deleted, "chance": _show(chance), "otherwise": otherwise}
        )
    return stages


def _arrive(source: int, told: bool, way: Way) -> Stage:
    """What becomes of the agent of one slot; its action is told if it matters."""
    action = str(way.action) if told else None
    agents = [
        {"slot": slot, "from": source, "action": action, "observes": str(seen), "reward": str(reward)}
        for slot, (_, seen, reward) in sorted(way.arrivals.items())
    ]
    return {"agents": agents, "deleted": [] if agents else [source], "chance": _show(way.chance)}


def _show(chance: Number) -> str:
    """A chance as a fraction; one that follows from an irrational number, as a decimal."""
    return f"{chance:.9g}" if isinstance(chance, float) else str(chance)
