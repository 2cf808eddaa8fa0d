"""A world that runs all deterministic environments in parallel: is it worth entering?

The agent in slot 1 stays, and gets r_s in each step, or enters the universal world. There every agent is copied at
every step; one copy observes 0 and the other 1 (Orseau 2014, section 5). Observing 1 pays r. For every deterministic
environment there is always exactly one slot whose history it explains (Theorem 1). Actions change nothing, unless they
exchange the two observations (footnote 3).

Theorem 1 is tried on random deterministic environments, which draw an observation for each history of actions and
observations. The agents' actions are random functions of their histories, too.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from multislot import HistoryAgent, run
from multislot.exact import Arrival, UniversalKernel, UniversalWorld
from multislot.exact.kernel import Outcome
from scenarios.identity import offer
from scenarios.lab.cells import Result, Results, select
from scenarios.lab.experiment import Cell, geometric
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings(offer.IdentitySettings):
    """What observing 1 pays, whether actions matter, and how Theorem 1 is tried."""

    r: Annotated[offer.Reward, Field(description="reward of observing 1")] = Fraction(3)
    exchange: Annotated[bool, Field(description="whether action 1 exchanges the two observations (footnote 3)")] = False
    steps: Annotated[int, Field(ge=1, le=12, description="steps for which Theorem 1 is tried")] = 6
    environments: Annotated[int, Field(ge=1, description="deterministic environments for which it is tried")] = 20


QUICK = replace(Settings(), **offer.QUICK_SIZE)
FULL = replace(Settings(), steps=10, environments=200, **offer.FULL_SIZE)


MORAL = (
    "Every possible history is seen by a copy, so an agent that counts its copies in equal shares gets the average\n"
    "over all histories, whatever it does. In the universal world the agent in slot 1 always observes 0. If actions\n"
    "decide which copy observes 1 (footnote 3), an agent that counts only the rewards in slot 1 can observe 1. The\n"
    "average reward of all copies is the same, whether or not actions decide which copy observes 1."
)


@dataclass(frozen=True)
class EnterUniversal:
    """A choice at the first step: stay, for r_s, or enter the universal world at its first step; observing 1 pays r.

    The hidden state of that world is the time, which grows without limit. Action 1 may exchange the two observations.
    """

    r_s: Fraction
    r: Fraction
    exchange: bool
    actions: Sequence[str] = ("stay", "accept")
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "asked"})
    observations: Sequence[Hashable] = ("stayed", 0, 1)

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Sequence[Outcome]:
        if state == "stayed" or (state, action) == ("asked", "stay"):
            return [(Fraction(1), {slot: Arrival("stayed", "stayed", self.r_s)})]
        world = UniversalKernel(rewards=(Fraction(0), self.r), exchange=self.exchange)
        return world.outcomes(slot, 0 if state == "asked" else int(str(state)), int(action == "accept"))


def formula(settings: Settings, kind: str) -> Fraction:
    """``½ r G`` for copies, if observing 1 pays ``r``; on slot 1, 0, or ``r G`` where actions exchange them."""
    share = offer.HALF if kind == "cpy" else Fraction(int(settings.exchange))
    return share * settings.r * geometric(settings.discount, settings.horizon)


OFFER = offer.Offer(
    name="universal",
    world=lambda settings: EnterUniversal(settings.r_s, settings.r, settings.exchange),
    formula=formula,
    price="r",
    highest=Fraction(4),
    grid={"horizon": range(1, 5), "r": [Fraction(1, 3), Fraction(5, 2)]},
    moral=MORAL,
    agents=(
        offer.ExactAgent("copy-centered", "cpy"),
        offer.ExactAgent("static", "sta", {"exchange": False}),
        offer.ExactAgent("dynamic", "dyn", {"exchange": False}),
        offer.ExactAgent("static, exchange", "sta", {"exchange": True}),
        offer.ExactAgent("dynamic, exchange", "dyn", {"exchange": True}),
    ),
)
story, figures = OFFER.story, OFFER.figures


def cells(settings: Settings) -> list[Cell]:
    theorem = [Cell(settings, "theorem", seed=environment) for environment in range(settings.environments)]
    return OFFER.cells(settings) + theorem


def run_cell(cell: Cell) -> Result:
    if cell.part != "theorem":
        return OFFER.run_cell(cell)
    return {"explained": [count_explained(cell.seed, cell.settings.steps, exchange) for exchange in (False, True)]}


def random_function(*seed: int) -> defaultdict[tuple[Any, ...], int]:
    """A random function from histories to {0, 1}, drawn where it is evaluated."""
    generator = np.random.default_rng(seed)
    return defaultdict(lambda: int(generator.integers(2)))


def count_explained(environment: int, steps: int, exchange: bool) -> list[int]:
    """Count the slots that have a history that an environment explains, after each step."""
    actions, observations = (random_function(environment, part) for part in (0, 1))
    trace = run(
        UniversalWorld(UniversalKernel(exchange=exchange)), {1: HistoryAgent(lambda past: actions[tuple(past)])}, steps
    )
    consistent = {1}
    counts = []
    for step in range(1, steps + 1):
        histories = {slot: tuple(trace.agent_history(slot, step)) for slot in trace.occupied(step)}
        consistent = {
            slot
            for slot, past in histories.items()
            if trace.slot_history(slot, step)[-2] in consistent
            and past[-1][1] == 1 + observations[(*past[:-1], past[-1][0])]
        }
        counts.append(len(consistent))
    return counts


def table(settings: Settings, results: Results) -> list[Row]:
    counts = {n for result in select(results, part="theorem") for run in result["explained"] for n in run}
    condition = f"{settings.environments} environments, every step to {settings.steps}, with and without exchange"
    ours = min(counts) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    return [
        *OFFER.table(settings, results),
        Row("slots that a deterministic environment explains (Theorem 1)", condition, ours, paper=1),
    ]
