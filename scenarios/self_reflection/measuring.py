"""Agents by the paper's names, cells and measures, shared by the scenarios of this family.

A reality check has the name of its agent in brackets, such as ``RC(Q)``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from statistics import fmean
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from extenv.battery import BATTERY, EnvironmentLike
from extenv.environment import ExtendedEnvironment, play
from extenv.measuring.comparison import Difference
from extenv.measuring.measurement import PUBLISHED_SEEDS, Measurement, Score
from extenv.measuring.plots import columns_of_bars
from extenv.measuring.running import run, stored_streams
from extenv.reality_checks import Freeze, reality_check
from multislot.agents import A2C, DQN, PPO, ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.agents.deep import DeepAgent
from multislot.checks import checked_import
from multislot.drawing.pictures import draw_intervals, name_rows
from multislot.drawing.styling import GREEN, GREY, RED
from multislot.engine.agent import Agent, AgentFactory
from multislot.engine.factories import check_factory
from multislot.errors import SettingError, UnknownNameError
from multislot.statistics import UNDECIDED, Interval, student
from scenarios.lab.cells import Axes, Figure, Results, select_pairs
from scenarios.lab.table import Row

TABULAR: dict[str, AgentFactory] = {
    "Random": RandomAgent,
    "Constant": ConstantAgent,
    "Simple": SimpleLearner,
    "Naive": NaiveLearner,
    "Q": QLearner,
}
DEEP: dict[str, type[DeepAgent]] = {"DQN": DQN, "A2C": A2C, "PPO": PPO}
NUMPY_INTEGERS = ("A2C", "PPO")
"""Deep agents whose actions were NumPy integers in the released experiments."""
TABLE_AGENTS = ("Random", "Constant", "Simple", "Q")
BLIND = ("Random", "Constant")
"""Agents that learn nothing from rewards."""
OPPOSITE = "opposite of "
GAINS, LOSES, NOTHING = "gains", "loses", "changes nothing"


def strip_check(name: str) -> str:
    """The name of the agent in ``RC(Q)``, or the name itself."""
    return name[3:-1] if name.startswith("RC(") and name.endswith(")") else name


def with_checks(names: Iterable[str]) -> tuple[str, ...]:
    """Agents, each followed by its reality check."""
    return tuple(name for agent in names for name in (agent, f"RC({agent})"))


def one_of(kind: str, names: Sequence[str], checks: bool = False, own: bool = True) -> AfterValidator:
    """Make the check of a name: a known one, or the place of the user's own agent, ``module:MyAgent``.

    Args:
        kind: what is named, for messages.
        names: the known ones.
        checks: accept reality checks, ``RC(Q)``, too.
        own: accept the user's own agents, too.
    """

    def validated(name: str) -> str:
        plain = strip_check(name) if checks else name
        if own and ":" in plain:
            own_factory(plain)
        elif plain not in names:
            raise UnknownNameError(kind, plain, names)
        return name

    return AfterValidator(validated)


def own_factory(place: str) -> AgentFactory:
    """Import the user's own agent, ``module:MyAgent``."""
    factory: AgentFactory = checked_import("agents", place)
    check_factory(factory)
    return factory


def each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise SettingError(f"got {twice[0]} more than once; give every name once")
    return names


KNOWN = (*TABULAR, *DEEP)
ALL = ", ".join(KNOWN) + "; or your own as module:MyAgent"
NAMES = Field(min_length=1, description=f"agents by the paper's names: {ALL}")
OF_TABULAR = Field(min_length=1, description=f"tabular agents by the paper's names: {', '.join(TABULAR)}")
OF_BATTERY = Field(min_length=1, description="environments of the battery, with their opposites")
ONCE = AfterValidator(each_once)
AgentName = Annotated[str, one_of("agent", KNOWN), Field(description=f"an agent by the paper's name: {ALL}")]
AgentNames = Annotated[tuple[AgentName, ...], ONCE, NAMES]
AgentNamesOrChecks = Annotated[tuple[Annotated[str, one_of("agent", KNOWN, checks=True)], ...], ONCE, NAMES]
TabularNames = Annotated[tuple[Annotated[str, one_of("tabular agent", tuple(TABULAR))], ...], ONCE, OF_TABULAR]
EnvironmentNames = Annotated[
    tuple[Annotated[str, one_of("environment of the battery", BATTERY, own=False)], ...], ONCE, OF_BATTERY
]
Trainer = Annotated[
    Literal["auto", "sb3", "one_hot"], Field(description="of deep agents, see multislot.agents.deep; auto: the faster")
]


@dataclass(frozen=True)
class AgentCell:
    """The runs of one agent, or of its reality check, with one seed. The fields are all that the numbers depend on.

    Attributes:
        where: the handicap, the example or the part of the scenario, if there are several.
        environments: of the battery, each with its opposite.
        freeze: the variant of the reality check.
    """

    agent: str
    steps: int
    seed: int
    where: str = ""
    environments: tuple[str, ...] = ()
    trainer: str = ""
    freeze: Freeze = "published"

    def factory(self) -> AgentFactory:
        return agent_factory(self.agent, self.freeze, self.trainer or "auto")

    def totals(self) -> dict[str, list[float]]:
        """Total rewards in its environments and their opposites, as the agent met them."""
        return totals(self.factory(), self.environments, self.steps, self.seed, self.agent)


def agent_cells(
    agents: Iterable[str],
    steps: int,
    seeds: int,
    where: Sequence[str] = ("",),
    trainer: str = "auto",
    environments: tuple[str, ...] = (),
    freeze: Freeze = "published",
) -> list[AgentCell]:
    """List every agent in every place with every seed, 1 to `seeds`; deep ones environment by environment."""
    return [
        AgentCell(agent, steps, seed, place, portion, trainer_of(agent, trainer), freeze)
        for place in where
        for agent in agents
        for seed in range(1, seeds + 1)
        for portion in ([(name,) for name in environments] if trainer_of(agent) and environments else [environments])
    ]


@dataclass(frozen=True)
class BatterySettings:
    """Which agents are measured with their reality checks, how long, how often and where."""

    agents: AgentNames = TABLE_AGENTS
    steps: Annotated[int, Field(ge=1, description="steps a run")] = 100_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 5
    environments: EnvironmentNames = BATTERY
    trainer: Trainer = "auto"

    def cells(self) -> list[AgentCell]:
        """A cell for every agent and reality check with every seed; deep ones environment by environment."""
        named = with_checks(self.agents)
        return agent_cells(named, self.steps, self.seeds, trainer=self.trainer, environments=self.environments)


class Step(NamedTuple):
    """One step of a life."""

    action: int
    reward: float
    seen: int


def begin(environment: ExtendedEnvironment, factory: AgentFactory, seed: int) -> tuple[Agent, int]:
    """Begin an environment with the authors' random numbers; return the true agent and its first observation."""
    stored, stream = stored_streams(seed)
    agent_stream = stored.again()
    observation = environment.begin(factory, agent_stream, stream)
    return factory(environment.n_observations, environment.n_actions, agent_stream), int(observation)


def live(environment: ExtendedEnvironment, factory: AgentFactory, seed: int, steps: int) -> Iterator[Step]:
    """Let an agent act and learn in an environment; yield the action, the reward and the next observation."""
    agent, observation = begin(environment, factory, seed)
    for _ in range(steps):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        observation = following
        yield Step(action, reward, following)


def parts_of(values: Sequence[float], number: int) -> list[float]:
    """The mean of each part of a run; the parts are equally long, up to rounding."""
    ends = [len(values) * part // number for part in range(number + 1)]
    return [fmean(values[start:end]) for start, end in pairwise(ends)]


def totals_after(
    points: Sequence[int], environment: ExtendedEnvironment, factory: AgentFactory, seed: int, opposite: bool
) -> list[float]:
    """The total reward of one run after each of several numbers of steps, in ascending order."""
    agent, observation = begin(environment, factory, seed)
    totals, total, lived = [], 0.0, 0
    for point in points:
        earned, observation = play(environment, agent, observation, environment.n_actions, point - lived, opposite)
        total, lived = total + earned, point
        totals.append(total)
    return totals


def trainer_of(name: str, trainer: str = "auto") -> str:
    """The trainer of a deep agent; an empty text for any other agent."""
    if strip_check(name) not in DEEP:
        return ""
    if trainer != "auto":
        return trainer
    return "one_hot" if find_spec("multislot.agents._one_hot") else "sb3"


def trained_by(name: str, trainer: str = "auto") -> str:
    """The trainer of a deep agent, as the condition of a row names it."""
    trained = trainer_of(name, trainer)
    return f", trainer {trained}" if trained else ""


def agent_factory(
    name: str, freeze: Freeze = "published", trainer: str = "auto", **hyperparameters: Any
) -> AgentFactory:
    """The factory of an agent of the paper by its name there, or of its reality check.

    Deep agents are used as in the published experiments, apart from the hyperparameters that are given.
    """
    if name != strip_check(name):
        return reality_check(agent_factory(strip_check(name), freeze, trainer, **hyperparameters), freeze)
    if name in DEEP:
        published = {"mode": "published", "trainer": trainer_of(name, trainer)}
        return partial(DEEP[name], **(published | hyperparameters))
    if name not in TABULAR and ":" not in name:
        raise UnknownNameError("agent", name, KNOWN)
    return TABULAR.get(name) or own_factory(name)


def fixed_policies(*names: str) -> dict[str, AgentFactory]:
    """Agents that always take action 0, 1, …, by these names."""
    return {name: partial(ConstantAgent, action=action) for action, name in enumerate(names)}


def differences(before: Sequence[float], after: Sequence[float]) -> list[float]:
    return [second - first for first, second in zip(before, after, strict=True)]


def judge(low: float, high: float) -> str:
    """Whether something gains or loses, by the interval of its gain."""
    return GAINS if low > 0 else LOSES if high < 0 else UNDECIDED


def effect(gains: Sequence[float]) -> str:
    """Whether something gains or loses, by its gains, one a seed; one seed decides nothing."""
    return judge(*student(gains)) if any(gains) else NOTHING


def with_fewer_seeds(row: Row, printed: Iterable[Row], condition: str, seeds: int) -> Row:
    """Compare a row of at most five seeds with what the paper prints for five.

    Rounding decides some totals of deep agents, which then do not come out to the last digit. They agree within three
    true standard errors of a mean over as many seeds as were run.

    Args:
        row: what was measured.
        printed: the scenario's expected numbers.
        condition: that of the printed row.
        seeds: how many were run; more than the paper's are not compared.
    """
    for cell in printed:
        if (cell.quantity, cell.condition) == (row.quantity, condition) and seeds <= len(PUBLISHED_SEEDS):
            wider = (len(PUBLISHED_SEEDS) / seeds) ** 0.5
            return replace(
                row, paper=cell.paper, tolerance=cell.tolerance * wider, kind="published", source=cell.source
            )
    return row


def met(name: str, environment: str) -> str:
    """The environment that an agent met in the released experiments under a name of the battery."""
    slip = environment == "SelfRecognition" and strip_check(name) in NUMPY_INTEGERS
    return "SelfRecognitionAsReleased" if slip else environment


def totals(
    factory: AgentFactory, environments: Iterable[str], steps: int, seed: int, agent: str = ""
) -> dict[str, list[float]]:
    """Total rewards in environments and their opposites; those of a named `agent` as in the released experiments."""
    return {name: both_totals(met(agent, name), factory, steps, seed) for name in environments}


def both_totals(environment: EnvironmentLike, factory: AgentFactory, steps: int, seed: int) -> list[float]:
    """Total rewards in an environment and in its opposite."""
    runs = (run(environment, factory, steps=steps, seed=seed, opposite=opposite) for opposite in (False, True))
    return [each.total_reward for each in runs]


def measurement(
    name: str, steps: int, results: Results, environments: Sequence[str] = BATTERY, **fields: object
) -> Measurement:
    """The measure of an agent from the totals in results, for the cells whose fields have these values."""
    scores = [
        Score(environment, opposite, cell.seed, float(total), float(total) / steps)
        for cell, result in select_pairs(results, **fields)
        for environment, both in result.items()
        for opposite, total in zip((False, True), both, strict=True)
    ]
    return Measurement(name, steps, tuple(scores), dict.fromkeys(environments, 1.0 / len(environments)))


def draw_gains(axes: Axes, gains: Sequence[Difference], ends: Callable[[Difference], Interval], **style: Any) -> None:
    """Draw a row with a point and an interval for each gain, in a color that says whether it is one."""
    intervals = [ends(gain) for gain in gains]
    words = [judge(*interval) for interval in intervals]
    for word, color in ((GAINS, GREEN), (LOSES, RED), (UNDECIDED, GREY)):
        if rows := [row for row, own in enumerate(words) if own == word]:
            means = [gains[row].difference for row in rows]
            draw_intervals(axes, rows, means, [intervals[row] for row in rows], color=color, label=word, **style)
    name_rows(axes, [gain.environment for gain in gains])
    axes.axvline(0.0, color="black", linewidth=0.6)


def check_bars(agents: Sequence[str], values: Callable[[str], Sequence[float]], ylabel: str) -> Figure:
    """Plot a group of bars for each agent: itself and its reality check, with the values of each, one a seed."""
    names = with_checks(agents)
    series = [
        (title, [values(name) for name in names[first::2]])
        for first, title in enumerate(("agent", "its reality check"))
    ]
    return columns_of_bars(agents, series, ylabel)
