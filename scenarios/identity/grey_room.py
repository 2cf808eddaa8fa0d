"""Asleep you are duplicated; one copy wakes in the red room, one in the blue, and only one of them is paid.

In the grey room the agent in slot 1 stays awake, for r_s a step, or goes to sleep: it is copied to slots 1 and 2, and
after one step in which both see the same and are paid nothing, slot 1 wakes in the red room and slot 2 in the blue. One
room pays p a step, the other nothing. Who accepts, and for how much (Orseau 2014, section 4)?
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from multislot.exact import Kernel, world_named
from scenarios.identity import offer
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings(offer.IdentitySettings):
    """What is paid, and in which room."""

    p: Annotated[offer.Reward, Field(description="reward of each step in the room that pays")] = Fraction(4)
    paid: Annotated[Literal["red", "blue"], Field(description="the room that pays")] = "blue"


QUICK = replace(Settings(), **offer.QUICK_SIZE)
FULL = replace(Settings(), **offer.FULL_SIZE)


ASLEEP = 1
NO_PAY = "no pay"
MORAL = (
    "The slot-centered agents are in slot 1, which wakes in the red room. They go to sleep if the red room pays\n"
    "enough, and never if only the blue room pays. The copy-centered agent may wake in either room. It asks for\n"
    "twice that pay, whichever room pays."
)


def world(settings: Settings) -> Kernel:
    red, blue = _rewards(settings)
    return world_named("grey-room", r_s=settings.r_s, red=red, blue=blue)


def formula(settings: Settings, kind: str) -> Fraction:
    return offer.copy_value(kind, settings.discount, settings.horizon, *_rewards(settings), ASLEEP)


def _rewards(settings: Settings) -> tuple[Fraction, Fraction]:
    return (settings.p, Fraction(0)) if settings.paid == "red" else (Fraction(0), settings.p)


def price(agent: offer.ExactAgent, settings: Settings) -> Fraction | None:
    """The pay above which an agent accepts, None if it never does; values are proportional to the pay."""
    staying, for_one = OFFER.values(agent, replace(settings, p=Fraction(1)))
    return staying / for_one if for_one else None


def price_rows(settings: Settings) -> Iterator[Row]:
    """Yield prices; by formula ``2 r_s G / (G - G_1)`` for the copy-centered agent, half of it if slot 1 is paid."""
    for agent in OFFER.agents:
        staying, for_one = OFFER.expected(agent, replace(settings, p=Fraction(1)))
        condition = offer.condition_of(replace(settings, **agent.changes), without=("p",))
        expected = staying / for_one if for_one else NO_PAY
        yield Row(
            f"pay above which it accepts, {agent.name}", condition, price(agent, settings) or NO_PAY, paper=expected
        )


OFFER = offer.Offer(
    name="grey-room",
    world=world,
    formula=formula,
    price="p",
    highest=Fraction(8),
    grid={
        "horizon": range(1, 6),
        "r_s": [Fraction(1), Fraction(2, 7)],
        "p": [Fraction(0), Fraction(1, 3), Fraction(5)],
    },
    moral=MORAL,
    agents=(
        offer.ExactAgent("copy-centered", "cpy"),
        offer.ExactAgent("static, red is paid", "sta", {"paid": "red"}),
        offer.ExactAgent("dynamic, red is paid", "dyn", {"paid": "red"}),
        offer.ExactAgent("static, blue is paid", "sta", {"paid": "blue"}),
        offer.ExactAgent("dynamic, blue is paid", "dyn", {"paid": "blue"}),
    ),
    more_rows=price_rows,
)
cells, run_cell, table = OFFER.cells, OFFER.run_cell, OFFER.table
story, figures = OFFER.story, OFFER.figures
