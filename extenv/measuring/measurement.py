"""The measure of self-reflection: an agent's mean reward over a battery of extended environments and their opposites.

Alexander et al. 2021, section 6: reward per step, averaged over the environments and their opposites, then over seeds.
Their section 1 suggests weights by complexity, after Legg and Hutter; `by_complexity` makes these weights.

The paper's ± is not a standard error: Table 2 divides the sample deviation over the 5 seeds by 5, not by √5 (Table 1
the population deviation). A `Measurement` has both, the true one first.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

from extenv.battery import BATTERY, ENVIRONMENTS, EnvironmentLike, resolve_environment
from extenv.environment import ExtendedEnvironment
from extenv.measuring.plots import rows_of_points, with_errors
from extenv.measuring.resuming import Cell, key_of, keys_of
from extenv.measuring.running import MOST_STEPS, check_learning_apart, run, stored_streams
from multislot.agents.deep import DeepAgent
from multislot.cells import CellStore, StoreError, as_json, cell_key, finish
from multislot.cells.progress import progress_bar
from multislot.checks import checked_float, checked_mapping, checked_seeds, known_name, refusal, whole
from multislot.drawing.showing import whole_table
from multislot.engine.agent import AgentFactory
from multislot.engine.factories import check_factory, find_innermost, name_factory
from multislot.engine.stream import Stream
from multislot.engine.version import __version__
from multislot.errors import SettingError, show_value
from multislot.statistics import standard_error

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PUBLISHED_SEEDS = (1, 2, 3, 4, 5)
PUBLISHED_STEPS = 100_000
DIRECT, OPPOSITES = "environments", "opposite environments"

Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class Score:
    """What an agent earned in one run."""

    environment: str
    opposite: bool
    seed: int
    total_reward: float
    mean_reward: float


@dataclass(frozen=True, repr=False)
class Measurement:
    """The measure of one agent, with everything it was computed from.

    Attributes:
        agent: the agent's name.
        steps: of each run.
        scores: one for each run.
        weights: of the environments, summing to 1.
        trainer: what trained deep agents (`multislot.agents.deep`), whose last bits depend on it; empty for others.
    """

    agent: str
    steps: int
    scores: tuple[Score, ...]
    weights: Mapping[str, float]
    trainer: str = ""

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seeds, in order."""
        return tuple(dict.fromkeys(score.seed for score in self.scores))

    @cached_property
    def by_seed(self) -> dict[int, float]:
        """The measure of each seed alone."""
        halves = len({score.opposite for score in self.scores})
        measures = {}
        for seed in self.seeds:
            own = [score for score in self.scores if score.seed == seed]
            measures[seed] = math.fsum(self.weights[s.environment] * s.mean_reward for s in own) / halves
        return measures

    @property
    def mean(self) -> float:
        """The measure: weighted mean reward per step, over environments and opposites, then seeds."""
        return fmean(self.by_seed.values())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean over seeds; NaN for one seed."""
        return standard_error(list(self.by_seed.values()))

    @property
    def published_spread(self) -> float:
        """The paper's number after ±: sample deviation over the seeds, divided by their number; NaN for one seed."""
        return self.standard_error / math.sqrt(len(self.seeds))

    def mean_rewards(self, environment: str, opposite: bool) -> list[float]:
        """Return reward per step of one environment or opposite, by seed."""
        return [s.mean_reward for s in self.scores if s.environment == environment and s.opposite == opposite]

    def table(self) -> "pd.DataFrame":
        """Return mean, true standard error and the paper's ± of every environment and opposite, one row each."""
        rows = []
        for environment, opposite in dict.fromkeys((s.environment, s.opposite) for s in self.scores):
            values = self.mean_rewards(environment, opposite)
            error = standard_error(values)
            rows.append(
                {
                    "environment": environment,
                    "opposite": opposite,
                    "mean_reward": fmean(values),
                    "standard_error": error,
                    "published_spread": error / math.sqrt(len(values)),
                    "weight": self.weights[environment],
                }
            )
        return whole_table(rows)

    def frame(self) -> "pd.DataFrame":
        """Return every run as a row."""
        whose = {"agent": self.agent, **({"trainer": self.trainer} if self.trainer else {}), "steps": self.steps}
        return whole_table([{**whose, **asdict(score)} for score in self.scores])

    def plot(self, *others: "Measurement") -> "Figure":
        """Return a figure with one row an environment, this agent next to `others`; whiskers are true standard errors.

        Args:
            others: measurements over the same runs, as `extenv.compare` takes them.
        """
        measurements = (self, *others)
        check_same_runs(*measurements)
        halves = dict.fromkeys(score.opposite for score in self.scores)
        panels = {
            OPPOSITES if opposite else DIRECT: [
                (f"{m.agent}: {m.mean:.4f}", [m.mean_rewards(name, opposite) for name in self.weights])
                for m in measurements
            ]
            for opposite in halves
        }
        return rows_of_points(list(self.weights), panels, with_errors("reward per step", len(self.seeds)))

    def __repr__(self) -> str:
        error = "" if len(self.seeds) == 1 else f" ± {self.standard_error:.4f}"
        plural = "s" if len(self.seeds) > 1 else ""
        runs = f"{self.steps} steps, {len(self.seeds)} seed{plural}"
        runs += f", trainer {self.trainer}" if self.trainer else ""
        return f"{self.agent}: {self.mean:.4f}{error} ({runs}); see .table() and .plot()"


def check_same_runs(*measurements: Measurement) -> None:
    """Refuse measurements with different steps, seeds, environments, opposites or weights."""
    first, *others = (
        (m.steps, m.weights, {(s.environment, s.opposite, s.seed) for s in m.scores}) for m in measurements
    )
    if any(other != first for other in others):
        raise SettingError(
            f"{', '.join(m.agent for m in measurements)} were not measured over the same runs; give all of them the "
            "same steps, seeds, environments, opposites and weights"
        )


def by_complexity(bits: Mapping[str, float]) -> dict[str, float]:
    """Return weights 2^−K, normalized to 1, of environments of complexity K bits (after Legg and Hutter).

    Complexities are the caller's: "measuring these complexities is hard and subjective" (Alexander et al. 2021, section
    1).

    Args:
        bits: K by name of environment.
    """
    if not checked_mapping("bits", bits):
        raise refusal("bits", bits, "a number of bits for each environment")
    bits = {name: checked_float(f"bits[{name!r}]", value) for name, value in bits.items()}
    least = min(bits.values())
    return normalized({name: 2.0 ** (least - value) for name, value in bits.items()})


def normalized(weights: Mapping[str, float]) -> dict[str, float]:
    """Return `weights` divided by their sum."""
    try:
        total = math.fsum(checked_float(name, weight, 0) for name, weight in weights.items())
    except (OverflowError, SettingError):
        total = 0.0
    if not total:
        raise SettingError(f"got weights {dict(weights)}; expected numbers, at least 0, that are not all 0")
    return {name: weight / total for name, weight in weights.items()}


def measure(
    factory: AgentFactory,
    *,
    steps: int = PUBLISHED_STEPS,
    seeds: int | Iterable[int] = PUBLISHED_SEEDS,
    jobs: int = 1,
    threads: int = 1,
    environments: Iterable[EnvironmentLike] = BATTERY,
    opposites: bool = True,
    weights: Mapping[str, float] | None = None,
    resume: str | Path | None = None,
    progress: Progress | bool = True,
    check_sharing: bool = True,
) -> Measurement:
    """Measure the self-reflection of the agents of `factory`.

    The default is 25 million steps of the agent: seconds for the compiled agents, seven hours or more for an agent that
    takes a millisecond a step. Fewer `steps` and `seeds` give a first impression.

    Args:
        factory: makes the agents, such as an agent class.
        steps: of every run; after 100,000 the published random numbers begin again, so give more seeds instead.
        seeds: the seeds, or their number N for the seeds 1, …, N.
        jobs: how many processes; −1 for one a core.
        threads: how many threads of this process instead, for agents that mostly wait, such as language models.
        environments: names, or classes or objects of your own; the battery of 25 by default. Every run has an object's
            copy. A class goes by its name, and an object by its attribute ``name``, or by that of its class.
        opposites: run the opposites too.
        weights: of the environments (they are normalized, see `by_complexity`); equal by default.
        resume: a file of finished runs, read before and added to while measuring; several processes may share it, see
            `multislot.cells.CellStore` for what it promises. Agents and environments are told apart by module and name,
            with the parameters that a partial sets: those without a name of their own, such as lambdas and what is
            defined in a function, are refused. Runs of agents or environments whose code has changed are repeated, see
            `multislot.cells.code_digest`.
        progress: whether to show a bar on a terminal; or a function of (finished runs, all runs), called after each.
        check_sharing: refuse a factory whose agents share what they learn; False for agents that are meant to.

    Raises:
        AgentError: agents of the factory share what they learn; nothing was run.
        StoreError: the finished runs cannot be read or kept.
    """
    steps, chosen, worlds = whole("steps", steps, 1, MOST_STEPS), checked_seeds(seeds), checked_worlds(environments)
    check_factory(factory)
    first, stream = resolve_environment(next(iter(worlds.values()))), stored_streams(chosen[0])[0]
    if check_sharing:
        check_learning_apart(first, factory, stream)
    trainer = trainer_of(factory, first.n_observations, first.n_actions, stream)
    shares = checked_weights(tuple(worlds), weights)
    jobs = jobs if jobs == -1 else whole("jobs", jobs, 1)
    halves = (False, True) if opposites else (False,)
    cells = [Cell(name, opposite, seed, steps) for seed in chosen for name in worlds for opposite in halves]
    with progress_bar("measuring", progress) as advance:
        totals = total_rewards(cells, worlds, factory, trainer, resume, jobs=jobs, threads=threads, progress=advance)
    scores = (
        Score(c.environment, c.opposite, c.seed, total, total / steps) for c, total in zip(cells, totals, strict=True)
    )
    return Measurement(name_factory(factory), steps, tuple(scores), shares, trainer)


def trainer_of(factory: AgentFactory, n_observations: int, n_actions: int, stream: Stream) -> str:
    """Return the trainer of a factory's agents, see `multislot.agents.deep`; an empty text if they are not deep."""
    inside: Any = find_innermost(factory)
    while isinstance(inside, partial):
        inside = find_innermost(inside.func)
    if not (isinstance(inside, type) and issubclass(inside, DeepAgent)):
        return ""
    agent: Any = factory(n_observations, n_actions, stream)
    return str(getattr(agent, "agent", agent).trainer)


def total_rewards(
    cells: Sequence[Cell],
    worlds: Mapping[str, EnvironmentLike],
    factory: AgentFactory,
    trainer: str,
    resume: str | Path | None,
    **how: Any,
) -> list[float]:
    """Return the total reward of every cell: those kept in the file, and the others run now."""
    work = partial(total_reward, worlds, factory)
    if resume is None:
        return list(finish(work, {cell_key(cell): cell for cell in cells}, keep_going=False, **how).values())
    agent, keys = key_of(factory, "the agent") + (f", trained by {trainer}" if trainer else ""), keys_of(worlds)
    named = {
        as_json({**asdict(cell), "agent": agent, "environment": keys[cell.environment], "version": __version__}): cell
        for cell in cells
    }
    try:
        kept = CellStore(resume)
    except StoreError as error:
        raise refusal("resume", resume, "a file for finished runs, which need not exist", str(error)) from None
    with kept as store:
        for note in store.notes:
            warnings.warn(note, stacklevel=3)
        return list(finish(work, named, store, keep_going=False, **how).values())


def total_reward(worlds: Mapping[str, EnvironmentLike], factory: AgentFactory, cell: Cell) -> float:
    """Run an agent of `factory` in a world, or in a copy if it is an object, and return its total reward."""
    world = worlds[cell.environment]
    world = world.copy() if isinstance(world, ExtendedEnvironment) else world
    done = run(world, factory, steps=cell.steps, seed=cell.seed, opposite=cell.opposite, check_sharing=False)
    return done.total_reward


def checked_worlds(environments: Iterable[EnvironmentLike]) -> dict[str, EnvironmentLike]:
    """Return environments by name, or raise if one is unknown, a name comes twice, or there are none."""
    if isinstance(environments, str | type | ExtendedEnvironment) or not isinstance(environments, Iterable):
        environments = (environments,)
    names, chosen = [], []
    for environment in environments:
        resolve_environment(environment)
        named = ENVIRONMENTS[environment] if isinstance(environment, str) else None
        chosen.append(named if isinstance(named, type) else environment)  # processes do not know names of one's own
        if isinstance(environment, ExtendedEnvironment):
            names.append(environment.name or type(environment).__name__)
            try:
                environment.copy()
            except Exception as error:  # whatever a copy of foreign attributes raises
                remedy = "keep locks, files and generators out of it, or run it with extenv.run"
                raise SettingError(f"{names[-1]} cannot be copied for each run ({error}); {remedy}") from None
        else:
            names.append(environment if isinstance(environment, str) else environment.__name__)
    if len(set(names)) < len(names) or not names:
        raise SettingError(
            f"got environments {', '.join(names) or 'none'}; give at least one, each once, and objects of one class "
            "an attribute `name` each"
        )
    return dict(zip(names, chosen, strict=True))


def checked_weights(names: Sequence[str], weights: Mapping[str, float] | None) -> dict[str, float]:
    """Return normalized weights of the environments; raise SettingError or UnknownNameError if one is invalid."""
    if weights is None:
        return {name: 1.0 / len(names) for name in names}
    if not isinstance(weights, Mapping):
        raise SettingError(f"got weights {show_value(weights)}; expected a number for every environment by name")
    for name in weights:
        known_name("environment with a weight", name, names)
    missing = [name for name in names if name not in weights]
    if missing:
        raise SettingError(f"got no weight for {', '.join(missing)}; give one for every environment that is run")
    return normalized({name: weights[name] for name in names})
