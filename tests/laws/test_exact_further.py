"""The further futures of Orseau 2014, section 4, against their formulas on whole histories."""

from collections import defaultdict
from fractions import Fraction

from tests.multislot.exact import oracle

HALF = Fraction(1, 2)
PRIMES = (2, 3, 5, 7, 11)


def counted(kernel, discount, horizon, history, count):
    """``V(h, a) = Σ_i P_i Σ_outcomes p Σ_j count(arrivals, j, t) [r + γ V(h a o)]``, thread by thread."""
    threads, values = oracle.threads(kernel, history), {}
    total = sum(weight for _, _, weight in threads)
    for action in kernel.actions:
        values[action] = Fraction()
        for slots, state, weight in threads:
            for probability, arrivals in kernel.outcomes(slots[-1], state, action):
                for target, found in arrivals.items():
                    share = weight / total * probability * count(arrivals, target, len(history) + 1)
                    if share:
                        after = (*history, (action, found.observation))
                        later = max(counted(kernel, discount, horizon - 1, after, count).values()) if horizon > 1 else 0
                        values[action] += share * (found.reward + discount * later)
    return values


def least(arrivals, target, step):
    worst = min(found.reward for found in arrivals.values())
    who = [slot for slot, found in arrivals.items() if found.reward == worst]
    return Fraction(target in who, len(who))


def pairs(kernel, history, action):
    """{(i, j, o): [P_i, ν(c^ij | h^i a), ν(c^ij o^j | h^i a), the same times r]}"""
    weights, found = oracle.slot_weights(kernel, history), {}
    for slot, weight in weights.items():
        steps = oracle.next_steps(kernel, oracle.ending_in(kernel, history, slot), action)
        copied = defaultdict(Fraction)
        for (target, _), (chance, _) in steps.items():
            copied[target] += chance
        for (target, observation), (chance, reward) in steps.items():
            found[slot, target, observation] = weight / sum(weights.values()), copied[target], chance, reward
    return found


def weighed(kernel, discount, horizon, history, share):
    """``V(h, a) = Σ_ijo share(i, j) [ν(c^ij o^j | h^i a) r + γ ν(c^ij o^j | h^i a) V(h a o)]``."""
    values = {}
    for action in kernel.actions:
        found, values[action] = pairs(kernel, history, action), Fraction()
        chances = {(i, j): (chance, copied) for (i, j, _), (chance, copied, _, _) in found.items()}
        for (i, j, observation), (_, _, chance, reward) in found.items():
            after, later = (*history, (action, observation)), 0
            if horizon > 1 and chance and share(chances, i, j):
                later = max(weighed(kernel, discount, horizon - 1, after, share).values())
            values[action] += share(chances, i, j) * (reward + discount * chance * later)
    return values


def all_alike(chances, i, j):
    return chances[i, j][0] * chances[i, j][1] / sum(chance * copied for chance, copied in chances.values())


def acted(kernel, discount, horizon, history, sequence):
    """The copy-centered value, paid only where the actions so far hold the sequence."""
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        actions = [*(done for done, _ in history), action]
        holds = any(tuple(actions[k : k + len(sequence)]) == sequence for k in range(len(actions)))
        found = pairs(kernel, history, action)
        copied = {(i, j): one for (i, j, _), (_, one, _, _) in found.items()}
        for (i, _, observation), (chance_i, copied_ij, chance, reward) in found.items():
            share = chance_i * copied_ij / sum(one for (source, _), one in copied.items() if source == i)
            after, later = (*history, (action, observation)), 0
            if horizon > 1 and chance:
                later = max(acted(kernel, discount, horizon - 1, after, sequence).values())
            values[action] += share * (reward * holds + discount * chance * later)
    return values


def known(kernel, discount, horizon, history, since, slot):
    """``V^i(h, ·)``, with the slot known since some step."""
    stayed = [one for one in oracle.ending_in(kernel, history, slot) if set(one[0][since:]) == {slot}]
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        for (target, observation), (chance, reward) in oracle.next_steps(kernel, stayed, action).items():
            if target == slot and chance:
                after = (*history, (action, observation))
                later = max(known(kernel, discount, horizon - 1, after, since, slot).values()) if horizon > 1 else 0
                values[action] += reward + discount * chance * later
    return values
