"""The cells of ``language``: a model in environments and stories, tabular agents beside it, and known models."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any, TypeAlias

from extenv.battery import make
from extenv.environment import ExtendedEnvironment
from extenv.measuring.measurement import Measurement
from extenv.reality_checks import reality_check
from multislot.agents.language import Client, LanguageAgent, Template
from multislot.cells import finish
from multislot.engine.agent import AgentFactory
from scenarios.self_reflection.language.asking import (
    Asked,
    UnpaidFactory,
    asked_by,
    client_of,
    forget_clients,
    template_of,
)
from scenarios.self_reflection.language.settings import FICKLE, FIRST_LETTER, NONSENSE, SCRIPTED, Settings
from scenarios.self_reflection.measuring import OPPOSITE, TABULAR, begun, measurement, totals_after

PLAIN, TOLD, EXCHANGED, UNPAID = "plain", "told", "exchanged", "unpaid"
VARIANTS = (PLAIN, TOLD, EXCHANGED, UNPAID)
PARTS = 4
"""The measure is taken after each quarter of the steps."""
CONTROLS = {FIRST_LETTER: (PLAIN, EXCHANGED), NONSENSE: (PLAIN,), FICKLE: (PLAIN,)}
CONTROL_ENVIRONMENTS = ("TemptingButton", "CryingBaby")
CONTROL_STEPS = 4
STORIES = {"newcomb": "NormalisedNewcombEnvironment", "crying-baby": "CryingBaby"}
WORDS, NUMBERS = "words", "numbers"
Result = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A model, told in one of the variants, in some environments and their opposites, with one seed."""

    asked: Asked = field(repr=False)  # errors name cells, and this is the same for all
    variant: str
    environments: tuple[str, ...]
    steps: int
    seed: int


@dataclass(frozen=True)
class StoryCell:
    """A model in one environment told in words or in numbers, with one seed."""

    asked: Asked = field(repr=False)
    story: str
    skin: str
    steps: int
    seed: int


@dataclass(frozen=True)
class TabularCell:
    """A tabular agent in some environments and their opposites, with one seed."""

    agent: str
    environments: tuple[str, ...]
    steps: int
    seed: int


AnyCell: TypeAlias = Cell | StoryCell | TabularCell
Results = Sequence[tuple[AnyCell, Result]]


def cells(settings: Settings) -> list[AnyCell]:
    """Return the model's cells with all variants and stories, those of tabular agents, and those of known models."""
    forget_clients()
    asked, seeds = asked_by(settings), range(1, settings.seeds + 1)
    own: list[AnyCell] = [
        Cell(asked, variant, settings.environments, settings.steps, seed) for variant in VARIANTS for seed in seeds
    ]
    own += [
        StoryCell(asked, story, skin, settings.turns, seed)
        for story, skin, seed in product(STORIES, (WORDS, NUMBERS), seeds)
    ]
    if settings.dry:
        return own
    own += [
        TabularCell(agent, settings.environments, settings.steps, seed)
        for agent in compared(settings)
        for seed in seeds
    ]
    return own + [
        Cell(asked_by(settings, SCRIPTED + subject), variant, CONTROL_ENVIRONMENTS, CONTROL_STEPS, seed)
        for subject, variants in CONTROLS.items()
        for variant in variants
        for seed in seeds
        if SCRIPTED + subject != settings.model
    ]


def compared(settings: Settings) -> tuple[str, ...]:
    """Return the tabular agents to compare with, that behind a scripted model included."""
    behind = settings.model.removeprefix(SCRIPTED)
    return tuple(dict.fromkeys((*settings.agents, *([behind] if behind in TABULAR else []))))


def points_of(steps: int) -> list[int]:
    """Return after how many steps the measure is taken: each quarter of them."""
    return [steps * part // PARTS for part in range(1, PARTS + 1)]


def run_cell(cell: AnyCell) -> Result:
    """Return total rewards by environment, or the shares of a story, and what was asked for them."""
    if isinstance(cell, TabularCell):
        return {"totals": totals_of(TABULAR[cell.agent], cell, 1)}
    template = template_for(cell)
    with client_of(cell.asked, template) as client:
        factory: AgentFactory = partial(LanguageAgent, client=client, template=template)
        found = told(cell, factory) if isinstance(cell, StoryCell) else lived(cell, factory, client)
        return found | {"tally": asdict(client.tally)}


def template_for(cell: Cell | StoryCell) -> Template:
    """Return how a cell's situations are told."""
    if isinstance(cell, StoryCell):
        return template_of(cell.asked, cell.story if cell.skin == WORDS else PLAIN)
    if cell.variant == EXCHANGED:
        return template_of(cell.asked, letters="exchanged")
    return template_of(cell.asked, TOLD if cell.variant == TOLD else PLAIN)


def lived(cell: Cell, factory: AgentFactory, client: Client) -> Result:
    """Return total rewards; told plainly, also those of the reality check, and how often answers differ."""
    threads = cell.asked.threads
    if cell.variant == UNPAID:
        return {"totals": totals_of(UnpaidFactory(factory), cell, threads)}
    found: Result = {"totals": totals_of(factory, cell, threads)}
    if cell.variant == PLAIN:
        found["checked"] = totals_of(reality_check(factory), cell, threads)
        again = client.ask_again()
        found["again"] = [again.asked, again.differed]
    return found


def totals_of(factory: AgentFactory, cell: Cell | TabularCell, threads: int) -> dict[str, list[float]]:
    """Return the total rewards after each quarter of the steps, by environment and opposite."""
    points = points_of(cell.steps)

    def total(run: tuple[str, bool]) -> list[float]:
        return totals_after(points, make(run[0]), factory, cell.seed, run[1])

    runs = {
        (OPPOSITE if opposite else "") + name: (name, opposite)
        for name, opposite in product(cell.environments, (False, True))
    }
    return finish(total, runs, threads=threads, keep_going=False)


def told(cell: StoryCell, factory: AgentFactory) -> Result:
    """Return the actions of the agent and the signs of its rewards in a story."""
    environment: ExtendedEnvironment = make(STORIES[cell.story])
    agent, observation = begun(environment, factory, cell.seed)
    actions, paid = [], []
    for _ in range(cell.steps):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        observation = following
        actions.append(int(action))
        paid.append(float(reward))
    return {"actions": actions, "rewards": paid}


def measured(results: Results, name: str, part: str = "totals", point: int = -1, **wanted: object) -> Measurement:
    """Return the measure of the cells with certain fields, after one of the quarters."""
    own = [
        (cell, result[part])
        for cell, result in results
        if not isinstance(cell, StoryCell)
        and part in result
        and all(getattr(cell, field, None) == value for field, value in wanted.items())
    ]
    found = [(cell.seed, {key: value[point] for key, value in totals.items()}) for cell, totals in own]
    return measurement(name, points_of(own[0][0].steps)[point], found, own[0][0].environments)


def shares(results: Results, story: str, skin: str) -> list[float]:
    """Return the share of turns with one box, or on which the baby laughs, one number a seed."""
    own = [
        result for cell, result in results if isinstance(cell, StoryCell) and (cell.story, cell.skin) == (story, skin)
    ]
    if story == "newcomb":
        return [fmean(action == 0 for action in result["actions"]) for result in own]
    return [fmean(reward > 0 for reward in result["rewards"]) for result in own]


def tallied(results: Results, model: str) -> Mapping[str, float]:
    """Return the sum of the tallies of a model's cells."""
    tallies = [
        result["tally"] for cell, result in results if not isinstance(cell, TabularCell) and cell.asked.model == model
    ]
    return {name: sum(tally[name] for tally in tallies) for name in tallies[0]}
