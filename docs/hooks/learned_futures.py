"""How far learned futures are off: the recipe of the page "Considerate agents" in a kitchen and in a particle world.

``python docs/hooks/learned_futures.py`` plays and fits everything again (about a minute) and writes
``learned_futures.json``.

In the kitchen the second cook walks its cheapest path, but one step in five is random. Its exact values are those of
this very play (a linear system). In MPE2's ``simple_spread_v3`` the first particle leaves after half of the game and
stays where it is; the second one then goes to the landmark that the first is farther from. How its game goes on from
there is its exact future. The first particle chooses the best of 16 plans by its own return plus the second's future.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

import considerate
from considerate.craftworld import task
from considerate.futures import Trajectory, fitted_networks, fitted_values
from multislot.drawing.showing import new_figure
from multislot.statistics import student

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATA = Path(__file__).with_name("learned_futures.json")
SEEDS, MEMBERS = 10, 5
WATCHED = (10, 30, 100, 300)
"""Episodes that are watched: for each state in which the kitchen may be left, and in the particle world in all."""

ERRORS = 0.2


@cache
def kitchen() -> tuple[Any, Any, Any, Any, Any]:
    """Return the kitchen, the second cook's visits, and transitions [S, S], rewards [S] and end [S] of its play."""
    room = task("kitchen-cookie")
    visits = room.visits(room.other("agent_2"))
    graph, states = visits.graph, np.arange(visits.graph.n_states)
    chances = np.full(graph.costs.shape, ERRORS / len(graph.actions))
    chances[states, np.argmax(visits.paths.steps, axis=1)] += 1 - ERRORS
    moves = np.zeros((graph.n_states, graph.n_states))
    for action, targets in enumerate(np.transpose(graph.targets)):
        np.add.at(moves, (states, targets), chances[:, action])
    return room, visits, moves, -(chances * np.asarray(graph.costs, float)).sum(axis=1), np.asarray(graph.terminal)


def threshold(values: Callable[[int], float]) -> float:
    """Return the caring coefficient from which the first cook helps, by the second one's values; ∞ without one."""
    room, visits, *_ = kitchen()
    found = considerate.frontier(room, futures={"agent_2": lambda state: values(visits.starts[room.left(state)])})
    return float(found.thresholds[0]) if found.thresholds else float("inf")


def exact_threshold() -> float:
    """Return the threshold by the exact values of the erring cook."""
    _, _, moves, rewards, ends = kitchen()
    inside = np.flatnonzero(~ends)
    values = np.zeros(len(rewards))
    values[inside] = np.linalg.solve(np.eye(len(inside)) - moves[np.ix_(inside, inside)], rewards[inside])
    return threshold(lambda state: float(values[state]))


def watched_cook(start: int, generator: np.random.Generator) -> Trajectory:
    """Return one visit of the second cook from a state on."""
    _, visits, _, _, ends = kitchen()
    states, rewards = [start], list[float]()
    while not ends[states[-1]]:
        errs = generator.random() < ERRORS
        best = int(np.argmax(visits.paths.steps[states[-1]]))
        action = int(generator.integers(len(visits.graph.actions))) if errs else best
        rewards.append(-float(visits.graph.costs[states[-1], action]))
        states.append(int(visits.graph.targets[states[-1], action]))
    return Trajectory(states, rewards)


def learned_threshold(episodes: int, seed: int, by_networks: bool = False) -> float:
    """Return the threshold by values that are fitted to watched play: by tables, or by networks of the state."""
    generator = np.random.default_rng(seed)
    _, visits, *_ = kitchen()
    seen = [watched_cook(start, generator) for start in visits.starts.values() for _ in range(episodes)]
    one_hot = np.eye(visits.graph.n_states)
    if by_networks:
        fitted: Any = fitted_networks(seen, MEMBERS, seed, lambda state: one_hot[state])
    else:
        fitted = fitted_values(seen, MEMBERS, generator)
    return threshold(lambda state: float(fitted.expect(lambda value: value(state))))


HALF, CARING, STARTS, FEATURES = 15, 1.0, 40, 13
GLIDE = 0.3
"""How far a particle glides without thrust, for each unit of its velocity: a quarter of it is lost in a step of 0.1."""
PLANS = list(product(("first", "second", "middle", "stay"), repeat=2))
"""Where the first particle goes in each half of its time."""


def particles() -> Any:
    """Return the particle world: both particles, two landmarks, both halves of the game."""
    from mpe2 import simple_spread_v3

    return simple_spread_v3.parallel_env(N=2, max_cycles=2 * HALF)


def toward(place: Any) -> int:
    """Return the action of a particle that goes to a place, given relative to itself."""
    x, y = place
    if max(abs(x), abs(y)) < 0.05:
        return 0
    return (2 if x > 0 else 1) if abs(x) > abs(y) else (4 if y > 0 else 3)


def landmarks(seen: Any) -> Any:
    """Return both landmarks, relative to the particle that sees this."""
    return np.reshape(seen[4:8], (2, 2))


def first_acts(seen: Any, step: int, plan: Sequence[str]) -> int:
    """Return the first particle's action by a plan."""
    marks = landmarks(seen)
    places = {"first": marks[0], "second": marks[1], "middle": marks.mean(axis=0), "stay": np.zeros(2)}
    return toward(places[plan[step > HALF // 2]]) if step < HALF else 0


def second_acts(first_sees: Any, seen: Any) -> int:
    """Return the second particle's action: to the landmark that the first one is farther from."""
    return toward(landmarks(seen)[int(np.argmax(np.linalg.norm(landmarks(first_sees), axis=1)))])


def play(plan: Sequence[str], seed: int) -> tuple[float, Any, float]:
    """Return the first particle's return until it leaves, the game's state then, and the second's return after it."""
    game = particles()
    seen, _ = game.reset(seed=seed)
    own, future, found = 0.0, 0.0, None
    for step in range(2 * HALF):
        mine, others = seen["agent_0"], seen["agent_1"]
        if step == HALF:
            found = np.array(game.state())
        waits = step < HALF
        actions = {"agent_0": first_acts(mine, step, plan), "agent_1": 0 if waits else second_acts(mine, others)}
        seen, rewards, *_ = game.step(actions)
        own, future = own + rewards["agent_0"] * waits, future + rewards["agent_1"] * (not waits)
    return own, found, future


def features(state: Any) -> Any:
    """Return both particles' distances to the landmarks and their squares, the first one's nearer landmark first.

    The first particle is taken to be where it comes to rest; after the end nothing counts.
    """
    if state is None:
        return np.zeros(FEATURES)
    first, second = np.split(np.asarray(state), 2)
    marks, other = landmarks(second), second[8:10] + GLIDE * first[:2]
    mine, others = np.linalg.norm(marks, axis=1), np.linalg.norm(marks - other, axis=1)
    order = np.argsort(others)
    found = np.concatenate([mine[order], others[order], np.minimum(mine, others)[order]])
    return np.concatenate([[1.0], found, found**2])


@cache
def choices() -> tuple[Any, list[list[Any]], Any]:
    """Return own returns [starts, plans], states then, and exact futures [starts, plans], of starts for tests alone."""
    played = [[play(plan, 10**6 + start) for plan in PLANS] for start in range(STARTS)]
    own, found, future = ([[one[part] for one in row] for row in played] for part in range(3))
    return np.array(own), found, np.array(future)


def lost(judged: Any) -> float:
    """Return the mean loss of exact augmented reward where plans are chosen by judged futures [starts, plans]."""
    own, _, future = choices()
    exact, chosen = own + CARING * future, np.argmax(own + CARING * judged, axis=1)
    return float(np.mean(exact.max(axis=1) - exact[np.arange(STARTS), chosen]))


def learned_choices(seed: int) -> dict[int, dict[str, float]]:
    """Return, for each number of watched games, the error of the fitted futures and what is lost by them."""
    generator = np.random.default_rng(seed)
    drawn = [(PLANS[generator.integers(len(PLANS))], int(generator.integers(10**6))) for _ in range(max(WATCHED))]
    seen = [Trajectory([tuple(found), None], [future]) for _, found, future in (play(*one) for one in drawn)]
    _, found, future = choices()
    results = {}
    for episodes in WATCHED:
        fitted = fitted_values(seen[:episodes], MEMBERS, np.random.default_rng(seed), features=features)
        judged = np.array([[float(fitted.expect(lambda v, s=s: v(s))) for s in map(tuple, row)] for row in found])
        results[episodes] = {"error": float(np.sqrt(np.mean((judged - future) ** 2))), "lost": lost(judged)}
    return results


def measured() -> dict[str, Any]:
    """Return everything that the picture and the page show."""
    games = [learned_choices(seed) for seed in range(SEEDS)]
    return {
        "threshold": {n: [learned_threshold(n, seed) for seed in range(SEEDS)] for n in WATCHED},
        "network threshold": {n: [learned_threshold(n, seed, True) for seed in range(SEEDS)] for n in WATCHED},
        "exact threshold": exact_threshold(),
        "flawless threshold": float(considerate.frontier(kitchen()[0]).thresholds[0]),
        "error": {n: [one[n]["error"] for one in games] for n in WATCHED},
        "deviation": float(choices()[2].std()),
        "lost": {n: [one[n]["lost"] for one in games] for n in WATCHED},
        "lost without caring": lost(np.zeros((STARTS, len(PLANS)))),
    }


HEAD = """| watched | helps from α = | by networks | error of futures | lost by the choice |
| --- | --- | --- | --- | --- |
"""


def read() -> dict[str, Any]:
    """Return what was measured."""
    found: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return found


def with_interval(values: Sequence[float]) -> str:
    """Return a mean with its 95% confidence interval in words."""
    low, high = student(values)
    return f"{fmean(values):.2f} [{low:.2f}, {high:.2f}]"


def table(found: dict[str, Any]) -> str:
    """Return what was measured as a table in Markdown, the exact futures last."""
    measures = [found[name] for name in ("threshold", "network threshold", "error", "lost")]
    rows = [[watched, *(with_interval(values[watched]) for values in measures)] for watched in found["threshold"]]
    exact = f"{found['exact threshold']:.2f}"
    rows.append(["*exact futures*", exact, exact, "0", "0"])
    rows.append(
        ["*no futures*", "", "", f"{found['deviation']:.2f} (their deviation)", f"{found['lost without caring']:.2f}"]
    )
    return HEAD + "".join("| " + " | ".join(row) + " |\n" for row in rows)


def picture() -> "Figure":
    """Return both worlds: means over seeds with 95% confidence as more is watched, and what exact futures give."""
    found = read()
    figure = new_figure(5.0, 7.0)
    panels = figure.subplots(2)
    for axes, name in zip(panels, ("threshold", "lost"), strict=True):
        watched = [int(n) for n in found[name]]
        means = [fmean(values) for values in found[name].values()]
        ends = [student(values) for values in found[name].values()]
        axes.fill_between(watched, *zip(*ends, strict=True), alpha=0.2, lw=0)
        axes.plot(watched, means, "o-", label=f"learned: mean of {SEEDS} seeds, 95% confidence")
        axes.set_xscale("log")
        axes.set_xticks(watched, [str(n) for n in watched])
        axes.minorticks_off()
    kitchen_panel, particle_panel = panels
    kitchen_panel.axhline(found["exact threshold"], color="0.4", ls="--", label="exact futures")
    particle_panel.axhline(0, color="0.4", ls="--")
    particle_panel.axhline(found["lost without caring"], color="0.4", ls=":", label="without caring")
    kitchen_panel.set(title="kitchen", ylabel="helps from this coefficient", xlabel="visits watched, for each start")
    particle_panel.set(title="particles", ylabel="augmented reward lost", xlabel="games watched")
    handles = [panel.get_legend_handles_labels() for panel in panels]
    shown = dict(zip([*handles[0][1], *handles[1][1]], [*handles[0][0], *handles[1][0]], strict=True))
    figure.legend(shown.values(), shown.keys(), loc="outside lower center")
    return figure


def main() -> None:
    """Measure and keep."""
    DATA.write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
