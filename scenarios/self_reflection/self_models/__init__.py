"""Does a planner do better if its models of the world may speak of itself?

Alexander et al. 2021 measure self-reflection; here planners with a class of models are measured. In the plain class the
reward depends on the observation and the action. The other class also has models in which it depends on what the agent
would do at another observation. The control is that class with its self-reference shuffled: in the place of one's own
action stands a random one.

In the Tempting Button the answer is yes: a planner that can say "I am paid for not being one who would push" leaves the
button alone, and earns +0.4 a step where the others earn -0.45. In the measure the answer is no. The measure also
counts opposites. There the rewards of the agent are negated, and those of its copy are not. So the copy does not do
what the agent would do, and models that take one for the other mislead: in the opposite of Tempting Button the planner
loses more than it gained. With one observation only the classes are the same, so those environments are run once.

The planner keeps a posterior for each observation apart. The agents of multislot.bayes can be given the same class,
with policies as actions. They decide alike: Bayes, most likely, Thompson (told which model to draw) and pessimist (at
its β of 0.9; at 0.5 its top set, which is one for all observations together, makes it decide otherwise now and then).
But they look at every combination of models and policies: with two observations a decision takes them 2 ms (most
likely) to 5 ms (Bayes), with three 80 ms, and six are out of reach. The planner takes 0.1 ms.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, get_args

from pydantic import Field

from extenv.battery import BATTERY, make
from extenv.measuring.comparison import compare
from extenv.measuring.measurement import Measurement
from extenv.measuring.plots import columns_of_bars, rows_of_points, with_errors
from multislot.engine.agent import AgentFactory
from scenarios.lab.cells import Figures, Result, Results
from scenarios.lab.table import Row, claim_row, mean_row, word_row
from scenarios.self_reflection import measuring
from scenarios.self_reflection.self_models.agent import BETA, Models, Rule, SelfModeller
from scenarios.self_reflection.self_models.classes import unlike_the_library
from scenarios.self_reflection.stored_totals import wins_and_losses


@dataclass(frozen=True)
class Settings:
    """Which planners, how long and how often."""

    rules: Annotated[tuple[Rule, ...], Field(min_length=1, description="how models are weighed")] = (
        "bayes",
        "most likely",
        "thompson",
        "pessimist",
    )
    steps: Annotated[int, Field(ge=1, description="steps a run")] = 500
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5


QUICK = Settings(rules=("bayes",), steps=120, seeds=4)
FULL = Settings(steps=5_000, seeds=10)


PLAIN, SELF, SHUFFLED = CLASSES = get_args(Models)
BUTTON = "TemptingButton"
NO_GAIN = "does not gain"
UNSEEN = "Alexander et al. 2021, Example 4: not looking at oneself, one would not see it"
WORDS = ("decides alike", "decides otherwise")
PESSIMIST: Rule = "pessimist"
APART_BETA = 0.5
"""With this β one top set for each observation differs from the top set of all observations together."""
DECISIONS = 100
"""Decisions that are compared with those of the library's agents, which take milliseconds for each."""
ALIKE = tuple(name for name in BATTERY if make(name).n_observations == 1)
"""Environments of one observation: there is no other one to depend on, so all classes of models are the same."""
APART = tuple(name for name in BATTERY if name not in ALIKE)

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
    """A planner beside the library's agent with the same class of models; both learn from the same turns.

    Attributes:
        rule: of both.
        steps: how many decisions.
        beta: β of pessimists; nothing to the others.
    """

    rule: Rule
    steps: int
    beta: float = BETA


def cells(settings: Settings) -> list[Cell | Beside]:
    """Every planner with every class and seed; where the classes are the same, with the plain one."""
    beside = [
        Beside(rule, min(settings.steps, DECISIONS), beta)
        for rule in settings.rules
        for beta in ((BETA, APART_BETA) if rule == PESSIMIST else (BETA,))
    ]
    return beside + [
        Cell(rule, models, environments, settings.steps, seed)
        for rule in settings.rules
        for seed in range(1, settings.seeds + 1)
        for models, environments in ((PLAIN, ALIKE), *((models, APART) for models in CLASSES))
    ]


def planner(rule: Rule, models: Models) -> AgentFactory:
    return partial(SelfModeller, models=models, rule=rule)


def run_cell(cell: Cell | Beside) -> Result:
    if isinstance(cell, Beside):
        return {
            models: unlike_the_library(BUTTON, cell.rule, cell.steps, 1, models == SELF, cell.beta)
            for models in (SELF, PLAIN)
        }
    return dict(measuring.totals(planner(cell.rule, cell.models), cell.environments, cell.steps, cell.seed))


def measure_planner(settings: Settings, results: Results, rule: Rule, models: Models) -> Measurement:
    """The measure of one planner; what was run once for all classes counts for each of them."""
    runs = [
        (cell, result)
        for cell, result in results
        if isinstance(cell, Cell) and cell.rule == rule and (cell.models == models or cell.environments == ALIKE)
    ]
    return measuring.measurement(f"{rule}, {models} models", settings.steps, runs)


def table(settings: Settings, results: Results) -> list[Row]:
    rows = [row for rule in settings.rules for row in rows_of(settings, results, rule)]
    return rows + [row for cell, result in results if isinstance(cell, Beside) for row in beside_rows(cell, result)]


def beside_rows(cell: Beside, result: Result) -> Iterator[Row]:
    """Yield whether the library's agent decides alike with the same class, and with the plain one, the control."""
    beta = f", β={cell.beta}" if cell.rule == PESSIMIST else ""
    condition = f"{cell.rule}{beta}, {cell.steps} decisions in {BUTTON}"
    source = "the posterior is a product over observations"
    if cell.beta != BETA:
        source = "the top set of all observations' models is not made of one for each"
    for models in (SELF, PLAIN):
        quantity = f"agent of multislot.bayes with the {models} models, told the same"
        control = cell.beta != BETA or models != SELF
        yield claim_row(quantity, condition, not result[models], source, control=control, words=WORDS)


def rows_of(settings: Settings, results: Results, rule: Rule) -> list[Row]:
    common = f"{settings.steps} steps, {settings.seeds} seeds"
    measures = {models: measure_planner(settings, results, rule, models) for models in CLASSES}
    rows = [
        mean_row(quantity, f"{rule}, {models} models", common, values)
        for models, measure in measures.items()
        for quantity, values in (
            ("self-reflection measure", list(measure.by_seed.values())),
            (f"reward a step, {BUTTON}", measure.mean_rewards(BUTTON, False)),
            (f"reward a step, opposite of {BUTTON}", measure.mean_rewards(BUTTON, True)),
        )
    ]
    for models in (SELF, SHUFFLED):
        gained = measuring.effect(
            measuring.differences(*(measures[kind].mean_rewards(BUTTON, False) for kind in (PLAIN, models)))
        )
        word = NO_GAIN if gained in (measuring.LOSES, measuring.NOTHING) else gained
        must = measuring.GAINS if models == SELF else NO_GAIN
        condition = f"{rule}, {models} models, {common}"
        rows.append(word_row(f"in {BUTTON}, the class", condition, word, must, UNSEEN, control=models != SELF))
    overall = measuring.differences(*(list(measures[kind].by_seed.values()) for kind in (PLAIN, SELF)))
    return [*rows, mean_row("gain of self-reference in the measure", rule, common, overall)]


def story(settings: Settings, results: Results) -> str:
    plain, selfish = (measure_planner(settings, results, settings.rules[0], models) for models in (PLAIN, SELF))
    clear = zip((measuring.GAINS, measuring.LOSES), wins_and_losses(compare(plain, selfish)).values(), strict=True)
    return "\n".join(
        f"With its opposite, self-reference clearly {word} in: {', '.join(names) or 'no environment'}."
        for word, names in clear
    )


def figures(settings: Settings, results: Results) -> Figures:
    pairs = [(rule, models) for rule in settings.rules for models in CLASSES]
    measurements = {pair: measure_planner(settings, results, *pair) for pair in pairs}
    measures = [
        (f"{models} models", [list(measurements[rule, models].by_seed.values()) for rule in settings.rules])
        for models in CLASSES
    ]
    first = settings.rules[0]
    panels = {
        title: [
            (f"{models} models", [measurements[first, models].mean_rewards(name, opposite) for name in APART])
            for models in CLASSES
        ]
        for title, opposite in (("environments", False), ("opposite environments", True))
    }
    axis = with_errors("self-reflection measure", settings.seeds)
    return {
        "self-models": columns_of_bars(settings.rules, measures, axis),
        first: rows_of_points(APART, panels, with_errors("reward per step", settings.seeds)),
    }
