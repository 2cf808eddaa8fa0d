"""Agents: what lives in a slot (Orseau 2014, Def. 1), and factories that make them.

Acting never changes an agent, learning does (Alexander et al. 2021, section 2). An agent reads its random numbers from
a `Stream` at an index that only learning advances (their Def. 9, semi-determinism). So a copy acts as
its original would, no matter how often it is asked.

The module is compiled. A compiled object keeps its attributes outside ``__dict__``, where `copy.deepcopy` and `pickle`
do not look, and its arrays (`vec`) can be neither copied nor pickled by them. So `attributes`, `copy_deeply` and
`rebuild` do that for every subclass of `Agent`, and of ``extenv.ExtendedEnvironment``, compiled or interpreted.
"""

import copy as copying
import copyreg
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from librt.vecs import vec
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

    def learn(self, observation: i64, action: i64, reward: float, next_observation: i64) -> None:
        """Learn from one transition; the default learns nothing."""

    def learn_last(self, observation: i64, action: i64, reward: float) -> None:
        """Learn from the last transition; by default as from one that leads to `observation` again."""
        self.learn(observation, action, reward, observation)

    def learned_state(self) -> dict[str, Any]:
        """Return what differs between agents that have learned different things; by default all attributes by name."""
        return attributes(self)

    def copy(self) -> "Agent":
        """Return an agent that has learned the same and learns independently from now on; streams are shared."""
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> "Agent":
        copied: Agent = copy_deeply(self, memo)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), attributes(self))


AgentFactory: TypeAlias = Callable[..., Agent]
"""``factory(n_observations, n_actions, stream, **overrides)`` makes a fresh agent; an agent class is one."""


EMPTY_ARRAYS: list[Any] = [vec[float](), vec[bool]()]
ARRAYS: dict[str, Any] = {type(array).__name__: type(array) for array in EMPTY_ARRAYS}
"""The classes of compiled arrays by name."""
ARE_ARRAYS: frozenset[Any] = frozenset(ARRAYS.values())
NEED_NO_COPY: frozenset[Any] = frozenset((*ARRAYS.values(), bool, int, float, str, type(None)))
"""Classes of attributes that need no deep copy: constants, and arrays, which are copied when they are read."""
UNSET: Any = object()


def make_array(kind: str, entries: list[Any]) -> Any:
    """Make a compiled array of a class of `ARRAYS`."""
    return ARRAYS[kind](entries)


def reduce_array(array: Any) -> tuple[Any, ...]:
    """Say to `pickle` how a compiled array is made."""
    return make_array, (type(array).__name__, list(array))


for array_class in ARRAYS.values():
    copyreg.pickle(array_class, reduce_array)


def attributes(holder: object) -> dict[str, Any]:
    """Return every attribute that is set, by name, whether it is compiled, in ``__dict__`` or in ``__slots__``.

    Compiled arrays are fresh copies.
    """
    values: dict[str, Any] = {}
    for name in getattr(type(holder), "__mypyc_attrs__", ()):
        value = getattr(holder, name, UNSET)
        if value is not UNSET:
            values[name] = value
    state: Any = object.__getstate__(holder)
    for part in state if isinstance(state, tuple) else (state,):
        values.update(part or {})
    for name, value in values.items():
        if type(value) in ARE_ARRAYS:
            values[name] = value[:]
    return values


def copy_deeply(holder: Any, memo: dict[int, Any]) -> Any:
    """Return a deep copy of an object, made without calling ``__init__``."""
    cls: Any = type(holder)
    copied = memo[id(holder)] = cls.__new__(cls)
    for name, value in attributes(holder).items():
        setattr(copied, name, value if type(value) in NEED_NO_COPY else copying.deepcopy(value, memo))
    return copied


def rebuild(cls: Any, state: dict[str, Any]) -> Any:
    """Make an object of class `cls` with the attributes `state`, without calling ``__init__``."""
    holder = cls.__new__(cls)
    for name, value in state.items():
        setattr(holder, name, value)
    return holder


@mypyc_attr(allow_interpreted_subclasses=True)
class VectorAgent:
    """One object that acts for the agents in many slots at once, one row for each slot, slots ascending.

    Its rows are the agents that descend from the slots it was put in. Arrays have shape [rows].
    """

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
