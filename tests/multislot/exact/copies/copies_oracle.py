"""What policies are worth to all copies, by trying every policy and every joint outcome: slow and plain."""

from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from multislot.exact import Arrival
from tests.multislot.exact.oracle import OBSERVATIONS, TableKernel

TARGETS = {1: (1, 2), 2: (3,), 3: ()}
"""Where the agent of a slot may be copied to; no two ever meet."""
found_things = st.builds(Arrival, st.sampled_from((0, 1)), st.sampled_from(OBSERVATIONS), st.integers(-2, 2))


@st.composite
def kernels(draw):
    """Kernels with chance, hidden states, copies that see the same, deletions, gains and losses."""
    table = {}
    for (slot, targets), state, action in product(TARGETS.items(), (0, 1), (0, 1)):
        chance = draw(st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3)]))
        ways = [draw(st.dictionaries(st.sampled_from(targets), found_things)) if targets else {} for _ in range(2)]
        table[slot, state, action] = [(chance, ways[0]), (1 - chance, ways[1])]
    return TableKernel(table, draw(st.sampled_from([{1: 0}, {1: 0, 2: 1}])))


def policies(actions, horizon, history=()):
    """Every policy up to a number of steps, as {history: action} on the histories that follow it."""
    if horizon == 0:
        yield {}
        return
    for action in actions:
        after = [
            list(policies(actions, horizon - 1, (*history, (action, observation)))) for observation in OBSERVATIONS
        ]
        for parts in product(*after):
            yield {history: action} | {one: act for part in parts for one, act in part.items()}


def courses(kernel, policy, horizon):
    """Yield every course of events: its probability, the rewards of the living by step, and those of all lives."""
    agents = [(slot, state, (), ()) for slot, state in kernel.start.items()]
    yield from _courses(kernel, policy, horizon, Fraction(1), agents, (), ())


def _courses(kernel, policy, horizon, chance, agents, steps, ended):
    if horizon == 0:
        yield chance, steps, (*ended, *(rewards for _, _, _, rewards in agents))
        return
    acts = [policy[history] for _, _, history, _ in agents]
    lists = [kernel.outcomes(agent[0], agent[1], act) for agent, act in zip(agents, acts, strict=True)]
    for drawn in product(*lists):
        share, after, over = chance, {}, []
        for (_, _, history, rewards), act, (probability, arrivals) in zip(agents, acts, drawn, strict=True):
            share *= probability
            if not arrivals:
                over.append(rewards)
            for target, found in arrivals.items():
                assert target not in after
                after[target] = (
                    target,
                    found.state,
                    (*history, (act, found.observation)),
                    (*rewards, found.reward),
                )
        alive = [after[target] for target in sorted(after)]
        paid = tuple(rewards[-1] for _, _, _, rewards in alive)
        if share:
            yield from _courses(kernel, policy, horizon - 1, share, alive, (*steps, paid), (*ended, *over))


def discounted(numbers, discount):
    return sum((discount**step * number for step, number in enumerate(numbers)), Fraction())


def caring_worth(course, caring, discount):
    _, steps, _ = course
    each = [
        sum(own + caring * (sum(paid) - own) for own in paid) / Fraction(len(paid)) if paid else 0 for paid in steps
    ]
    return discounted(each, discount)


def expected(worlds, prior, policy, horizon, worth):
    """What a policy is expected to be worth, by `worth(course)`."""
    return sum(
        share * course[0] * worth(course)
        for world, share in zip(worlds, prior, strict=True)
        for course in courses(world, policy, horizon)
    )


def best_by_first_action(worlds, prior, horizon, worth):
    """The worth of the best policy for each first action."""
    best = {}
    for policy in policies(worlds[0].actions, horizon):
        found = expected(worlds, prior, policy, horizon, worth)
        best[policy[()]] = max(best.get(policy[()], found), found)
    return best
