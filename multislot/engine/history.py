"""Agents that remember everything: policies over interaction histories (Orseau 2014, Def. 8).

Histories share their structure: a longer one points to the one that it continues. So a copy of an agent costs one
pointer.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

from multislot.checks import checked_callable, checked_parts, refusal, whole, wrong_type
from multislot.engine.agent import Agent, FloatArray, IntArray, VectorAgent

ActionObservation = tuple[int, int]


class History(Sequence[ActionObservation]):
    """An interaction history ``h_{1:t}``: (action, observation) pairs, oldest first; immutable.

    `then` and `last` take O(1). Reading from the oldest pair on takes O(t).
    """

    __slots__ = ("_length", "_pair", "_shorter")

    def __new__(cls, pairs: Iterable[ActionObservation] = ()) -> "History":
        """Make the history of these (action, observation) pairs."""
        history = EMPTY
        for pair in pairs:
            try:
                action, observation = pair
            except ValueError:
                raise refusal("pair", pair, "an action and an observation") from None
            history = history.then(action, observation)
        return history

    def then(self, action: int, observation: int) -> "History":
        """Return the history that continues this one by an action and the observation after it."""
        return _make_node(self, (action, observation), self._length + 1)

    @property
    def last(self) -> ActionObservation:
        """The newest pair; the empty history raises an IndexError."""
        if self._shorter is None:
            raise IndexError("the empty history has no last pair")
        return self._pair

    def pairs(self) -> tuple[ActionObservation, ...]:
        """Return all pairs, oldest first."""
        newest_first: list[ActionObservation] = []
        node = self
        while node._shorter is not None:
            newest_first.append(node._pair)
            node = node._shorter
        return tuple(reversed(newest_first))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> ActionObservation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ActionObservation, ...]: ...
    def __getitem__(self, index: int | slice) -> ActionObservation | tuple[ActionObservation, ...]:
        return self._pair if index == -1 and self._length else self.pairs()[index]

    def __iter__(self) -> Any:
        return iter(self.pairs())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History):
            return self is other or (self._length == other._length and self.pairs() == other.pairs())
        return isinstance(other, tuple) and self.pairs() == other

    def __hash__(self) -> int:
        return hash(self.pairs())  # that of the tuple, to which it is equal

    def __repr__(self) -> str:
        return f"History({list(self.pairs())})"

    def __deepcopy__(self, memo: dict[int, Any]) -> "History":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return History, (self.pairs(),)

    _shorter: "History | None"
    _pair: ActionObservation
    _length: int


def _make_node(shorter: History | None, pair: ActionObservation, length: int) -> History:
    """Make a node in O(1)."""
    node = object.__new__(History)
    node._shorter, node._pair, node._length = shorter, pair, length
    try:
        hash(pair)
    except (TypeError, ValueError):  # ValueError: one of NumPy's dates
        raise wrong_type("(action, observation)", pair, "two integers") from None
    return node


EMPTY = _make_node(None, (0, 0), 0)
"""The empty history λ."""

Policy = Callable[[History], int]
"""A policy: from the interaction history ``h_{<t}`` to the action ``a_t``."""


class HistoryAgent(Agent):
    """A policy over its own interaction history (Orseau 2014, Def. 8); a copy costs O(1).

    Args:
        policy: from the `History` so far to an action; all copies share it, so it must not keep state.
        history: the history at the start.
    """

    def __init__(self, policy: Policy, history: Sequence[ActionObservation] = ()) -> None:
        self.policy = checked_callable("policy", policy)
        self.history = History(history)

    def act(self, observation: int) -> int:
        """Return the policy's action on the history, whose last observation (or λ) is `observation`."""
        return self.policy(self.history)

    def learn(self, observation: int, action: int, reward: float, next_observation: int) -> None:
        """Remember the action and the observation after it."""
        self.history = self.history.then(action, next_observation)

    def __deepcopy__(self, memo: dict[int, Any]) -> Agent:
        memo[id(self.policy)] = self.policy
        return super().__deepcopy__(memo)


MOST_ROWS = 2**24
"""The largest number of `Histories`."""


class Histories:
    """The interaction histories of many agents, as a forest of arrays; all have the same length.

    Args:
        rows: number of histories, empty at the start.
    """

    def __init__(self, rows: int) -> None:
        import numpy as np

        self._row: IntArray = np.arange(whole("rows", rows, 0, MOST_ROWS))
        self._parents: list[IntArray] = []
        self._actions: list[IntArray] = []
        self._observations: list[IntArray] = []

    @property
    def rows(self) -> int:
        """Number of histories."""
        return len(self._row)

    @property
    def length(self) -> int:
        """Number of (action, observation) pairs in each history."""
        return len(self._actions)

    def move(self, parents: IntArray) -> None:
        """Let row ``k`` continue the former row ``parents[k]``, shape [rows afterwards]."""
        self._row = self._row[parents]

    def extend(self, actions: IntArray, observations: IntArray) -> None:
        """Continue every row by an action and the observation after it, shape [rows]."""
        import numpy as np

        self._parents.append(self._row)
        self._actions.append(actions)
        self._observations.append(observations)
        self._row = np.arange(len(actions))

    def last(self, count: int) -> tuple[IntArray, IntArray]:
        """Return the newest `count` actions and observations of every row, oldest first, shape [rows, count].

        If histories are shorter than `count`, the whole histories.
        """
        import numpy as np

        count = min(count, self.length)
        actions = np.zeros((self.rows, count), dtype=np.int64)
        observations = np.zeros((self.rows, count), dtype=np.int64)
        row = self._row
        for column in range(count):
            step = self.length - 1 - column
            actions[:, count - 1 - column] = self._actions[step][row]
            observations[:, count - 1 - column] = self._observations[step][row]
            row = self._parents[step][row]
        return actions, observations


class VectorHistoryAgent(VectorAgent):
    """A vectorized policy over interaction histories: one agent for any number of slots.

    Args:
        policy: from `Histories` to one action for each row, shape [rows].
        rows: number of slots that it is put in at the start.
    """

    def __init__(self, policy: Callable[[Histories], IntArray], rows: int = 1) -> None:
        self.policy = checked_callable("policy", policy)
        self.histories = Histories(rows)

    def act_many(self, observations: IntArray, slots: IntArray) -> IntArray:
        """Return the policy's action for every row."""
        return self.policy(self.histories)

    def move(self, parents: IntArray, slots: IntArray) -> None:
        """Let every row continue its parent's history."""
        self.histories.move(parents)

    def learn_many(
        self,
        observations: IntArray,
        actions: IntArray,
        rewards: FloatArray,
        next_observations: IntArray,
        slots: IntArray,
    ) -> None:
        """Continue every row's history by its action and the observation after it."""
        checked_parts("actions", actions, "shape", "dtype")
        self.histories.extend(actions, next_observations)
