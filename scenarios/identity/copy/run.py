"""``copy``: 1 → {1, 2}, worth ``½(r_1 + r_2)(G - G_b)`` to the copy-centred agent, ``r_1 (G - G_b)`` to the others."""

from fractions import Fraction

import multislot.exact as exact
from multislot.exact import Kernel
from scenarios.identity import formulas
from scenarios.identity.copy.settings import Settings
from scenarios.identity.experiment import Experiment

MORAL = (
    "Both copies are the copy-centred agent's future, half each: it accepts as soon as their average beats staying.\n"
    "The slot-centred agents count what slot 1 gets. A learner comes to do the one or the other by whose memory goes\n"
    "on: where either copy may be the one that remembers, it learns the average; where slot 1 always is, it learns r_1."
)


def kernel(settings: Settings) -> Kernel:
    """Return the world of these settings."""
    return exact.copy(settings.r_s, settings.r_1, settings.r_2, settings.b)


def formula(settings: Settings, kind: str) -> Fraction:
    """Return what accepting is worth."""
    return formulas.copy_value(kind, settings.discount, settings.horizon, settings.r_1, settings.r_2, settings.b)


EXPERIMENT = Experiment(
    name="copy",
    kernel=kernel,
    formula=formula,
    reward="r_2",
    highest=Fraction(8),
    grid={
        "horizon": range(1, 6),
        "r_s": [Fraction(1)],
        "r_1": [Fraction(0), Fraction(3, 2)],
        "r_2": [Fraction(1, 3), Fraction(2)],
        "b": range(3),
    },
    moral=MORAL,
    delay="b",
)
cells, run_cell, table = EXPERIMENT.cells, EXPERIMENT.run_cell, EXPERIMENT.table
story, figures = EXPERIMENT.story, EXPERIMENT.figures
