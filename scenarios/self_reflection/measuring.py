"""Agents by the paper's names, cells and measures, shared by the scenarios of this family."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from extenv.battery import BATTERY
from extenv.environment import ExtendedEnvironment, play
from extenv.measuring.factories import check_factory
from extenv.measuring.measurement import PUBLISHED_SEEDS, Measurement, Score
from extenv.measuring.running import own_stream, run, stored_streams
from extenv.reality_checks import Freeze, reality_check
from multislot.agents.tabular import ConstantAgent, NaiveLearner, QLearner, RandomAgent, SimpleLearner
from multislot.checks import checked_import
from multislot.engine.agent import Agent, AgentFactory
from multislot.errors import SettingError, UnknownNameError
from multislot.statistics import UNDECIDED, student
from scenarios.lab.table import Row

TABULAR: dict[str, AgentFactory] = {
    "Random": RandomAgent,
    "Constant": ConstantAgent,
    "Simple": SimpleLearner,
    "Naive": NaiveLearner,
    "Q": QLearner,
}
DEEP = ("DQN", "A2C", "PPO")
NUMPY_INTEGERS = ("A2C", "PPO")
"""Deep agents whose actions were NumPy integers in the released experiments."""
TABLE_AGENTS = ("Random", "Constant", "Simple", "Q")
BLIND = ("Random", "Constant")
"""Agents that learn nothing from rewards."""
OPPOSITE = "opposite of "
GAINS, LOSES, NOTHING = "gains", "loses", "changes nothing"


def known_agent(name: str) -> str:
    """The name of an agent or the place of one's own, or raise SettingError if there is none."""
    if ":" not in name and name not in TABULAR and name not in DEEP:
        raise UnknownNameError("agent", name, (*TABULAR, *DEEP))
    tabular_factory(name)
    return name


def known_tabular_agent(name: str) -> str:
    """The name of a tabular agent or the place of one's own, or raise SettingError if there is none."""
    if ":" not in name and name not in TABULAR:
        raise UnknownNameError("tabular agent", name, TABULAR)
    tabular_factory(name)
    return name


def tabular_factory(name: str) -> AgentFactory | None:
    """The factory of a tabular agent or of one's own, ``module:MyAgent``; None for a deep agent."""
    if ":" not in name:
        return TABULAR.get(name)
    factory: AgentFactory = checked_import("agents", name)
    check_factory(factory)
    return factory


def unchecked(name: str) -> str:
    """The name of the agent in ``RC(Q)``, or the name itself."""
    return name[3:-1] if name.startswith("RC(") and name.endswith(")") else name


def known_agent_or_check(name: str) -> str:
    """The name of an agent or of its reality check, ``RC(Q)``, or raise UnknownNameError."""
    known_agent(unchecked(name))
    return name


def each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names, or raise SettingError if one comes twice."""
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise SettingError(f"got {twice[0]} more than once; give every name once")
    return names


ALL = ", ".join((*TABULAR, *DEEP)) + "; or your own as module:MyAgent"
NAMES = Field(min_length=1, description=f"agents by the paper's names: {ALL}")
AgentName = Annotated[str, AfterValidator(known_agent), Field(description=f"an agent by the paper's name: {ALL}")]
AgentNames = Annotated[tuple[AgentName, ...], AfterValidator(each_once), NAMES]
Trainer = Annotated[
    Literal["auto", "sb3", "one_hot"], Field(description="of deep agents, see multislot.agents.deep; auto: the faster")
]


def known_environment(name: str) -> str:
    """The name of an environment of the battery, or raise UnknownNameError if there is none."""
    if name not in BATTERY:
        raise UnknownNameError("environment of the battery", name, BATTERY)
    return name


EnvironmentNames = Annotated[
    tuple[Annotated[str, AfterValidator(known_environment)], ...],
    AfterValidator(each_once),
    Field(min_length=1, description="environments of the battery, with their opposites"),
]
AgentNamesOrChecks = Annotated[
    tuple[Annotated[str, AfterValidator(known_agent_or_check)], ...], AfterValidator(each_once), NAMES
]


TabularNames = Annotated[
    tuple[Annotated[str, AfterValidator(known_tabular_agent)], ...],
    AfterValidator(each_once),
    Field(min_length=1, description=f"tabular agents by the paper's names: {', '.join(TABULAR)}"),
]


@dataclass(frozen=True)
class AgentCell:
    """One agent with one seed, and what trains it if it is deep."""

    agent: str
    steps: int
    seed: int
    trainer: str = ""


def agent_cells(agents: Iterable[str], steps: int, seeds: int) -> list[AgentCell]:
    """Every agent with every seed, 1 to `seeds`."""
    return [AgentCell(agent, steps, seed, trainer_of(agent)) for agent in agents for seed in range(1, seeds + 1)]


@dataclass(frozen=True)
class BatteryCell:
    """One agent, or its reality check, in some environments and their opposites, with one seed and trainer."""

    agent: str
    checked: bool
    environments: tuple[str, ...]
    steps: int
    seed: int
    trainer: str

    def factory(self) -> AgentFactory:
        """What makes its agent."""
        return agent_factory(self.agent, self.checked, trainer=self.trainer or "auto")


def battery_cells(
    agents: Iterable[str], environments: tuple[str, ...], steps: int, seeds: int, trainer: str
) -> list[BatteryCell]:
    """A cell for every agent and reality check with every seed; deep ones environment by environment."""
    return [
        BatteryCell(agent, checked, portion, steps, seed, trainer_of(agent, trainer))
        for agent in agents
        for checked in (False, True)
        for seed in range(1, seeds + 1)
        for portion in portions(agent, environments)
    ]


def begun(environment: ExtendedEnvironment, factory: AgentFactory, seed: int) -> tuple[Agent, int]:
    """Begin an environment with the authors' store of random numbers; return the true agent and what it sees first."""
    stored, stream = stored_streams(seed)
    agent_stream = own_stream(stored)
    observation = environment.begin(factory, agent_stream, stream)
    return factory(environment.n_observations, environment.n_actions, agent_stream), int(observation)


def totals_after(
    points: Sequence[int], environment: ExtendedEnvironment, factory: AgentFactory, seed: int, opposite: bool
) -> list[float]:
    """The total reward of one run after so many steps, for each of several numbers of steps, ascending."""
    agent, observation = begun(environment, factory, seed)
    found, total, lived = [], 0.0, 0
    for point in points:
        earned, observation = play(environment, agent, observation, environment.n_actions, point - lived, opposite)
        total, lived = total + earned, point
        found.append(total)
    return found


def trainer_of(name: str, trainer: str = "auto") -> str:
    """Which trainer trains an agent; nothing for one that is not deep."""
    if unchecked(name) not in DEEP:
        return ""
    if trainer != "auto":
        return trainer
    return "one_hot" if find_spec("multislot.agents._one_hot") else "sb3"


def trained_by(name: str, trainer: str = "auto") -> str:
    """What tells results of two trainers apart in the condition of a row."""
    trained = trainer_of(name, trainer)
    return f", trainer {trained}" if trained else ""


def agent_factory(
    name: str, checked: bool = False, freeze: Freeze = "published", trainer: str = "auto", **hyperparameters: Any
) -> AgentFactory:
    """The factory of an agent of the paper by its name there, or of its reality check.

    Deep agents are used as in the published experiments, apart from the hyperparameters that are given.
    """
    if known_agent(name) in DEEP:
        from multislot import agents

        kind = getattr(agents, name)
        factory: AgentFactory = partial(kind, mode="published", trainer=trainer_of(name, trainer), **hyperparameters)
    else:
        factory = tabular_factory(name) or TABULAR[name]
    return reality_check(factory, freeze) if checked else factory


def fixed_policies(*names: str) -> dict[str, AgentFactory]:
    """Agents that always take action 0, 1, …, by these names."""
    return {name: partial(ConstantAgent, action=action) for action, name in enumerate(names)}


def factory_of(name: str, fixed: Mapping[str, AgentFactory], freeze: Freeze = "first") -> AgentFactory:
    """The factory of a fixed policy, or of an agent or its reality check, ``RC(Q)``, by its name."""
    if name in fixed:
        return fixed[name]
    return agent_factory(unchecked(name), name != unchecked(name), freeze)


def effect(gains: Sequence[float]) -> str:
    """Whether a reality check gains or loses, by its gains, one a seed; one seed decides nothing."""
    if not any(gains):
        return NOTHING
    low, high = student(gains)
    return LOSES if high < 0 else GAINS if low > 0 else UNDECIDED


def label(name: str, checked: bool) -> str:
    """The name of an agent, or of its reality check, in tables."""
    return f"RC({name})" if checked else name


def with_fewer_seeds(row: Row, printed: Iterable[Row], condition: str, seeds: int) -> Row:
    """A row of fewer seeds than the paper's five next to what is printed for five.

    Rounding decides some totals of deep agents, which then do not come out to the last digit. They agree if they are
    not further off than three true standard errors of a mean over as many seeds.

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


def portions(name: str, environments: tuple[str, ...] = BATTERY) -> Sequence[tuple[str, ...]]:
    """The environments by cell: all at once for a tabular agent, one by one for a deep one."""
    return [(environment,) for environment in environments] if name in DEEP else [environments]


def met(name: str, environment: str) -> str:
    """The environment that an agent met in the released experiments under a name of the battery."""
    slip = environment == "SelfRecognition" and name in NUMPY_INTEGERS
    return "SelfRecognitionAsReleased" if slip else environment


def totals(
    factory: AgentFactory, environments: Iterable[str], steps: int, seed: int, agent: str = ""
) -> dict[str, float]:
    """Total rewards in environments and their opposites; for a named `agent`, in those that it met."""
    return {
        (OPPOSITE if opposite else "") + environment: run(
            met(agent, environment), factory, steps=steps, seed=seed, opposite=opposite
        ).total_reward
        for environment in environments
        for opposite in (False, True)
    }


def measurement(
    agent: str,
    steps: int,
    found: Iterable[tuple[int, Mapping[str, Any]]],
    environments: Sequence[str] = BATTERY,
) -> Measurement:
    """The measure of an agent from ``(seed, totals)`` of its cells."""
    scores = [
        Score(name.removeprefix(OPPOSITE), name.startswith(OPPOSITE), seed, float(total), float(total) / steps)
        for seed, by_name in found
        for name, total in by_name.items()
    ]
    return Measurement(agent, steps, tuple(scores), {name: 1.0 / len(environments) for name in environments})
