"""The two trainers of deep agents next to each other: how parameters drift apart, and what whole runs earn.

Rounding decides the last bits of a parameter, and updates make such differences grow. ``trainer_drift.csv`` holds how
far the one-hot trainer is from Stable-Baselines3 after a number of updates on the same transitions. It also holds how
far Stable-Baselines3 is then from a second run that began with parameters that are 1e-7 off. ``trainer_totals.csv``
holds total rewards of A2C by mode, trainer, environment and seed. Both take long; to make them again::

    python -m scenarios.self_reflection.trainers drift FILE
    python -m scenarios.self_reflection.trainers totals FILE
"""

import math
import random
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from extenv.measuring.measurement import PUBLISHED_STEPS
from extenv.measuring.running import run
from multislot.agents import A2C
from multislot.agents.deep import Mode
from multislot.agents.one_hot_models import OneHotModel, beginning, kernel
from multislot.drawing.showing import new_figure, whole_table
from multislot.engine.stream import EndlessStream
from scenarios.lab.cells import Figure
from scenarios.self_reflection.measuring import DEEP
from scenarios.self_reflection.released import totals_as_released

if TYPE_CHECKING:
    import pandas as pd

    from multislot.agents.deep_models import Recipe, Transition


DRIFT, TOTALS = (Path(__file__).with_name(name) for name in ("trainer_drift.csv", "trainer_totals.csv"))
DRIFT_COLUMNS = ("algorithm", "observations", "seed", "updates", "what", "distance")
TOTAL_COLUMNS = ("environment", "steps", "mode", "trainer", "seed", "total")
ONE_HOT, PERTURBED, SB3 = "one-hot trainer", "Stable-Baselines3, begun 1e-7 off", "Stable-Baselines3"
AFTER = (1, 3, 10, 32, 100, 316, 1000)
"""Updates after which the distance is taken, or as soon as a lot is full."""
SIZES = ((1, 2), (3, 2))
NUDGE = 1e-7
SHORT_LOTS = {"PPO": {"n_steps": 64, "batch_size": 16, "n_epochs": 3}}
UPDATES_A_LOT = {"PPO": 12}
NEAR_ZERO = 0.1
"""Reward per step below which a run has not locked in."""
LEVEL, POWER = 0.05, 0.9
ADVERSARIES = ("AdversarialSequencePredictor", "AdversarialSequenceEvader")
"""One game; the agent plays one role and its copy the other."""
FAITHFUL, APART = "one-hot, faithful mode", "one-hot, drawing as sb3 does"
DRAWN_APART = "one_hot, drawn apart"
RUNS: tuple[tuple[str, int, Mode, str, int], ...] = (
    ("IgnoreActions", 20_000, "published", "one_hot", 30),
    ("IgnoreActions", 20_000, "published", DRAWN_APART, 30),
    ("IgnoreActions", 20_000, "published", "sb3", 20),
    ("IgnoreActions", 20_000, "faithful", "one_hot", 30),
    *((name, 100_000, "published", trainer, 20) for name in ADVERSARIES for trainer in ("one_hot", DRAWN_APART, "sb3")),
)
"""Runs of A2C: environment, steps, mode, trainer, seeds."""


class DrawnApart(A2C):
    """A2C that the one-hot trainer trains, and that draws in published mode as Stable-Baselines3's agents do here.

    The trainers differ there in how agents of different histories draw. With the same draws only training
    differs. Give it ``trainer="sb3"``, which decides how it draws.
    """

    @staticmethod
    def new_model(recipe: "Recipe") -> Any:
        """An untrained model of the one-hot trainer."""
        first = beginning(recipe)
        learner = kernel().Learner(first.plan, kernel().Run() if recipe.published else None, 0)
        return OneHotNetwork(recipe.algorithm, learner, first)


class OneHotNetwork(OneHotModel):
    """A model of the one-hot trainer that `SharedLearner` can train as one of Stable-Baselines3."""

    def train_on(self, lot: "Sequence[Transition]", draws: bytes) -> None:
        """Learn a lot; `draws` is not used, since the generators of the one-hot trainer go on by themselves."""
        for transition in lot:
            self.learner.learn(*transition)

    def copy(self) -> "OneHotNetwork":
        """Return a model that trains apart from now on."""
        return OneHotNetwork(self.algorithm, self.learner.copy(), self.start)


FACTORIES: dict[str, Any] = {
    "one_hot": partial(A2C, trainer="one_hot"),
    "sb3": partial(A2C, trainer="sb3"),
    DRAWN_APART: partial(DrawnApart, trainer="sb3"),
}


def drifts(algorithm: str, sizes: tuple[int, int], seed: int) -> Iterator[tuple[int, str, float]]:
    """Yield ``(updates, what, distance)``: the largest difference of a parameter from Stable-Baselines3's.

    Args:
        algorithm: ``"A2C"``, ``"PPO"`` or ``"DQN"``.
        sizes: how many observations and actions.
        seed: of the parameters and of the transitions.
    """
    kind: Any = DEEP[algorithm]
    further = SHORT_LOTS.get(algorithm, {})
    streams = [EndlessStream(seed, 0) for _ in range(3)]  # equal, but agents that read one stream share their model
    theirs, ours, twin = (
        kind(*sizes, stream, trainer=name, **further)
        for name, stream in zip(("sb3", "one_hot", "sb3"), streams, strict=True)
    )
    nudge(twin.model)
    turns, lots = transitions(sizes, seed), 0
    for updates in AFTER:
        wanted = -(-updates // UPDATES_A_LOT.get(algorithm, 1))
        for _ in range((wanted - lots) * ours.lot_size):
            turn = next(turns)
            for agent in (theirs, ours, twin):
                agent.learn(*turn)
        lots = wanted
        for what, agent in ((ONE_HOT, ours), (PERTURBED, twin)):
            pairs = zip(agent.model.parameters, theirs.model.parameters, strict=True)
            yield ours.learner.updates, what, max(float(abs(own - other).max()) for own, other in pairs)


def nudge(model: Any) -> None:
    """Move every parameter of a model by 1e-7, every other one down."""
    import torch

    with torch.no_grad():
        for parameter in model.model.policy.parameters():
            signs = 1.0 - 2.0 * (torch.arange(parameter.numel()).reshape(parameter.shape) % 2)
            parameter += NUDGE * signs


def transitions(sizes: tuple[int, int], seed: int) -> Iterator[tuple[int, int, float, int]]:
    """Yield transitions endlessly; actions, rewards and observations are drawn uniformly."""
    dice = random.Random(seed).randrange
    observation = dice(sizes[0])
    while True:
        following = dice(sizes[0])
        yield observation, dice(sizes[1]), float(dice(3) - 1), following
        observation = following


def read(path: Path) -> "pd.DataFrame":
    import pandas

    return pandas.read_csv(path)


def draw_drift() -> Figure:
    """A picture of how parameters drift apart over updates, a panel an algorithm, a line a seed."""
    rows = read(DRIFT)
    figure = new_figure(11.0, 4.0)
    panels = figure.subplots(1, len(DEEP), sharey=True)
    for panel, algorithm in zip(panels, DEEP, strict=True):
        for what, color in ((ONE_HOT, "tab:blue"), (PERTURBED, "tab:orange")):
            own = rows[(rows.algorithm == algorithm) & (rows.what == what)]
            for (observations, _), line in own.groupby(["observations", "seed"]):
                style = "--" if observations == 1 else "-"
                panel.plot(line.updates, line.distance, style, color=color, alpha=0.6, linewidth=1.0)
            panel.plot([], [], color=color, label=what)
        panel.set(title=algorithm, xscale="log", yscale="log", xlabel="updates")
    panels[0].set_ylabel("largest difference of a parameter\nfrom Stable-Baselines3")
    panels[0].legend(fontsize="small")
    return figure


def drift_table() -> "pd.DataFrame":
    """The largest distance over seeds and sizes by algorithm and updates."""
    most = read(DRIFT).groupby(["algorithm", "updates", "what"], sort=False).distance.max().unstack()
    words: list[Any] = most[[ONE_HOT, PERTURBED]].map("{:.1e}".format).reset_index().to_dict("records")
    return whole_table(words)


def rewards_by_trainer(environment: str) -> dict[str, list[float]]:
    """Reward per step of A2C's runs by what trained it, one a seed; released runs, too, if they are as long."""
    rows = read(TOTALS).query("environment == @environment")
    names = {"one_hot": ONE_HOT, "sb3": SB3, DRAWN_APART: APART}
    trained = rows.trainer.map(names).where(rows["mode"] != "faithful", FAITHFUL)
    rewards = {
        str(name): list(total / steps)
        for name, total, steps in ((name, own.total, own.steps) for name, own in rows.groupby(trained, sort=False))
    }
    if (environment, PUBLISHED_STEPS) in [run[:2] for run in RUNS]:
        released = totals_as_released()["A2C", environment, False].values()
        rewards["released runs"] = [total / PUBLISHED_STEPS for total in released]
    return rewards


def totals_by_seed(environment: str, trainer: str) -> "pd.Series[int]":
    rows = read(TOTALS).query("environment == @environment and mode == 'published' and trainer == @trainer")
    totals: pd.Series[int] = rows.set_index("seed").total
    return totals


def equal_totals(environment: str, trainer: str = DRAWN_APART) -> tuple[int, int]:
    """How many totals of a trainer are those of Stable-Baselines3 to the last digit, and how many it has."""
    return _equal(totals_by_seed(environment, "sb3"), totals_by_seed(environment, trainer))


def mirrored_totals(trainer: str) -> tuple[int, int]:
    """How many totals of the evader are those of the predictor of the same seed, negated, and of how many."""
    predictor, evader = (totals_by_seed(environment, trainer) for environment in ADVERSARIES)
    return _equal(predictor, -evader)


def _equal(totals: "pd.Series[int]", others: "pd.Series[int]") -> tuple[int, int]:
    first, second = totals.align(others, join="inner")
    return int((first == second).sum()), len(first)


def near_zero(rewards: Sequence[float]) -> int:
    return sum(abs(reward) < NEAR_ZERO for reward in rewards)


def describe_locked(rewards: Sequence[float]) -> str:
    return f"{near_zero(rewards)} of {len(rewards)} runs near 0"


def compare_with_sb3(environment: str) -> "pd.DataFrame":
    """Whether A2C's runs are distributed as Stable-Baselines3's, by trainer.

    Fisher's exact test compares how many runs stay near 0, Kolmogorov and Smirnov's the whole distributions. The last
    column holds the shares of runs near 0 that Fisher's test would tell from Stable-Baselines3's with a probability of
    0.9.
    """
    from scipy.stats import fisher_exact, ks_2samp

    rewards = rewards_by_trainer(environment)
    theirs = rewards.pop(SB3)
    rows: list[dict[str, object]] = []
    for name, ours in rewards.items():
        counts = np.array([[near_zero(runs), len(runs) - near_zero(runs)] for runs in (ours, theirs)])
        rows.append(
            {
                "compared with Stable-Baselines3": name,
                "near 0": describe_locked(ours),
                "Stable-Baselines3": describe_locked(theirs),
                "Fisher p": round(float(fisher_exact(counts).pvalue), 3),
                "KS p": round(float(ks_2samp(ours, theirs).pvalue), 3),
                "shares that would be seen": in_words(*shares_seen(near_zero(theirs), len(theirs), len(ours))),
            }
        )
    return whole_table(rows)


def shares_seen(near: int, of: int, runs: int) -> tuple[float, float]:
    """The nearest shares of runs near 0, below and above a known one, that the test would tell from it.

    The first is -inf if none below would be, the second inf if none above would be.

    Args:
        near: how many runs of the known sample are near 0.
        of: how many runs it has.
        runs: how many runs are compared with them.
    """
    from scipy.stats import binom, fisher_exact

    apart = [
        count
        for count in range(runs + 1)
        if fisher_exact(np.array([[count, runs - count], [near, of - near]])).pvalue < LEVEL
    ]
    percents = [percent for percent in range(101) if float(np.sum(binom.pmf(apart, runs, percent / 100))) >= POWER]
    below = max((percent / 100 for percent in percents if percent * of < 100 * near), default=-math.inf)
    above = min((percent / 100 for percent in percents if percent * of > 100 * near), default=math.inf)
    return below, above


def in_words(below: float, above: float) -> str:
    parts = [f"up to {below:.2f}"] * (below > -math.inf) + [f"from {above:.2f}"] * (above < math.inf)
    return ", ".join(parts) or "none"


def draw_totals() -> Figure:
    """A picture of what A2C's runs earned, each a point, by environment and trainer."""
    plans = dict.fromkeys(plan[:2] for plan in RUNS)
    figure = new_figure(8.0, 3.2 * len(plans))
    for panel, (environment, steps) in zip(figure.subplots(len(plans)), plans, strict=True):
        rewards = rewards_by_trainer(environment)
        for row, values in enumerate(rewards.values()):
            scatter = random.Random(row)
            panel.plot(values, [row + scatter.uniform(-0.25, 0.25) for _ in values], "o", alpha=0.6, markersize=5)
        panel.set_yticks(
            range(len(rewards)), [f"{name}\n{describe_locked(values)}" for name, values in rewards.items()]
        )
        panel.set_title(f"A2C, {environment}, {steps} steps", fontsize="medium")
        panel.set(xlabel="reward per step, a point a run", xlim=(-1.05, 1.05), ylim=(len(rewards) - 0.5, -0.5))
    return figure


def write_drift(path: Path) -> None:
    import pandas

    rows = [
        (algorithm, sizes[0], seed, updates, what, f"{far:.3e}")
        for algorithm, sizes, seed in product(DEEP, SIZES, (1, 2, 3))
        for updates, what, far in drifts(algorithm, sizes, seed)
    ]
    pandas.DataFrame(rows, columns=DRIFT_COLUMNS).to_csv(path, index=False)


def write_totals(path: Path) -> None:
    """Run A2C with both trainers, and write what it earned; runs that the file has are not run again."""
    import pandas

    done = set(read(path)[[*TOTAL_COLUMNS[:-1]]].itertuples(index=False, name=None)) if path.exists() else set()
    for environment, steps, mode, trainer, seeds in RUNS:
        for seed in range(1, seeds + 1):
            if (environment, steps, mode, trainer, seed) not in done:
                factory = partial(FACTORIES[trainer], mode=mode)
                total = run(environment, factory, steps=steps, seed=seed).total_reward
                row = pandas.DataFrame([(environment, steps, mode, trainer, seed, int(total))], columns=TOTAL_COLUMNS)
                row.to_csv(path, mode="a", header=not path.exists(), index=False, lineterminator="\n")


if __name__ == "__main__":
    {"drift": write_drift, "totals": write_totals}[sys.argv[1]](Path(sys.argv[2]))
