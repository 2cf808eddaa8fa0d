"""Copies that cannot tell themselves apart must choose a door: the static agent accepts, and the dynamic agent refuses.

The agent in slot 1 stays, and gets r_s in each step, or is copied to slots 1 and 2. Both copies see the same two doors
and choose once. In slot 1 the left door pays a in each step, and in slot 2 the right door pays b. The other doors pay
nothing. The dynamic agent (Orseau 2014, section 4.4) wants the best for slot 1, where it is now. But its future self
will not know in which slot it is, and will choose for both. If b > a, this future self goes right, and slot 1 gets
nothing.
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
    "The static agent accepts the fork, and the dynamic agent refuses it, because its future self will choose for\n"
    "both slots. Static: slot 1 opens the left door and gets a. Dynamic: an agent before the doors may be in slot 1\n"
    "or in slot 2, with probability 1/2 each. It opens the door that is better for both together, which is the\n"
    "right one if b > a. Then slot 1 gets nothing. Today's agent counts only slot 1, so it refuses. It would accept\n"
    "if it could decide now for its future self. The copy-centered agent counts half of the better door. Learners\n"
    "do not decide like dynamic agents: they do not foresee that they will not know where they are, and they learn\n"
    "from what happened to the copy that remembers."
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
