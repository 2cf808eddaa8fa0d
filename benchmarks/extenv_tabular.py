"""Nanoseconds a step of the Q-learner over the battery and its opposites, on one core, start-up included.

Target: at most 60 ns a step in the compiled build; the whole measure of one tabular agent (5 seeds, 50 environments,
100,000 steps) on two cores under 10 s. Beside it, Python agents: what our loop costs on top of the agent, by the step,
at most 0.5 µs.

    python benchmarks/extenv_tabular.py [--steps N]
"""

import argparse
from time import perf_counter

started = perf_counter()

import extenv  # noqa: E402  # start-up is part of what is measured
from multislot.agents import ConstantAgent, QLearner  # noqa: E402
from multislot.engine.agent import Agent  # noqa: E402

start_up = perf_counter() - started


class PythonAgent(Agent):
    """Does nothing, in Python."""

    def __init__(self, n_observations, n_actions, stream):
        pass

    def act(self, observation):
        return 0

    def learn(self, observation, action, reward, next_observation):
        pass


def seconds(work, *arguments, **keywords):
    """Return how long a call takes."""
    begun = perf_counter()
    work(*arguments, **keywords)
    return perf_counter() - begun


def python_overhead(steps):
    """Return seconds a step of a run with a Python agent beyond its own calls, two acts and two learns a step."""
    agent = PythonAgent(1, 2, None)

    def own_calls():
        for _ in range(steps):
            agent.act(0)
            agent.learn(0, 0, 1.0, 0)
            agent.act(0)
            agent.learn(0, 0, 0.0, 0)

    return (seconds(extenv.run, "IgnoreRewards", PythonAgent, steps=steps) - seconds(own_calls)) / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    steps = parser.parse_args().steps
    build = "interpreted" if hasattr(ConstantAgent.act, "__code__") else "compiled"
    battery = seconds(extenv.measure, QLearner, steps=steps, seeds=1)
    print(f"{build} build, start-up {start_up:.2f} s (target at most 1 s)")
    print(f"Q over the battery: {battery / (50 * steps) * 1e9:.1f} ns a step (target at most 60, all included)")
    whole = seconds(extenv.measure, QLearner, steps=steps, jobs=2)
    print(f"the measure, 5 seeds, 2 jobs: {whole:.1f} s (target under 10 s at 100,000 steps)")
    print(f"Python agent: {python_overhead(steps) * 1e6:+.3f} µs a step on top of its own calls (target at most 0.5)")


if __name__ == "__main__":
    main()
