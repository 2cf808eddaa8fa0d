"""An event that eventually causes another: lighting a fuse, and the bang two steps later.

"The agent takes an action which *eventually* causes" an event "is an event itself, and it happens *immediately* if the
agent takes the action in question, so the theorem above applies. But this event may not be in a complexity class"
(Cohen and Hutter 2020). When the fuse has burnt down, any action causes the bang. With a twin for the bang alone and a
horizon shorter than the fuse, the agent lights the fuse, and then leaves the last step to the mentor. So, formally, the
mentor was first. With a twin for lighting, the agent never lights the fuse. All of this is exact.
"""

from dataclasses import dataclass

import numpy as np

from multislot.bayes import Event, ModelClass
from scenarios.conservatism.agents import claim, control
from scenarios.conservatism.precedent.settings import Settings
from scenarios.conservatism.precedent.tight import WORK, ledgers_of, make_pupil
from scenarios.conservatism.random_classes import with_hell
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row

QUIET, BURNING, BURNT, AFTER = range(4)
LIGHT = 1
LIGHTINGS, BANGS = [(QUIET, LIGHT)], [(BURNT, WORK), (BURNT, LIGHT)]
"""The (state, action) pairs that light the fuse, and those that cause the bang."""
PAY, BONUS = 0.5, 1.0
STEPS, DISCOUNT, BETA = 6, 0.9, 0.99
SHORT, LONG = 2, 4
LIT, BANG = "lighting the fuse", "the bang"
LIGHTS, NEVER = "lights the fuse", "never lights it"
BANG_ONLY, BOTH = "twin of the bang alone", "twins of the bang and of lighting"


@dataclass(frozen=True)
class FuseCell:
    """One life: which events have twins, and how far the agent looks ahead."""

    twins: str
    horizon: int


def cells(settings: Settings) -> list[FuseCell]:
    return [FuseCell(BANG_ONLY, SHORT), FuseCell(BANG_ONLY, LONG), FuseCell(BOTH, SHORT)]


def fuse_class(both: bool) -> ModelClass:
    """Make the truth with a twin for the bang and, if `both`, one for lighting."""
    moves, pays = np.zeros((4, 2, 4)), np.full((4, 2), PAY)
    for state, following in ((QUIET, QUIET), (BURNING, BURNT), (BURNT, AFTER), (AFTER, AFTER)):
        moves[state, :, following] = 1
    moves[QUIET, LIGHT], pays[QUIET, LIGHT] = np.eye(4)[BURNING], BONUS
    twins = [BANGS, LIGHTINGS] if both else [BANGS]
    models = [with_hell(moves, pays, event) for event in ([], *twins)]
    return ModelClass(models, [0.8, *[0.2 / len(twins)] * len(twins)])


def run_cell(cell: FuseCell) -> Result:
    """Say who lit the fuse first in one life, and who caused the bang first; None for nobody."""
    models = fuse_class(cell.twins == BOTH)
    events = [Event.of_pairs(LIT, LIGHTINGS, QUIET), Event.of_pairs(BANG, BANGS, QUIET)]
    agent = make_pupil(models, BETA, DISCOUNT, cell.horizon)
    (ledger,) = ledgers_of(agent, 0, STEPS, [0], events)
    return {name: ledger.first[name].who if name in ledger.first else None for name in (LIT, BANG)}


def table(settings: Settings, results: Results) -> list[Row]:
    """Say what the agent does; the control is a class without a twin for what eventually causes the bang."""
    rows = []
    for cell, result in results:
        condition = f"{cell.twins}, horizon {cell.horizon}"
        word = LIGHTS if result[LIT] == "agent" else NEVER
        if cell == FuseCell(BANG_ONLY, SHORT):
            rows.append(control("no twin of the eventual cause, the agent", condition, word, LIGHTS))
        else:
            rows.append(claim("an event that eventually causes another: the agent", condition, word))
        rows.append(Row("first to cause the bang", condition, result[BANG] or "nobody"))
    return rows
