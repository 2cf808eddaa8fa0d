"""World-models: the probability of the next observation and reward (Cohen and Hutter 2020).

A model works with a *summary* of the history, which holds all that its next law depends on: the state of a
tabular model, the belief over hidden states of a partially observable one, the whole history of any other. Rewards lie
in [0, 1]. Models know a percept as the pair (observation, reward), in the form in which percepts are compared
(`PerceptKey`). A history is a tuple of (action, percept) pairs, oldest first. It begins with an action: nothing is
observed before it (Orseau 2014, Def. 4, the empty observation λ). If a world does show something before the first
action, no model gains or loses weight by it, and models with a method ``begin_at`` begin there.

Departure from the paper: its models are programs, countably many; here they are finite objects, finitely many.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from multislot.checks import checked_callable, checked_float, checked_index, number, refusal, whole
from multislot.errors import show_value
from multislot.exact.kernel import Arrival, Kernel
from multislot.mdp.chains import Floats

PerceptKey = tuple[int, float]
Seen = tuple[int | None, float]
"""(observation, reward); the observation of an episode's last step is None if it is not known."""
History = tuple[tuple[int, PerceptKey], ...]
Law = Mapping[PerceptKey, float]

SLOT = 1
ROUNDING = 1e-9
DRAWN_SUM = 10 * ROUNDING
"""How far the sum of a drawn distribution may be from 1; some are sums of rows that may be off by `ROUNDING`."""
REWARD_DIGITS = 9


def as_reward(reward: float) -> float:
    """Return a reward as rewards are compared: rounded to nine digits."""
    return round(checked_float("reward", reward), REWARD_DIGITS)


def as_floats(name: str, raw: Any) -> Floats:
    """Return numbers as an array of floats; anything else is refused."""
    try:
        if np.iscomplexobj(raw):
            raise TypeError(f"{show_value(raw)} is complex")
        numbers: Floats = np.asarray(raw, dtype=float)
    except (TypeError, ValueError, OverflowError, MemoryError) as wrong:
        raise refusal(name, raw, "a dense array of numbers", str(wrong)) from wrong
    return numbers


def make_percept(observation: int, reward: float) -> PerceptKey:
    """Return a percept as percepts are compared: the reward is rounded to nine digits."""
    return int(observation), as_reward(reward)


def as_percept(pair: Any) -> PerceptKey:
    """Return a pair as a percept, see `make_percept`."""
    try:
        observation, reward = pair
        return make_percept(observation, reward)
    except (TypeError, ValueError, ArithmeticError, NotImplementedError, np.ma.MaskError):  # of strange sequences
        raise refusal("percept", pair, "a pair (observation, reward) of numbers") from None


class WorldModel(Protocol):
    """A model of the world: any object with these methods.

    It may have ``begin_at(observation)``, the summary if that is observed before the first action. It may have
    ``as_kernel()``, a kernel of one slot over its summaries and percepts, if plans are not valued by ``law``.
    """

    @property
    def n_actions(self) -> int:
        """Number of actions A."""

    def begin(self) -> Hashable:
        """Return the summary of the empty history."""

    def law(self, summary: Any, action: int) -> Law:
        """Return the probability of every percept that can follow; they sum to 1."""

    def after(self, summary: Any, action: int, percept: PerceptKey) -> Hashable:
        """Return the summary one step later; called only for percepts that can follow."""


class ModelKernel:
    """A world-model as a kernel: one agent in slot 1 that always stays there (Orseau 2014, Def. 9).

    Hidden states are the model's summaries; observations are percepts (observation, reward) as `make_percept` has them.
    """

    def __init__(self, model: WorldModel) -> None:
        self.model = model
        self.actions = tuple(range(model.n_actions))
        self.start = {SLOT: model.begin()}

    def outcomes(self, slot: int, state: Any, action: Any) -> Iterable[tuple[float, dict[int, Arrival]]]:
        """Yield ``(probability, {slot: Arrival(next summary, percept, reward)})``."""
        for percept, chance in law_of(self.model, state, action).items():
            after = self.model.after(state, action, percept)
            yield chance, {slot: Arrival(after, make_percept(*percept), percept[1])}


def begin_member(model: Any, first: int | None) -> Hashable:
    """Return a model's or mentor's summary where an episode begins; `first` is observed there, None is nothing (λ)."""
    summary: Hashable = model.begin_at(first) if first is not None and hasattr(model, "begin_at") else model.begin()
    return summary


def make_kernel(model: WorldModel) -> Kernel:
    """Return a world-model as a kernel of one slot: its own ``as_kernel()`` if it has one."""
    own: Callable[[], Kernel] | None = getattr(model, "as_kernel", None)
    return ModelKernel(model) if own is None else own()


class ObservedState:
    """What tabular models and mentors know of the history: the observed state, one of ``n_states``."""

    n_states: int
    start: int

    def begin(self) -> int:
        """Return the first state."""
        return self.start

    def begin_at(self, observation: int) -> int:
        """Return the first state, which is observed."""
        return checked_index("first observation", observation, self.n_states)

    def after(self, summary: int, action: int, percept: PerceptKey) -> int:
        """Return the observed state."""
        return percept[0]


class WholeHistory:
    """What a model or mentor knows of the history if it may depend on all of it."""

    def begin(self) -> History:
        """Return the empty history."""
        return ()

    def after(self, summary: History, action: int, percept: PerceptKey) -> History:
        """Return the history with one more turn."""
        return (*summary, (action, percept))


class HistoryModel(WholeHistory):
    """Any object that gives probabilities for a history and an action, as a world-model.

    Args:
        probabilities: ``probabilities(history, action)`` gives a mapping (observation, reward) → probability.
        n_actions: number of actions.
    """

    checks_itself = True

    def __init__(self, probabilities: Callable[[History, int], Law], n_actions: int) -> None:
        self.probabilities = checked_callable("probabilities", probabilities)
        self.n_actions = whole("n_actions", n_actions)

    def law(self, summary: History, action: int) -> Law:
        """Return the law that ``probabilities`` gives, checked."""
        return _checked_law(self.probabilities(summary, action), f"after {summary}, action {action}")


def law_of(model: WorldModel, summary: Any, action: int) -> Law:
    """Return a model's law; it is checked unless the model says that it checks its laws itself."""
    law = model.law(summary, action)
    if getattr(model, "checks_itself", False):
        return law
    return _checked_law(law, f"{type(model).__name__}.law({show_value(summary)}, {action})")


def _checked_law(law: Law, where: str) -> Law:
    """A law, checked, without percepts of probability 0."""
    if not isinstance(law, Mapping):
        raise refusal(f"law {where}", law, "a mapping (observation, reward) → probability")
    for percept, chance in law.items():
        if not 0 <= as_percept(percept)[1] <= 1:
            raise refusal(f"percept {where}", percept, "a reward in [0, 1]")
        number(f"probability of {percept} {where}", chance, 0)
    if not abs(sum(law.values()) - 1) <= ROUNDING:
        raise refusal(f"sum of the probabilities {where}", sum(law.values()), "1")
    return {percept: float(chance) for percept, chance in law.items() if chance > 0}


def check_rows(name: str, rows: csr_array, actions: int | None = None) -> None:
    """Raise SettingError naming the first row that is not a distribution.

    Row ``state·A + action`` is that of a state and an action; without `actions` row ``state``.
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


def draw(probabilities: Floats, chance: float) -> int:
    """Return the index that a number in [0, 1) draws from a distribution [K]; what has probability 0 is never drawn."""
    total = list(accumulate(probabilities.tolist()))
    if not (probabilities >= 0).all() or not abs(total[-1] - 1) <= DRAWN_SUM:
        raise refusal("probabilities", probabilities.tolist(), "numbers of at least 0 that sum to 1")
    index = bisect_right(total, chance * total[-1])
    return index if index < len(total) else bisect_left(total, total[-1])
