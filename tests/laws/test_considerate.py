"""Considerate behavior on random maps of Craft-World, against a simulator written out apart and exhaustive search."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import considerate
from considerate.craftworld import parse_task
from considerate.exact.frontiers import frontier
from multislot.errors import NeverEndingError

MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
IMPOSSIBLE = -60

# The acting agent fetches a coin and leaves. At the gift site it may leave coins for the next agents, who otherwise
# have to fetch them as well; in some worlds nobody can enter the site afterwards.
TASK = """
name = "random"
impossible = {impossible}
map = \"\"\"
{rows}

{legend}
\"\"\"
[acting]
name = "me"
start = "start"
follows = ["fetch", "give"]
[[others]]
name = "you"
kind = "visitor"
start = "start"
follows = ["fetch"]
[[others]]
name = "they"
kind = "visitor"
start = "exit"
follows = ["fetch"]
[[rules.fetch]]
at = "coins"
needs = {{ coin = false }}
sets = {{ coin = true }}
[[rules.fetch]]
at = "exit"
needs = {{ coin = true }}
ends = true
[[rules.fetch]]
at = "gift site"
closed = true
needs = {{ shut = true }}
[[rules.give]]
at = "gift site"
by = "use"
needs = {{ gift = false }}
sets = {{ gift = true, shut = {shuts} }}
cost = {cost}
[handover]
public = ["shut"]
[[handover.changes]]
needs = {{ gift = true }}
sets = {{ coin = true }}
"""
WORDS = {"S": "start", "E": "exit", "C": "coins", "G": "gift site"}


@st.composite
def worlds(draw):
    """A map, what the gift costs, and whether giving shuts the gift site."""
    width, height = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    marks = [*"SECG", *draw(st.lists(st.sampled_from("...XX"), min_size=0, max_size=width * height - 4))]
    marks = draw(st.permutations(marks + ["."] * (width * height - len(marks))))
    rows = ["".join(marks[y * width : (y + 1) * width]) for y in range(height)]
    return (
        ["X" * (width + 2), *(f"X{row}X" for row in rows), "X" * (width + 2)],
        draw(st.integers(1, 6)),
        draw(st.booleans()),
    )


def as_task(world):
    rows, cost, shuts = world
    legend = "\n".join(f"{mark}  {word}" for mark, word in WORDS.items())
    text = TASK.format(rows="\n".join(rows), legend=legend, cost=cost, shuts=str(shuts).lower(), impossible=IMPOSSIBLE)
    return parse_task(text)


def steps(world, state, gives):
    """(cost, next state, whether it ended) of everything that can be done; a state is (cell, coin, gift, shut)."""
    rows, cost, shuts = world
    (x, y), coin, gift, shut = state
    for dx, dy in MOVES.values():
        cell = (x + dx, y + dy)
        mark = rows[cell[1]][cell[0]]
        if mark == "X" or (mark == "G" and shut):
            yield 1, state, False
        else:
            yield 1, (cell, coin or mark == "C", gift, shut), mark == "E" and coin
    if gives and rows[y][x] == "G" and not gift:
        yield cost, ((x, y), coin, True, shuts), False


def cheapest_ends(world, start, gives):
    """The least cost of every way to end, by what is then true; relaxed until nothing changes."""
    costs, ends, changed = {start: 0}, {}, True
    while changed:
        changed = False
        for state, paid in list(costs.items()):
            for cost, after, ended in steps(world, state, gives):
                found = ends if ended else costs
                if paid + cost < found.get(after, 10**9):
                    found[after], changed = paid + cost, True
    return ends


def place(world, mark):
    return next((x, y) for y, row in enumerate(world[0]) for x, found in enumerate(row) if found == mark)


def written_out(world):
    """(own return, return of `you`, return of `they`) of every way that the acting agent may end."""
    outcomes = []
    for (_, _, gift, shut), cost in cheapest_ends(world, (place(world, "S"), False, False, False), True).items():
        others = []
        for mark in "SE":
            found = cheapest_ends(world, (place(world, mark), gift, False, shut), False)
            others.append(-min(found.values()) if found else IMPOSSIBLE)
        outcomes.append((-cost, *others))
    return outcomes


alphas = st.fractions(0, 4, max_denominator=12)
TERMS = {
    "value": lambda you, they: Fraction(you + they, 2),
    "worst": min,
    "per_agent": lambda you, they: you + they,
    "min": min,
    "sim": lambda you, they: you + they,
}


@settings(deadline=None)
@given(worlds(), alphas, st.sampled_from(list(TERMS)))
def test_exact_solutions_are_what_exhaustive_search_finds(world, alpha, criterion):
    outcomes = written_out(world)
    if not outcomes:
        with pytest.raises(NeverEndingError, match="cannot be finished"):
            considerate.solve(as_task(world), criterion, alpha)
        return
    term = TERMS[criterion]
    best = max(own + alpha * term(you, they) for own, you, they in outcomes)
    optimal = {outcome for outcome in outcomes if outcome[0] + alpha * term(*outcome[1:]) == best}
    solution = considerate.solve(as_task(world), criterion, alpha)
    assert solution.objective == best
    assert tuple(solution.returns.values()) in optimal
    assert solution.term == alpha * min(term(*outcome[1:]) for outcome in optimal)
    if criterion != "sim":
        tied = {tuple(outcome.returns.values()) for outcome in solution.ties}
        assert tied | {tuple(solution.returns.values())} == optimal


@settings(deadline=None)
@given(worlds(), st.lists(alphas, min_size=2, max_size=4), st.sampled_from(list(TERMS)))
def test_all_coefficients_at_once_agree_with_each_and_care_is_monotone(world, coefficients, criterion):
    assume(written_out(world))
    task = as_task(world)
    found = frontier(task, criterion)
    assert list(found.thresholds) == sorted(set(found.thresholds))
    own, terms = [], []
    for alpha in sorted(coefficients):
        solution = considerate.solve(task, criterion, alpha)
        assert found.at(alpha).returns == solution.returns
        own.append(solution.returns["me"])
        terms.append(TERMS[criterion](solution.returns["you"], solution.returns["they"]))
    assert own == sorted(own, reverse=True)
    assert terms == sorted(terms)


@settings(deadline=None, max_examples=30)
@given(worlds(), st.sampled_from(["value", "neg"]), alphas)
def test_the_walk_that_is_reported_earns_what_is_reported(world, criterion, alpha):
    assume(written_out(world))
    solution = considerate.solve(as_task(world), criterion, alpha)
    state, paid = (place(world, "S"), False, False, False), 0
    for before, name, after in zip(solution.trajectory[:-1], solution.actions, solution.trajectory[1:], strict=True):
        assert before.cell == state[0]
        choices = dict(zip([*MOVES, "use"], steps(world, state, True), strict=False))
        cost, state, ended = choices[name]
        paid += cost
        assert after.cell == state[0]
    assert ended
    assert solution.returns["me"] == -paid
