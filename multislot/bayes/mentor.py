"""Mentors and models of mentors: a policy in a table, or a function of the history.

A mentor-model is read through a summary of the history, as a world-model is. A mentor with known probabilities is its
own model (Cohen and Hutter 2020).
"""

from collections.abc import Callable, Hashable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from multislot.agents.tabular import table_size
from multislot.bayes.models import ROUNDING, History, ObservedState, PerceptKey, WholeHistory, as_floats, draw
from multislot.checks import checked_callable, checked_index, refusal, whole
from multislot.mdp.chains import Floats


class Mentor(Protocol):
    """The mentor acts when the agent defers (learning to defer).

    It may have ``begin_at(observation)``, the summary if that is observed before the first action.
    """

    @property
    def n_actions(self) -> int:
        """Number of actions A."""

    def begin(self) -> Hashable:
        """Return the summary of the empty history."""

    def choose(self, summary: Any, chance: float) -> int:
        """Return the mentor's action; ``chance`` in [0, 1) is all the randomness it may use."""

    def after(self, summary: Any, action: int, percept: PerceptKey) -> Hashable:
        """Return the summary one step later."""


class MentorModel(Mentor, Protocol):
    """A mentor whose policy is known: what a mentor class is made of."""

    def probabilities(self, summary: Any) -> Floats:
        """Return [A], the probability of every action."""


class TabularMentor(ObservedState):
    """A policy over observed states.

    Args:
        policy: [S, A] probabilities, or [S] actions.
        start: the first state if it is not observed.
        n_actions: needed with [S] actions only.

    Attributes:
        policy: [S, A] probabilities.
    """

    def __init__(self, policy: ArrayLike, start: int = 0, n_actions: int | None = None) -> None:
        self.policy = _as_probabilities(policy, None if n_actions is None else whole("n_actions", n_actions))
        self.n_states, self.n_actions = self.policy.shape
        self.start = checked_index("start", start, self.n_states)

    def probabilities(self, summary: int) -> Floats:
        """Return the state's row."""
        if not 0 <= summary < self.n_states:
            raise refusal("state", summary, f"one of 0..{self.n_states - 1}, which the mentor knows")
        row: Floats = self.policy[summary]
        return row

    def choose(self, summary: int, chance: float) -> int:
        """Return the action that ``chance`` draws."""
        return draw(self.probabilities(summary), chance)


class HistoryMentor(WholeHistory):
    """A policy over whole histories.

    Args:
        policy: gives [A] probabilities for a history.
        n_actions: number of actions.
    """

    def __init__(self, policy: Callable[[History], ArrayLike], n_actions: int) -> None:
        self.policy, self.n_actions = checked_callable("policy", policy), whole("n_actions", n_actions)

    def probabilities(self, summary: History) -> Floats:
        """Return the probabilities that ``policy`` gives, checked."""
        chances: Floats = _as_probabilities(as_floats("policy(history)", self.policy(summary))[None], self.n_actions)[0]
        return chances

    def choose(self, summary: History, chance: float) -> int:
        """Return the action that ``chance`` draws."""
        return draw(self.probabilities(summary), chance)


def read_probabilities(mentor: MentorModel, summary: Any) -> Floats:
    """Return [A], a mentor-model's probabilities, checked unless its class does that itself."""
    chances = mentor.probabilities(summary)
    if isinstance(mentor, TabularMentor | HistoryMentor):
        return chances
    checked: Floats = _as_probabilities(as_floats("probabilities", chances)[None], mentor.n_actions)[0]
    return checked


def _as_probabilities(policy: Any, n_actions: int | None) -> Floats:
    """A policy as [S, A] probabilities, checked."""
    rows = as_floats("policy", policy)
    if rows.ndim == 1 and np.issubdtype(np.asarray(policy).dtype, np.integer):
        if n_actions is None or (rows < 0).any() or float(rows.max(initial=0)) >= n_actions:
            raise refusal("n_actions", n_actions, "a number above every action of the policy")
        table_size(max(len(rows), n_actions), n_actions)
        table: Floats = np.eye(n_actions)[rows.astype(int)]
        return table
    if rows.ndim != 2 or not rows.size or n_actions not in (None, rows.shape[1]):
        raise refusal("policy.shape", rows.shape, "[S, A] probabilities or [S] actions")
    wrong = ~((rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= ROUNDING))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise refusal(f"policy[{row}]", rows[row].tolist(), "probabilities that sum to 1")
    return rows
