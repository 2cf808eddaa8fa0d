"""Be cut and pasted to another place: who steps into the teleporter?

The agent in slot 1 stays, for r_s a step, or is moved to slot 2, which pays r_2 a step; slot 1 is then empty. The
copy-centered agent goes where its only copy goes; for the slot-centered ones it is death (Orseau 2014, sections 1, 4).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

import multislot.exact as exact
from multislot.exact import Kernel
from scenarios.identity import formulas
from scenarios.identity.experiment import Experiment
from scenarios.identity.questions import Mutant
from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What the other place pays."""

    r_2: Annotated[Fraction, Field(ge=0, title="r_2", description="reward of each step in slot 2")] = Fraction(2)


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)
CORE = True


MORAL = (
    "For the copy-centered agent a teleporter is transport, for the slot-centered ones it is death, however well the\n"
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
