"""Copy-aware learners: one PPO learns to decide as each exact agent does, once credit follows the copy tree.

Ordinary learners credit a reward to whoever sits in the slot that receives it. Nobody is credited with what a newborn
copy earns. Here a PPO learns from `multislot.credit.lineage_advantages` instead. For each idea of one's own future
(``cpy``, ``sum``, ``dyn``, ``sta``) it is trained at every point of a map of the copy, copy-delete, teleport and
blind-fork worlds (Orseau 2014, section 4). Its decision is compared with the exact one. An ordinary PPO, which treats
each slot as an agent, is the control.

In these worlds copies are told apart, so λ does not matter; see `multislot.credit` for where it does.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from pydantic import Field
from scipy.ndimage import generate_binary_structure, maximum_filter, minimum_filter
from scipy.special import softmax

from multislot.credit import CopyTree, lineage_advantages
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import INK
from multislot.exact import DecisionMap, Kernel, decision_map, world_named
from multislot.exact.maps.map_drawing import ACTIONS
from scenarios.lab.cells import Figures, Results, collect
from scenarios.lab.table import Row, claim_row, plain_row

if TYPE_CHECKING:
    from multislot.credit import Future

Array: TypeAlias = Any

WORLDS: Mapping[str, tuple[str, int]] = {
    "copy": ("r_2", 8), "copy-delete": ("r_2", 8), "teleport": ("r_2", 4), "blind-fork": ("a", 8),
}  # fmt: skip
"""The reward on the vertical axis of each world's map, and the largest."""
WIDEST = 4
"""The largest reward of staying, on the horizontal axis."""
FUTURES = {"cpy": "cpy", "sum": "common-ancestor", "dyn": "dyn", "sta": "sta"}
"""The exact value of each future."""
PER_SLOT = "per slot"
ORDINARY_LAMBDA = 0.95
ENOUGH = 0.95
WORDS = ("yes", "no")
CLIP, EPOCHS, STEP_SIZE, VALUE_STEP, ENTROPY = 0.2, 4, 0.1, 0.5, 0.05
KEEP = 0.9, 0.999
"""What remains of the mean gradient, and of its mean square, after a step of Adam."""
WARM_UP = 0.3
MORAL = (
    "What a learner learns about being copied depends on whose rewards it gets credit for. With credit along the\n"
    "copy tree, one PPO learns to decide as each of the exact agents. With credit by slot it ignores its copies."
)


@dataclass(frozen=True)
class Settings:
    """How fine the maps are, and how long each PPO learns."""

    discount: Annotated[Fraction, Field(ge=0, le=1, description="discount")] = Fraction(9, 10)
    horizon: Annotated[int, Field(ge=3, le=8, description="steps of an episode")] = 4
    resolution: Annotated[int, Field(ge=4, le=60, description="points along each side of a map")] = 10
    episodes: Annotated[int, Field(ge=4, description="episodes of a PPO between updates")] = 16
    updates: Annotated[int, Field(ge=10, description="updates of each PPO")] = 60
    seeds: Annotated[int, Field(ge=1, description="independent runs of each PPO")] = 1


QUICK = Settings(resolution=8, updates=50)
FULL = replace(Settings(), resolution=16, updates=80, seeds=5)


@dataclass(frozen=True)
class Cell:
    """A PPO in every point of a map.

    Attributes:
        world: its name.
        learner: a future, or `PER_SLOT`.
    """

    settings: Settings
    world: str
    learner: str
    gae_lambda: float
    seed: int


class Batch(NamedTuple):
    """Episodes of T steps in every world: B = worlds x episodes, S slots.

    Attributes:
        cells: the index of (world, step, observation), shape [T + 1, B, S].
        actions: shape [T, B, S].
        rewards: on arrival, shape [T + 1, B, S].
        sources: the slot each occupant came from, −1 for an empty slot, shape [T + 1, B, S].
    """

    cells: Array
    actions: Array
    rewards: Array
    sources: Array


class PPO:
    """A tabular PPO (Schulman et al. 2017) in each of several worlds, all trained side by side.

    The worlds are without chance and differ in their rewards only. Policy and critic see the step and the observation.
    The policy is a softmax of its own parameters in each world.

    Attributes:
        start: the place in each slot at the start, shape [slots]; place 0 is an empty slot.
        arrivals: the place that an action leads to in each slot, shape [places, actions, slots].
        paid: the rewards of these arrivals in each world, shape [worlds, places, actions, slots].
        sees: the observation in each place, shape [places].
    """

    def __init__(self, kernels: Sequence[Kernel], horizon: int, discount: float, seed: int) -> None:
        self.horizon, self.discount = horizon, discount
        self.random = np.random.default_rng(seed)
        self._tabulate(kernels)
        shape = len(kernels), horizon + 1, int(self.sees.max()) + 1
        self.logits, self.values = np.zeros((*shape, len(kernels[0].actions))), np.zeros(shape)
        self._moments = np.zeros((2, *self.logits.shape))
        self._updates = 0

    def _tabulate(self, kernels: Sequence[Kernel]) -> None:
        first = kernels[0]
        places: list[tuple[int, Hashable]] = list(first.start.items())
        seen: dict[Hashable, int] = {None: 0}
        sees, moves = [0] + [1] * len(places), []
        for place, (slot, state) in enumerate(places, start=1):
            for index, action in enumerate(first.actions):
                ((_, arrivals),) = first.outcomes(slot, state, action)
                rewards = [dict(next(iter(kernel.outcomes(slot, state, action)))[1]) for kernel in kernels]
                for target, arrival in arrivals.items():
                    if (target, arrival.state) not in places:
                        places.append((target, arrival.state))
                        sees.append(seen.setdefault(arrival.observation, len(seen) + 1))
                    arrived = places.index((target, arrival.state)) + 1
                    moves.append(
                        ((place, index, target - 1), arrived, [float(paid[target].reward) for paid in rewards])
                    )
        slots = max(slot for slot, _ in places)
        self.arrivals = np.zeros((len(sees), len(first.actions), slots), dtype=np.int64)
        self.paid = np.zeros((len(kernels), *self.arrivals.shape))
        for where, arrived, paid in moves:
            self.arrivals[where], self.paid[(slice(None), *where)] = arrived, paid
        self.start = np.zeros(slots, dtype=np.int64)
        self.start[[slot - 1 for slot in first.start]] = range(1, len(first.start) + 1)
        self.sees = np.array(sees)

    def learn(self, future: str, gae_lambda: float, episodes: int, updates: int) -> Array:
        """Train; return the chance of the second action at the first step in each world, shape [worlds].

        For the first `WARM_UP` of the updates only the critic learns. With a small λ the critic needs several updates
        until it foresees late rewards, and the policy must not have given up exploring by then.
        """
        for update in range(updates):
            batch = self.play(episodes)
            rows = self.learning_rows(batch, self.advantages(batch, future, gae_lambda))
            self.improve_critic(rows)
            if update >= WARM_UP * updates:
                self.improve_policy(rows)
        return np.asarray(softmax(self.logits, axis=-1)[:, 0, 1, 1])

    def play(self, episodes: int) -> Batch:
        worlds, slots = np.repeat(np.arange(len(self.paid)), episodes)[:, None], len(self.start)
        shape = self.horizon + 1, len(worlds), slots
        rewards, actions = np.zeros(shape), np.zeros((self.horizon, *shape[1:]), dtype=np.int64)
        places, sources = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        places[0], sources[0] = self.start, np.arange(slots)
        chances = softmax(self.logits, axis=-1)[..., 1]
        for step in range(self.horizon):
            actions[step] = self.random.random(shape[1:]) < chances[worlds, step, self.sees[places[step]]]
            arrivals = self.arrivals[places[step], actions[step]]  # [B, source slots, target slots]
            paid = self.paid[worlds, places[step], actions[step]]
            places[step + 1], sources[step + 1] = arrivals.max(axis=1), arrivals.argmax(axis=1)
            rewards[step + 1] = np.take_along_axis(paid, sources[step + 1, :, None], axis=1)[:, 0]
        steps = np.arange(self.horizon + 1)[:, None, None]
        cells = np.ravel_multi_index((worlds, steps, self.sees[places]), self.values.shape)
        return Batch(cells, actions, rewards, np.where(places > 0, sources, -1))

    def advantages(self, batch: Batch, learner: str, gae_lambda: float) -> Array:
        """Advantages, NaN where a row does not learn, shape [T, B, S].

        The control continues each slot by the same slot, empty or not, and so through deletion and birth.
        """
        shape = batch.sources.shape
        sources = np.arange(shape[2]) + np.zeros(shape, dtype=np.int64) if learner == PER_SLOT else batch.sources
        rows = np.arange(sources.size).reshape(shape)
        parents = rows.copy()
        parents[1:] = np.where(sources[1:] >= 0, rows[:-1, :, :1] + sources[1:], rows[1:])
        acted = sources >= 0
        acted[-1] = False
        tree = CopyTree(parents.ravel(), batch.rewards.ravel(), (rows % shape[2]).ravel(), acted.ravel())
        values = self.values.ravel()[batch.cells]
        values[-1] = 0  # the episode is over
        future: Future = "dyn" if learner == PER_SLOT else learner  # type: ignore[assignment]
        advantages = lineage_advantages(
            tree, values.ravel(), future=future, discount=self.discount, gae_lambda=gae_lambda
        )
        return advantages.reshape(shape)[:-1]

    def learning_rows(self, batch: Batch, advantages: Array) -> tuple[Array, Array, Array]:
        """The n rows that learn: the index of their (world, step, observation), their actions and their advantages."""
        learns = ~np.isnan(advantages)
        return batch.cells[:-1][learns], batch.actions[learns], advantages[learns]

    def improve_critic(self, rows: tuple[Array, Array, Array]) -> None:
        """Move V towards the mean target of each step and observation; rows count equally."""
        cells, _, gains = rows
        sums = np.bincount(cells, gains, self.values.size)
        self.values += VALUE_STEP * (sums / self._counts(cells)).reshape(self.values.shape)

    def improve_policy(self, rows: tuple[Array, Array, Array]) -> None:
        """Make a few steps along the clipped objective; rows count equally."""
        cells, taken, gains = rows
        worlds, counts = cells // self.values[0].size, self._counts(cells)
        scale = np.sqrt(np.bincount(worlds, gains**2) / np.bincount(worlds))
        gains = gains / (scale[worlds] + 1e-8)
        actions = self.logits.shape[-1]
        old = softmax(self.logits, axis=-1).reshape(-1, actions)[cells, taken]
        for _ in range(EPOCHS):
            chances = softmax(self.logits, axis=-1).reshape(-1, actions)
            ratios = chances[cells, taken] / old
            moving = np.where(gains > 0, ratios < 1 + CLIP, ratios > 1 - CLIP)
            pulls = gains * ratios * moving
            pulled = [np.bincount(cells, pulls * (taken == action), self.values.size) for action in range(actions)]
            gradient = (np.stack(pulled, axis=1) - np.sum(pulled, axis=0)[:, None] * chances) / counts[:, None]
            logs = np.log(chances)
            gradient -= ENTROPY * chances * (logs - (chances * logs).sum(axis=1, keepdims=True))
            self._updates += 1  # a step of Adam (Kingma and Ba 2015)
            for moment, power, keep in zip(self._moments, (1, 2), KEEP, strict=True):
                moment *= keep
                moment += (1 - keep) * gradient.reshape(self.logits.shape) ** power
            mean, square = (m / (1 - keep**self._updates) for m, keep in zip(self._moments, KEEP, strict=True))
            self.logits += STEP_SIZE * mean / (np.sqrt(square) + 1e-8)

    def _counts(self, cells: Array) -> Array:
        """Rows of each cell, at least 1, shape [cells]."""
        return np.maximum(np.bincount(cells, minlength=self.values.size), 1)


def axes(settings: Settings, world: str) -> tuple[list[Fraction], list[Fraction]]:
    """The rewards of staying, and of the other place, at the points of a map."""
    points = [Fraction(2 * k + 1, 2 * settings.resolution) for k in range(settings.resolution)]
    return [WIDEST * point for point in points], [WORLDS[world][1] * point for point in points]


def learned_kernels(settings: Settings, world: str) -> list[Kernel]:
    across, along = axes(settings, world)
    return [world_named(world, **{"r_s": x, WORLDS[world][0]: y}) for x, y in product(across, along)]


def cells(settings: Settings) -> list[Cell]:
    seeds = range(settings.seeds)
    return [
        *(Cell(settings, world, future, 1.0, seed) for world in WORLDS for future in FUTURES for seed in seeds),
        *(Cell(settings, world, PER_SLOT, ORDINARY_LAMBDA, seed) for world in WORLDS for seed in seeds),
    ]


def run_cell(cell: Cell) -> dict[str, Any]:
    """Train a PPO at every point; return under ``accepts`` the chance of accepting at each."""
    settings = cell.settings
    ppo = PPO(learned_kernels(settings, cell.world), settings.horizon, float(settings.discount), cell.seed)
    accepts = ppo.learn(cell.learner, cell.gae_lambda, settings.episodes, settings.updates)
    return {"accepts": accepts.round(4).tolist()}


@cache
def exact_map(settings: Settings, world: str) -> DecisionMap:
    """The decisions of the exact agents at the points and at the map's edges, and where exactly they turn."""
    (across, along), (reward, highest) = axes(settings, world), WORLDS[world]
    return decision_map(
        world,
        x=("r_s", [0, *across, WIDEST]),
        y=(reward, [0, *along, highest]),
        values=tuple(FUTURES.values()),
        discount=settings.discount,
        horizon=settings.horizon,
    )


def exact_decisions(settings: Settings, world: str, future: str) -> Array:
    """Whether the exact agent accepts at each point, shape [resolution, resolution]."""
    decided = exact_map(settings, world)
    return np.array(
        [[best == decided.actions[1] for best in line[1:-1]] for line in decided.best[FUTURES[future]][1:-1]]
    )


def away_from_border(accepts: Array) -> Array:
    """Whether the four neighbors of a point on a map decide as it does, same shape."""
    cross = generate_binary_structure(accepts.ndim, 1)
    lowest, highest = (
        filter_(accepts, footprint=cross, mode="nearest") for filter_ in (minimum_filter, maximum_filter)
    )
    return lowest == highest


def agreement(settings: Settings, results: Results, world: str, learner: str, future: str) -> float:
    """Share of the points away from the exact border at which a PPO decides as the exact agent, over all seeds."""
    accepts = exact_decisions(settings, world, future)
    away = away_from_border(accepts)
    learned = map(np.array, collect(results, "accepts", world=world, learner=learner))
    same = [((chances.reshape(accepts.shape) > 0.5) == accepts)[away].mean() for chances in learned]
    return float(np.mean(same))


def table(settings: Settings, results: Results) -> list[Row]:
    return list(_rows(settings, results))


def _rows(settings: Settings, results: Results) -> Iterator[Row]:
    size = f"{settings.resolution}x{settings.resolution} points, T={settings.horizon}, γ={settings.discount}"
    for world, future in product(WORLDS, FUTURES):
        case, condition = f"{world}, {future}", f"{world}, {future}, {size}"
        share, control = (agreement(settings, results, world, learner, future) for learner in (future, PER_SLOT))
        yield plain_row("agreement off the border, credit along the copy tree", case, size, share)
        yield plain_row("agreement off the border, each slot an agent", case, size, control)
        decides = f"a PPO decides as the exact agent at {ENOUGH:.0%} of the points off the border or more"
        source = "credit along the copy tree is the exact value here"
        yield claim_row(decides, condition, share >= ENOUGH, source, case=case, words=WORDS)
        if future in ("cpy", "sum"):
            decides = f"a PPO that takes each slot for an agent decides so at {ENOUGH:.0%} of them or more"
            source = "a newborn's reward is credited to nobody"
            yield claim_row(decides, condition, control >= ENOUGH, source, case=case, control=True, words=WORDS)


def figures(settings: Settings, results: Results) -> Figures:
    learners = [*((future, future) for future in FUTURES), (PER_SLOT, "cpy")]
    figure = new_figure(12.0, 9.5)
    panels = figure.subplots(len(WORLDS), len(learners), squeeze=False)
    for (row, world), (column, (learner, future)) in product(enumerate(WORLDS), enumerate(learners)):
        panel, (across, along) = panels[row, column], axes(settings, world)
        accepts = exact_decisions(settings, world, future)
        decided = exact_map(settings, world)
        exact = replace(decided, best={FUTURES[future]: decided.best[FUTURES[future]]})
        exact.draw_areas(panel, {(action,): color for action, color in zip(decided.actions, ACTIONS[:2], strict=True)})
        (chances,) = collect(results, "accepts", world=world, learner=learner, seed=0)
        learned = np.array(chances).reshape(accepts.shape) > 0.5
        x, y = np.meshgrid(np.array(across, dtype=float), np.array(along, dtype=float), indexing="ij")
        for shown, marker, label in ((learned, "o", "learned: accepts"), (~learned, "x", "learned: stays")):
            panel.scatter(x[shown], y[shown], s=9, marker=marker, color=INK, linewidths=0.8, label=label)
        name = f"{PER_SLOT}, on cpy's border" if learner == PER_SLOT else learner
        panel.set_title(f"{name}: {agreement(settings, results, world, learner, future):.0%}", loc="left")
        panel.set(
            xlabel="r_s" if row == len(WORLDS) - 1 else "", ylabel=f"{world}: {WORLDS[world][0]}" if not column else ""
        )
    handles, labels = max((panel.get_legend_handles_labels() for panel in panels.flat), key=lambda both: len(both[1]))
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    figure.suptitle(
        "copy-aware: exact decisions (blue: accept) and those a PPO learned; % of points off the border",
        x=0.01,
        ha="left",
    )
    return {"copy-aware": figure}
