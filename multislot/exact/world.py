"""Kernels in the engine: `KernelWorld` draws from a kernel, and a `Coding` gives the engine's indices a meaning."""

import copy as copying
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from multislot.checks import checked_index, checked_instance, refusal, whole
from multislot.engine.stream import WORLD_FOUNDER, EndlessStream
from multislot.engine.turn import Percept, Turn
from multislot.engine.world import World
from multislot.errors import TooLargeError
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel


@dataclass(frozen=True)
class Coding:
    """The meaning of indices: action ``k`` is ``actions[k]``, observation ``k`` is ``observations[k - 1]``.

    Observation 0 is λ, which is in no history. Agents and the worlds in which they run share one coding.
    """

    actions: tuple[Hashable, ...]
    observations: tuple[Hashable, ...]

    @classmethod
    def of(cls, *kernels: Kernel, limit: int = 10_000) -> "Coding":
        """Collect the observations of kernels: their `observations` if they list them, otherwise all reachable ones.

        Raises:
            TooLargeError: more than `limit` pairs of slot and state can be reached.
        """
        if not kernels:
            raise refusal("kernels", kernels, "at least one kernel")
        checked = [CheckedKernel(kernel) for kernel in kernels]
        if any(kernel.actions != checked[0].actions for kernel in checked):
            raise refusal("actions", [k.actions for k in checked], "the same actions in all kernels of a coding")
        listed = (getattr(kernel, "observations", None) for kernel in kernels)
        seen = (own or _reachable(kernel, limit) for own, kernel in zip(listed, checked, strict=True))
        return cls(
            checked[0].actions,
            tuple(dict.fromkeys(observation for observations in seen for observation in observations)),
        )

    def observation(self, index: int) -> Hashable:
        """Return the meaning of the observation `index` (from 1)."""
        return self.observations[whole("index", index, 1, len(self.observations)) - 1]

    def decode(self, history: Iterable[tuple[int, int]]) -> tuple[tuple[Hashable, Hashable], ...]:
        """Translate a history of indices into the kernel's own actions and observations."""
        turns = [checked_instance("turn", turn, tuple) for turn in history]
        count = len(self.actions)
        return tuple((self.actions[checked_index("action", act, count)], self.observation(seen)) for act, seen in turns)


def _reachable(kernel: CheckedKernel, limit: int) -> Iterable[Hashable]:
    places, observations = list(kernel.start.items()), dict[Hashable, None]()
    known = set(places)
    for slot, state in places:
        for action in kernel.actions:
            for _, arrivals in kernel.outcomes(slot, state, action):
                new = dict.fromkeys((target, arrival.state) for target, arrival in arrivals.items())
                places += [place for place in new if place not in known]
                known.update(new)
                observations.update(dict.fromkeys(arrival.observation for arrival in arrivals.values()))
        if len(known) > limit:
            raise TooLargeError(
                f"more than {limit} pairs of slot and hidden state can be reached, too many to find the observations; "
                "give the kernel an attribute `observations`, in order"
            )
    return observations


class KernelWorld(World):
    """A world that draws its outcomes from a kernel, each slot independently of the others.

    Args:
        kernel: the history-based environment.
        coding: the meaning of the indices; by default `Coding.of` the kernel. An agent that also plans in other kernels
            needs the coding of all of them.
    """

    def __init__(self, kernel: Kernel, coding: Coding | None = None) -> None:
        self.kernel = CheckedKernel(kernel)
        self.coding = Coding.of(kernel) if coding is None else checked_instance("coding", coding, Coding)
        self.n_actions = len(self.coding.actions)
        self.n_observations = len(self.coding.observations) + 1
        self._index = {observation: index for index, observation in enumerate(self.coding.observations, start=1)}
        self._states: dict[int, Hashable] = {}
        self._drawn = 0

    def start(self, seed: int) -> dict[int, Percept]:
        """Fill the start slots; all observe λ."""
        self._stream, self._drawn = EndlessStream(seed, WORLD_FOUNDER), 0
        self._states = dict(self.kernel.start)
        return dict.fromkeys(self._states, Percept(0))

    def step(self, actions: Mapping[int, int]) -> Turn:
        """Draw one outcome for every slot."""
        drawn = {slot: self._draw(slot, self.coding.actions[actions[slot]]) for slot in sorted(actions)}
        arrived = {target: arrival for arrivals in drawn.values() for target, arrival in arrivals.items()}
        self._states = {target: arrival.state for target, arrival in arrived.items()}
        percepts = {}
        for target, (_, observation, reward) in arrived.items():
            if observation not in self._index:
                raise refusal("observation", observation, f"one of the coding's {self.coding.observations}")
            try:  # quicker than a check of every reward
                percepts[target] = Percept(self._index[observation], float(reward))
            except OverflowError:
                raise refusal("reward", reward, "a number that a float can hold") from None
        return Turn({slot: tuple(arrivals) for slot, arrivals in drawn.items()}, percepts)

    def _draw(self, slot: int, action: Hashable) -> Mapping[int, Arrival]:
        outcomes = self.kernel.outcomes(slot, self._states[slot], action)
        if len(outcomes) == 1:
            return outcomes[0][1]
        number, self._drawn = self._stream.at(self._drawn), self._drawn + 1
        for probability, arrivals in outcomes:
            number -= float(probability)
            if number < 0:
                return arrivals
        return outcomes[-1][1]  # rounding may leave the sum below 1

    def distinct_actions(self, slot: int) -> tuple[int, ...]:
        """Return the actions whose outcomes differ from those of all earlier ones."""
        outcomes = [self.kernel.outcomes(slot, self._states[slot], action) for action in self.coding.actions]
        return tuple(k for k, its_outcomes in enumerate(outcomes) if its_outcomes not in outcomes[:k])

    def copy(self) -> "KernelWorld":
        """Return a world with the same state; it shares the kernel, which does not change."""
        copied = copying.copy(self)
        copied._states = dict(self._states)
        return copied

    def describe(self, observation: int) -> str:
        """Return the kernel's observation."""
        return str(self.coding.observation(observation)) if observation else "λ"

    def describe_action(self, action: int) -> str:
        """Return the kernel's action."""
        return str(self.coding.actions[action])
