"""Stable-Baselines3's A2C, PPO and DQN on one-hot observations, in C; see ``one_hot/learner.c``."""

from typing import Any

LANES: int
MOST_ACTIONS: int
MOST_LOT: int
MOST_OBSERVATIONS: int
MOST_TRANSITIONS: int
MOST_WIDTH: int

class Plan:
    """Everything that agents of one kind begin with; it never changes."""

    def __new__(
        cls,
        kind: tuple[int, bool],
        sizes: tuple[int, int, int, int],
        relu: int,
        counts: tuple[int, int, int, int, int, int],
        numbers: tuple[float, float, float, float, float, float, bool],
        parameters: bytes,
        numpy: bytes,
        torch: bytes,
        sampler: bytes,
        /,
    ) -> Plan: ...

class Run:
    """What all agents of one released run share: two generators, and what was ever answered."""

    def __new__(cls) -> Run: ...

class Learner:
    """One agent's networks, memory and updates."""

    learned: int
    updates: int
    history: int

    def __new__(cls, plan: Plan, run: Run | None, history: int, /) -> Learner: ...
    def act(self, observation: int, /) -> int: ...
    def learn(self, observation: int, action: int, reward: float, next_observation: int, ended: bool, /) -> None: ...
    def sampled(self, observation: int, number: float, /) -> int: ...
    def greedy(self, observation: int, /) -> int: ...
    def policy(self, observation: int, /) -> list[float]: ...
    def value(self, observation: int, /) -> float: ...
    def parameters(self) -> tuple[bytes, bytes, bytes, bytes, int]: ...
    def load(self, parameters: bytes, first: bytes, second: bytes, target: bytes, updates: int, /) -> None: ...
    def copy(self) -> Learner: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
