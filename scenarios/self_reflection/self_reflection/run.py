"""``self-reflection``: the measure of every agent and of its reality check (Alexander et al. 2021, Table 2)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from extenv.battery import BATTERY
from extenv.measuring.comparison import compare
from extenv.measuring.measurement import PUBLISHED_SEEDS, Measurement
from scenarios.lab.table import Measured, read_expected
from scenarios.self_reflection.measuring import (
    BLIND,
    DEEP,
    BatteryCell,
    battery_cells,
    label,
    measurement,
    totals,
    trained_by,
    with_fewer_seeds,
)
from scenarios.self_reflection.released import released_rows
from scenarios.self_reflection.self_reflection.settings import Settings
from scenarios.self_reflection.table2 import wins_and_losses

PRINTED = read_expected(Path(__file__).with_name("expected.csv"))
ROUNDING = 1e-12
Result = dict[str, object]
Results = Sequence[tuple[BatteryCell, Result]]
MORAL = (
    "A reality check does not make every agent better. The learners gain by it in the mean of the battery: Q, and\n"
    "with --full DQN, A2C and PPO. Random and constant agents stay at 0, since every environment counts together\n"
    "with its opposite. Simple loses."
)


def cells(settings: Settings) -> list[BatteryCell]:
    """Return a cell for every agent and reality check with every seed; deep ones environment by environment."""
    return battery_cells(settings.agents, settings.environments, settings.steps, settings.seeds, settings.trainer)


def run_cell(cell: BatteryCell) -> Result:
    """Return total rewards by environment."""
    return dict(totals(cell.factory(), cell.environments, cell.steps, cell.seed, cell.agent))


def measured(settings: Settings, results: Results) -> dict[tuple[str, bool], Measurement]:
    """Return the measurement of every agent and reality check."""
    return {
        (agent, checked): measurement(
            label(agent, checked),
            settings.steps,
            [(cell.seed, result) for cell, result in results if (cell.agent, cell.checked) == (agent, checked)],
            settings.environments,
        )
        for agent in settings.agents
        for checked in (False, True)
    }


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the measure over the paper's seeds and over all, the paper's ±, and every cell next to the released."""
    rows = []
    for (agent, _), found in measured(settings, results).items():
        parts = [found] if len(found.seeds) <= len(PUBLISHED_SEEDS) else [first_seeds(found), found]
        for part in parts:
            row = measure_row(settings, agent, part)
            rows.append(row)
            if len(part.seeds) > 1:
                quantity = "the paper's ± (deviation / number of seeds)"
                rows.append(Measured(quantity, row.condition, part.published_spread))
        rows += released_rows(found, condition(settings, agent, found))
    return rows


def first_seeds(found: Measurement) -> Measurement:
    """Return the part of a measurement that has the paper's seeds."""
    return replace(found, scores=tuple(score for score in found.scores if score.seed in PUBLISHED_SEEDS))


def condition(settings: Settings, agent: str, found: Measurement) -> str:
    """Return what moves the numbers of an agent."""
    part = "" if settings.environments == BATTERY else f", {len(settings.environments)} environments"
    trainer = trained_by(agent, settings.trainer)
    return f"{found.agent}, {settings.steps} steps, {len(found.seeds)} seeds{part}{trainer}"


def measure_row(settings: Settings, agent: str, found: Measurement) -> Measured:
    """Return the measure next to what it must be.

    An agent that learns nothing from rewards, and its reality check, earn in the opposite of an environment just what
    they lose in it: the measure is 0 whatever the steps and seeds (Alexander et al. 2021, section 6).
    """
    error = found.standard_error if len(found.seeds) > 1 else 0.0
    row = Measured("self-reflection measure", condition(settings, agent, found), found.mean + 0.0, error)
    if agent in BLIND:
        return replace(row, paper=0.0, tolerance=ROUNDING)
    if agent in DEEP and settings.environments == BATTERY:
        printed = f"{found.agent}, {settings.steps} steps, 5 seeds, trainer one_hot"
        return with_fewer_seeds(row, PRINTED, printed, len(found.seeds))
    return row


def story(settings: Settings, results: Results) -> str:
    """Return where reality checks win and lose, and why the paper's row of RC(Simple) is met within chance only."""
    found = measured(settings, results)
    lines = [
        f"{agent}: {found[agent, False].mean:.4f}, reality check {found[agent, True].mean:.4f}"
        for agent in settings.agents
    ]
    if settings.seeds > 1:
        lines += [
            f"RC({agent}) against {agent}, with opposites: {word} in {', '.join(names) or 'no environment'}"
            for agent in settings.agents
            for word, names in wins_and_losses(compare(found[agent, False], found[agent, True])).items()
        ]
    if "Simple" in settings.agents:
        lines.append(
            "RC(Simple): the paper prints 0.7146, five seeds here give 0.7007. The measure of a seed has a deviation "
            "of 0.022, so that two means of five differ by as much (0.0139) about every third time."
        )
    return "\n".join(lines)
