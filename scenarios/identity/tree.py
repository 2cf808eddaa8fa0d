"""Be copied, and copied again: how much a copy counts depends on whether the copies can tell themselves apart.

The agent in slot 1 stays, and gets r_s in each step, or is copied to slots 1 and 2. Then slot 2 is copied again, to
slots 2 and 3. From the third step on the slots pay r_1, r_2 and r_3. The copy-centered agent estimates at every step in
which slot it may be (Orseau 2014, section 4.1).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from scenarios.identity import offer


@dataclass(frozen=True)
class Settings(offer.IdentitySettings):
    """What the three slots pay, and whether the first copies see which they are."""

    r_1: Annotated[offer.Reward, Field(description="reward of each step in slot 1, from the third on")] = Fraction(0)
    r_2: Annotated[offer.Reward, Field(description="reward of each step in slot 2, from the third on")] = Fraction(6)
    r_3: Annotated[offer.Reward, Field(description="reward of each step in slot 3, from the third on")] = Fraction(6)
    told: Annotated[bool, Field(description="whether the first two copies see which they are")] = False


QUICK = replace(Settings(), **offer.QUICK_SIZE)
FULL = replace(Settings(), **offer.FULL_SIZE)


MORAL = (
    "If the copies know which one they are, an agent that counts copies by shares gives the three the weights ½, ¼\n"
    "and ¼. If the three copies do not know which one they are, an agent that counts copies by shares gives each the\n"
    "weight ⅓. The two copies of the second copying together weigh ⅔ if no copy knows which one it is, and otherwise\n"
    "½. Learners give three copies equal weights if they begin each round with the memory of one of the three, drawn\n"
    "at random. If a coin decides at each copying whose memory is kept, learners learn the weights ½, ¼ and ¼."
)


def formula(settings: Settings, kind: str) -> Fraction:
    """The worth of 1 → {1, 2}, then 2 → {2, 3}, paid from the third step on.

    Copy-centered: ``(½ r_1 + ¼ r_2 + ¼ r_3)(G - G_2)`` if the first two copies are told apart before the second
    copying, ``⅓ (r_1 + r_2 + r_3)(G - G_2)`` if not: then three equal histories count alike. Slot 1: ``r_1 (G - G_2)``.
    """
    paid = offer.after(settings.discount, settings.horizon, 2)
    r_1 = settings.r_1
    others = settings.r_2 + settings.r_3
    if kind != "cpy":
        return r_1 * paid
    return (offer.HALF * r_1 + Fraction(1, 4) * others if settings.told else Fraction(1, 3) * (r_1 + others)) * paid


OFFER = offer.Offer(
    name="tree",
    formula=formula,
    price="r_3",
    highest=Fraction(12),
    grid={
        "horizon": range(1, 6),
        "r_1": [Fraction(0), Fraction(3, 2)],
        "r_2": [Fraction(1, 3), Fraction(2)],
        "r_3": [Fraction(0), Fraction(5, 7)],
    },
    moral=MORAL,
    agents=(
        offer.ExactAgent("copy-centered, blind", "cpy", {"told": False}),
        offer.ExactAgent("copy-centered, told apart", "cpy", {"told": True}),
        offer.ExactAgent("static", "sta"),
        offer.ExactAgent("dynamic", "dyn"),
    ),
)
cells, run_cell, table = OFFER.cells, OFFER.run_cell, OFFER.table
story, figures = OFFER.story, OFFER.figures
