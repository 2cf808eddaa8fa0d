"""Kernels with copies as world-models: plans are worth what the engine says, copies that vanish pay nothing."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes import (
    BayesAgent,
    CopiedModel,
    Ledger,
    ModelClass,
    TabularMentor,
    copy_event,
    mentor_value,
    pessimistic_value,
)
from multislot.errors import SettingError
from multislot.exact import Arrival, action_values

SEEN = ("dark", "light")
PAY = {"dark": Fraction(1, 4), "light": Fraction(3, 4)}


class Drawn:
    """A random kernel of two actions and two hidden states; rewards are functions of observations.

    A copy stays in its slot or enters one that was never used, so that copy sets are disjoint (Orseau 2014, Def. 3).
    """

    actions = ("left", "right")

    def __init__(self, numbers):
        self.numbers, self.start = numbers, {1: (0, 0)}

    def outcomes(self, slot, state, action):
        hidden, step = state
        at = (slot * 4 + hidden * 2 + self.actions.index(action)) * 5
        first, *arrivals = (self.numbers[(at + k) % len(self.numbers)] for k in range(5))
        chance = Fraction(first % 4, 4)
        for weight, numbers in ((chance, arrivals[:2]), (1 - chance, arrivals[2:])):
            if weight:
                yield weight, dict(self.copy(slot, step, number) for number in numbers if number % 7)

    def copy(self, slot, step, number):
        seen = SEEN[number // 6 % 2]
        target = slot if number % 3 == 0 else slot * 100 + step * 10 + number % 3
        return target, Arrival((number // 3 % 2, step + 1), seen, PAY[seen])


@given(st.lists(st.integers(0, 83), min_size=7, max_size=60), st.sampled_from(["cpy", "sta"]), st.integers(1, 3))
def test_the_best_plan_is_worth_what_the_engine_says(numbers, value, horizon):
    kernel, discount = Drawn(numbers), Fraction(4, 5)
    model = CopiedModel(kernel, value, SEEN)
    expected = (1 - discount) * max(action_values(kernel, value, discount=discount, horizon=horizon).values())
    for pure in (False, True):
        found = pessimistic_value([model], discount=0.8, horizon=horizon, pure=pure)
        assert found.lower == pytest.approx(float(expected), abs=1e-9)
    agent = BayesAgent(ModelClass([model]), 0.8, horizon, n_inner=3)
    assert agent.decide().value == pytest.approx(float(expected), abs=1e-9)


@given(st.lists(st.integers(0, 83), min_size=7, max_size=60), st.lists(st.integers(0, 83), min_size=7, max_size=60))
def test_the_worst_of_two_worlds_is_no_better_than_either_alone(first, second):
    kernels = [Drawn(first), Drawn(second)]
    for value in ("cpy", "sta"):
        models = [CopiedModel(kernel, value, SEEN) for kernel in kernels]
        both = pessimistic_value(models, discount=0.8, horizon=2, pure=True).lower
        alone = [max(action_values(kernel, value, discount=0.8, horizon=2).values()) * 0.2 for kernel in kernels]
        assert both <= min(alone) + 1e-9


class Booth:
    """Step in: with what the booth does, you are moved, copied or deleted; otherwise you stay where you are."""

    actions = ("stay", "step in")

    def __init__(self, does):
        self.does, self.start = does, {1: "home"}

    def outcomes(self, slot, state, action):
        here, there = {slot: Arrival(state, "home", 0.25)}, {2: Arrival("away", "away", 0.75)}
        if state == "away":
            return [(1, {slot: Arrival(state, "away", 0.75)})]
        if action == "stay":
            return [(1, here)]
        return [(1, {"moves": there, "copies": here | there, "deletes": {}}[self.does])]


def booth(does, value="cpy"):
    return CopiedModel(Booth(does), value, ("home", "away"))


def test_what_follows_is_weighed_by_the_value_for_plans_and_by_all_copies_for_learning():
    nothing = (2, 0.0)
    planned = {
        ("moves", "cpy"): {(1, 0.75): 1},
        ("copies", "cpy"): {(0, 0.25): 0.5, (1, 0.75): 0.5},
        ("deletes", "cpy"): {nothing: 1},
        ("moves", "sta"): {nothing: 1},
        ("copies", "sta"): {(0, 0.25): 1},
        ("deletes", "sta"): {nothing: 1},
    }
    for (does, value), law in planned.items():
        model = booth(does, value)
        assert model.planned(model.begin(), 1) == law
        assert model.law(model.begin(), 1) == planned[does, "cpy"]
    gone = booth("deletes").after(booth("deletes").begin(), 1, nothing)
    assert gone is None
    assert booth("deletes").planned(gone, 0) == {nothing: 1}


def test_who_arrives_alone_learns_that_it_was_moved_whatever_it_values():
    for value in ("cpy", "sta"):
        posterior = ModelClass([booth(does, value) for does in ("moves", "copies", "deletes")]).posterior()
        posterior.observe(1, (1, 0.75))
        assert posterior.weights.tolist() == pytest.approx([2 / 3, 1 / 3, 0])


@pytest.mark.parametrize(
    ("does", "value", "worth"),
    [("moves", "cpy", 0.5 * 0.75 * 1.5), ("moves", "sta", 0), ("deletes", "cpy", 0), ("deletes", "sta", 0)],
)
def test_a_mentor_who_steps_in_is_worth_what_the_value_counts(does, value, worth):
    model, steps_in = booth(does, value), TabularMentor([1, 0, 0], n_actions=2)
    assert mentor_value(model, model.begin(), steps_in, 0, 0.5, 2) == pytest.approx(worth)


def unseen():
    return pessimistic_value([CopiedModel(Booth("moves"), "cpy", ["home"])], 0.5, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CopiedModel(Booth("moves"), "dyn", ("home", "away")), "got value='dyn'; expected a weighted sum"),
        (lambda: CopiedModel(Booth("moves"), "cpy", ("home", "home")), "expected each observation once"),
        (unseen, "got observation of the kernel='away'"),
    ],
)
def test_what_is_no_model_is_refused(make, message):
    with pytest.raises(SettingError, match=message):
        make()


class Fork:
    """Moves at first; where it is dark, going on copies with probability ½."""

    actions = ("wait", "go on")
    start = {1: "light"}  # noqa: RUF012

    def outcomes(self, slot, state, action):
        if action == "wait" or state == "light":
            seen = "dark" if action == "go on" else state
            return [(1, {slot: Arrival(seen, seen, PAY[seen])})]
        here, there = ({target: Arrival("light", "light", PAY["light"])} for target in (slot, slot + 1))
        return [(Fraction(1, 2), here | there), (Fraction(1, 2), here), (0, there | {slot + 2: there[slot + 1]})]


def test_a_copy_is_an_event_that_a_ledger_notes_where_the_kernel_may_make_one():
    """Not where it moves, nor where an outcome with two targets has probability 0."""
    event, waits, goes = copy_event(CopiedModel(Fork(), "cpy", SEEN)), 0, 1
    dark, light = (0, 0.25), (1, 0.75)
    done = [(goes, dark, False), (waits, dark, False), (goes, light, True), (goes, dark, False), (goes, light, False)]
    assert Ledger.of([event], done).first == {"an irreversible copy is made": ("mentor", 3)}
    assert not event.happens([], goes)
    assert not event.happens([(goes, dark)], waits)
    assert event.happens([(goes, dark)], goes)
