"""Exact solutions where steps are free or pay and numbers are fractions, against every way of a world written out."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import considerate
from considerate.craftworld import parse_task
from considerate.distributions import Distribution
from considerate.exact.frontiers import frontier
from multislot.errors import NeverEndingError

MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}

# A lever can be pulled once, a coin taken and put back as often as one likes; two doors lead out.
TASK = """
name = "little"
map = '''
{rows}

S  start
D  door
L  lever
C  coin
'''
step_cost = {usual}

[acting]
name = "me"
start = "start"
follows = ["all"]

[[others]]
name = "you"
kind = "holder"
initiation = {{ lever = true, coin = true }}

[[rules.all]]
at = "door"
ends = true
cost = {leaving}

[[rules.all]]
at = "lever"
by = "use"
needs = {{ lever = false }}
sets = {{ lever = true }}
cost = {lever}

[[rules.all]]
at = "coin"
needs = {{ coin = false }}
sets = {{ coin = true }}
cost = {take}

[[rules.all]]
at = "coin"
needs = {{ coin = true }}
sets = {{ coin = false }}
cost = {put}

[handover]
public = ["lever", "coin"]
"""
COSTS = ("usual", "leaving", "lever", "take", "put")
MAPS = [
    ["XXXXXX", "XSLCDX", "XXXXXX"],
    ["XXXXX", "XSLDX", "XCDXX", "XXXXX"],
    ["XXXX", "XSCX", "XLDX", "XXXX"],
    ["XXXXXX", "XDSCLX", "XXXXDX", "XXXXXX"],
]
tenths = st.integers(-4, 30).map(lambda number: Fraction(number, 10))
values = st.lists(st.fractions(-5, 5, max_denominator=7), min_size=4, max_size=4)


@st.composite
def worlds(draw):
    """A map and what steps cost: nothing, tenths, or less than nothing."""
    usual = draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1), Fraction(3, 2)]))
    costs = [usual, *(draw(st.one_of(st.just(usual), tenths)) for _ in COSTS[1:])]
    return draw(st.sampled_from(MAPS)), dict(zip(COSTS, costs, strict=True))


def as_task(world):
    rows, costs = world
    return parse_task(TASK.format(rows="\n".join(rows), **{name: float(cost) for name, cost in costs.items()}))


def steps(world, state):
    """(action, cost, next state) of everything that can be done; a state is (cell, lever, coin, ended)."""
    rows, costs = world
    (x, y), lever, coin, ended = state
    if ended:
        return
    for name, (dx, dy) in MOVES.items():
        mark = rows[y + dy][x + dx]
        if mark == "X":
            yield name, costs["usual"], state
        elif mark == "D":
            yield name, costs["leaving"], ((x + dx, y + dy), lever, coin, True)
        elif mark == "C":
            yield name, costs["put" if coin else "take"], ((x + dx, y + dy), lever, not coin, False)
        else:
            yield name, costs["usual"], ((x + dx, y + dy), lever, coin, False)
    pulls = rows[y][x] == "L" and not lever
    yield "use", costs["lever" if pulls else "usual"], ((x, y), lever or pulls, coin, False)


def walks(world, state, seen=()):
    """Every way from a state that comes to no state twice, and every one that closes a circle with its last step."""
    yield ()
    for name, cost, after in steps(world, state):
        step = (state, name, after, cost)
        if after in (*seen, state):
            yield (step,)
        else:
            for onward in walks(world, after, (*seen, state)):
                yield (step, *onward)


def start_of(world):
    cell = next((x, y) for y, row in enumerate(world[0]) for x, mark in enumerate(row) if mark == "S")
    return (cell, False, False, False)


class WrittenOut:
    """Every way of a world, with what a step pays besides its cost and what an end pays."""

    def __init__(self, world, paid=lambda state, name, after: 0, term=lambda lever, coin: 0):
        start = start_of(world)
        self.ends, self.circles, self.paid = [], [], paid
        for way in walks(world, start):
            places = [start, *(step[2] for step in way)]
            if places[-1][3]:
                worth = sum(self.gain(step) for step in way) + term(*places[-1][1:3])
                self.ends.append((worth, -sum(step[3] for step in way), int(places[-1][1] and places[-1][2]), way))
            elif places[-1] in places[:-1]:
                entry = places.index(places[-1])
                gains = [self.gain(step) for step in way]
                self.circles.append((sum(gains[:entry]), sum(gains[entry:]), way[entry:]))
        self.best = max((worth for worth, *_ in self.ends), default=None)

    def gain(self, step):
        state, name, after, cost = step
        return self.paid(state, name, after) - cost

    @property
    def never_ends(self):
        """Whether a circle gains, or is worth more than any end if it costs nothing."""
        return any(round_ > 0 or (round_ == 0 and way > self.best) for way, round_, _ in self.circles)

    @property
    def circles_change_nothing(self):
        """Whether circles that cost nothing in all consist of steps that cost and pay nothing."""
        return all(
            round_ or not any(step[3] or self.paid(*step[:3]) for step in circle) for _, round_, circle in self.circles
        )

    @property
    def tied(self):
        """The (own, other's) returns of every best way."""
        return {(own, you) for worth, own, you, _ in self.ends if worth == self.best}

    @property
    def tied_beside_circles(self):
        """The returns of every best way that takes no step of a circle that costs nothing."""
        free = {step for _, round_, circle in self.circles if round_ == 0 for step in circle}
        return {(own, you) for worth, own, you, way in self.ends if worth == self.best and free.isdisjoint(way)}


def found_by(solution):
    return {tuple(outcome.returns.values()) for outcome in (solution, *solution.ties)}


def follow(world, solution):
    """What the actions of a solution cost in the world written out, and where they lead."""
    state, paid, seen = start_of(world), 0, set()
    for name in solution.actions:
        assert state not in seen
        seen.add(state)
        cost, state = next((cost, after) for action, cost, after in steps(world, state) if action == name)
        paid += cost
    assert state[3]
    return -paid, int(state[1] and state[2])


@given(worlds(), values, st.fractions(0, 1, max_denominator=9), st.fractions(0, 4, max_denominator=9))
def test_where_others_count_at_the_end_any_costs_are_solved_exactly_or_refused(world, numbers, chance, alpha):
    def value(lever, coin):
        return numbers[2 * lever + coin]

    def believed(state):
        return value(state.things["lever"] is True, state.things["coin"] is True)

    future = Distribution((believed, lambda state: 0), (chance, 1 - chance))
    all_ways = WrittenOut(world, term=lambda lever, coin: alpha * chance * value(lever, coin))
    if all_ways.never_ends:
        with pytest.raises(NeverEndingError, match="never ending"):
            considerate.solve(as_task(world), "value", alpha, futures={"you": future})
        return
    solution = considerate.solve(as_task(world), "value", alpha, futures={"you": future})
    assert solution.objective == all_ways.best
    assert isinstance(solution.objective, int | Fraction)
    assert found_by(solution) == all_ways.tied
    assert tuple(solution.returns.values()) == follow(world, solution)
    assert solution.own_return == max(own for own, _ in all_ways.tied)
    assert solution.term == all_ways.best - solution.own_return


@given(worlds(), values, st.fractions(0, 1, max_denominator=9), st.fractions(0, 3, max_denominator=9))
def test_where_others_count_at_every_step_any_costs_are_solved_exactly_or_refused(world, numbers, chance, alpha):
    def paid(lever, coin, name):
        return numbers[2 * lever + coin] / 5 if name in ("use", "left") else Fraction(0)

    def believed(before, name, after):
        return paid(after.things["lever"] is True, after.things["coin"] is True, name)

    future = Distribution((believed, lambda *step: 0), (chance, 1 - chance))
    all_ways = WrittenOut(world, lambda before, name, after: alpha * chance * paid(after[1], after[2], name))
    if all_ways.never_ends:
        with pytest.raises(NeverEndingError, match="never ending"):
            considerate.solve(as_task(world), "sim", alpha, futures={"you": future})
        return
    solution = considerate.solve(as_task(world), "sim", alpha, futures={"you": future})
    assert solution.objective == all_ways.best
    assert tuple(solution.returns.values()) == follow(world, solution)
    if all_ways.circles_change_nothing:
        assert found_by(solution) == all_ways.tied
        assert solution.own_return == max(own for own, _ in all_ways.tied)
    else:
        assert all_ways.tied_beside_circles <= found_by(solution) <= all_ways.tied
        assert solution.term == min(solution.term, *(outcome.term for outcome in solution.ties))


@given(worlds(), values, st.lists(st.fractions(0, 20, max_denominator=9), max_size=3), st.booleans())
def test_the_frontier_is_that_of_every_way_whatever_steps_cost(world, numbers, alphas, every_step):
    def believed(*states):
        things = states[-1].things
        return numbers[2 * (things["lever"] is True) + (things["coin"] is True)] * (things["ended"] is True)

    lines = {
        (own, numbers[2 * lever + coin])
        for (lever, coin), own in {
            (way[-1][2][1:3], -sum(step[3] for step in way))
            for way in walks(world, start_of(world))
            if way and way[-1][2][3]
        }
    }
    all_ways = WrittenOut(world)
    assume(not any(round_ >= 0 for _, round_, _ in all_ways.circles))
    chosen, criterion = as_task(world), "sim" if every_step else "per_agent"
    found = frontier(chosen, criterion, futures={"you": believed})
    for alpha in (*alphas, *found.thresholds, 10**9):
        best = max(own + alpha * slope for own, slope in lines)
        assert found.at(alpha).own_return + alpha * found.at(alpha).term == best
    for threshold in found.thresholds:
        kinds = {line for line in lines if line[0] + threshold * line[1] == max(o + threshold * s for o, s in lines)}
        assert len(kinds) > 1
