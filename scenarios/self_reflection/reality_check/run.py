"""``reality-check``: what an agent gains by its reality check, environment by environment."""

from collections.abc import Sequence
from dataclasses import dataclass

from extenv.measuring.comparison import Comparison, compare
from extenv.reality_checks import Freeze
from scenarios.lab.table import Measured
from scenarios.self_reflection.measuring import (
    agent_factory,
    label,
    measurement,
    portions,
    totals,
    trained_by,
    trainer_of,
)
from scenarios.self_reflection.reality_check.settings import Settings

LIVES_ITS_OWN_LIFE = (
    "IgnoreRewards3",
    "IncentivizeZero",
    "AdversarialSequencePredictor",
    "AdversarialSequenceEvader",
)
"""Environments whose copy learns no action but its own: it never freezes, and the check changes nothing (Prop. 13)."""

Result = dict[str, object]
Results = Sequence[tuple["Cell", Result]]


@dataclass(frozen=True)
class Cell:
    """The agent, or its reality check, in some environments and their opposites, with one seed."""

    agent: str
    checked: bool
    freeze: Freeze
    environments: tuple[str, ...]
    steps: int
    seed: int
    trainer: str


def cells(settings: Settings) -> list[Cell]:
    """Return cells for the agent and its reality check, for every seed."""
    return [
        Cell(settings.agent, checked, settings.freeze, environments, settings.steps, seed, trainer_of(settings.agent))
        for checked in (False, True)
        for seed in range(1, settings.seeds + 1)
        for environments in portions(settings.agent)
    ]


def run_cell(cell: Cell) -> Result:
    """Return total rewards by environment."""
    factory = agent_factory(cell.agent, cell.checked, cell.freeze)
    return dict(totals(factory, cell.environments, cell.steps, cell.seed, cell.agent))


def compared(settings: Settings, results: Results) -> Comparison:
    """Return the paired comparison of the agent with its reality check."""
    plain, checked = (
        measurement(
            label(settings.agent, is_checked),
            settings.steps,
            [(cell.seed, result) for cell, result in results if cell.checked == is_checked],
        )
        for is_checked in (False, True)
    )
    return compare(plain, checked)


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the gain in each environment (with its opposite), and in the measure."""
    comparison = compared(settings, results)
    condition = f"{settings.agent}, freeze {settings.freeze}, {settings.steps} steps, {settings.seeds} seeds"
    condition += trained_by(settings.agent)
    return [
        Measured(
            f"gain, {difference.environment}",
            condition,
            difference.difference,
            paper=0 if difference.environment in LIVES_ITS_OWN_LIFE else None,
        )
        for difference in (*comparison.by_environment, comparison.overall)
    ]


def story(settings: Settings, results: Results) -> str:
    """Return the gain with its interval, and where it is clear."""
    comparison = compared(settings, results)
    overall = comparison.overall
    gains = [d.environment for d in comparison.by_environment if d.low > 0]
    losses = [d.environment for d in comparison.by_environment if d.high < 0]
    return (
        f"{comparison.second} less {comparison.first}: {overall.difference:+.4f} "
        f"(95% bootstrap interval {overall.low:+.4f} to {overall.high:+.4f}).\n"
        f"Clear gains: {', '.join(gains) or 'none'}.\nClear losses: {', '.join(losses) or 'none'}."
    )
