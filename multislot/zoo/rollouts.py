"""Policies outside the environment that are copied when their agents are.

PettingZoo knows names, not agents, so it cannot copy policies. `rollout` follows ``infos[...]["parent"]`` instead: a
newborn agent begins with a copy of its parent's policy and learns its arrival with it, exactly as in `multislot.run`.
"""

import copy as copying
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from multislot.checks import checked_mapping, checked_parts, whole, wrong_type
from multislot.errors import NoAgentError
from multislot.zoo.fixed import FixedView
from multislot.zoo.infos import parent_name, was_born
from multislot.zoo.views import DynamicView

Infos = Mapping[str, Mapping[str, Any]]
Policy = Any
"""An object with ``act(observation)``, and with ``learn``, ``learn_last`` and ``copy`` if it learns, such as a
`multislot.Agent`; or a function from observation to action."""


@dataclass(frozen=True)
class Rollout:
    """The result of an episode.

    Attributes:
        returns: sum of the rewards of every agent that lived, by name.
        parents: by name, the parent of the (last) occupant of that name; None for fresh agents.
        policies: by name, the policy after it last acted or learned, including those of dead agents.
        steps: number of steps in the episode.
    """

    returns: Mapping[str, float]
    parents: Mapping[str, str | None]
    policies: Mapping[str, Policy]
    steps: int


def rollout(
    environment: DynamicView | FixedView,
    policies: Mapping[str, Policy] | Callable[[str], Policy],
    *,
    seed: int | None = None,
    steps: int | None = None,
) -> Rollout:
    """Play one episode with policies that are copied when their agents are.

    Every policy with ``learn`` learns each transition of its agent. A newborn agent learns its arrival, from the
    observation and action of its parent. An agent with its last percept learns by ``learn_last``. A deleted agent
    learns nothing.

    Args:
        environment: a view of a World.
        policies: by name, for every agent without a parent (``copy_0``, or ``slot_1``), or a function from the name to
            one; they are trained in place. A mapping gives each once, as `multislot.run` does: if fresh agents enter
            one slot again and again, give a function.
        seed: for ``environment.reset``.
        steps: the largest number of steps; by default to the end of the episode.

    Raises:
        NoAgentError: an agent without a parent has no policy, or another had it before.
    """
    steps = None if steps is None else whole("steps", steps)
    checked_parts("environment", environment, "reset", "step")
    started: Any = environment.reset(seed=seed)  # an AEC environment returns None
    if not started or not all("birth_step" in info for info in started[1].values()):
        expected = "a view of a World: its infos give each agent's birth and parent"
        raise wrong_type("environment", environment, expected, 'make it as "parallel", not "aec"')
    observations, infos = started
    cast = _Cast(policies)
    step = 0
    cast.follow(infos, step)
    while environment.agents and step != steps:
        step += 1
        actions = {name: cast.act(name, observations[name], infos[name]) for name in environment.agents}
        before, present = observations, {name for name, info in infos.items() if info.get("occupied", True)}
        observations, rewards, _, _, infos = environment.step(actions)
        born = cast.follow(infos, step)
        for name, source in _learners(infos, born, present):
            arrival = None if infos[name]["ended"] else observations[name]
            cast.learn(name, before[source], actions[source], rewards[name], arrival)
        for name, reward in rewards.items():
            cast.returns[name] = cast.returns.get(name, 0.0) + reward
    return Rollout(cast.returns, cast.parents, cast.policies, step)


def _learners(infos: Infos, born: Collection[str], present: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each agent that received a percept, and the agent whose observation and action led to it.

    In the fixed view a copy whose first percept is its last is never there, so nobody learns it.
    """
    for name, info in infos.items():
        if name in born:
            parent = parent_name(info)
            if parent is not None:
                yield name, parent
        elif not info["deleted"] and (info.get("occupied", True) or (info["ended"] and name in present)):
            yield name, name


class _Cast:
    """The policies of all agents."""

    def __init__(self, founders: Mapping[str, Policy] | Callable[[str], Policy]) -> None:
        self.founders = founders if callable(founders) else dict(checked_mapping("policies", founders))
        self.policies: dict[str, Policy] = {}
        self.parents: dict[str, str | None] = {}
        self.returns: dict[str, float] = {}

    def follow(self, infos: Infos, step: int) -> list[str]:
        """Give the agents born at `step` their policies, and return their names."""
        born = [name for name, info in infos.items() if was_born(info, step)]
        before = dict(self.policies) if born else {}
        for name in born:
            info = infos[name]
            parent = self.parents[name] = parent_name(info)
            self.policies[name] = (
                self._fresh(name, info["slot"], step) if parent is None else copy_policy(before[parent])
            )
        return born

    def act(self, name: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """The action of an agent; 0 for an empty slot, where it is ignored."""
        if not info.get("occupied", True):
            return 0
        policy = self.policies[name]
        return policy.act(to_plain(observation)) if hasattr(policy, "act") else policy(to_plain(observation))

    def learn(self, name: str, observation: Any, action: Any, reward: float, arrival: Any | None) -> None:
        """Let a policy learn one transition; without `arrival` it was its last."""
        policy = self.policies[name]
        if not hasattr(policy, "learn"):
            return
        if arrival is not None:
            policy.learn(to_plain(observation), action, reward, to_plain(arrival))
        elif hasattr(policy, "learn_last"):
            policy.learn_last(to_plain(observation), action, reward)
        else:
            policy.learn(to_plain(observation), action, reward, to_plain(observation))

    def _fresh(self, name: str, slot: int, step: int) -> Policy:
        if callable(self.founders):
            policy = self.founders(name)
        elif name in self.founders:
            policy = self.founders.pop(name)
        else:
            known = ", ".join(self.founders) or "none left"
            raise NoAgentError(f"{name} has no parent and no policy", f"give one (given: {known})", slot, step)
        if callable(policy) and not isinstance(policy, type):
            return policy
        return checked_parts(f"policy of {name}", policy, "act", remedy=f"or give {{{name!r}: function}}")


def to_plain(observation: Any) -> Any:
    """Return a NumPy integer as an int, which compiled agents need; leave anything else as it is."""
    return int(observation) if isinstance(observation, np.integer) else observation


def copy_policy(policy: Policy) -> Policy:
    """Return a policy that has learned the same and learns independently from now on."""
    return policy.copy() if hasattr(policy, "copy") else copying.deepcopy(policy)
