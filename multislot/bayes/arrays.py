"""Tables of probabilities and rewards as they are given: brought into one form, checked, the offending entry named."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse, vstack

from multislot.errors import SettingError

Floats = NDArray[np.float64]

ROUNDING = 1e-9
REWARD_DIGITS = 9


def as_reward(reward: float) -> float:
    """Returns a reward in the form in which rewards are compared: to nine digits."""
    return round(float(reward), REWARD_DIGITS)


def as_floats(name: str, given: Any) -> Floats:
    """Returns numbers as an array.

    Raises:
        SettingError: if they are none, or their rows differ in length.
    """
    try:
        if np.iscomplexobj(given):
            raise TypeError(f"{given!r} is complex")
        numbers: Floats = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as wrong:
        raise SettingError(f"{name} is no dense array of numbers: {wrong}") from wrong
    return numbers


def entries_of(matrix: csr_array, row: int) -> Iterable[tuple[int, float]]:
    """Pairs (column, number) of one sparse row that are not zero."""
    first, last = matrix.indptr[row], matrix.indptr[row + 1]
    pairs = zip(matrix.indices[first:last].tolist(), matrix.data[first:last].tolist(), strict=True)
    return (pair for pair in pairs if pair[1] != 0)


def transition_rows(transition: Any) -> tuple[csr_array, int, int]:
    """Transition probabilities as sparse [S·A, S], with S and A."""
    sparse = issparse(transition)
    parts = transition if isinstance(transition, Sequence) else [transition]
    if any(part.dtype.kind == "c" for part in parts if hasattr(part, "dtype")):
        raise SettingError("transition holds complex numbers, expected probabilities")
    given: Any = transition
    if sparse and given.ndim == 2:
        rows = csr_array(given, dtype=float)
        states = rows.shape[1]
        actions = rows.shape[0] // states
    elif isinstance(transition, Sequence) and len(transition) and all(issparse(matrix) for matrix in transition):
        states, actions = transition[0].shape[0], len(transition)
        if any(matrix.shape != (states, states) for matrix in transition):
            raise SettingError(
                "transition is a sequence of matrices of different shapes, expected [S, S] for every action"
            )
        order = np.arange(states * actions).reshape(actions, states).T.ravel()
        rows = csr_array(csr_array(vstack(transition), dtype=float)[order])
    else:
        table: Any = given if sparse else as_floats("transition", given)
        if len(table.shape) != 3 or table.shape[0] != table.shape[2]:
            raise SettingError(f"transition has shape {table.shape}, expected [S, A, S]")
        states, actions = table.shape[:2]
        rows = csr_array(table.reshape((states * actions, states)), dtype=float)
    if not states or not actions or rows.shape != (states * actions, states):
        raise SettingError(f"transition has shape {rows.shape}, expected [S, A, S] with at least one state and action")
    rows.sum_duplicates()
    return rows, states, actions


def reward_rows(reward: ArrayLike, values: ArrayLike | None, states: int, actions: int) -> tuple[csr_array, Floats]:
    """Reward probabilities as sparse [S·A, R], and the R rewards."""
    given = as_floats("reward", reward)
    if values is None:
        if given.shape != (states, actions):
            raise SettingError(
                f"reward has shape {given.shape}, expected [S, A] = {(states, actions)}, "
                "or [S, A, R] with reward_values"
            )
        check_rewards("reward", given)
        distinct, indices = np.unique(given, return_inverse=True)
        shape = (states * actions, len(distinct))
        return csr_array((np.ones(given.size), (np.arange(given.size), indices.ravel())), shape=shape), distinct
    known = as_floats("reward_values", values)
    if known.ndim != 1 or given.shape != (states, actions, len(known)):
        raise SettingError(
            f"reward has shape {given.shape} and reward_values {known.shape}, expected [S, A, R] and [R]"
        )
    check_rewards("reward_values", known)
    if len({as_reward(value) for value in known.tolist()}) < len(known):
        raise SettingError("reward_values holds the same reward twice")
    return csr_array(given.reshape(states * actions, len(known))), known


def check_rewards(name: str, rewards: Floats) -> None:
    """Raises SettingError naming the first reward outside [0, 1]."""
    wrong = ~((rewards >= 0) & (rewards <= 1))
    if wrong.any():
        entry = tuple(int(index) for index in np.argwhere(wrong)[0])
        place = ", ".join(map(str, entry))
        raise SettingError(f"{name}[{place}] is {rewards[entry]}, expected a number in [0, 1]")


def check_rows(name: str, rows: csr_array, actions: int) -> None:
    """Raises SettingError naming the first row that is not a distribution; row ``state·actions + action``."""

    def place(row: int) -> str:
        return f"{row // actions}, {row % actions}" if actions > 1 or name in ("transition", "reward") else str(row)

    wrong = ~(rows.data >= 0)
    if wrong.any():
        entry = int(np.argmax(wrong))
        row = int(np.searchsorted(rows.indptr, entry, side="right")) - 1
        raise SettingError(f"{name}[{place(row)}, {rows.indices[entry]}] is {rows.data[entry]}, expected at least 0")
    sums = np.asarray(rows.sum(axis=1))
    wrong = ~(np.abs(sums - 1) <= ROUNDING)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise SettingError(f"{name}[{place(row)}] sums to {sums[row]}, expected 1")
