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


def copy_centered(kernel, discount, horizon, history=()):
    weights = slot_weights(kernel, history)
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        after = {
            observation: max(copy_centered(kernel, discount, horizon - 1, (*history, (action, observation))).values())
            for observation in (OBSERVATIONS if horizon > 1 else ())
        }
        for slot, weight in weights.items():
            steps = next_steps(kernel, ending_in(kernel, history, slot), action)
            copied = defaultdict(Fraction)
            for (target, _), (chance, _) in steps.items():
                copied[target] += chance
            for (target, observation), (chance, reward) in steps.items():
                share = weight / sum(weights.values()) * copied[target] / sum(copied.values())
                values[action] += share * (reward + discount * chance * after.get(observation, 0))
    return values


def static(kernel, discount, horizon, slot, history=()):
    stayed = [thread for thread in ending_in(kernel, history, slot) if set(thread[0]) == {slot}]
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        for (target, observation), (chance, reward) in next_steps(kernel, stayed, action).items() if stayed else ():
            if target == slot and chance:
                after = (*history, (action, observation))
                later = max(static(kernel, discount, horizon - 1, slot, after).values()) if horizon > 1 else 0
                values[action] += reward + discount * chance * later
    return values


def dynamic(kernel, discount, horizon, history=()):
    weights = slot_weights(kernel, history)
    values = {}
    for action in kernel.actions:
        values[action] = Fraction()
        for slot, weight in weights.items():
            share = weight / sum(weights.values())
            values[action] += share * on_slot(kernel, discount, horizon, history, len(history), slot, action)
    return values


def on_slot(kernel, discount, horizon, history, since, slot, action):
    """V^{dyn,i}(h, a), having been on slot i since the step at which the value was asked for."""
    stayed = [thread for thread in ending_in(kernel, history, slot) if set(thread[0][since:]) == {slot}]
    total = Fraction()
    for (target, observation), (chance, reward) in next_steps(kernel, stayed, action).items():
        if target == slot and chance:
            after, later = (*history, (action, observation)), Fraction()
            if horizon > 1:
                behaviour = first_best(dynamic(kernel, discount, horizon - 1, after))
                later = on_slot(kernel, discount, horizon - 1, after, since, slot, behaviour)
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
