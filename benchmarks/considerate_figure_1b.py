"""Figure 1(b): all 701 coefficients exactly, and by Q-learning as the paper did it.

    python benchmarks/considerate_figure_1b.py [--runs 20 | --full] [--jobs 2]

Measured side by side: the exact frontier, from map to figure data, against 701 single solutions (target: under 2 s on
one core); a step of the Q-learning loop against the same loop in plain NumPy (target: at most 100 ns a step, compiled);
and 700 × 700,000 steps on two cores, beside the 9,333 s of the paper's machine (target: under 60 s): every run with
``--full``, else scaled up from ``--runs`` runs. On a busy machine the last is better read off the CPU seconds.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache

import numpy as np

import considerate
from considerate.craftworld import Task, qlearning, task
from considerate.craftworld.arrays import EPISODE_STEPS
from considerate.craftworld.qlearning import q_learning
from considerate.exact.problem import Problem, augmented
from multislot.engine.stream import EndlessStream

STEPS, RUNS, PAPER_SECONDS = 700_000, 700, 9_333
ALPHAS = [Fraction(k, 100) for k in range(701)]


def exact() -> tuple[float, float]:
    """Seconds of the frontier and of single solutions, which must agree."""
    start = time.perf_counter()
    found = considerate.frontier(task("box"))
    curves = [tuple(found.at(alpha).returns.values()) for alpha in ALPHAS]
    middle = time.perf_counter()
    box = task("box")
    some = ALPHAS[::50]
    singly = [tuple(considerate.solve(box, "value", alpha).returns.values()) for alpha in some]
    seconds = (time.perf_counter() - middle) * len(ALPHAS) / len(some)
    assert singly == curves[::50]
    return middle - start, seconds


@cache
def box_task() -> Task:
    """The box task, with its states searched once a process."""
    return task("box")


def arguments(alpha: Fraction) -> tuple[object, ...]:
    """The box task with its augmented reward as the loop takes it."""
    box = box_task()
    problem = Problem(box, augmented(box, "value", alpha))
    rewards, graph = problem.process().rewards, box.graph
    return (
        graph.targets.ravel().tolist(),
        rewards.ravel().tolist(),
        graph.terminal.tolist(),
        graph.starts.tolist(),
        len(graph.actions),
    )


def run(number: int) -> tuple[float, float]:
    """One run at one coefficient; CPU seconds of the loop, and of everything."""
    whole = time.process_time()
    given = arguments(Fraction(number % 701, 100))
    start = time.process_time()
    q_learning(*given, STEPS, EPISODE_STEPS, 0.5, 1.0, 1.0, 0.0, EndlessStream(number, 1))
    return time.process_time() - start, time.process_time() - whole


def numpy_loop(steps: int) -> float:
    """Nanoseconds a step of the same loop on a NumPy table."""
    targets, rewards, ends, starts, actions = arguments(Fraction(2))
    target = np.array(targets).reshape(-1, actions)
    reward, values = np.array(rewards).reshape(-1, actions), np.zeros((len(ends), actions))
    generator, state, age = np.random.default_rng(0), starts[0], 0
    start = time.process_time()
    for _ in range(steps):
        draw = generator.random()
        action = int(draw / 0.5 * actions) if draw < 0.5 else int(values[state].argmax())
        following = target[state, action]
        values[state, action] = reward[state, action] + (0.0 if ends[following] else values[following].max())
        age += 1
        state = following
        if ends[following] or age == EPISODE_STEPS:
            state, age = starts[0], 0
    return 1e9 * (time.process_time() - start) / steps


def main() -> None:
    """Prints the three ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--full", action="store_true", help="all 700 runs, nothing scaled up")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    whole, singly = exact()
    print(
        f"frontier of 701 coefficients: {whole:.3f} s (target ≤ 2); singly {singly:.1f} s: {singly / whole:.0f} times"
    )
    nanoseconds = 1e9 * min(run(number)[0] for number in range(3)) / STEPS
    plain = numpy_loop(100_000)
    kind = "compiled" if qlearning.__file__.endswith((".so", ".pyd")) else "interpreted"
    print(f"Q-learning, {kind}: {nanoseconds:.0f} ns a step (target ≤ 100 compiled)")
    print(f"the same loop in NumPy: {plain:.0f} ns: {plain / nanoseconds:.0f} times")
    runs = RUNS if given.full else given.runs
    start = time.perf_counter()
    with ProcessPoolExecutor(given.jobs) as pool:
        used = sum(seconds for _, seconds in pool.map(run, range(runs)))
    scale = RUNS / runs
    elapsed = (time.perf_counter() - start) * scale
    how = "all run" if runs == RUNS else f"scaled up from {runs} runs"
    print(f"700 × 700,000 steps on {given.jobs} cores, {how}:")
    print(f"    {elapsed:.0f} s (target ≤ 60), {used * scale:.0f} s of CPU time")
    print(f"the paper's machine: {PAPER_SECONDS} s: {PAPER_SECONDS / elapsed:.0f} times")


if __name__ == "__main__":
    main()
