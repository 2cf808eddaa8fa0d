"""``self-models``: the measure of planners whose models may speak of what they themselves would do elsewhere."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import get_args

from extenv.battery import BATTERY, make
from extenv.measuring.comparison import Comparison, compare
from extenv.measuring.measurement import Measurement
from multislot.engine.agent import AgentFactory
from scenarios.lab.table import Measured, mean_row
from scenarios.self_reflection.measuring import GAINS, LOSES, NOTHING, OPPOSITE, effect, measurement, totals
from scenarios.self_reflection.self_models.agent import BETA, Models, Rule, SelfModeller
from scenarios.self_reflection.self_models.classes import unlike_the_library
from scenarios.self_reflection.self_models.settings import Settings

PLAIN, SELF, SHUFFLED = get_args(Models)
BUTTON = "TemptingButton"
NO_GAIN = "does not gain"
DECIDES_ALIKE, DECIDES_OTHERWISE = "decides alike", "decides otherwise"
PESSIMIST: Rule = "pessimist"
APART_BETA = 0.5
"""Here top sets are small enough that one for each observation is not one for all observations together."""
DECISIONS = 100
"""Compared with the library's agents, which take milliseconds for each."""
ALIKE = tuple(name for name in BATTERY if make(name).n_observations == 1)
"""Environments of one observation: there is no other one to depend on, so all classes of models are the same."""
APART = tuple(name for name in BATTERY if name not in ALIKE)

Result = dict[str, object]
Results = Sequence[tuple["Cell | Beside", Result]]
MORAL = (
    "An agent with a model of itself sees what TemptingButton asks of it, and earns there what the plain agent\n"
    "does not. It pays for that in the opposite environment."
)


@dataclass(frozen=True)
class Cell:
    """One planner with one class of models in some environments and their opposites, with one seed."""

    rule: Rule
    models: Models
    environments: tuple[str, ...]
    steps: int
    seed: int


@dataclass(frozen=True)
class Beside:
    """A planner next to the library's agent on the same class of models, told the same.

    Attributes:
        rule: of both.
        steps: how many decisions.
        beta: β of pessimists; nothing to the others.
    """

    rule: Rule
    steps: int
    beta: float = BETA


def cells(settings: Settings) -> list[Cell | Beside]:
    """Return every planner with every class and seed; where the classes are the same, with the plain one."""
    beside = [
        Beside(rule, min(settings.steps, DECISIONS), beta)
        for rule in settings.rules
        for beta in ((BETA, APART_BETA) if rule == PESSIMIST else (BETA,))
    ]
    return beside + [
        Cell(rule, models, environments, settings.steps, seed)
        for rule in settings.rules
        for seed in range(1, settings.seeds + 1)
        for models, environments in ((PLAIN, ALIKE), *((models, APART) for models in (PLAIN, SELF, SHUFFLED)))
    ]


def planner(rule: Rule, models: Models) -> AgentFactory:
    """Return the factory of a planner."""
    return partial(SelfModeller, models=models, rule=rule)


def run_cell(cell: Cell | Beside) -> Result:
    """Return total rewards by environment and opposite, or how many decisions differ from the library's."""
    if isinstance(cell, Beside):
        return {
            models: unlike_the_library(BUTTON, cell.rule, cell.steps, 1, models == SELF, cell.beta)
            for models in (SELF, PLAIN)
        }
    return dict(totals(planner(cell.rule, cell.models), cell.environments, cell.steps, cell.seed))


def measured(settings: Settings, results: Results, rule: Rule, models: Models) -> Measurement:
    """Return the measure of a planner."""
    own = [
        (cell.seed, result)
        for cell, result in results
        if isinstance(cell, Cell) and cell.rule == rule and (cell.models == models or cell.environments == ALIKE)
    ]
    by_seed: dict[int, dict[str, object]] = {seed: {} for seed in seeds_of(settings)}
    for seed, totals_found in own:
        by_seed[seed].update(totals_found)
    names = [half + name for name in BATTERY for half in ("", OPPOSITE)]
    ordered = [(seed, {name: totals_found[name] for name in names}) for seed, totals_found in by_seed.items()]
    return measurement(f"{rule}, {models} models", settings.steps, ordered)


def seeds_of(settings: Settings) -> range:
    """Return the seeds."""
    return range(1, settings.seeds + 1)


def compared(settings: Settings, results: Results, rule: Rule, models: Models) -> Comparison:
    """Return what a class of models gains over the plain one."""
    return compare(measured(settings, results, rule, PLAIN), measured(settings, results, rule, models))


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the measures, what a class that speaks of oneself gains, and whether the library decides alike."""
    rows = [row for rule in settings.rules for row in rows_of(settings, results, rule)]
    return rows + [row for cell, result in results if isinstance(cell, Beside) for row in beside_rows(cell, result)]


def beside_rows(cell: Beside, result: Result) -> Iterator[Measured]:
    """Yield whether the library's agent decides alike with the same class, and with the plain one, the control."""
    beta = f", β={cell.beta}" if cell.rule == PESSIMIST else ""
    condition = f"{cell.rule}{beta}, {cell.steps} decisions in {BUTTON}"
    for models in (SELF, PLAIN):
        alike = models == SELF and cell.beta == BETA
        yield Measured(
            f"agent of multislot.bayes with the {models} models, told the same",
            condition,
            DECIDES_OTHERWISE if result[models] else DECIDES_ALIKE,
            paper=DECIDES_ALIKE if alike else DECIDES_OTHERWISE,
            kind="claim" if alike else "control",
            source="the posterior is a product over observations"
            if cell.beta == BETA
            else "the top set of all observations' models is not made of one for each",
        )


def rows_of(settings: Settings, results: Results, rule: Rule) -> list[Measured]:
    """Return the rows of one rule."""
    common = f"{settings.steps} steps, {settings.seeds} seeds"
    found = {models: measured(settings, results, rule, models) for models in (PLAIN, SELF, SHUFFLED)}
    rows = [
        mean_row(quantity, f"{rule}, {models} models", common, values)
        for models, measure in found.items()
        for quantity, values in (
            ("self-reflection measure", list(measure.by_seed.values())),
            (f"reward a step, {BUTTON}", measure.mean_rewards(BUTTON, False)),
            (f"reward a step, opposite of {BUTTON}", measure.mean_rewards(BUTTON, True)),
        )
    ]
    for models in (SELF, SHUFFLED):
        gains = gains_at_the_button(found[PLAIN], found[models])
        rows.append(
            Measured(
                f"in {BUTTON}, the class",
                f"{rule}, {models} models, {common}",
                NO_GAIN if effect(gains) in (LOSES, NOTHING) else effect(gains),
                paper=GAINS if models == SELF else NO_GAIN,
                kind="claim" if models == SELF else "control",
                source="Alexander et al. 2021, Example 4: not looking at oneself, one would not see it",
            )
        )
    overall = [found[SELF].by_seed[seed] - found[PLAIN].by_seed[seed] for seed in seeds_of(settings)]
    return [*rows, mean_row("gain of self-reference in the measure", rule, common, overall)]


def gains_at_the_button(plain: Measurement, other: Measurement) -> list[float]:
    """Return what a class gains in Tempting Button, one number a seed."""
    pairs = zip(plain.mean_rewards(BUTTON, False), other.mean_rewards(BUTTON, False), strict=True)
    return [after - before for before, after in pairs]


def story(settings: Settings, results: Results) -> str:
    """Return where self-reference helps and where it misleads, for the first rule."""
    differences = compared(settings, results, settings.rules[0], SELF).by_environment
    clear = {
        GAINS: [d.environment for d in differences if d.t_low > 0],
        LOSES: [d.environment for d in differences if d.t_high < 0],
    }
    return "\n".join(
        f"With its opposite, self-reference clearly {word} in: {', '.join(names) or 'no environment'}."
        for word, names in clear.items()
    )
