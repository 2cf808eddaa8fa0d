"""Q-learning in a graph of Craft-World, with the paper's schedule (appendix C of Alizadeh Alamdari et al. 2021).

Everything is deterministic, γ = 1, the learning rate is 1, and exploration is ε-greedy. The paper does not give the
initial values. Here they are the largest reward of a last step. If every step costs something, no true value is larger.
Such optimistic values make the agent explore even with ε = 0, which the paper uses for Table 1. Episodes are truncated
after 1,000 steps, as in the authors' released experiments.
"""

import numpy as np

from considerate.craftworld.arrays import Graph
from considerate.craftworld.qlearning import q_learning
from multislot.engine.stream import EndlessStream
from multislot.mdp.chains import Floats, Integers

EPISODE_STEPS = 1000


def learn_values(
    graph: Graph, rewards: Floats, starts: Integers, steps: int, epsilon: float, stream: EndlessStream
) -> Floats:
    """Learn action values, [S, A].

    Args:
        graph: states and where actions lead.
        rewards: [S, A], what a step pays.
        starts: the states in which episodes start, in turn.
        steps: how many steps to learn in all.
        epsilon: chance of exploring.
        stream: where chance is read.
    """
    last = rewards[graph.terminal[graph.targets] & ~graph.terminal[:, None]]
    values = q_learning(
        graph.targets.ravel().tolist(),
        rewards.ravel().tolist(),
        graph.terminal.tolist(),
        starts.tolist(),
        len(graph.actions),
        steps,
        EPISODE_STEPS,
        epsilon,
        1.0,
        1.0,
        float(last.max()),
        stream,
    )
    return np.array(values).reshape(graph.targets.shape)


def greedy_walk(graph: Graph, values: Floats, start: int) -> list[tuple[int, int]] | None:
    """Follow the greedy policy; return (state, action) of each step, or None if it never ends."""
    steps, state, seen = list[tuple[int, int]](), int(start), set[int]()
    while not graph.terminal[state]:
        if state in seen:
            return None
        seen.add(state)
        steps.append((state, int(np.argmax(values[state]))))
        state = int(graph.targets[steps[-1]])
    return steps
