"""Table 2 of Alexander et al. 2021, as ``multislot run self-reflection`` measures it: every agent and reality check.

`self_reflection.py` says what is measured and how. Here the totals become the measures of the table, with what is
printed next to them. `stored_totals` has the long runs of deep agents, cell by cell.
"""

from dataclasses import replace
from pathlib import Path

from extenv.battery import BATTERY
from extenv.measuring.comparison import compare
from extenv.measuring.measurement import PUBLISHED_SEEDS, Measurement
from extenv.measuring.plots import Series, columns_of_bars, with_errors
from scenarios.lab.cells import Figures, Results
from scenarios.lab.table import Row, read_expected
from scenarios.self_reflection.measuring import (
    BLIND,
    DEEP,
    BatterySettings,
    label,
    measurement,
    trained_by,
    with_fewer_seeds,
)
from scenarios.self_reflection.released import released_rows
from scenarios.self_reflection.stored_totals import wins_and_losses

PRINTED = read_expected(Path(__file__).with_name("self_reflection.csv"))
ROUNDING = 1e-12


def measured(settings: BatterySettings, results: Results) -> dict[tuple[str, bool], Measurement]:
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


def table(settings: BatterySettings, results: Results) -> list[Row]:
    rows = []
    for (agent, _), runs in measured(settings, results).items():
        papers = replace(runs, scores=tuple(score for score in runs.scores if score.seed in PUBLISHED_SEEDS))
        for part in [runs] if len(runs.seeds) <= len(PUBLISHED_SEEDS) else [papers, runs]:
            row = measure_row(settings, agent, part)
            rows.append(row)
            if len(part.seeds) > 1:
                quantity = "the paper's ± (deviation / number of seeds)"
                rows.append(Row(quantity, row.condition, part.published_spread))
        rows += released_rows(runs, condition(settings, agent, runs))
    return rows


def condition(settings: BatterySettings, agent: str, runs: Measurement) -> str:
    part = "" if settings.environments == BATTERY else f", {len(settings.environments)} environments"
    trainer = trained_by(agent, settings.trainer)
    return f"{runs.agent}, {settings.steps} steps, {len(runs.seeds)} seeds{part}{trainer}"


def measure_row(settings: BatterySettings, agent: str, runs: Measurement) -> Row:
    """The measure next to what it must be.

    An agent that learns nothing from rewards, and its reality check, earn in the opposite of an environment just what
    they lose in it: the measure is 0 whatever the steps and seeds (Alexander et al. 2021, section 6).
    """
    error = runs.standard_error if len(runs.seeds) > 1 else 0.0
    row = Row("self-reflection measure", condition(settings, agent, runs), runs.mean + 0.0, error)
    if agent in BLIND:
        return replace(row, paper=0.0, tolerance=ROUNDING)
    if agent in DEEP and settings.environments == BATTERY:
        printed = f"{runs.agent}, {settings.steps} steps, 5 seeds, trainer one_hot"
        return with_fewer_seeds(row, PRINTED, printed, len(runs.seeds))
    return row


def story(settings: BatterySettings, results: Results) -> str:
    """Say where reality checks win and lose, and why the printed measure of RC(Simple) agrees only within chance."""
    measurements = measured(settings, results)
    lines = [
        f"{agent}: {measurements[agent, False].mean:.4f}, reality check {measurements[agent, True].mean:.4f}"
        for agent in settings.agents
    ]
    if settings.seeds > 1:
        lines += [
            f"RC({agent}) against {agent}, with opposites: {word} in {', '.join(names) or 'no environment'}"
            for agent in settings.agents
            for word, names in wins_and_losses(compare(measurements[agent, False], measurements[agent, True])).items()
        ]
    if "Simple" in settings.agents:
        lines.append(
            "RC(Simple): the paper prints 0.7146, five seeds here give 0.7007. The measure of a seed has a deviation "
            "of 0.022, so that two means of five differ by as much (0.0139) about every third time."
        )
    return "\n".join(lines)


def figures(settings: BatterySettings, results: Results) -> Figures:
    by_agent_and_check = measured(settings, results)
    series = [
        Series.of(name, [list(by_agent_and_check[agent, checked].by_seed.values()) for agent in settings.agents])
        for name, checked in (("agent", False), ("its reality check", True))
    ]
    by_agent = {
        agent: by_agent_and_check[agent, False].plot(by_agent_and_check[agent, True]) for agent in settings.agents
    }
    return {
        "measures": columns_of_bars(settings.agents, series, with_errors("self-reflection measure", settings.seeds)),
        **by_agent,
    }
