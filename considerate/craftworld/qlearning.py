"""The tabular Q-learning loop (Watkins and Dayan 1992) over a deterministic decision process given as arrays; compiled.

``Q(s, a) += η·(r + γ·max Q(s', ·) − Q(s, a))``, with ε-greedy actions and ties to the first action in order, as in
appendix C of Alizadeh Alamdari et al. 2021. Each step reads one number of the stream: if it is below ε, it says which
action is explored. Users call `considerate.learn`; this is its inner loop.
"""

from librt.vecs import vec
from mypy_extensions import i64

from multislot.engine.stream import BLOCK, EndlessStream


def q_learning(
    targets: list[int],
    rewards: list[float],
    ends: list[bool],
    starts: list[int],
    n_actions: i64,
    steps: i64,
    episode_steps: i64,
    epsilon: float,
    learning_rate: float,
    discount: float,
    initial: float,
    stream: EndlessStream,
) -> list[float]:
    """Learn action values; nothing follows a state that ends.

    Args:
        targets: [S·A], the state that each action leads to, by state and then by action.
        rewards: [S·A], what the step pays.
        ends: [S], whether an episode ends on arrival.
        starts: the states in which episodes start, in turn.
        n_actions: A.
        steps: how many steps to learn in all.
        episode_steps: after how many steps an episode is cut off; the value of the next state still counts then.
        epsilon: chance of exploring.
        learning_rate: η.
        discount: γ.
        initial: the value of every action before it is tried.
        stream: random numbers, one for each step; they are read in blocks, which is faster.

    Returns:
        [S·A], the learned values.
    """
    target = vec[i64](targets)
    reward = vec[float](rewards)
    end = vec[bool](ends)
    start = vec[i64](starts)
    values = vec[float]([initial] * len(rewards))
    block_length: i64 = BLOCK
    draws = stream.load(0)
    n_starts: i64 = len(starts)
    episode: i64 = 0
    age: i64 = 0
    step: i64 = 0
    state = start[0]
    greedy = first_best(values, state * n_actions, n_actions)
    while step < steps:
        place = step % block_length
        if place == 0:
            draws = stream.load(step // block_length)
        draw = draws[place]
        action = greedy
        if draw < epsilon:
            explored = i64(draw / epsilon * float(n_actions))
            action = explored if explored < n_actions else n_actions - 1
        index = state * n_actions + action
        following = target[index]
        ahead = following * n_actions
        goal = reward[index]
        if not end[following]:
            greedy = first_best(values, ahead, n_actions)
            goal += discount * values[ahead + greedy]
        values[index] = values[index] + learning_rate * (goal - values[index])
        age += 1
        step += 1
        if end[following] or age == episode_steps:
            episode += 1
            age = 0
            following = start[episode % n_starts]
            greedy = first_best(values, following * n_actions, n_actions)
        elif following == state:
            greedy = first_best(values, ahead, n_actions)
        state = following
    return list(values)


def first_best(values: vec[float], row: i64, n_actions: i64) -> i64:
    """Return the first action of the highest value in ``values[row : row + n_actions]``."""
    best = values[row]
    action: i64 = 0
    other: i64 = 1
    while other < n_actions:
        value = values[row + other]
        if value > best:
            best = value
            action = other
        other += 1
    return action
