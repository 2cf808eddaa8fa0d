"""Does it help to care for others, if the others are copies of oneself?

Two papers meet here. Alizadeh Alamdari et al. 2021, equation 6 ("sim"), adds to an agent's reward those of the others,
times a caring coefficient alpha. Alexander et al. 2021, section 4.2, lets copies of the agent play all the roles of a
game. Everybody cares alike.

Crying baby (Example 8): the parent is paid for the baby's laughter, the baby for its nutrition, and neither sees the
nutrition. A baby that cares laughs for its parent's sake; the parent still does not learn to feed it well. Rock, paper,
scissors: copies of equal lives move alike, so there is nothing to share.

Commons: while the resource lives, restraint pays 1 a step and greed `extra` more. If k of n players are greedy the
resource dies with probability (k/n)²; a dead one pays nothing until the episode is over. Copies of one agent move
alike: if one is greedy, all are, and a learner finds out. So restraint needs no caring among copies. Among strangers
who do not care the resource dies. With ``--set agents=Q,PPO``, or ``--full``, PPO learns the same games (extra
``deep``). Its copies keep the commons alive, too, and its strangers only if they care.

*Exactly*: let everybody else always restrain themselves. Restraint is then worth ``V = 1/(1 − γ)`` to each. A step of
greed gains `extra` and risks, with probability 1/n², the future ``γV`` of each of n players. A player who gives the
rewards of the others a weight α therefore stays restrained iff ``extra ≤ γV(1 + α(n − 1))/n²``: from
``α* = (extra·n²/(γV) − 1)/(n − 1)`` on restraint is an equilibrium. If all players are copies of one agent and act
alike, a step of greed costs ``γV`` for sure, and restraint is best for every α iff ``extra ≤ γV``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
import pettingzoo
from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv
from pydantic import Field

from considerate.wrappers import ORIGINAL, Caring
from extenv.catalogue.other_roles import LAUGH, CryingBaby, change_nutrition, comfort
from extenv.composing.compose import fold
from extenv.environment import ExtendedEnvironment
from extenv.measuring.plots import with_errors
from multislot.agents import PPO
from multislot.checks import checked_seed
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW
from multislot.engine.agent import AgentFactory
from multislot.engine.stream import EndlessStream
from multislot.statistics import UNDECIDED, mean_and_error, student, verdict
from scenarios.lab.cells import Axes, Figures, Result, Results, collect
from scenarios.lab.table import Row, mean_row, word_row
from scenarios.self_reflection.measuring import TABULAR, AgentNames, agent_factory, live

ALIVE, DEAD = 0, 1
RESTRAIN, GREEDY = 0, 1
LENGTH = 10


class Commons(ParallelEnv):  # type: ignore[misc]  # PettingZoo ships no type information
    """The game of a number of players in episodes of `LENGTH` steps.

    Args:
        players: how many.
        extra: what greed pays on top of 1.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "commons_v0", "render_modes": []}
    render_mode = None

    def __init__(self, players: int, extra: int) -> None:
        self.possible_agents = [f"player_{number}" for number in range(players)]
        self.extra, self.two = extra, Discrete(2)
        self.generator = np.random.default_rng(0)

    def observation_space(self, agent: str) -> Discrete:
        return self.two

    def action_space(self, agent: str) -> Discrete:
        return self.two

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, ...]:
        if seed is not None:
            self.generator = np.random.default_rng(checked_seed(seed))
        self.agents = list(self.possible_agents)
        self.state_now, self.steps = ALIVE, 0
        return dict.fromkeys(self.agents, ALIVE), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> tuple[Any, ...]:
        """Pay everybody and let the resource live or die."""
        agents, alive = self.agents, self.state_now == ALIVE
        greedy = [agent for agent in agents if actions[agent] == GREEDY]
        rewards = {agent: float(alive * (1 + self.extra * (agent in greedy))) for agent in agents}
        if self.generator.random() < (len(greedy) / len(agents)) ** 2:
            self.state_now = DEAD
        self.steps += 1
        over = self.steps == LENGTH
        if over:
            self.agents = []
        observations = dict.fromkeys(agents, self.state_now)
        ended, truncated = dict.fromkeys(agents, False), dict.fromkeys(agents, over)
        return observations, rewards, ended, truncated, {agent: {} for agent in agents}


def threshold(players: int, extra: int, discount: Fraction) -> Fraction:
    """The α*, from which on restraint is an equilibrium; 0 or less if it always is."""
    future = discount / (1 - discount)
    return (Fraction(extra * players**2) / future - 1) / (players - 1)


def greed_gains(players: int, extra: int, discount: Fraction, caring: Fraction) -> Fraction:
    """What one step of greed is worth to one player among restrained ones, by its values before and after.

    It is computed from the rewards of every player one by one, and not by the formula of `threshold`.
    """
    value = 1 / (1 - discount)
    weights = [Fraction(1), *[caring] * (players - 1)]
    restrained = sum((weight * (1 + discount * value) for weight in weights), Fraction(0))
    survives = 1 - Fraction(1, players**2)
    greedy = extra + sum((weight * (1 + discount * survives * value) for weight in weights), Fraction(0))
    return greedy - restrained


Coefficient = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True)
class Settings:
    """Who learns, how much everybody cares, and the commons."""

    agents: AgentNames = ("Q",)
    caring: Annotated[tuple[Coefficient, ...], Field(min_length=1, description="caring coefficients")] = (0.0, 0.5, 1.0)
    players: Annotated[int, Field(ge=2, le=8, description="players of the commons")] = 4
    extra: Annotated[int, Field(ge=1, le=20, description="what greed pays on top of 1 a step")] = 1
    steps: Annotated[int, Field(ge=200, description="steps a run")] = 10_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 6


QUICK = Settings(caring=(0.0, 1.0), steps=4_000, seeds=3)
FULL = Settings(agents=("Q", "PPO"), caring=(0.0, 0.25, 0.5, 0.75, 1.0), steps=50_000, seeds=20)


BABY = "crying baby"
RPS = "rock, paper, scissors"
COPIES = "commons of copies"
STRANGERS = "commons of strangers"
QUANTITIES = {
    BABY: ("laughing", "well nourished"),
    RPS: ("own reward",),
    COPIES: ("alive",),
    STRANGERS: ("alive",),
}
RPS_STEPS = 200
"""Rock, paper, scissors needs no more: equal lives stay equal."""
DISCOUNT = Fraction(9, 10)
SHORT_LOTS: dict[str, Any] = {"n_steps": 64, "batch_size": 32, "n_epochs": 4, "learning_rate": 0.003}
THIRD = 1 / 3
"""A resource that lives a larger share of the time is called alive. With greed it lives a tenth of the time: the first
step of an episode."""
LIVES, DIES = "lives", "dies"

MORAL = (
    "Copies do not need to care in order to spare the commons: if one is greedy, all are, and a learner finds this\n"
    "out. Strangers need to care. In the crying baby, caring makes the baby laugh, but still does not teach its\n"
    "parent to feed it well."
)


@dataclass(frozen=True)
class Cell:
    """One game with one caring coefficient and one seed."""

    game: str
    agent: str
    caring: float
    players: int
    extra: int
    steps: int
    seed: int


def cells(settings: Settings) -> list[Cell]:
    common = settings.players, settings.extra, settings.steps
    return [
        Cell(game, agent, caring, *common, seed)
        for agent in settings.agents
        for game in games_of(agent)
        for caring in settings.caring
        for seed in range(1, settings.seeds + 1)
    ]


def games_of(agent: str) -> tuple[str, ...]:
    """The games of an agent; equal lives tie, but lives are equal to the last bit for tabular agents only."""
    return tuple(game for game in QUANTITIES if game != RPS or agent in TABULAR)


def learner(agent: str) -> AgentFactory:
    """The factory of an agent; PPO trains on lots of 64, since runs are short."""
    if agent != "PPO":
        return agent_factory(agent)
    return partial(PPO, **SHORT_LOTS)


def run_cell(cell: Cell) -> Result:
    """Means over the second half of the run."""
    if cell.game == STRANGERS:
        return among_strangers(cell)
    environment, watch = fold_game(cell), WATCHES[cell.game]
    steps = min(cell.steps, RPS_STEPS) if cell.game == RPS else cell.steps
    lived = live(environment, learner(cell.agent), cell.seed, steps)
    return average_second_half([watch(environment, step.seen) for step in lived])


def considerate(game: Any, caring: float) -> Any:
    """A game in which everybody gives the rewards of the others a weight (equation 6)."""
    for name in game.possible_agents:
        game = Caring(game, name, "sim", {other: caring for other in game.possible_agents if other != name})
    return game


class CaringFamily(CryingBaby):
    """Example 8 in which parent and baby care for each other: ``fold(considerate(unfold("CryingBaby")))``, but quick.

    Args:
        caring: α, of both.
    """

    def __init__(self, caring: float) -> None:
        self.caring = caring

    def step(self, action: int) -> tuple[float, int]:
        """Feed or not; the baby sees it and laughs or cries."""
        self.nutrition = change_nutrition(self.nutrition, action)
        sound = self.baby.act(action)
        parents, babys = (1.0 if sound == LAUGH else -1.0), comfort(self.nutrition)
        self.baby.learn(self.baby_observation, sound, babys + self.caring * parents, action)
        self.baby_observation = action
        return parents + self.caring * babys, sound


def fold_game(cell: Cell) -> ExtendedEnvironment:
    """The game of a cell in which copies of the agent play all others."""
    if cell.game == BABY:
        return CaringFamily(cell.caring)
    if cell.game == RPS:
        return fold(lambda: considerate(pettingzoo.make("parallel", "classic/rps-v2"), cell.caring))
    return fold(lambda: considerate(Commons(cell.players, cell.extra), cell.caring))


def average_second_half(seen: list[dict[str, float]]) -> Result:
    late = seen[len(seen) // 2 :]
    return {name: sum(turn[name] for turn in late) / len(late) for name in late[0]}


WATCHES: dict[str, Callable[[Any, int], dict[str, float]]] = {
    BABY: lambda family, sound: {
        "laughing": float(sound == LAUGH),
        "well nourished": float(comfort(family.nutrition) > 0),
    },
    RPS: lambda folded, _: {"own reward": float(folded.game.infos[folded.player].get(ORIGINAL, 0.0))},
    COPIES: lambda _, state: {"alive": float(state == ALIVE)},
}
"""What is measured after each step of a game, from the environment and what the agent observes."""


def among_strangers(cell: Cell) -> Result:
    """Let learners with streams of their own play the commons."""
    game: ParallelEnv[Any, Any, Any] = considerate(Commons(cell.players, cell.extra), cell.caring)
    make = learner(cell.agent)
    agents = {name: make(2, 2, EndlessStream(cell.seed, 1 + slot)) for slot, name in enumerate(game.possible_agents)}
    observations, _ = game.reset(seed=cell.seed)
    seen = []
    for _ in range(cell.steps):
        actions = {name: int(agents[name].act(int(observations[name]))) for name in game.agents}
        following, rewards, _, truncated, _ = game.step(actions)
        if any(truncated.values()):
            following, _ = game.reset()
        for name, action in actions.items():
            agents[name].learn(int(observations[name]), action, float(rewards[name]), int(following[name]))
        observations = following
        seen.append({"alive": float(observations[game.possible_agents[0]] == ALIVE)})
    return average_second_half(seen)


def table(settings: Settings, results: Results) -> list[Row]:
    rows = [row for agent in settings.agents for row in rows_of(settings, results, agent)]
    return rows + threshold_rows(settings)


def rows_of(settings: Settings, results: Results, agent: str) -> list[Row]:
    common = f"{agent}, second half of {settings.steps} steps, {settings.seeds} seeds"
    rows = [
        mean_row(
            f"{game}: {name}", f"α={caring:g}", common, collect(results, name, agent=agent, game=game, caring=caring)
        )
        for game, names in QUANTITIES.items()
        for caring in settings.caring
        for name in names
        if game != RPS
    ]
    if RPS in games_of(agent):
        rows += tie_rows(settings, results, agent, common)
    return rows + commons_rows(settings, results, agent, common)


def tie_rows(settings: Settings, results: Results, agent: str, common: str) -> list[Row]:
    """What equal lives earn against each other: nothing, however much they care."""
    return [
        Row(
            f"{RPS}: own reward",
            f"α={caring:g}, {common}",
            max(map(abs, collect(results, "own reward", agent=agent, game=RPS, caring=caring))),
            paper=0,
            source="copies of equal lives move alike (Alexander et al. 2021, Definition 9)",
        )
        for caring in settings.caring
    ]


def threshold_rows(settings: Settings) -> list[Row]:
    """The α* and that a step of greed is worth exactly nothing there, and something just below."""
    least = threshold(settings.players, settings.extra, DISCOUNT)
    condition = f"{settings.players} players, greed pays {settings.extra} more, γ={DISCOUNT}"
    gains = greed_gains(settings.players, settings.extra, DISCOUNT, least)
    below = greed_gains(settings.players, settings.extra, DISCOUNT, least - Fraction(1, 100))
    word = "gains" if below > 0 else "does not gain"
    return [
        Row("α from which restraint is an equilibrium among strangers", condition, least),
        Row("what a step of greed gains at that α", condition, gains, paper=0, source="exact"),
        word_row("a step of greed at an α smaller by 1/100", condition, word, "gains", "exact", control=True),
    ]


def commons_rows(settings: Settings, results: Results, agent: str, common: str) -> list[Row]:
    """Whether the resource lives more than half of the time: among copies always, among strangers by α."""
    least = threshold(settings.players, settings.extra, DISCOUNT)
    rows = []
    for caring in settings.caring:
        for game in (COPIES, STRANGERS):
            selfish = game == STRANGERS and caring == 0 < least
            if game == STRANGERS and 0 < caring < 1:
                continue  # learners need not find an equilibrium as soon as there is one
            word = word_for(collect(results, "alive", agent=agent, game=game, caring=caring))
            must = DIES if selfish else LIVES
            condition = f"α={caring:g}, {settings.players} players, {common}"
            source = "strangers who do not care are greedy" if selfish else "derived in this scenario"
            rows.append(word_row(f"{game}: the resource", condition, word, must, source, control=selfish))
    return rows


def word_for(shares: Sequence[float]) -> str:
    """Whether a resource that lives in these shares of the time lives; one seed decides nothing."""
    if len(shares) < 2:
        return UNDECIDED
    return verdict(student(shares), THIRD, DIES, LIVES)


def figures(settings: Settings, results: Results) -> Figures:
    """One figure: two panels for each kind of agent."""
    figure = new_figure(9.0, 4.6 * len(settings.agents))
    rows = figure.subplots(len(settings.agents), 2, sharey=True, squeeze=False)
    least = float(threshold(settings.players, settings.extra, DISCOUNT))
    for agent, (baby, commons) in zip(settings.agents, rows, strict=True):
        for name in QUANTITIES[BABY]:
            draw(baby, settings, results, agent, BABY, name, name)
        for game, label in ((COPIES, "copies"), (STRANGERS, "strangers")):
            draw(commons, settings, results, agent, game, "alive", label)
        commons.axvline(least, color="0.4", linestyle=":", label=f"equilibrium from α = {least:.2f} on")
        baby.set_title(f"{agent}: crying baby, parent and baby are copies")
        commons.set_title(f"{agent}: commons, the resource lives")
        baby.set_ylabel(with_errors("share of the run's second half", settings.seeds))
        for axes in (baby, commons):
            axes.set(xlabel="caring coefficient α, of everybody", ylim=(-0.03, 1.03))
            axes.legend(**BELOW)
    return {"caring-copies": figure}


def draw(axes: Axes, settings: Settings, results: Results, agent: str, game: str, name: str, label: str) -> None:
    values = [collect(results, name, agent=agent, game=game, caring=caring) for caring in settings.caring]
    means, errors = zip(*map(mean_and_error, values), strict=True)
    axes.errorbar(settings.caring, means, errors, label=label, marker="o")
