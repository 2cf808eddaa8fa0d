"""Table 2 of Alexander et al. 2021: measures of self-reflection next to the printed ones."""

from dataclasses import replace
from pathlib import Path

from extenv.battery import BATTERY
from extenv.measuring.measurement import PUBLISHED_SEEDS, Measurement
from multislot.statistics import ROUNDING
from scenarios.lab.cells import Results
from scenarios.lab.table import Row, read_expected
from scenarios.self_reflection import measuring
from scenarios.self_reflection.released import released_rows

PRINTED = read_expected(Path(__file__).parent.with_suffix(".csv"))


def table(settings: measuring.BatterySettings, results: Results) -> list[Row]:
    """Each measurement next to what the paper prints, with five seeds and with all, and next to the released runs."""
    rows = []
    for runs in measure_agents(settings, results).values():
        papers = replace(runs, scores=tuple(score for score in runs.scores if score.seed in PUBLISHED_SEEDS))
        for part in [runs] if len(runs.seeds) <= len(PUBLISHED_SEEDS) else [papers, runs]:
            row = measure_row(settings, part)
            rows.append(row)
            if len(part.seeds) > 1:
                quantity = "the paper's ± (deviation / number of seeds)"
                rows.append(Row(quantity, row.condition, part.published_spread))
        rows += released_rows(runs, condition(settings, runs))
    return rows


def measure_agents(settings: measuring.BatterySettings, results: Results) -> dict[str, Measurement]:
    """What each agent and its reality check earn, by name."""
    return {
        name: measuring.measurement(name, settings.steps, results, settings.environments, agent=name)
        for name in measuring.with_checks(settings.agents)
    }


def condition(settings: measuring.BatterySettings, runs: Measurement) -> str:
    """Say what a measurement is of."""
    part = "" if settings.environments == BATTERY else f", {len(settings.environments)} environments"
    trainer = measuring.trained_by(runs.agent, settings.trainer)
    return f"{runs.agent}, {settings.steps} steps, {len(runs.seeds)} seeds{part}{trainer}"


def measure_row(settings: measuring.BatterySettings, runs: Measurement) -> Row:
    """The measure next to what it must be.

    An agent that learns nothing from rewards, and its reality check, earn in the opposite of an environment just what
    they lose in it: the measure is 0 whatever the steps and seeds (Alexander et al. 2021, section 6).
    """
    error = runs.standard_error if len(runs.seeds) > 1 else 0.0
    row = Row("self-reflection measure", condition(settings, runs), runs.mean + 0.0, error)
    agent = measuring.strip_check(runs.agent)
    if agent in measuring.BLIND:
        return replace(row, paper=0.0, tolerance=ROUNDING)
    if agent in measuring.DEEP and settings.environments == BATTERY:
        printed = f"{runs.agent}, {settings.steps} steps, 5 seeds, trainer one_hot"
        return measuring.with_fewer_seeds(row, PRINTED, printed, len(runs.seeds))
    return row
