"""Be copied, and choose a door without knowing which copy you are: which agents accept?

The agent in slot 1 stays, and gets r_s in each step, or is copied to slots 1 and 2. Both copies see the same two doors
and choose once. In slot 1 the left door pays a in each step, and in slot 2 the right door pays b. The other doors pay
nothing (Orseau 2014, section 4.4).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity import offer
from scenarios.lab.cells import Results
from scenarios.lab.experiment import compared_points, decided_map
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings(offer.IdentitySettings):
    """What lies behind the doors."""

    a: Annotated[offer.Reward, Field(description="reward of each step in slot 1 behind the left door")] = Fraction(4)
    b: Annotated[offer.Reward, Field(description="reward of each step in slot 2 behind the right door")] = Fraction(6)


QUICK = replace(Settings(), **offer.QUICK_SIZE)
FULL = replace(Settings(), **offer.FULL_SIZE)


MORAL = (
    "An agent that counts only the rewards in slot 1 (static) accepts to be copied: it will open the left door, which\n"
    "pays in slot 1. An agent that counts only the rewards in its own slot (dynamic) refuses to be copied: after the\n"
    "copying it would not know its slot, and would open the door that pays more, in slot 2. An agent that counts its\n"
    "copies in equal shares counts half of what the better of the two doors pays, because only one copy is paid.\n"
    "Learners do not foresee that they will not know their slot, and so decide differently from planners."
)


def formula(settings: Settings, kind: str) -> Fraction:
    """The worth of two doors after 1 → {1, 2}: the left one pays slot 1 a, the right one pays slot 2 b.

    Copy-centered ``½ max(a, b)(G - G_1)``. Static ``max(a, 0)(G - G_1)``: slot 1's own best. Dynamic ``a (G - G_1)`` if
    a ≥ b and 0 otherwise: it cares for slot 1 alone, but knows that its future self will open the door that is better
    for somebody who may be in either slot.
    """
    a, b, paid = settings.a, settings.b, offer.after(settings.discount, settings.horizon, 1)
    if kind == "cpy":
        return offer.HALF * max(a, b) * paid
    return (max(a, Fraction(0)) if kind == "sta" or a >= b else Fraction(0)) * paid


OFFER = offer.Offer(
    name="blind-fork",
    formula=formula,
    price="a",
    highest=Fraction(8),
    grid={
        "horizon": range(1, 6),
        "r_s": [Fraction(1)],
        "a": [Fraction(0), Fraction(2), Fraction(3)],
        "b": [Fraction(1, 2), Fraction(2), Fraction(9, 4)],
    },
    mutants=(*offer.MUTANTS, offer.Mutant("it will know its slot", "dyn", "known-slot")),
    script=(1, 1),
    moral=MORAL,
)
cells, run_cell, story, figures = OFFER.cells, OFFER.run_cell, OFFER.story, OFFER.figures


def table(settings: Settings, results: Results) -> list[Row]:
    decided = decided_map(results)
    accept = decided.actions[1]
    points = compared_points(settings, decided)
    refused = sum(decided.best["static"][i][j] == accept != decided.best["dynamic"][i][j] for (i, _), (j, _) in points)
    formula = sum(OFFER.accept_by_formula(settings, x, y)[1:] == [True, False] for (_, x), (_, y) in points)
    condition = f"{len(points)} points of the decision map, b={settings.b}"
    return [
        *OFFER.table(settings, results),
        Row("points where static accepts and dynamic refuses", condition, refused, paper=formula),
    ]
