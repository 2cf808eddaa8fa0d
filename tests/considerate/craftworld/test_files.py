"""What is wrong in a task file is told at the door: where, what was got and expected, and the nearest name."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from considerate.craftworld import Things, parse_task
from considerate.craftworld.rules import condition_of, facts_of
from considerate.exact.paths.rationals import Rationals, as_written
from multislot.errors import SettingError
from multislot.exact.files.reading import FileError
from tests.considerate.craftworld.test_tasks import load_text

FAULTS = {
    "box": [
        ("hammer = false, box", "ammer = false, box", "'rules.work.2.needs': unknown .*'ammer'; did you mean 'hammer'"),
        (
            'sets = { hammer = "held" }',
            'sets = { hamer = "held" }',
            "'rules.work.2.sets': unknown .*'hamer'; did you mean 'hammer'",
        ),
        ('public = ["key"]', 'public = ["kye"]', "'handover.public': unknown .*'kye'; did you mean 'key'"),
        (
            "needs = { extra_wood = true }",
            "needs = { extra_wod = true }",
            "'handover.changes.2.needs': unknown .*'extra_wod'; did",
        ),
        (
            'sets = { wood = "at',
            'sets = { wod = "at',
            "'handover.changes.2.sets': unknown .*'wod'; did you mean 'wood'",
        ),
        ("needs = { extra_wood = true }", 'needs = { key = "here" }', "changes.2.needs': got 'here' outside of rules"),
        ('sets = { key = "taken away" }', 'sets = { key = "here" }', "changes.0.sets': got 'here' outside of rules"),
        ("[facts]\nkey", "[facts]\nkeey", "nothing sets or reads it.* 'keey'; did you mean 'key'"),
        (
            'needs = { key = "held" }\nsets = { key = "here" }',
            'needs = { key = "hold" }\nsets = { key = "here" }',
            "'rules.work.0.needs': unknown value of fact 'key' 'hold'; did you mean 'held'",
        ),
    ],
    "garden": [
        (
            'fact = "garden_trampled"',
            'fact = "garden_tramped"',
            "'others.0.fact': unknown .*'garden_tramped'; did you mean 'garden_trampled'",
        ),
        (
            "needs = { fence = true }",
            "needs = { fense = true }",
            "'rules.walk.2.needs': unknown .*'fense'; did you mean 'fence'",
        ),
        ('walkers = ["agent_3"]', 'walkers = ["agent_33"]', "unknown walker 'agent_33'; did you mean 'agent_3'"),
        (
            'walkers = ["agent_3"]',
            'walkers = ["agent_3", "agent_3"]',
            "'agent_3' is named more than once; name it once",
        ),
        ('follows = ["walk"]', 'follows = ["build"]', "others.1.follows': agent 'agent_3' can never finish: no way"),
        ("X.....X\nXS", "XXXXXXX\nXS", r"'agent_3' can never finish: no way on the map leads from \(1, 5\)"),
        ("ends = true", "sets = { ended = true }", "rules.walk.1.sets': got 'ended'; write  ends = true"),
        ("ends = true", "sets = { fence = 1.0 }", "build.0.sets': fact 'fence' is set to true and to 1"),
        ('public = ["fence"]', 'public = ["fence", "ended"]', "'handover.public': got 'ended'; .* leave it out"),
        ("[acting]", "[facts]\nended = true\n[acting]", "'facts.ended': got 'ended'"),
        ('by = "use"', 'by = "up"', "rules.build.0.by': got 'up', a move; leave it out"),
        (
            "closed = true",
            "closed = true\ncost = 3",
            "rules.walk.2': a rule that closes cells cannot set, cost or end anything",
        ),
        ("cost = 50", "cost = nan", "rules.build.0.cost': got nan; expected a finite number"),
        ("loss = 20", "loss = -inf", "others.0.loss': got -inf; expected a finite number"),
        ("impossible = -1000", "impossible = nan", "'impossible': got nan; expected a finite number"),
        ("impossible", "step_cost = nan\nimpossible", "'step_cost': got nan; expected a finite number"),
        ('at = "garden"', "at = [2, 2]", r"rules.walk.0.at': cell \(2, 2\) is a wall or off the map"),
        ('at = "garden"', "at = 7", "rules.walk.0.at': got 7; expected a word of the legend, a list of such"),
        ("start = [1, 5]", "start = [1, 99]", r"acting.start': cell \(1, 99\) is a wall or off the map"),
        ("start = [1, 5]", 'start = ["garden", "exit"]', "2 cells; expected one"),
    ],
    "mail-room": [
        (
            'unless = { key = "held" }',
            'unless = { keys = "held" }',
            "'rules.work.0.unless': unknown .*'keys'; did you mean 'key'",
        ),
        (
            'sets = { key = "held" }',
            'sets = { key = "helq" }',
            "'rules.work.0.unless': unknown value of fact 'key' 'held'; did you mean 'helq'",  # the first of the file
        ),
        (
            "initiation = { key = [3, 1] }",
            "initiation = { keys = [3, 1] }",
            "'others.4.initiation': unknown .*'keys'; did",
        ),
        (
            "initiation = { key = [3, 1] }",
            "initiation = { key = [3, 2] }",
            r"'others.4.initiation': unknown value of fact 'key' \(two whole numbers are a cell\) \(3, 2\)",
        ),
        (
            "initiation = { key = [3, 1] }",
            "initiation = { mail = true }",
            "others.4.initiation': nobody finds the fact 'mail'; add it to handover.public",
        ),
        ("key = [4, 6]", 'key = "here"', "'facts.key': got 'here' outside of rules; .* write a cell"),
        (
            "initiation = { key = [3, 1] }",
            'initiation = { key = ["here", [3, 1]] }',
            "'others.4.initiation': got 'here' outside of rules",
        ),
        ('sets = { key = "here" }', 'sets = { key = ["here", "held"] }', "'rules.work.2.sets': got 'here' in a list"),
        ('sets = { key = "here" }', 'sets = { key = [["here"]] }', "'rules.work.2.sets': got 'here' in a list"),
        ('needs = { key = "here" }', 'needs = { key = [["here"]] }', "'rules.work.4.needs': got 'here' in a list"),
        ("initiation = { key = [3, 1] }", "initiation = { ended = true }", "others.4.initiation': got 'ended'"),
        ("closed = true\n", "", "rules.work.0.unless': only rules with  closed = true"),
    ],
    "doll": [
        ('follows = ["play"]', 'follows = ["plya"]', "'others.0.follows': unknown .*'plya'; did you mean 'play'"),
        (
            'at = ["first place',
            'at = ["frist place',
            "'rules.put.0.at': unknown word of the legend 'frist place of the doll'; did",
        ),
    ],
    "shared-key": [
        ("wood = [6, 5]", "wood = [0, 5]", r"partner.wood': cell \(0, 5\) is a wall or off the map"),
        ("exit = [8, 8]", "exit = [8, 80]", r"partner.exit': cell \(8, 80\) is a wall or off the map"),
        ("toolshed = [8, 1]", 'toolshed = "toolshed"', r"partner.toolshed': got 'toolshed'; expected a cell \[x, y\]"),
        ('name = "agent_2"', 'name = "agent_1"', "two agents are called 'agent_1'; give each its own name"),
        ("loss = 100", "loss = nan", "partner.loss': got nan; expected a finite number"),
    ],
}
"""By task: what is replaced in its file, by what, and what is said of it."""


@pytest.mark.parametrize(("name", "change"), [(name, change) for name, changes in FAULTS.items() for change in changes])
def test_what_is_wrong_is_told_with_its_place_and_the_nearest_name(name, change):
    text, (old, new, message) = load_text(name), change
    assert old in text
    with pytest.raises(FileError, match=message):
        parse_task(text.replace(old, new, 1))


def test_a_fact_that_only_a_criterion_of_ones_own_reads_is_declared_under_facts():
    text = load_text("garden").replace("sets = { fence = true }", "sets = { fence = true, tired = true }")
    with pytest.raises(FileError, match=r"nothing reads it, and \[facts\] lacks it\) 'tired'"):
        parse_task(text)
    chosen = parse_task(text.replace("[acting]", "[facts]\ntired = false\n\n[acting]"))
    assert chosen.facts == Things()
    assert any(end.things["tired"] for end in chosen.end_states.values())
    assert parse_task(load_text("garden").replace("fence = true }", "fence = true, ended = false }", 1))  # always there


def test_numbers_are_read_as_written():
    text = load_text("shared-key").replace("loss = 100", "loss = 0.1")
    partner = parse_task(f"step_cost = 1e-7\n{text}").partner
    assert (partner.loss, partner.step_cost) == (Fraction(1, 10), Fraction(1, 10**7))
    garden = parse_task("step_cost = 0.3\n" + load_text("garden").replace("cost = 50", "cost = 1234567.891"))
    assert set(garden.graph.exact_costs.values) == {0, Fraction(3, 10), Fraction(1234567891, 1000)}
    assert as_written(3.141592653589793) == Fraction("3.141592653589793")  # near no simple fraction
    tiny = parse_task("step_cost = 1e-7\n" + load_text("garden"))
    assert tiny.value_functions()["agent_3"](garden.start) == Fraction(-6, 10**7)


@given(st.decimals(-(10**6), 10**6, allow_nan=False, places=4))
def test_a_float_is_the_decimal_that_was_written(number):
    assert as_written(float(number)) == Fraction(number)


@given(st.fractions(-9, 9, max_denominator=5000))
def test_a_computed_float_is_the_fraction_that_it_differs_from_by_rounding(one):
    assert as_written(float(one)) == one
    assert as_written(float(one) / 3) == one / 3
    assert as_written(one) is one


@given(st.integers(-128, 127), st.sampled_from([np.int8, np.int16, np.int64]))
def test_an_integer_of_numpy_becomes_one_that_does_not_overflow(number, kind):
    written = as_written(kind(number))
    assert type(written) is int
    assert written == number


@given(st.decimals(-100, 100, allow_nan=False, places=2), st.sampled_from([np.float32, np.float64]))
def test_a_float_of_numpy_is_the_decimal_that_it_prints_as(number, kind):
    assert as_written(kind(number)) == Fraction(number)


rationals = st.fractions(-9, 9, max_denominator=50)


@given(st.lists(rationals, min_size=4, max_size=4), rationals)
def test_arrays_of_rationals_are_added_and_multiplied_exactly(numbers, factor):
    one, other = Rationals.of(numbers, (2, 2)), Rationals.of(numbers[::-1], (2, 2))
    for place in ((0, 0), (0, 1), (1, 0), (1, 1)):
        index = 2 * place[0] + place[1]
        found = one.times(factor) + other
        assert found.exact(*place) == numbers[index] * factor + numbers[::-1][index]
        for scale in (1, 10**20):
            scaled = found.times(scale)
            whole = scaled.whole(4)[place]
            assert whole == scaled.exact(*place) * scaled.denominator
            assert scaled.over_denominator(whole) == scaled.exact(*place)


def test_rules_that_are_followed_again_and_again_are_limited():
    """The control: the file as it is."""
    text = load_text("box")
    assert parse_task(text)
    repeated = text.replace('follows = ["work"', "follows = [" + '"work", ' * 5000 + '"work"', 1)
    assert repeated != text
    with pytest.raises(SettingError, match=r"follows': got more than 10000 rules to follow"):
        parse_task(repeated)


def test_a_list_of_two_truth_values_is_two_values_and_a_list_of_two_numbers_a_cell():
    assert condition_of({"dark": [False, True]}).alternatives == (("dark", (None, True)),)
    assert condition_of({"place": [1, True]}).alternatives == (("place", (1, True)),)
    assert condition_of({"place": [2, 3]}).alternatives == (("place", ((2, 3),)),)
    assert facts_of({"seen": [True, False]}) == {"seen": frozenset({None, True})}
