"""``copy-delete``: worth ``r_b G_d + ½ r_2 (G - G_d)`` to the copy-centred agent and ``r_b G_d`` to the others."""

from fractions import Fraction

import multislot.exact as exact
from multislot.exact import Kernel
from scenarios.identity import formulas
from scenarios.identity.copy_delete.settings import Settings
from scenarios.identity.experiment import Experiment

MORAL = (
    "Cut and paste is not copy, paste and delete: one step of coexistence halves what the survivor is worth to the\n"
    "copy-centred agent, since half of what it was is deleted. Whoever is left has not noticed: learners of which any\n"
    "survivor goes on learn what the survivor gets, in full, and by default accept what the exact agents refuse."
)


def kernel(settings: Settings) -> Kernel:
    """Return the world of these settings."""
    return exact.copy_delete(settings.r_s, settings.r_b, settings.r_2, settings.d)


def formula(settings: Settings, kind: str) -> Fraction:
    """Return what accepting is worth."""
    return formulas.copy_delete_value(kind, settings.discount, settings.horizon, settings.r_b, settings.r_2, settings.d)


EXPERIMENT = Experiment(
    name="copy-delete",
    kernel=kernel,
    formula=formula,
    reward="r_2",
    highest=Fraction(6),
    grid={
        "horizon": range(1, 6),
        "r_s": [Fraction(1)],
        "r_b": [Fraction(0), Fraction(3, 2)],
        "r_2": [Fraction(1, 3), Fraction(4)],
        "d": range(1, 4),
    },
    moral=MORAL,
    delay="d",
)
cells, run_cell, table = EXPERIMENT.cells, EXPERIMENT.run_cell, EXPERIMENT.table
story, figures = EXPERIMENT.story, EXPERIMENT.figures
