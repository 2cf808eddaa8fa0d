"""Agents: what lives in a slot (Orseau 2014, Def. 1), and factories that make them.

Acting never changes an agent, learning does (Alexander et al. 2021, section 2). An agent reads its random numbers from
a `Stream` at an index that only learning advances (their Def. 9, semi-determinism). So a copy acts as
its original would, no matter how often it is asked.

The module is compiled. A compiled object keeps its attributes outside ``__dict__``, where `copy.deepcopy` and `pickle`
do not look. So `Agent` does both itself for every subclass, compiled or interpreted. Compiled calls of a method
of type None refuse any other result. So the methods whose result is ignored are of type Any: `learn` may return a loss.
"""

import copy as copying
import copyreg
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from mypy_extensions import i64, mypyc_attr

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

IntArray: TypeAlias = "npt.NDArray[np.int64]"
FloatArray: TypeAlias = "npt.NDArray[np.float64]"


@mypyc_attr(allow_interpreted_subclasses=True)
class Agent:
    """A policy that learns; subclass it and write `act` and `learn`. ``super().__init__()`` is not needed.

    ``act(observation)`` returns an action and must not change the agent. ``learn(observation, action, reward,
    next_observation)`` learns from one transition. Observations are indices in ``range(n_observations)``, actions in
    ``range(n_actions)``. A class whose instances are made during a run has ``__init__(n_observations, n_actions,
    stream)``; it draws random numbers from ``stream.at(n)``, with n the number of transitions learned.
    """

    def act(self, observation: i64) -> i64:
        """Return the action on `observation`; must not change the agent."""
        raise NotImplementedError(f"{type(self).__name__} does not define act(observation) -> action")

    def learn(self, observation: i64, action: i64, reward: float, next_observation: i64) -> Any:
        """Learn from one transition; the default learns nothing."""

    def learn_last(self, observation: i64, action: i64, reward: float) -> Any:
        """Learn from the last transition; by default as from one that leads to `observation` again."""
        self.learn(observation, action, reward, observation)

    def native_state(self) -> dict[str, Any]:
        """Return the attributes that a compiled class keeps outside ``__dict__``, by name, as fresh picklable values.

        Interpreted subclasses need not define it: the attributes that they add are found without it.
        """
        return {}

    def restore(self, state: dict[str, Any]) -> Any:
        """Set the attributes that `native_state` returned."""

    def copy(self) -> "Agent":
        """Return an agent that has learned the same and learns independently from now on; streams are shared."""
        copied: Agent = copying.deepcopy(self)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "Agent":
        native = self.native_state()
        copied = rebuilt(type(self), native)
        memo[id(self)] = copied  # before the rest, which may refer back to the agent
        set_state(copied, copying.deepcopy(interpreted_state(self, native), memo))
        return copied

    def __getstate__(self) -> object:
        return object.__getstate__(self)  # otherwise a compiled class has one of its own

    def __reduce__(self) -> tuple[Any, ...]:
        native = self.native_state()
        return rebuilt, (type(self), native), interpreted_state(self, native)


AgentFactory: TypeAlias = Callable[..., Agent]
"""``factory(n_observations, n_actions, stream, **overrides)`` makes a fresh agent; an agent class is one."""


def interpreted_state(agent: Any, native: dict[str, Any]) -> Any:
    """What ``__getstate__`` returns, by default ``__dict__`` and ``__slots__``, without the agent's `native_state`."""
    state: Any = agent.__getstate__()
    if isinstance(state, dict):
        return {name: value for name, value in state.items() if name not in native}
    return state


def rebuilt(cls: type[Agent], native: dict[str, Any]) -> Agent:
    """Make an agent of class `cls` from its `native_state`, without calling ``__init__``."""
    agent: Agent = cls.__new__(cls)
    agent.restore(native)
    return agent


def set_state(agent: object, state: Any) -> None:
    """Set an `interpreted_state` as `pickle` does: by ``__setstate__``, if there is one; a class may be frozen."""
    if state is not None and hasattr(agent, "__setstate__"):
        agent.__setstate__(state)
        return
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            object.__setattr__(agent, name, value)


@mypyc_attr(allow_interpreted_subclasses=True)
class VectorAgent:
    """One object that acts for the agents in many slots at once, one row for each slot, slots ascending.

    Its rows are the agents that descend from the slots it was put in. Arrays have shape [rows].
    """

    def __getstate__(self) -> object:
        return object.__getstate__(self)  # otherwise a compiled class has one of its own

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), self.__getstate__()  # type: ignore[attr-defined]

    def act_many(self, observations: IntArray, slots: IntArray) -> IntArray:
        """Return the action of every row, shape [rows]; must not change the agent."""
        raise NotImplementedError(f"{type(self).__name__} does not define act_many(observations, slots) -> actions")

    def move(self, parents: IntArray, slots: IntArray) -> None:
        """Follow the copies: row ``k`` now lives in ``slots[k]`` and is a copy of row ``parents[k]`` before.

        Called once a step before `learn_many`, and again after it if rows have ended and leave.
        """

    def learn_many(
        self,
        observations: IntArray,
        actions: IntArray,
        rewards: FloatArray,
        next_observations: IntArray,
        slots: IntArray,
    ) -> None:
        """Learn one transition for each row; `observations` and `actions` are those of the row before it was copied."""
