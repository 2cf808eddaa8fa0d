"""The four loops of docs/four_loops.md: how many steps of an agent each makes while `run` makes one.

    python benchmarks/four_loops.py

Each ratio is the best of some rounds of two loops in turn, in time of the process, so that it also holds on a busy
machine. Agents do nothing or next to nothing, so that the loops are measured.
"""

import time
from collections.abc import Callable

import numpy as np
from gymnasium.vector import AutoresetMode

import extenv
from considerate.craftworld import task
from considerate.craftworld.worlds import task_world
from considerate.zoo.vectors import TaskVector
from extenv import AsWorld
from multislot import EndlessStream, run
from multislot.agents import ConstantAgent, QLearner
from multislot.exact import KernelWorld, copy
from multislot.zoo import DynamicView, make, rollout
from multislot.zoo.vectors import SlotVector

ROUNDS, STEPS, ROWS, TASK = 5, 5_000, 4096, "kitchen-cookie"


def seconds(work: Callable[[], object]) -> float:
    """Return the time of the process that a call takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def compare(name: str, loop: Callable[[], object], steps: int, law: Callable[[], object], law_steps: int) -> None:
    """Print how many steps a loop makes while `run` makes one."""
    rounds = [(seconds(loop), seconds(law)) for _ in range(ROUNDS)]
    ours, other = min(took for took, _ in rounds) / steps, min(took for _, took in rounds) / law_steps
    print(f"{name:<45}{1 / ours:>14,.0f} steps/s, run {1 / other:>10,.0f}: {other / ours:,.1f} times", flush=True)


def step_all(vector: TaskVector | SlotVector, steps: int) -> None:
    """Step all rows with the same random actions in every round."""
    vector.reset(seed=0)
    actions = np.random.default_rng(0).integers(vector.single_action_space.n, size=(steps, vector.num_envs))
    for row in actions:
        vector.step(row)


def main() -> None:
    many = 100 * STEPS
    compare(
        "extenv.play, a Q-learner",
        lambda: extenv.run("IgnoreRewards", QLearner, steps=many),
        many,
        lambda: AsWorld("IgnoreRewards", QLearner).run(STEPS),
        STEPS,
    )
    vector = TaskVector(task(TASK), ROWS, AutoresetMode.SAME_STEP)
    world = task_world(TASK)  # made once: its states are searched for
    compare(
        f"TaskVector, {ROWS} rows of {TASK}",
        lambda: step_all(vector, 50),
        50 * ROWS,
        lambda: run(world, {1: ConstantAgent}, STEPS),
        STEPS,
    )
    rows = SlotVector(lambda: make("parallel", "multislot/copy-v1", view="fixed"), ROWS)
    pressing = {1: ConstantAgent(4, 2, EndlessStream(0, 1), action=1)}
    compare(
        f"SlotVector, {ROWS} copies of copy-v1",
        lambda: step_all(rows, 10),
        10 * rows.num_envs,
        lambda: run(KernelWorld(copy()), pressing, STEPS),
        2 * STEPS,
    )
    compare(
        "PettingZoo's episode, two agents",
        lambda: rollout(DynamicView(KernelWorld(copy()), max_cycles=STEPS), {"copy_0": pressing[1]}, seed=0),
        2 * STEPS,
        lambda: run(KernelWorld(copy()), pressing, STEPS),
        2 * STEPS,
    )


if __name__ == "__main__":
    main()
