"""Tables of probabilities and rewards: converted to one form and checked; errors name the wrong entry."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse, vstack

from multislot.checks import refusal
from multislot.errors import show_value

Floats = NDArray[np.float64]

ROUNDING = 1e-9
REWARD_DIGITS = 9


def as_reward(reward: float) -> float:
    """Return a reward in the form in which rewards are compared: to nine digits."""
    return round(float(reward), REWARD_DIGITS)


def as_floats(name: str, raw: Any) -> Floats:
    """Return numbers as an array."""
    try:
        if np.iscomplexobj(raw):
            raise TypeError(f"{show_value(raw)} is complex")
        numbers: Floats = np.asarray(raw, dtype=float)
    except (TypeError, ValueError, OverflowError, MemoryError) as wrong:
        raise refusal(name, raw, "a dense array of numbers", str(wrong)) from wrong
    return numbers


def entries_of(matrix: csr_array, row: int) -> Iterable[tuple[int, float]]:
    """Return pairs (column, number) of one sparse row that are not zero."""
    first, last = matrix.indptr[row], matrix.indptr[row + 1]
    pairs = zip(matrix.indices[first:last].tolist(), matrix.data[first:last].tolist(), strict=True)
    return (pair for pair in pairs if pair[1] != 0)


def transition_rows(transition: Any) -> tuple[csr_array, int, int]:
    """Return transition probabilities as sparse [S·A, S], with S and A."""
    sparse = issparse(transition)
    parts = transition if isinstance(transition, Sequence) else [transition]
    if any(part.dtype.kind == "c" for part in parts if hasattr(part, "dtype")):
        raise refusal("transition.dtype", "complex", "real numbers")
    raw: Any = transition
    if sparse and raw.ndim == 2:
        rows = csr_array(raw, dtype=float)
        states = rows.shape[1]
        actions = rows.shape[0] // states
    elif isinstance(transition, Sequence) and len(transition) and all(issparse(matrix) for matrix in transition):
        states, actions = transition[0].shape[0], len(transition)
        if any(matrix.shape != (states, states) for matrix in transition):
            raise refusal("transition shapes", [matrix.shape for matrix in transition], "[S, S] for every action")
        order = np.arange(states * actions).reshape(actions, states).T.ravel()
        rows = csr_array(csr_array(vstack(transition), dtype=float)[order])
    else:
        table: Any = raw if sparse else as_floats("transition", raw)
        if len(table.shape) != 3 or table.shape[0] != table.shape[2]:
            raise refusal("transition.shape", table.shape, "[S, A, S]")
        states, actions = table.shape[:2]
        rows = csr_array(table.reshape((states * actions, states)), dtype=float)
    if not states or not actions or rows.shape != (states * actions, states):
        raise refusal("transition.shape", rows.shape, "[S, A, S] with at least one state and action")
    rows.sum_duplicates()
    return rows, states, actions


def reward_rows(reward: ArrayLike, values: ArrayLike | None, states: int, actions: int) -> tuple[csr_array, Floats]:
    """Return reward probabilities as sparse [S·A, R], and the R rewards."""
    raw = as_floats("reward", reward)
    if values is None:
        if raw.shape != (states, actions):
            expected = f"[S, A] = {(states, actions)}, or [S, A, R] with reward_values"
            raise refusal("reward.shape", raw.shape, expected)
        check_rewards("reward", raw)
        distinct, indices = np.unique(raw, return_inverse=True)
        shape = (states * actions, len(distinct))
        return csr_array((np.ones(raw.size), (np.arange(raw.size), indices.ravel())), shape=shape), distinct
    known = as_floats("reward_values", values)
    if known.ndim != 1 or raw.shape != (states, actions, len(known)):
        raise refusal("reward.shape and reward_values.shape", (raw.shape, known.shape), "[S, A, R] and [R]")
    check_rewards("reward_values", known)
    if len({as_reward(value) for value in known.tolist()}) < len(known):
        raise refusal("reward_values", known.tolist(), "rewards that differ")
    return csr_array(raw.reshape(states * actions, len(known))), known


def check_rewards(name: str, rewards: Floats) -> None:
    """Raise SettingError naming the first reward outside [0, 1]."""
    wrong = ~((rewards >= 0) & (rewards <= 1))
    if wrong.any():
        entry = tuple(int(index) for index in np.argwhere(wrong)[0])
        place = ", ".join(map(str, entry))
        raise refusal(f"{name}[{place}]", float(rewards[entry]), "a number in [0, 1]")


def check_rows(name: str, rows: csr_array, actions: int | None = None) -> None:
    """Raise SettingError naming the first row that is not a distribution.

    Args:
        name: of the table.
        rows: sparse; row ``state·actions + action``, or row ``state`` if there are no actions.
        actions: A.
    """

    def place(row: int) -> str:
        return str(row) if actions is None else f"{row // actions}, {row % actions}"

    wrong = ~(rows.data >= 0)
    if wrong.any():
        entry = int(np.argmax(wrong))
        row = int(np.searchsorted(rows.indptr, entry, side="right")) - 1
        raise refusal(f"{name}[{place(row)}, {rows.indices[entry]}]", float(rows.data[entry]), "at least 0")
    sums = np.asarray(rows.sum(axis=1))
    wrong = ~(np.abs(sums - 1) <= ROUNDING)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise refusal(f"sum of {name}[{place(row)}]", float(sums[row]), "1")


def draw(weights: Floats, chance: float) -> int:
    """Return the index that a number in [0, 1) draws from weights [K]; an index of weight 0 is never drawn."""
    total = list(accumulate(weights.tolist()))
    index = bisect_right(total, chance * total[-1])
    return index if index < len(total) else bisect_left(total, total[-1])
