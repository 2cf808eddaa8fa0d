"""The universal world, which runs all deterministic mono-slot environments in parallel (Orseau 2014, section 5).

At step t the agent in slot ``i ≤ 2^(t-1)`` is copied to slot ``i``, which observes 0, and to slot ``2^(t-1) + i``,
which observes 1. Theorem 1: every deterministic mono-slot environment over {0, 1} has at each t exactly one slot in
1..2^t whose history it explains.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import cast

from multislot.checks import checked_instance, refusal
from multislot.engine.agent import IntArray
from multislot.engine.turn import ArrayTurn, Percept, Turn
from multislot.engine.world import World
from multislot.exact.kernel import Arrival, Number


@dataclass(frozen=True)
class UniversalKernel:
    """The universal environment as a kernel; the hidden state is the time.

    Every agent is copied at every step, and one copy observes 0, the other one 1: after t steps 2^t slots are occupied,
    and each possible string of t observations is the history of one agent.

    Args:
        rewards: of the observations 0 and 1.
        exchange: swap the two observations if the action is 1, so that they depend on it. This is the environment of
            the paper's footnote 3, which "would have some predictive power".
        before_copies: give the observation 0 to the agent in slot ``i`` before it is copied. Then both copies have the
            same history and Theorem 1 fails, as the paper remarks.
    """

    rewards: tuple[Number, Number] = (0, 1)
    _: KW_ONLY
    exchange: bool = False
    before_copies: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.rewards, tuple) or len(self.rewards) != 2:
            raise refusal("rewards", self.rewards, "two numbers: what observing 0 and observing 1 pays")
        if self.exchange and self.before_copies:
            raise refusal("before_copies", True, "False with exchange=True", "it leaves nothing to exchange")

    @property
    def actions(self) -> Sequence[int]:
        """The actions 0 and 1."""
        return (0, 1)

    @property
    def observations(self) -> Sequence[int]:
        """The observations 0 and 1."""
        return (0, 1)

    @property
    def start(self) -> Mapping[int, int]:
        """One agent in slot 1 at time 0."""
        return {1: 0}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[tuple[Number, Mapping[int, Arrival]]]:
        """Return the one outcome: two copies with different observations."""
        time = cast("int", state)
        first = cast("int", action) if self.exchange else 0
        second = 0 if self.before_copies else 1 - first
        return [
            (
                Fraction(1),
                {
                    slot: Arrival(time + 1, first, self.rewards[first]),
                    slot + 2**time: Arrival(time + 1, second, self.rewards[second]),
                },
            )
        ]


class UniversalWorld(World):
    """The universal environment in arrays: 2^t agents after t steps. Observation o has the index o + 1."""

    n_observations = 3

    def __init__(self, kernel: UniversalKernel | None = None) -> None:
        import numpy as np

        self.kernel = UniversalKernel() if kernel is None else checked_instance("kernel", kernel, UniversalKernel)
        self.n_actions = len(self.kernel.actions)
        self._rewards = np.array([float(reward) for reward in self.kernel.rewards])
        self._time = 0

    def start(self, seed: int) -> dict[int, Percept]:
        """Put one agent into slot 1; nothing is random."""
        self._time = 0
        return {1: Percept(0)}

    def step(self, actions: Mapping[int, int]) -> "Turn | ArrayTurn":
        """Copy every agent twice."""
        import numpy as np

        slots = np.array(sorted(actions), dtype=np.int64)
        return self.step_many(slots, np.array([actions[slot] for slot in slots.tolist()], dtype=np.int64))

    def step_many(self, slots: IntArray, actions: IntArray) -> ArrayTurn:
        """Copy every agent twice; slots ascending, shape [n]."""
        import numpy as np

        first = actions if self.kernel.exchange else np.zeros_like(actions)
        second = np.zeros_like(first) if self.kernel.before_copies else 1 - first
        seen = np.concatenate([first, second])
        targets = np.concatenate([slots, slots + 2**self._time])
        self._time += 1
        return Turn.from_arrays(np.concatenate([slots, slots]), targets, seen + 1, self._rewards[seen])

    def describe(self, observation: int) -> str:
        """Return the observation, 0 or 1."""
        return str(observation - 1) if observation else "λ"
