"""Worlds as games: in Gambit, plans have the payoffs that they are worth here."""

import io
import warnings
from fractions import Fraction
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multislot.errors import SettingError, TooLargeError
from multislot.exact import (
    Arrival,
    Mixture,
    best_memoryless,
    copy,
    memoryless_worth,
    plan_for_copies,
    stay,
    world_named,
    worth_for_copies,
)
from multislot.exact.games import write_game
from tests.multislot.exact.copies.test_generated import make_policy, seeds
from tests.multislot.exact.oracle import TableKernel
from tests.worlds.generator import worlds

gambit = pytest.importorskip("pygambit", reason="the extra games is not installed")

coefficients = st.sampled_from([Fraction(-1, 2), Fraction(0), Fraction(1, 3), Fraction(1), Fraction(2)])
discounts = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(1)])


def labels(game):
    """The names of the agent's information sets, in the order in which Gambit meets them."""
    return list(dict.fromkeys(line.split('"')[3] for line in game.splitlines() if line.startswith("p ")))


def spoken(history):
    return " ".join(map(str, chain.from_iterable(history)))


def payoff(text, chances):
    """What Gambit says that a plan is worth: `chances` gives the probability of each action by an information set."""
    game = gambit.read_efg(io.StringIO(text))
    if game.players and (sets := game.get_infosets("agent")):
        profile = game.mixed_behavior_profile(rational=True)
        for name, history in zip(labels(text), sets, strict=True):
            drawn = {str(act): chance for act, chance in chances(name).items()}
            profile[gambit.H.path(*(move.action for move in history))] = drawn
        return Fraction(str(profile.payoffs["agent"]))
    raise AssertionError("no information set")


@given(worlds((2, 2)), coefficients, discounts, st.integers(1, 3), seeds)
def test_private_coins_are_worth_their_behavior_strategy(kernel, caring, discount, horizon, seed):
    text = write_game(kernel, horizon=horizon, caring=caring, discount=discount)
    chances = make_policy(seed, kernel.actions)  # for each information set, by its label
    ours = worth_for_copies(
        kernel, lambda history: chances(spoken(history)), caring=caring, discount=discount, horizon=horizon
    )
    assert payoff(text, chances) == ours


@given(worlds((2, 2)), worlds((2, 2)), coefficients, discounts)
def test_the_best_plan_of_a_mixture_has_the_largest_payoff(one, other, caring, discount):
    worlds = Mixture((one, other), (Fraction(1, 5), Fraction(4, 5)))
    plan = plan_for_copies(worlds, caring=caring, discount=discount, horizon=1)
    text = write_game(worlds, horizon=1, caring=caring, discount=discount)
    payoffs = {act: payoff(text, lambda _, act=act: {act: 1}) for act in one.actions}
    assert payoffs == dict(plan.action_values)
    assert text.splitlines()[2].endswith('{ "1: world 1" 1/5 "2: world 2" 4/5 } 0')


def test_the_driver_without_memory_meets_one_information_set_again_and_again():
    driver, forgetful = world_named("absent-minded-driver"), {"horizon": 3, "first": "a junction"}
    text = write_game(driver, memory=False, **forgetful)
    assert labels(text) == ["a junction", "home"]
    plan = best_memoryless(driver, **forgetful)
    assert payoff(text, plan.policy.__getitem__) == plan.value == Fraction(4, 3)
    game = gambit.read_efg(io.StringIO(text))
    with pytest.raises(Exception, match="imperfect recall"):
        gambit.nash.enumpure_solve(game)
    without_coins = [profile.payoffs["agent"] for profile in gambit.nash.enumpure_agent_solve(game).equilibria]
    assert max(without_coins) < plan.value
    for chance in (Fraction(1, 5), Fraction(3, 4)):
        policy = {"a junction": {"exit": 1 - chance, "drive on": chance}, "home": {"exit": 1}}
        assert payoff(text, policy.__getitem__) == memoryless_worth(driver, policy, **forgetful)


def test_who_remembers_knows_at_which_junction_it_is():
    remembering = labels(write_game(world_named("absent-minded-driver"), horizon=3))
    assert len([name for name in remembering if name.endswith("a junction")]) > 1


def test_texts_with_quotes_and_lines_stay_readable():
    text = write_game(stay(), horizon=1, title='say "hello"\nand\\go')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gambit.read_efg(io.StringIO(text)).title == "say 'hello' and/go"


def test_what_looks_alike_has_labels_of_its_own():
    """Primes tell two actions and two histories apart; without memory "None" is not what is seen at first."""
    actions = ('in "o"', "in 'o'", "in")
    seen = {'in "o"': "None", "in 'o'": "x", "in": "'o' x"}
    kernel = TableKernel({(1, 0, act): [(1, {1: Arrival(0, seen[act])})] for act in actions}, actions=actions)
    for memory, sets in (
        (True, ["", "in 'o' None", "in 'o' x", "in 'o' x'"]),
        (False, ["None", "None'", "x", "'o' x"]),
    ):
        text = write_game(kernel, horizon=2, memory=memory)
        assert labels(text) == sets
        assert len(gambit.read_efg(io.StringIO(text)).get_infosets("agent")) == 4
        assert text.splitlines()[2].endswith("""{ "in 'o'" "in 'o''" "in" } 0""")


CHANCY = TableKernel(
    {
        (1, 0, "a"): [(Fraction(1, 3), {1: Arrival(0, "x", 2)}), (Fraction(2, 3), {})],
        (1, 0, "b"): [(1, {1: Arrival(0, "x", 4), 2: Arrival(0, "y", 1)})],
    },
    actions=("a", "b"),
)
"""Action "a" is safe for nobody, "b" copies; the copies together are paid 5."""


def test_a_game_has_a_line_for_each_node_and_no_more_than_are_allowed():
    """Two copies are paid (α + (1 - α) / 2) · 5 = 10/3 together; worlds, draws and ends are numbered from 1."""
    worlds, options = Mixture((CHANCY, CHANCY), (1, 3)), {"horizon": 1, "caring": Fraction(1, 3)}
    lines = ['EFG 2 R "" { "agent" }', '""', 'c "" 1 "" { "1: world 1" 1/4 "2: world 2" 3/4 } 0']
    for draw, end in ((2, 1), (3, 4)):
        lines += ['p "" 1 1 "" { "a" "b" } 0', f'c "" {draw} "" {{ "1: 1 sees x" 1/3 "2: nobody is left" 2/3 }} 0']
        lines += [f't "" {end + place} "" {{ {paid} }}' for place, paid in enumerate(("2", "0", "10/3"))]
    assert write_game(worlds, most=11, **options) == "\n".join(lines) + "\n"
    with pytest.raises(TooLargeError, match="the game has more than 10 nodes"):
        write_game(worlds, most=10, **options)
    assert write_game(stay(), horizon=1, discount=0, most=2).splitlines()[-1] == 't "" 1 "" { 1 }'


def test_what_is_too_large_or_wrong_is_refused():
    with pytest.raises(TooLargeError, match="more than 100 nodes"):
        write_game(copy(), horizon=9, most=100)
    for wrong in ({"horizon": 0}, {"horizon": 1, "discount": 2}, {"horizon": 1, "caring": float("nan")}):
        with pytest.raises(SettingError):
            write_game(copy(), **wrong)
    with pytest.raises(TypeError):
        write_game(copy(), horizon="3")
