"""Ways to build classes of tabular models: variations of a gridworld, and twins of a base class.

`cliff_grid` is a 7×7 gridworld with ground that may give way. The start S is in the lower left, the goal G in the lower
right. The path over the suspect cells ``a`` to ``e`` takes 8 steps, the path over the row above them 10. If that row
(``f`` to ``j``) is suspect, too, the safe path takes 12 steps. A cliff is never left and pays nothing. The goal pays 1
and leads back to the start; any other cell pays a little.

Twins (Cohen and Hutter 2020, third result) must remember whether the event has happened, and states are observed. So
the state says it: state ``s`` after the event is ``S + s``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from multislot.bayes.posterior import ModelClass
from multislot.bayes.tabular import TabularModel
from multislot.checks import checked_index, checked_instance, checked_items, checked_mapping, number, refusal
from multislot.mdp.chains import Floats

MOVES = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
ACTIONS = tuple(MOVES)
ROWS = (".......", ".......", ".......", ".......", ".fghij.", ".abcde.", "S#####G")
SUSPECTS = "abcdefghij"
FLOOR, CLIFF = ".", "x"
PAY = {"G": 1.0, "S": 0.05, FLOOR: 0.05}
START = 42


@dataclass(frozen=True)
class Grid:
    """A gridworld as text, one character a cell, rows from the top; cells are states in reading order.

    Attributes:
        rows: lines of the same length. ``#`` cannot be entered; every other character is a kind of cell.
        pay: reward in [0, 1] of a step *from* a cell, by its kind; 0 for other kinds.
        absorbing: kinds of cells that are never left.
        back: kinds of cells from which every step leads to the start.
    """

    rows: tuple[str, ...]
    pay: Mapping[str, float]
    absorbing: str = ""
    back: str = ""

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows}
        if len(widths) != 1:
            raise refusal("lengths of the rows", sorted(widths), "one length")

    @property
    def width(self) -> int:
        """Cells in a row."""
        return len(self.rows[0])

    @property
    def kinds(self) -> str:
        """[S], the kind of each cell."""
        return "".join(self.rows)

    def describe(self, state: int) -> str:
        """Return a cell as text: column and row, and its kind."""
        return f"({state % self.width}, {state // self.width}) {self.kinds[state]!r}"

    def model(self, start: int) -> TabularModel:
        """Return the grid as a model with the actions left, right, up, down."""
        if self.kinds[checked_index("start", start, len(self.kinds))] == "#":
            raise refusal("start", start, f"a cell that can be entered, not {self.describe(start)}")
        arrivals = [self._arrive(state, action, start) for state in range(len(self.kinds)) for action in ACTIONS]
        pairs = len(arrivals)
        transition = csr_array((np.ones(pairs), (np.arange(pairs), arrivals)), shape=(pairs, len(self.kinds)))
        reward = np.array([[self.pay.get(kind, 0.0)] * len(ACTIONS) for kind in self.kinds])
        return TabularModel(transition, reward, start)

    def _arrive(self, state: int, action: str, start: int) -> int:
        """The cell that a step leads to: the same cell if the step is blocked."""
        kind = self.kinds[state]
        if kind in self.absorbing or kind == "#":
            return state
        if kind in self.back:
            return start
        x, y = state % self.width + MOVES[action][0], state // self.width + MOVES[action][1]
        inside = 0 <= x < self.width and 0 <= y < len(self.rows)
        return y * self.width + x if inside and self.rows[y][x] != "#" else state


def cliff_grid(cliffs: str = "") -> Grid:
    """Return the world in which the suspect cells with these letters, ``a`` to ``j``, are cliffs, the others floor."""
    if not set(cliffs) <= set(SUSPECTS):
        raise refusal("cliffs", cliffs, f"letters of {SUSPECTS!r}")
    kinds = {name: CLIFF if name in cliffs else FLOOR for name in SUSPECTS}
    rows = tuple("".join(kinds.get(kind, kind) for kind in row) for row in ROWS)
    return Grid(rows, PAY, absorbing=CLIFF, back="G")


def gridworld_variations(grids: Mapping[str, Grid], start: int, prior: ArrayLike | None = None) -> ModelClass:
    """Return the class of some variations of a gridworld.

    Args:
        grids: one for each hypothesis, by its name; all of one size.
        start: the first state.
        prior: over the hypotheses.
    """
    sizes = {
        (checked_instance("grid", grid, Grid).width, len(grid.rows))
        for grid in checked_mapping("grids", grids).values()
    }
    if len(sizes) > 1:
        raise refusal("sizes of the grids", sorted(sizes), "one size")
    return ModelClass([grid.model(start) for grid in grids.values()], prior, tuple(grids))


def twins(base: ModelClass, pairs: Iterable[tuple[int, int]], share: float = 0.5) -> ModelClass:
    """Return a class of 2K models on 2S states: each base model, then the twin of each.

    A twin agrees with its base model until the event, and pays 0 from the action that causes it on. The event happens
    when one of ``pairs`` first occurs. In all 2K models state ``S + s`` is ``s`` after the event.

    Args:
        base: K tabular models with S states.
        pairs: (state, action) pairs, states below S.
        share: prior probability that the twins have together, in (0, 1).
    """
    checked_instance("base", base, ModelClass)
    if base.stack is None:
        raise refusal("base", base.names, "tabular models of one size")
    share = number("share", share, above=0, below=1)
    event = np.zeros((base.stack.n_states, base.stack.n_actions), dtype=bool)
    for pair in checked_items("pairs", pairs, Iterable):  # type: ignore[type-abstract]
        try:
            state, action = pair
        except ValueError:
            raise refusal("pair", pair, "a state and an action") from None
        at = checked_index("state of a pair", state, len(event))
        event[at, checked_index("action of a pair", action, base.n_actions)] = True
    models = [_with_event(model, event, paid=True) for model in base.stack.models]
    models += [_with_event(model, event, paid=False) for model in base.stack.models]
    prior = np.concatenate([base.prior * (1 - share), base.prior * share])
    return ModelClass(models, prior, (*base.names, *(f"twin of {name}" for name in base.names)))


def _with_event(model: TabularModel, event: NDArray[np.bool_], paid: bool) -> TabularModel:
    """A model on 2S states, the upper half after the event; ``paid`` says whether rewards continue there."""
    states, actions = model.n_states, model.n_actions
    table = model.rows.tocoo()
    happens = event.ravel()[table.row]
    rows = np.concatenate([table.row, table.row + states * actions])
    columns = np.concatenate([table.col + np.where(happens, states, 0), table.col + states])
    shape = (2 * states * actions, 2 * states)
    transition = csr_array((np.tile(table.data, 2), (rows, columns)), shape=shape)
    values = np.unique(np.append(model.reward_values, 0.0))
    chances = np.zeros((states, actions, len(values)))
    chances[:, :, np.searchsorted(values, model.reward_values)] = model.reward_rows.toarray().reshape(
        states, actions, -1
    )
    nothing: Floats = np.eye(len(values))[np.searchsorted(values, 0.0)]
    after = chances if paid else np.broadcast_to(nothing, chances.shape)
    first = chances if paid else np.where(event[:, :, None], nothing, chances)
    return TabularModel(transition, np.concatenate([first, after]), model.start, values)
