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
Places: TypeAlias = Mapping[int, tuple[Hashable, Steps]]
"""The hidden state and the history of each agent, by slot."""
Policy: TypeAlias = Callable[..., Mapping[Hashable, Number]]
"""From a history, a tuple of (action, observation) pairs, to the chance of each action."""
Stage: TypeAlias = dict[str, Any]
"""Everyone after a step, in the terms of JSON: ``step``, from 0; ``agents``, by slot; ``deleted``, the slots whose
agents have no copy any more; ``chance``, the probability of what happens in this step, given what happened before, and
with the coin that a policy tosses; ``otherwise``, everyone in each other case, without ``step``, if something happens
by chance to one agent alone. An agent has its ``slot``, the slot ``from`` which it was copied (its own at step 0), its
last ``action`` (None if every action would have done the same), what it then ``observes`` and its ``reward``."""


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
    """Return stages in which what was chosen happens, by step and slot, and otherwise what is likeliest."""
    places: Places = {slot: (state, ()) for slot, state in sorted(checked.start.items())}
    nothing = {"action": None, "observes": None, "reward": "0"}
    nobody: Stage = {"deleted": [], "chance": "1", "otherwise": []}
    stages = [{"step": 0, "agents": [{"slot": s, "from": s, **nothing} for s in places], **nobody}]
    for step in range(1, whole("steps", steps, 0) + 1):
        possible = {source: _ways(checked, policy, source, *place) for source, place in places.items()}
        ways = {
            source: chosen.get((step, source)) or max(each, key=lambda way: way.chance)
            for source, each in possible.items()
        }
        alive = sum(len(way.arrivals) for way in ways.values())
        if alive > MOST_AGENTS:
            raise TooLargeError(f"{alive} agents are alive after step {step}; expected at most {MOST_AGENTS}")
        otherwise = [_arrive(checked, places, other) for other in _other_cases(ways, possible)]
        stages.append({"step": step, **_arrive(checked, places, ways), "otherwise": otherwise})
        after = {
            slot: (arrival.state, (*places[source][1], (way.action, arrival.observation)))
            for source, way in ways.items()
            for slot, arrival in way.arrivals.items()
        }
        places = dict(sorted(after.items()))
    return stages


def _other_cases(ways: Mapping[int, Way], possible: Mapping[int, list[Way]]) -> list[dict[int, Way]]:
    """The ways of all agents in each other case, if one agent alone has several; none if that would be too many."""
    by_chance = [source for source, each in possible.items() if len(each) > 1]
    if len(by_chance) != 1 or len(possible[by_chance[0]]) * len(ways) > MOST_AGENTS:
        return []
    others = list(possible[by_chance[0]])
    others.remove(ways[by_chance[0]])
    return [{**ways, by_chance[0]: other} for other in others]


def _arrive(checked: CheckedKernel, places: Places, ways: Mapping[int, Way]) -> Stage:
    """What becomes of everyone, by the slot that is left; an action is told if it matters."""
    agents, deleted = dict[int, Stage](), list[int]()
    for source, way in ways.items():
        told = None if _does_not_matter(checked, source, places[source][0]) else str(way.action)
        for slot, (_, seen, reward) in way.arrivals.items():
            agents[slot] = {"slot": slot, "from": source, "action": told, "observes": str(seen), "reward": str(reward)}
        deleted += [] if way.arrivals else [source]
    chance: Number = prod(way.chance for way in ways.values())
    return {"agents": [agents[slot] for slot in sorted(agents)], "deleted": deleted, "chance": _show(chance)}


def _show(chance: Number) -> str:
    """A chance as a fraction; one that follows from an irrational number, as a decimal."""
    return f"{chance:.9g}" if isinstance(chance, float) else str(chance)
