"""A world that runs all deterministic environments in parallel: is it worth entering?

The agent in slot 1 stays, for r_s a step, or enters the universal world, in which every agent is copied at every step
and one copy observes 0, the other 1 (Orseau 2014, section 5). Observing 1 pays r. Whatever environment one thinks of,
there is always exactly one slot whose history it explains (Theorem 1); actions change nothing, unless they exchange the
two observations (footnote 3).

Theorem 1 is tried on random deterministic environments, tables of an observation for every history of actions and
observations, with agents whose actions are as random a function of their histories.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from pydantic import Field

from multislot import HistoryAgent, run
from multislot.exact import Kernel, UniversalKernel, UniversalWorld
from scenarios.identity import formulas
from scenarios.identity.experiment import Experiment, Results, by_part
from scenarios.identity.kernels import EnterUniversal
from scenarios.identity.questions import Asked, Cell
from scenarios.identity.settings import FULL_SIZE, QUICK_SIZE, IdentitySettings
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings(IdentitySettings):
    """What observing 1 pays, whether actions matter, and how Theorem 1 is tried."""

    r: Annotated[Fraction, Field(ge=0, title="r", description="reward of observing 1")] = Fraction(3)
    exchange: Annotated[
        bool, Field(title="exchange", description="whether action 1 exchanges the two observations (footnote 3)")
    ] = False
    steps: Annotated[int, Field(ge=1, le=12, description="steps for which Theorem 1 is tried")] = 6
    environments: Annotated[int, Field(ge=1, description="deterministic environments for which it is tried")] = 20


QUICK = replace(Settings(), **QUICK_SIZE)
FULL = replace(Settings(), steps=10, environments=200, **FULL_SIZE)


MORAL = (
    "Every history is lived by somebody, so the copy-centered agent gets the average of all of them, whatever it\n"
    "does, and slot 1 always observes 0. If action 1 exchanges the observations (footnote 3), whoever is in slot 1\n"
    "and cares for slot 1 can have the 1s; the average over copies is still the average."
)


def kernel(settings: Settings) -> Kernel:
    """Return the world of these settings."""
    return EnterUniversal(settings.r_s, settings.r, settings.exchange)


def formula(settings: Settings, kind: str) -> Fraction:
    """Return what accepting is worth."""
    return formulas.universal_value(kind, settings.discount, settings.horizon, settings.r, settings.exchange)


EXPERIMENT = Experiment(
    name="universal",
    kernel=kernel,
    formula=formula,
    reward="r",
    highest=Fraction(4),
    grid={"horizon": range(1, 5), "r": [Fraction(1, 3), Fraction(5, 2)]},
    moral=MORAL,
    agents=(
        Asked("copy-centered", "cpy"),
        Asked("static", "sta", {"exchange": False}),
        Asked("dynamic", "dyn", {"exchange": False}),
        Asked("static, exchange", "sta", {"exchange": True}),
        Asked("dynamic, exchange", "dyn", {"exchange": True}),
    ),
)
story, figures = EXPERIMENT.story, EXPERIMENT.figures


def cells(settings: Settings) -> list[Cell]:
    """Return the pieces of work, one of them for each environment."""
    return EXPERIMENT.cells(settings) + [
        Cell(settings, "theorem", seed=environment) for environment in range(settings.environments)
    ]


def run_cell(cell: Cell) -> dict[str, object]:
    """Return what one cell gives."""
    if cell.part != "theorem":
        return EXPERIMENT.run_cell(cell)
    return {"explained": [explained(cell.seed, cell.settings.steps, exchange) for exchange in (False, True)]}


def explained(environment: int, steps: int, exchange: bool) -> list[int]:
    """Return how many slots have a history that an environment explains, after each step."""
    acting, observing = np.random.default_rng([environment, 0]), np.random.default_rng([environment, 1])
    actions, observations = _Table(acting), _Table(observing)
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


class _Table(dict[tuple[object, ...], int]):
    """A random function from histories to {0, 1}, drawn where it is asked."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def __missing__(self, key: tuple[object, ...]) -> int:
        self[key] = int(self._generator.integers(2))
        return self[key]


def table(settings: Settings, results: Results) -> list[Row]:
    """Return what it is worth, and in how many slots each environment is found."""
    counts = {n for result in by_part(results)["theorem"] for run in result["explained"] for n in run}
    condition = f"{settings.environments} environments, every step to {settings.steps}, with and without exchange"
    found = min(counts) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    return [
        *EXPERIMENT.table(settings, results),
        Row("slots that a deterministic environment explains (Theorem 1)", condition, found, paper=1),
    ]
