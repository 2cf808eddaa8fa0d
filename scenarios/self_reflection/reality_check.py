"""Where does an agent gain by its reality check, and where does it lose?

The scenario measures the difference between an agent and its reality check (Alexander et al. 2021, Definition 10), for
each environment, paired by seed and with bootstrap intervals. This is the evidence for the paper's Conjecture 12,
environment by environment. A copy with a reality check freezes when it finds an action in its history that it would not
have taken. If an environment asks such a copy, the right answer becomes easy to learn, or can no longer be given.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from extenv.battery import BATTERY
from extenv.measuring.comparison import Comparison, compare
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from scenarios.lab.cells import Figures, Result, Results
from scenarios.lab.table import Row
from scenarios.self_reflection import measuring


@dataclass(frozen=True)
class Settings:
    """Whose reality check, which variant of it, how long and how often."""

    agent: measuring.AgentName = "Q"
    freeze: Annotated[Literal["first", "published"], Field(description="Definition 10, or Table 2's variant")] = "first"
    steps: Annotated[int, Field(ge=1, description="steps a run")] = 20_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(steps=1_000, seeds=3)
FULL = Settings(steps=100_000)


LIVES_ITS_OWN_LIFE = (
    "IgnoreRewards3",
    "IncentivizeZero",
    "AdversarialSequencePredictor",
    "AdversarialSequenceEvader",
)
"""Environments whose copy learns no action but its own: it never freezes, and the check changes nothing (Prop. 13)."""


MORAL = (
    "A reality check gains where a copy sees a past that it can recognize as false. It loses where the right\n"
    "answer to such a past depends on what the agent has learned."
)


def cells(settings: Settings) -> list[measuring.AgentCell]:
    names = measuring.with_checks([settings.agent])
    return measuring.agent_cells(names, settings.steps, settings.seeds, environments=BATTERY, freeze=settings.freeze)


def run_cell(cell: measuring.AgentCell) -> Result:
    return cell.totals()


def compare_checks(settings: Settings, results: Results) -> Comparison:
    plain, checked = (
        measuring.measurement(name, settings.steps, results, agent=name)
        for name in measuring.with_checks([settings.agent])
    )
    return compare(plain, checked)


def table(settings: Settings, results: Results) -> list[Row]:
    comparison = compare_checks(settings, results)
    condition = f"{settings.agent}, freeze {settings.freeze}, {settings.steps} steps, {settings.seeds} seeds"
    condition += measuring.trained_by(settings.agent)
    return [
        Row(
            f"gain, {difference.environment}",
            condition,
            difference.difference,
            paper=0 if difference.environment in LIVES_ITS_OWN_LIFE else None,
        )
        for difference in (*comparison.by_environment, comparison.overall)
    ]


def story(settings: Settings, results: Results) -> str:
    comparison = compare_checks(settings, results)
    overall = comparison.overall
    words = {d.environment: measuring.judge(d.low, d.high) for d in comparison.by_environment}
    gains, losses = (
        ", ".join(name for name in words if words[name] == word) or "none"
        for word in (measuring.GAINS, measuring.LOSES)
    )
    return (
        f"{comparison.second} less {comparison.first}: {overall.difference:+.4f} "
        f"(95% bootstrap interval {overall.low:+.4f} to {overall.high:+.4f}).\n"
        f"Clear gains: {gains}.\nClear losses: {losses}."
    )


def figures(settings: Settings, results: Results) -> Figures:
    comparison = compare_checks(settings, results)
    differences = sorted(comparison.by_environment, key=lambda d: -d.difference)
    figure = new_figure(7.0, 6.5)
    axes = figure.subplots()
    measuring.draw_gains(axes, differences, lambda change: (change.low, change.high))
    many = f"{settings.seeds} seeds" if settings.seeds > 1 else "1 seed"
    axes.set_xlabel(f"reward per step, {comparison.second} − {comparison.first} (95% bootstrap, {many})")
    axes.legend(ncols=3, **{**BELOW, "bbox_to_anchor": (0.3, -0.1)})
    return {"gains": figure}
