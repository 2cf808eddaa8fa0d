"""How does the measure of self-reflection grow as agents live longer?

Alexander et al. 2021 measure after 100,000 steps. Here the measure is taken after 10³ steps, 10^3.5 and so on up to
10⁶ (--set steps=1000000), for every agent and its reality check, with the same random numbers as in the paper's table.
Deep agents may be given other widths and learning rates than their own (--set widths=16,64,256).
Nothing is published to compare with, but agents that learn nothing from rewards stay at 0 throughout.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from extenv.battery import make
from extenv.measuring.plots import draw_curve, with_errors
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, COLORS
from multislot.engine.agent import AgentFactory
from multislot.statistics import ROUNDING, mean_and_error
from scenarios.lab.cells import Figure, Figures, Result, Results
from scenarios.lab.table import Row
from scenarios.self_reflection import measuring

Width = Annotated[int, Field(ge=8, le=512, multiple_of=8)]
Rate = Annotated[float, Field(gt=0, le=1)]
OWN_WIDTH, OWN_RATE = 64, 0.0
"""These stand for an agent's own network and learning rate."""


@dataclass(frozen=True)
class Settings(measuring.BatterySettings):
    """Whose curves, how long and how often."""

    steps: Annotated[int, Field(ge=1000, description="steps a run, the end of the curve")] = 100_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 1
    widths: Annotated[tuple[Width, ...], Field(min_length=1, description="of both hidden layers of deep agents")] = (
        OWN_WIDTH,
    )
    learning_rates: Annotated[tuple[Rate, ...], Field(description="of deep agents; if none is given, their own")] = ()


QUICK = Settings(steps=3_200)
FULL = Settings(agents=(*measuring.TABLE_AGENTS, *measuring.DEEP), steps=1_000_000, seeds=5)


STORED = Path(__file__).with_name("stored_curves.csv")
FIRST = 1000
A_DECADE = 2
"""Points of the curve in each tenfold of the steps."""

MORAL = (
    "The measure is the mean of a whole life, so what is learned late counts little in a short one. Agents that\n"
    "do not learn stay where they are."
)


@dataclass(frozen=True)
class Line:
    """A curve's agent or reality check, with the width of both hidden layers and the learning rate."""

    agent: str
    width: int = OWN_WIDTH
    learning_rate: float = OWN_RATE

    @property
    def name(self) -> str:
        """Its name in rows and legends; the agent's own network and learning rate are not named."""
        width = "" if self.width == OWN_WIDTH else f", width {self.width}"
        return self.agent + width + (f", rate {self.learning_rate:g}" if self.learning_rate else "")


@dataclass(frozen=True)
class CurveCell(measuring.AgentCell):
    """A cell of the battery; a deep agent may have another network or learning rate than its own."""

    width: int = OWN_WIDTH
    learning_rate: float = OWN_RATE

    def factory(self) -> AgentFactory:
        changed: dict[str, Any] = {}
        if self.width != OWN_WIDTH:
            changed["policy_kwargs"] = {"net_arch": [self.width, self.width]}
        if self.learning_rate:
            changed["learning_rate"] = self.learning_rate
        return measuring.agent_factory(self.agent, trainer=self.trainer or "auto", **changed)

    @property
    def line(self) -> Line:
        return Line(self.agent, self.width, self.learning_rate)


def checkpoints(steps: int) -> list[int]:
    """The numbers of steps after which the measure is taken: 10³, 10^3.5, … and all steps."""
    points, exponent = [], 0
    while (point := round(FIRST * 10 ** (exponent / A_DECADE))) < steps:
        points.append(point)
        exponent += 1
    return [*points, steps]


def cells(settings: Settings) -> list[CurveCell]:
    """A cell for every agent, reality check, network and seed; those of deep agents environment by environment."""
    networks = list(product(settings.widths, settings.learning_rates or (OWN_RATE,)))
    return [
        CurveCell(**asdict(cell), width=width, learning_rate=rate)
        for cell in settings.cells()
        for width, rate in (networks if measuring.trainer_of(cell.agent) else [(OWN_WIDTH, OWN_RATE)])
    ]


def run_cell(cell: CurveCell) -> Result:
    curves = [
        measuring.totals_after(
            checkpoints(cell.steps), make(measuring.met(cell.agent, name)), cell.factory(), cell.seed, opposite
        )
        for name in cell.environments
        for opposite in (False, True)
    ]
    return {"totals": [sum(totals) for totals in zip(*curves, strict=True)]}


Curve = tuple[Sequence[int], Sequence[Sequence[float]]]
"""Numbers of steps, and the measure after them: [points] and [seeds, points]."""


def curves_by_line(settings: Settings, results: Results) -> dict[Line, Curve]:
    """The measure of every line at every checkpoint."""
    totals: dict[Line, dict[int, list[list[float]]]] = {}
    for cell, result in results:
        totals.setdefault(cell.line, {}).setdefault(cell.seed, []).append(result["totals"])
    points, runs = checkpoints(settings.steps), 2 * len(settings.environments)
    return {
        line: (points, [(np.sum(parts, axis=0) / (runs * np.array(points))).tolist() for parts in by_seed.values()])
        for line, by_seed in totals.items()
    }


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for line, (points, seeds) in curves_by_line(settings, results).items():
        for point, values in zip(points, zip(*seeds, strict=True), strict=True):
            condition = f"{line.name}, {point} steps, {settings.seeds} seeds"
            condition += measuring.trained_by(line.agent, settings.trainer)
            mean, error = mean_and_error(values)
            row = Row("self-reflection measure", condition, mean + 0.0, error)
            is_blind = measuring.strip_check(line.agent) in measuring.BLIND
            rows.append(replace(row, paper=0.0, tolerance=ROUNDING) if is_blind else row)
    return rows


def story(settings: Settings, results: Results) -> str:
    sentences = []
    for line, (points, seeds) in curves_by_line(settings, results).items():
        first, last = (fmean(values[at] for values in seeds) for at in (0, -1))
        sentences.append(f"{line.name}: {first:.4f} after {points[0]} steps, {last:.4f} after {points[-1]}")
    return "\n".join(sentences)


SHORT = 12
"""Names of at most so many characters stand four in a row."""


def figures(settings: Settings, results: Results) -> Figures:
    curves = curves_by_line(settings, results)
    return {"learning-curves": draw(curves, with_errors("self-reflection measure", settings.seeds))}


def draw(curves: Mapping[Line, Curve], title: str) -> Figure:
    """A figure with a line for each agent; its reality check is dashed and has the same color.

    Args:
        curves: what is drawn.
        title: of the vertical axis.
    """
    figure = new_figure(8.0, 5.0)
    axes = figure.subplots()
    colors: dict[str, str] = {}
    for line, (points, values) in curves.items():
        plain = replace(line, agent=measuring.strip_check(line.agent))
        color = colors.setdefault(plain.name, COLORS[len(colors) % len(COLORS)])
        style = "-" if line == plain else "--"
        draw_curve(axes, points, values, label=line.name, linestyle=style, color=color, marker=".")
    axes.set(xscale="log", xlabel="steps (logarithmic)", ylabel=title)
    axes.legend(ncols=4 if all(len(line.name) <= SHORT for line in curves) else 2, **BELOW)
    return figure


def stored_curves(varied: bool = False, most: int | None = None) -> dict[Line, Curve]:
    """Read the stored curves from ``stored_curves.csv``, for the page about Table 2.

    The file holds one row a point: agent, width of its network, learning rate (0 for
    its own), steps, seed and the measure. One seed lived a million steps, five lived a tenth of that.

    Args:
        varied: those of several widths with learning rates that are given; otherwise those of the agents' own.
        most: steps up to which they go, with all seeds that lived so long; by default they are as long as possible.
    """
    import pandas

    rows = pandas.read_csv(STORED).query("(learning_rate > 0) == @varied")
    curves: dict[Line, Curve] = {}
    identity: Any
    for identity, own in rows.groupby(["agent", "width", "learning_rate"], sort=False):
        measures = own.pivot_table(index="seed", columns="steps", values="measure", sort=False)
        longest = most or int(own.steps.max())
        points: list[int] = sorted(own.steps[own.steps <= longest].unique().tolist())
        chosen = measures.loc[measures[longest].notna(), points]
        curves[Line(*identity)] = points, chosen.to_numpy().tolist()
    return curves
