"""Values recomputed from whole histories, straight from the formulas of Orseau 2014, section 4: slow and plain.

Everything is a sum over *threads*: ways in which an agent can have come to a slot, as its slots, its last hidden state
and its probability. No belief is carried from one step to the next and nothing is remembered.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class TableKernel:
    """A kernel written out: {(slot, state, action): [(probability, {target: Arrival})]}."""

    table: dict
    start: dict = field(default_factory=lambda: {1: 0})
    actions: tuple = (0, 1)

    def outcomes(self, slot, state, action):
        return self.table[slot, state, action]


def threads(kernel, history):
    found = [((slot,), state, Fraction(1)) for slot, state in kernel.start.items()]
    for action, observation in history:
        found = [
            ((*slots, target), arrival.state, weight * probability)
            for slots, state, weight in found
            for probability, arrivals in kernel.outcomes(slots[-1], state, action)
            for target, arrival in arrivals.items()
            if probability and arrival.observation == observation
        ]
    return found


def slot_weights(kernel, history):
    weights = defaultdict(Fraction)
    for slots, _, weight in threads(kernel, history):
        weights[slots[-1]] += weight
    return {slot: weight for slot, weight in weights.items() if weight}


def next_steps(kernel, some_threads, action):
    """{(j, o): [ν(c^ij o^j | those threads, a), the same times r(o)]} given threads that all end in one slot i."""
    total = sum(weight for _, _, weight in some_threads)
    found = defaultdict(lambda: [Fraction(), Fraction()])
    for slots, state, weight in some_threads:
        for probability, arrivals in kernel.outcomes(slots[-1], state, action):
            for target, arrival in arrivals.items() if probability else ():
                found[target, arrival.observation][0] += weight * probability / total
                found[target, arrival.observation][1] += weight * probability / total * arrival.reward
    return found


def ending_in(kernel, history, slot):
    return [thread for thread in threads(kernel, history) if thread[0][-1] == slot and thread[2]]


def first_best(values):
    return max(values, key=lambda action: (values[action], -list(values).index(action)))


def pairs(kernel, history, action):
    """{(i, j, o): [P_i, ν(c^ij | h^i a), ν(c^ij o^j | h^i a), the same times r]}"""
    weights, found = slot_weights(kernel, history), {}
    for slot, weight in weights.items():
        steps = next_steps(kernel, ending_in(kernel, history, slot), action)
        copied = defaultdict(Fraction)
        for (target, _), (chance, _) in steps.items():
            copied[target] += chance
        for (target, observation), (chance, reward) in steps.items():
            found[slot, target, observation] = weight / sum(weights.values()), copied[target], chance, reward
    return found


def even(chances, i, j):
    """``P_i P_ij``: all copies of a slot weigh alike."""
    return chances[i, j][0] * chances[i, j][1] / sum(copied for (slot, _), (_, copied) in chances.items() if slot == i)


def weighed(kernel, discount, horizon, history, share, pays=lambda actions: True):
    """``V(h, a) = Σ_ijo share(i, j) [ν(c^ij o^j | h^i a) r + γ ν(c^ij o^j | h^i a) V(h a o)]``.

    Only actions so far that `pays` are paid.
    """
    values = {}
    for action in kernel.actions:
        found, values[action] = pairs(kernel, history, action), Fraction()
        chances = {(i, j): (chance, copied) for (i, j, _), (chance, copied, _, _) in found.items()}
        is_paid = pays((*(done for done, _ in history), action))
        for (i, j, observation), (_, _, chance, reward) in found.items():
            after, later = (*history, (action, observation)), 0
            if horizon > 1 and chance and share(chances, i, j):
                later = max(weighed(kernel, discount, horizon - 1, after, share, pays).values())
            values[action] += share(chances, i, j) * (reward * is_paid + discount * chance * later)
    return values


def copy_centered(kernel, discount, horizon, history=()):
    return weighed(kernel, discount, horizon, history, even)


def acted(kernel, discount, horizon, history, sequence):
    """The copy-centered value, paid only where the actions so far hold the sequence."""

    def holds(actions):
        return any(actions[k : k + len(sequence)] == sequence for k in range(len(actions)))

    return weighed(kernel, discount, horizon, history, even, holds)


def all_alike(chances, i, j):
    return chances[i, j][0] * chances[i, j][1] / sum(chance * copied for chance, copied in chances.values())


def counted(kernel, discount, horizon, history, count):
    """``V(h, a) = Σ_i P_i Σ_outcomes p Σ_j count(arrivals, j, t) [r + γ V(h a o)]``, thread by thread."""
    found, values = threads(kernel, history), {}
    total = sum(weight for _, _, weight in found)
    for action in kernel.actions:
        values[action] = Fraction()
        for slots, state, weight in found:
            for probability, arrivals in kernel.outcomes(slots[-1], state, action):
                for target, arrival in arrivals.items():
                    share = weight / total * probability * count(arrivals, target, len(history) + 1)
                    if share:
                        after = (*history, (action, arrival.observation))
                        later = max(counted(kernel, discount, horizon - 1, after, count).values()) if horizon > 1 else 0
                        values[action] += share * (arrival.reward + discount * later)
    return values


def least(arrivals, target, step):
    worst = min(found.reward for found in arrivals.values())
    who = [slot for slot, found in arrivals.items() if found.reward == worst]
    return Fraction(target in who, len(who))


def counts(one_slot):
    """What counts by the names of values."""
    return {
        "one-slot": lambda arrivals, target, step: target == one_slot,
        "prime-slot": lambda arrivals, target, step: target == (2, 3, 5, 7, 11)[step - 1],
        "first-copy": lambda arrivals, target, step: target == min(arrivals),
        "least-rewarded": least,
        "common-ancestor": lambda arrivals, target, step: 1,
    }


def static(kernel, discount, horizon, slot, history=(), since=0):
    """The best that one slot receives, in which the agent has been since some step."""
    stayed = [thread for thread in ending_in(kernel, history, slot) if set(thread[0][since:]) == {slot}]
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        for (target, observation), (chance, reward) in next_steps(kernel, stayed, action).items() if stayed else ():
            if target == slot and chance:
                after = (*history, (action, observation))
                later = max(static(kernel, discount, horizon - 1, slot, after, since).values()) if horizon > 1 else 0
                values[action] += reward + discount * chance * later
    return values


def known_slot(kernel, discount, horizon, history):
    weights = slot_weights(kernel, history)
    slots = {i: static(kernel, discount, horizon, i, history, len(history)) for i in weights}
    return {a: sum(weights[i] * slots[i][a] for i in slots) / sum(weights.values()) for a in kernel.actions}


def dynamic(kernel, discount, horizon, history=()):
    weights = slot_weights(kernel, history)
    values = {}
    for action in kernel.actions:

        def choose(later, left, action=action):
            return action if later == history else first_best(dynamic(kernel, discount, left, later))

        values[action] = sum(
            weight / sum(weights.values()) * on_slot(kernel, discount, horizon, history, len(history), slot, choose)
            for slot, weight in weights.items()
        )
    return values


def on_slot(kernel, discount, horizon, history, since, slot, choose):
    """V^{dyn,i}(h, a): what one slot receives, followed since some step, if the agent acts as it chooses.

    Args:
        choose: from a history and the number of steps that are left to an action.
    """
    stayed = [thread for thread in ending_in(kernel, history, slot) if set(thread[0][since:]) == {slot}]
    action, total = choose(history, horizon), Fraction()
    for (target, observation), (chance, reward) in next_steps(kernel, stayed, action).items() if stayed else ():
        if target == slot and chance:
            after, later = (*history, (action, observation)), Fraction()
            if horizon > 1:
                later = on_slot(kernel, discount, horizon - 1, after, since, slot, choose)
            total += reward + discount * chance * later
    return total


OBSERVATIONS = ("left", "right")


def possible_histories(kernel, longest):
    """All histories up to a length that some slot can have."""
    histories = [()]
    for history in histories:
        yield history
        if len(history) < longest:
            ends = {(a, o) for a in kernel.actions for o in OBSERVATIONS}
            histories += [(*history, end) for end in sorted(ends) if slot_weights(kernel, (*history, end))]
