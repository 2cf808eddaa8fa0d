"""Copies that cannot tell themselves apart still have to choose: the dynamic agent refuses what the static one takes.

The agent in slot 1 stays, for r_s a step, or is copied to slots 1 and 2. Both copies see the same two doors and choose
once. In slot 1 the left door pays a a step, in slot 2 the right door pays b; the other doors pay nothing. The dynamic
agent (Orseau 2014, section 4.4) wants the best for slot 1, where it is, but its future self will not know where it is
and chooses for both slots. If b > a that self goes right, and slot 1 gets nothing.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from multislot.exact import Kernel, world_named
from scenarios.identity import formulas
from scenarios.identity.experiment import Experiment, Results, by_part, mapped_by_formula
from scenarios.identity.questions import MUTANTS, Mutant
from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What lies behind the doors."""

    a: Annotated[Fraction, Field(ge=0, title="a", description="reward of each step in slot 1 behind the left door")] = (
        Fraction(4)
    )
    b: Annotated[
        Fraction, Field(ge=0, title="b", description="reward of each step in slot 2 behind the right door")
    ] = Fraction(6)


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), **FULL_SIZE)


MORAL = (
    "Static: slot 1 opens the left door and gets a. Dynamic: whoever stands before the doors may be in slot 1 or 2,\n"
    "half and half, and opens the door that is better for both taken together: the right one if b > a. Then slot 1\n"
    "gets nothing, so today's agent, which cares for slot 1, refuses the fork. It would accept if it could bind its\n"
    "future self. Copy-centered: half of the better door. Learners are no dynamic agents: they never foresee that\n"
    "they will forget where they are, they learn what came of it for whoever remembers."
)


def kernel(settings: Settings) -> Kernel:
    """Return the world of these settings."""
    return world_named("blind-fork", r_s=settings.r_s, a=settings.a, b=settings.b)


def formula(settings: Settings, kind: str) -> Fraction:
    """Return what accepting is worth."""
    return formulas.blind_fork_value(kind, settings.discount, settings.horizon, settings.a, settings.b)


EXPERIMENT = Experiment(
    name="blind-fork",
    kernel=kernel,
    formula=formula,
    reward="a",
    highest=Fraction(8),
    grid={
        "horizon": range(1, 6),
        "r_s": [Fraction(1)],
        "a": [Fraction(0), Fraction(2), Fraction(3)],
        "b": [Fraction(1, 2), Fraction(2), Fraction(9, 4)],
    },
    mutants=(*MUTANTS, Mutant("it will know its slot", "dyn", "known-slot")),
    script=(1, 1),
    moral=MORAL,
)
cells, run_cell = EXPERIMENT.cells, EXPERIMENT.run_cell
story, figures = EXPERIMENT.story, EXPERIMENT.figures


def table(settings: Settings, results: Results) -> list[Row]:
    """Return what all experiments do, and how often the dynamic agent refuses what the static one would take."""
    static, dynamic = (index for index, agent in enumerate(EXPERIMENT.agents) if agent.kind in ("sta", "dyn"))
    accepting = by_part(results)["map"][0]["accepting"]
    refused = sum(static in found and dynamic not in found for found in accepting)
    formula = sum(static in found and dynamic not in found for found in mapped_by_formula(EXPERIMENT, settings))
    condition = f"{len(accepting)} points of the decision map, b={settings.b}"
    return [
        *EXPERIMENT.table(settings, results),
        Row("points where static accepts and dynamic refuses", condition, refused, paper=formula),
    ]
