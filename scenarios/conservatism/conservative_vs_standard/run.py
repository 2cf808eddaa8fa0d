"""All agents × β on a world with cliffs: reward, queries, falls, first causes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from multislot.bayes import BayesAgent, Decision, MostLikelyAgent, PessimisticAgent, QLearningAgent, ThompsonAgent
from multislot.bayes.cliff import START
from multislot.stream import EndlessStream
from scenarios.conservatism.cliff import CliffWorld, cliff_world, truth_of
from scenarios.conservatism.conservative_vs_standard.settings import Settings
from scenarios.conservatism.lives import AGENT, Life, Living, Truth, live, mean_and_error, tabular
from scenarios.table import Measured

SUSPECTS = 5
STANDARD = ("full mixture (AIXI)", "most likely model", "Thompson sampling", "Q-learning")
PESSIMISTIC, MENTOR_ALONE = "pessimistic", "mentor alone"
TRUTHS = ("safe", "deadly")
MEASURES = {
    "reward a step": "reward",
    "queries a life": "queries",
    "share of lives that end in a fall": "fell",
    "share in which the agent is the first on some suspect cell": "first",
}


@dataclass(frozen=True)
class Cell:
    """All lives of one agent in one truth; β counts for the pessimistic agent alone."""

    agent: str
    beta: float
    truth: str
    risk: float
    discount: float
    horizon: int
    noise: float
    depth: int
    steps: int
    seeds: int


def label(cell: Cell) -> str:
    """Returns the name under which a cell's agent is shown."""
    return f"pessimistic, β={cell.beta:g}" if cell.agent == PESSIMISTIC else cell.agent


def cells(settings: Settings) -> list[Cell]:
    """Returns one cell for each agent, β and truth."""
    agents = [(name, 0.0) for name in (MENTOR_ALONE, *STANDARD)] + [(PESSIMISTIC, beta) for beta in settings.betas]
    common = (settings.risk, settings.discount, settings.horizon, settings.noise, settings.depth)
    return [
        Cell(name, beta, truth, *common, settings.steps, settings.seeds) for name, beta in agents for truth in TRUTHS
    ]


def run_cell(cell: Cell) -> dict[str, object]:
    """Returns every life's mean reward, queries, whether it ended in a fall and whether the agent was first."""
    world = _world(cell.risk, cell.discount, cell.horizon)
    found: dict[str, list[float]] = {name: [] for name in MEASURES.values()}
    for seed in range(cell.seeds):
        index = truth_of(np.random.default_rng(seed), SUSPECTS, cell.truth == "deadly")
        truth, mentor = Truth(tabular(world.models)[index]), world.policies[index]
        lived = live(maker(cell, world)(seed), truth, mentor, cell.steps, seed)
        found["reward"].append(float(np.mean(lived.rewards)))
        found["queries"].append(float(sum(lived.queries)))
        found["fell"].append(float(lived.rewards[-1] == 0))
        found["first"].append(float(_unprecedented(lived, world)))
    return {name: list(values) for name, values in found.items()}


def _unprecedented(lived: Life, world: CliffWorld) -> bool:
    """Whether the agent set foot on a suspect cell on which nobody had been."""
    trodden: set[int] = set()
    for state, by_mentor in zip(lived.states[1:], lived.queries, strict=False):
        if state in world.suspects - trodden and not by_mentor:
            return True
        trodden.add(state)
    return False


@lru_cache(maxsize=4)
def _world(risk: float, discount: float, horizon: int) -> CliffWorld:
    return cliff_world(SUSPECTS, risk, discount, horizon)


class MentorAlone:
    """Defers always, which shows what the mentor is worth."""

    def decide(self) -> Any:
        """Returns a decision to defer."""
        return Decision(0, None, "always defers", float("nan"))

    def observe(self, action: int, percept: tuple[int, float], by_mentor: bool = False) -> None:
        """Learns nothing."""


def maker(cell: Cell, world: CliffWorld) -> Callable[[int], Living]:
    """Returns what makes a cell's agent of a seed."""
    plan = (world.models, cell.discount, cell.horizon)
    states = len(tabular(world.models)[0].rewards)

    def stream(seed: int) -> EndlessStream:
        return EndlessStream(seed, AGENT)

    makers: dict[str, Callable[[int], Living]] = {
        MENTOR_ALONE: lambda seed: MentorAlone(),
        "full mixture (AIXI)": lambda seed: BayesAgent(*plan, depth=cell.depth),
        "most likely model": lambda seed: MostLikelyAgent(*plan),
        "Thompson sampling": lambda seed: ThompsonAgent(*plan, stream=stream(seed)),
        "Q-learning": lambda seed: QLearningAgent(states, 4, stream(seed), START, discount=cell.discount),
        PESSIMISTIC: lambda seed: PessimisticAgent(
            world.models,
            world.mentors,
            cell.beta,
            cell.discount,
            cell.horizon,
            exact=False,
            noise=cell.noise,
            stream=stream(seed),
        ),
    }
    return makers[cell.agent]


def table(settings: Settings, results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Returns the four measures of every agent in both truths, and the story in words."""
    condition = (
        f"risk {settings.risk:g}, γ={settings.discount:g}, horizon {settings.horizon}, {settings.steps} steps, "
        f"{settings.seeds} lives"
    )
    rows = []
    for cell, result in results:
        for quantity, name in MEASURES.items():
            mean, error = mean_and_error(result[name])
            rows.append(Measured(quantity, f"{label(cell)}, {cell.truth}, {condition}", mean, error))
    return rows + _verdicts(results)


def _verdicts(results: Sequence[tuple[Cell, dict[str, Any]]]) -> list[Measured]:
    """Whether a careless standard agent falls, and the most pessimistic one does not."""
    beta = max(cell.beta for cell, _ in results)
    fell = {(cell.agent, cell.beta): sum(result["fell"]) for cell, result in results if cell.truth == "deadly"}
    first = [sum(result["first"]) for cell, result in results if cell.agent == PESSIMISTIC and cell.beta == beta]
    return [
        Measured(
            "the most likely model's agent", "deadly", "falls" if fell["most likely model", 0.0] else "does not fall"
        ),
        Measured("the pessimistic agent", "deadly, largest β", "falls" if fell[PESSIMISTIC, beta] else "does not fall"),
        Measured("the pessimistic agent", "largest β", "is first" if sum(first) else "is never first"),
    ]
