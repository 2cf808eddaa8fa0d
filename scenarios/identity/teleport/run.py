"""``teleport``: 1 → {2}, worth ``r_2 G`` to the copy-centred agent and 0 to the others."""

from fractions import Fraction

import multislot.exact as exact
from multislot.exact import Kernel
from scenarios.identity import formulas
from scenarios.identity.experiment import Experiment
from scenarios.identity.questions import Mutant
from scenarios.identity.teleport.settings import Settings

MORAL = (
    "For the copy-centred agent a teleporter is transport, for the slot-centred ones it is death, however well the\n"
    "other place pays. Learners that go on wherever they are learn to step in. Where only slot 1 goes on nobody lives\n"
    "to learn anything about teleporters; yet those that are left are those that stayed."
)


def kernel(settings: Settings) -> Kernel:
    """Return the world of these settings."""
    return exact.teleport(settings.r_s, settings.r_2)


def formula(settings: Settings, kind: str) -> Fraction:
    """Return what accepting is worth."""
    return formulas.teleport_value(kind, settings.discount, settings.horizon, settings.r_2)


EXPERIMENT = Experiment(
    name="teleport",
    kernel=kernel,
    formula=formula,
    reward="r_2",
    highest=Fraction(3),
    grid={
        "horizon": range(1, 8),
        "r_s": [Fraction(1), Fraction(2, 7)],
        "r_2": [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(2)],
    },
    moral=MORAL,
    mutants=(Mutant("it stays behind", "cpy", "sta"), Mutant("as if the copy were in slot 1", "sta", "cpy")),
)
cells, run_cell, table = EXPERIMENT.cells, EXPERIMENT.run_cell, EXPERIMENT.table
story, figures = EXPERIMENT.story, EXPERIMENT.figures
