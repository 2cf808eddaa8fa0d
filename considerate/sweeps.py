"""Sweeps over caring coefficients: everyone's return as a learner cares more, with intervals over seeds.

Each coefficient and seed is one cell of `multislot.cells`. A cell is trained, evaluated, and stored when it is
finished, so an interrupted sweep can resume. Cells run in this process, in several processes, or on a Dask cluster.

Rewards of different agents can differ in scale. The paper names this as a limitation: "One might try to normalize the
values by setting the caring coefficients, but in general it may be difficult to determine appropriate values for them"
(Alizadeh Alamdari et al. 2021). `Scales` measures on random rollouts how much the own return and the caring term vary;
a sweep warns if one of them hides the other. Coefficients times ``own / term`` make both vary equally.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from math import nan
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any, TypeAlias
from warnings import warn

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete

from considerate.distributions import Number
from considerate.exact.frontiers import Frontier
from considerate.training.evaluation import AUGMENTED, EPISODES, TOTAL, Evaluation, check_environment, evaluate
from considerate.training.learners import Group, play_together
from considerate.training.single import Training, train
from multislot.cells import CellStore, cell_key, finish
from multislot.cells.code import code_digest
from multislot.cells.progress import progress_bar
from multislot.checks import checked_callable, checked_items, checked_seeds, number, refusal, whole
from multislot.drawing.pictures import interval_of
from multislot.drawing.showing import new_figure, whole_table
from multislot.drawing.styling import BELOW, COLORS, house_style
from multislot.files.writing import naming
from multislot.statistics import student

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Scales", "Sweep", "scales", "sweep"]

MakeCaring: TypeAlias = Callable[[Number], Any]
"""From a caring coefficient to a fresh environment, such as a `considerate.training.views.SoloEnv` around `Caring`."""
HIDDEN = 100
"""A term hides another term if it varies more than this many times as much."""
ROLLOUTS, ROLLOUT_STEPS = 20, 1000


@dataclass(frozen=True)
class SweepCell:
    """One training with its evaluation."""

    caring: Number
    training: Training | Group

    @property
    def key(self) -> str:
        """What distinguishes it; not how often it is kept."""
        return cell_key(replace(self, training=replace(self.training, checkpoint_every=10_000)))

    @property
    def folder(self) -> str:
        """The name of its folder, where a training with more steps goes on."""
        training = replace(self.training, checkpoint_every=10_000, steps=1, evaluation_episodes=None)
        return sha256(cell_key(replace(self, training=training)).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Scales:
    """How much the acting agent's own return and the caring term vary on random rollouts.

    Attributes:
        own: standard deviation over episodes of the own return times its coefficient.
        term: the same of the caring term.
    """

    own: float
    term: float

    @property
    def advice(self) -> str:
        """A sentence about scales that are not comparable; otherwise empty."""
        (least, hidden), (most, other) = sorted([(self.term, "the caring term"), (self.own, "the own return")])
        if not least:
            return f"{hidden} does not vary on random rollouts, so that scales cannot be compared"
        hides = most > HIDDEN * least
        return f"{other} varies {most / least:.3g} times as much as {hidden}, which it hides" if hides else ""


@dataclass(frozen=True, repr=False)
class Sweep:
    """Everyone's returns at each coefficient.

    Attributes:
        evaluations: of each seed's trained policy, by coefficient.
        has_end: whether the acting agent has a task that can be finished; games of fixed length have none.
    """

    evaluations: Mapping[Number, tuple[Evaluation, ...]]
    has_end: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Every agent of any episode, then the total and the augmented return."""
        evaluations = [evaluation for seeds in self.evaluations.values() for evaluation in seeds]
        agents = dict.fromkeys(name for evaluation in evaluations for name in evaluation.everyone)
        return (*agents, *(name for name in (TOTAL, AUGMENTED) if name in evaluations[0].rows))

    def returns(self, caring: Number) -> dict[str, list[float]]:
        """Mean returns of each agent, of the total and of the augmented reward, for each seed; 0 without the agent."""
        rows = [evaluation.rows for evaluation in self.evaluations[caring]]
        return {name: [fmean(row.get(name, (0.0,))) for row in rows] for name in self.names}

    def truncated(self, caring: Number) -> float:
        """Share of the episodes at a coefficient that were cut off before the agent finished; NaN if not known."""
        cut = [episode for evaluation in self.evaluations[caring] for episode in evaluation.truncated]
        return fmean(cut) if cut else nan

    @property
    def untrained(self) -> tuple[Number, ...]:
        """Coefficients at which the acting agent did not always finish, though its task has an end."""
        return tuple(caring for caring in self.evaluations if self.has_end and self.truncated(caring) > 0)

    def table(self) -> "pd.DataFrame":
        """Mean and 95% confidence interval over seeds, a row for each coefficient and agent.

        The column "truncated" is the share of episodes that were cut off before the acting agent finished.
        """
        rows: list[dict[str, object]] = []
        for caring in self.evaluations:
            for name, values in self.returns(caring).items():
                low, high = student(values)
                row = {"caring": caring, "agent": name, "mean": fmean(values), "low": low, "high": high}
                rows.append({**row, "seeds": len(values), "truncated": self.truncated(caring)})
        return whole_table(rows)

    @house_style()
    def plot(self, exact: Frontier | None = None) -> "Figure":
        """Plot everyone's return against the coefficient, with bands of 95% confidence over seeds.

        Args:
            exact: the exact solution of the same task, drawn as dashed stairs.
        """
        figure = new_figure(7.2, 4.2)
        axes = figure.add_subplot()
        ordered = sorted(self.evaluations)
        alphas = [float(caring) for caring in ordered]
        names = [name for name in self.names if name != AUGMENTED]
        for name, color in zip(names, COLORS * len(names), strict=False):
            draw_learned(axes, alphas, [self.returns(caring)[name] for caring in ordered], name, color)
            if exact is not None:
                draw_exact(axes, exact, name, max(alphas), color)
        axes.set_xlabel("caring coefficient")
        several = any(len(seeds) > 1 for seeds in self.evaluations.values())
        shown = "mean and 95% confidence interval" if several else "1 seed: no interval is known"
        axes.set_ylabel(f"return, {shown}")
        axes.legend(ncols=4, **BELOW)
        return figure

    def __repr__(self) -> str:
        seeds = len(next(iter(self.evaluations.values())))
        shown = ", ".join(str(caring) for caring in self.evaluations)
        return f"Sweep(caring {shown}; {seeds} seeds; {self._warning()}see .table() and .plot())"

    def _warning(self) -> str:
        cut = ", ".join(f"{self.truncated(caring):.0%} at {caring}" for caring in self.untrained)
        return f"not trained yet: the acting agent does not finish ({cut} of episodes cut off); " if cut else ""


def draw_learned(
    axes: "Axes", alphas: Sequence[float], returns: Sequence[Sequence[float]], name: str, color: str
) -> None:
    """Draw an agent's mean return over the coefficients with a 95% band; `returns` are [coefficients, seeds]."""
    low, high = zip(*(interval_of(seeds, False) for seeds in returns), strict=True)
    axes.fill_between(alphas, low, high, color=color, alpha=0.2, lw=0)
    axes.plot(alphas, [fmean(seeds) for seeds in returns], "o-", color=color, label=name)


def draw_exact(axes: "Axes", exact: Frontier, name: str, most: float, color: str) -> None:
    """Draw one agent's exact return over the coefficient, if the exact solution has this agent."""
    pieces = [piece for piece in exact.pieces if float(piece.lower) <= most]
    if name not in (TOTAL, *pieces[0].behavior.returns):
        return
    edges = [*(float(piece.lower) for piece in pieces), most]
    returns = [piece.behavior.returns for piece in pieces]
    values = [float(sum(by_name.values()) if name == TOTAL else by_name[name]) for by_name in returns]
    axes.stairs(values, edges, color=color, ls="--", lw=1.2, baseline=None)


def sweep(
    make: MakeCaring,
    caring: Sequence[Number],
    algorithm: str | Training | Group = "PPO",
    seeds: int | Iterable[int] = 5,
    *,
    episodes: int | None = None,
    directory: Path | str | None = None,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | bool = True,
) -> Sweep:
    """Train and evaluate a considerate agent at each coefficient, with each seed.

    Args:
        make: from a coefficient to a fresh environment of Gymnasium, or of PettingZoo with a `Group`.
        caring: the coefficients.
        algorithm: the settings of the training, whose seed is replaced, or the name of an algorithm. A `Group` trains
            several learners together.
        seeds: the seeds, or their number N for the seeds 1, …, N.
        episodes: how many episodes each trained policy plays; by default as the training says, or as in `evaluate`.
        directory: of finished cells, with the weights, learning curve and evaluation of each. An interrupted cell goes
            on from its checkpoint, one with more steps from its end. After a change of `make`, give another directory.
        jobs: the number of processes.
        cluster: address of a Dask scheduler to use instead of processes, or ``slurm:file``.
        progress: whether to show a bar on standard error; or a function of (cells that are done, all cells).

    Raises:
        CellError: a training failed; finished cells are kept.
    """
    checked_callable("make", make, "a function from a coefficient to an environment")
    alphas: list[Any] = checked_items("caring", caring, object)
    coefficients = [number(f"caring[{index}]", alpha) for index, alpha in enumerate(alphas)]
    if not coefficients or len(set(coefficients)) < len(coefficients):
        raise refusal("caring", caring, "at least one coefficient, none twice")
    training = algorithm if isinstance(algorithm, Training | Group) else Training(algorithm)
    default = training.evaluation_episodes or None  # 0 is for a training by itself
    episodes = default if episodes is None else whole("episodes", episodes)
    alone = isinstance(training, Training)
    chosen = checked_seeds(seeds, bits=32)
    cells = {
        (alpha, seed): SweepCell(alpha, replace(training, seed=seed, evaluation_episodes=episodes))
        for alpha in coefficients
        for seed in chosen
    }
    work = {cell.key: cell for cell in cells.values()}
    with _store(directory) as store, progress_bar("training", progress) as advance:
        perform = partial(run_cell, make, directory=None if directory is None else Path(directory))
        if alone and (store is None or len(store.find([*work], code_digest(perform))) < len(work)):
            _warn_of_scales(make, coefficients)
        results = finish(perform, work, store, jobs=jobs, cluster=cluster, progress=advance)
    evaluations = {
        alpha: tuple(_evaluation(results[cells[alpha, seed].key]) for seed in chosen) for alpha in coefficients
    }
    has_end = alone and bool(getattr(make(coefficients[0]).unwrapped, "has_end", False))
    swept = Sweep(evaluations, has_end)
    if swept.untrained:
        warn(swept._warning() + "train for more steps", stacklevel=2)
    return swept


def _warn_of_scales(make: MakeCaring, coefficients: Sequence[Number]) -> None:
    """Warn once if the own return or the caring term hides the other."""
    advices = ((alpha, scales(make, alpha).advice) for alpha in coefficients if alpha)
    hides = next(((alpha, advice) for alpha, advice in advices if advice), None)
    if hides:
        warn("at caring coefficient {}: {}".format(*hides), stacklevel=3)


def run_cell(make: MakeCaring, cell: SweepCell, directory: Path | None = None) -> dict[str, Any]:
    """Train and evaluate at one coefficient with one seed; in a directory, the cell has a folder of its own.

    The directory is a `Path`. Paths do not count in the digest of the code, so a folder that was moved is known again.
    """
    place = None if directory is None else directory / "cells" / cell.folder
    game: Any = partial(make, cell.caring)
    episodes, training = cell.training.evaluation_episodes, replace(cell.training, evaluation_episodes=0)
    if isinstance(training, Group):
        together = training.train(game, place)
        played = play_together(game, together.policy, episodes or EPISODES, training.seed)
    else:
        played = evaluate(train(game, training, place), game(), episodes, training.seed)
    return played.write(place, caring=str(cell.caring))


def _evaluation(result: Mapping[str, Any]) -> Evaluation:
    """The evaluation of a finished cell; its actions are not kept."""
    everyone = {name: tuple(values) for name, values in result["everyone"].items()}
    returns, own_returns, truncated = (tuple(result[name]) for name in ("returns", "own_returns", "truncated"))
    return Evaluation(returns, own_returns, (), everyone, truncated)


def _store(directory: Path | str | None) -> Any:
    """The store of finished cells; without a directory nothing is stored."""
    if directory is None:
        return nullcontext()
    with naming(directory):
        Path(directory).mkdir(parents=True, exist_ok=True)
    return CellStore(Path(directory) / "sweep.sqlite")


def scales(make: MakeCaring, caring: Number, episodes: int = ROLLOUTS, seed: int = 0) -> Scales:
    """Measure how much the own return and the caring term vary if every action is random.

    Args:
        make: from a coefficient to a fresh environment.
        caring: the coefficient.
        episodes: how many episodes, of at most `ROLLOUT_STEPS` steps.
        seed: of actions and environment.
    """
    env = checked_callable("make", make, "a function from a coefficient to an environment")(caring)
    check_environment(env)
    env.action_space.seed(seed)
    played = evaluate(lambda seen: env.action_space.sample(_allowed(env)), env, episodes, seed, ROLLOUT_STEPS)
    weight = float(env.get_wrapper_attr("own_coefficient")) if env.has_wrapper_attr("own_coefficient") else 1
    own = [weight * value for value in played.own_returns]
    return Scales(pstdev(own), pstdev(np.subtract(played.returns, own).tolist()))


def _allowed(env: gymnasium.Env[Any, Any]) -> Any:
    """The mask of an environment's actions, as its space takes it for a random action; None without masks."""
    if not env.has_wrapper_attr("action_masks"):
        return None
    mask, space = np.asarray(env.get_wrapper_attr("action_masks")(), np.int8), env.action_space
    if isinstance(space, MultiDiscrete):
        return tuple(np.split(mask, np.cumsum(space.nvec)[:-1]))
    return mask if isinstance(space, Discrete) else None
