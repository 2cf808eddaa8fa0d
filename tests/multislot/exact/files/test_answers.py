"""Questions in JSON and their answers: those of the engine, and a sentence for whatever is wrong."""

import json
import re
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multislot.errors import SettingError, TooLargeError
from multislot.exact import (
    action_values,
    best_memoryless,
    plan_for_copies,
    world_named,
    world_names,
    worth_for_copies,
)
from multislot.exact.files import answers
from multislot.exact.files.answers import MOST_PLACES, Asked, answer, read_number
from multislot.exact.files.forgetful import COIN, Forgetful, _worth, show_number
from multislot.exact.files.worlds import parse_kernel, world_text
from multislot.exact.futures import VALUES

numbers = st.fractions(0, 6, max_denominator=7)


@st.composite
def requests(draw):
    world = draw(st.sampled_from([name for name in world_names() if world_named(name).form.memory]))
    parameters = {
        name: draw(st.integers(1, 4)) if one.whole and name != "told" else draw(numbers)
        for name, one in world_named(world).parameters.items()
        if name != "told" and draw(st.booleans())
    }
    for name, value in parameters.items():
        one = world_named(world).parameters[name]
        least, most = (value if limit is None else limit for limit in (one.least, one.most))
        parameters[name] = min(max(value, least), most)
    return world, parameters, draw(st.fractions(0, 1, max_denominator=5)), draw(st.integers(1, 4))


@given(requests())
def test_values_are_those_of_the_engine(asked):
    world, parameters, discount, horizon = asked
    written = {name: str(value) for name, value in parameters.items()}
    request = {"world": world, "parameters": written, "discount": str(discount), "horizon": horizon, "caring": ["1/2"]}
    reply = json.loads(json.dumps(answer(json.loads(json.dumps(request)))))
    kernel = world_named(world, **parameters)
    assert list(reply["values"]) == [*VALUES, "caring=1/2"]
    for name in VALUES:
        found = action_values(kernel, name, discount=discount, horizon=horizon, history=kernel.after)
        assert reply["values"][name]["actions"] == {action: str(worth) for action, worth in found.items()}
        assert reply["values"][name]["best"] == found.best
    plan = plan_for_copies(kernel, caring=Fraction(1, 2), discount=discount, horizon=horizon + len(kernel.after))
    cared = {action: Fraction(worth) for action, worth in reply["values"]["caring=1/2"]["actions"].items()}
    assert max(cared.values()) == plan.value
    assert kernel.after or cared == dict(plan.action_values)


@given(*[st.fractions(0, 5, max_denominator=3)] * 3)
@settings(max_examples=10, deadline=None)
def test_without_memory_the_plan_is_the_best_policy_of_the_engine(first, second, past):
    pays = {"first": first, "second": second, "past": past}
    reply = answer({"world": "absent-minded-driver", "parameters": {name: str(pay) for name, pay in pays.items()}})
    best = best_memoryless(world_named("absent-minded-driver", **pays), horizon=3)
    assert reply["plan"]["worth"] == str(best.value)
    assert set(reply["plan"]["chances"]) == best.decisive
    for seen, chances in best.policy.items():
        if seen not in best.decisive:
            continue
        assert reply["plan"]["chances"][seen] == {action: str(chance) for action, chance in chances.items()}
    assert reply["verdict"]["sentence"].count(str(best.value)) > 0


def test_a_file_says_what_it_is_and_what_may_be_set():
    reply = answer({"file": world_text("branch-line"), "parameters": {"left": 2}, "values": ["cpy"]})
    world = reply["world"]
    assert (world["name"], world["question"], world["actions"]) == (
        "branch-line",
        "Do you step in?",
        ["stay", "step in"],
    )
    assert world["parameters"]["left"] == {
        **{"value": "2", "default": "1", "least": "0", "most": "8", "whole": True},
        "meaning": "steps for which the original still lives",
    }
    assert (world["discount"], world["horizon"]) == ("9/10", 5)


def test_lineages_show_the_deletion():
    request = {"world": "copy-delete", "parameters": {"d": 4}, "horizon": 6, "lineage": {"first": "copy"}, "values": []}
    stages = answer(request)["lineage"]
    assert [stage["deleted"] for stage in stages] == [[], [], [], [], [], [1], []]
    assert [[agent["slot"] for agent in stage["agents"]] for stage in stages] == [[1], *[[1, 2]] * 4, [2], [2]]
    assert [agent["from"] for agent in stages[1]["agents"]] == [1, 1]


@pytest.mark.parametrize(("away", "alone"), [("3", 2), ("0", 1)])
def test_a_lineage_can_show_an_action_that_copies_where_the_best_one_copies_nobody(away, alone):
    asked = {"world": "branch-line", "parameters": {"away": away}, "values": []}
    for lineage, agents in (({}, alone), ({"copying": True}, 2), ({"copying": True, "first": "stay"}, 1)):
        assert len(answer(asked | {"lineage": lineage})["lineage"][1]["agents"]) == agents


def test_the_parts_of_a_reply_have_one_order_in_every_process():
    parts = {"map": {"x": "r_1", "y": "r_2", "values": ["cpy"]}, "lineage": {}, "tree": {"depth": 1}}
    assert list(answer({"world": "copy", **parts})) == ["world", "values", "verdict", "tree", "lineage", "map"]


def test_trees_are_those_of_a_value():
    reply = answer({"world": "blind-fork", "horizon": 3, "tree": {"value": "dyn", "depth": 2}, "values": []})["tree"]
    assert (reply["best"], reply["slots"]) == ("stay", {"1": "1"})
    forked = next(one["tree"] for one in reply["after"] if one["observation"] == "two doors")
    assert (forked["best"], forked["slots"]) == ("accept", {"1": "1/2", "2": "1/2"})


@pytest.mark.parametrize(
    ("name", "least", "most", "numbers"),
    [("horizon", 1, 4, "1 2 3 4"), ("b", "1/2", "7/2", "1 2 3"), ("b", 0, 40, " ".join(map(str, range(0, 41, 2))))],
)
def test_an_axis_of_whole_numbers_has_whole_numbers(name, least, most, numbers):
    """The control: whoever asks for a number of points is told that they are not whole."""
    axis, other = {"name": name, "least": least, "most": most}, {"y": "discount", "values": ["cpy"]}
    assert answer({"world": "copy", "map": {"x": axis} | other})["map"]["x"]["values"] == numbers.split()
    for points in ({"x": axis | {"points": 8}}, {"x": axis, "points": 8}):
        assert (
            "expected a whole number, at least" in answer({"world": "copy", "map": other | points})["error"]["message"]
        )


BAD = [
    (3, "got request=3; expected a table"),
    ({}, "expected either 'world' or 'file'"),
    ({"world": "copy", "file": ""}, "expected either 'world' or 'file'"),
    ({"world": "copi"}, "unknown world 'copi'; did you mean 'copy'"),
    ({"world": "copy", "wolrd": 1}, "unknown key of request 'wolrd'; did you mean 'world'"),
    ({"world": "copy", "parameters": {"r_9": 1}}, "unknown key of parameters 'r_9'"),
    ({"world": "copy", "parameters": {"r_2": "1e-400"}}, "got r_2='1e-400'; expected a number such as 3"),
    ({"world": "copy", "parameters": {"r_2": "1/0"}}, "got r_2='1/0'"),
    ({"world": "copy", "parameters": {"r_2": True}}, "got r_2=True"),
    ({"world": "copy", "parameters": {"b": "1/2"}}, "got b=1/2; expected a whole number"),
    ({"world": "copy", "parameters": {"r_2": "−1"}}, "got r_2='−1'.*write the hyphen of the keyboard, as in -1"),
    ({"world": "copy", "discount": "2"}, "expected a finite number, at least 0 and at most 1"),
    ({"world": "copy", "horizon": 10**9}, "got horizon=1000000000; expected"),
    ({"world": "copy", "horizon": 5000}, "expected a whole number, at least 1 and at most 1000"),
    ({"world": "copy", "values": "cpy"}, "got values='cpy'; expected a list"),
    ({"world": "copy", "values": ["cpi"]}, "unknown value 'cpi'"),
    ({"world": "copy", "history": ["x"]}, "history\\[0\\]='x'; expected a pair \\(action, observation\\)"),
    ({"world": "sleeping-beauty", "history": [["buy", "x"]], "caring": ["1"]}, "never asked: step 1 .* only “awake”"),
    ({"world": "copy", "tree": {"depth": -1}}, "got depth=-1"),
    ({"world": "copy", "lineage": {"first": "jump"}}, "unknown action 'jump'"),
    ({"world": "copy", "map": {"x": "r_2"}}, "expected two axes"),
    (
        {"world": "copy", "map": {"x": {"name": "r_2", "least": 0, "most": 1, "points": 10**6}, "y": "discount"}},
        "points",
    ),
    ({"file": "name = 'a'\nname = 'b'"}, "not TOML"),
    ({"file": 3}, "got text=3"),
]


@pytest.mark.parametrize(("request_", "sentence"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_one_sentence(request_, sentence):
    reply = answer(request_)
    assert set(reply) >= {"error"} or any("error" in one for one in reply["values"].values())
    message = reply["error"]["message"] if "error" in reply else next(iter(reply["values"].values()))["error"]
    assert "\n" not in message
    assert re.search(sentence, message), message


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
keys = st.text() | st.sampled_from(["world", "file", "map", "tree", "values"])
anything = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(keys, inner))


@given(anything)
def test_no_request_raises(request_):
    assert "error" in answer(request_)


@pytest.mark.parametrize(
    ("given_", "number"), [("9/10", Fraction(9, 10)), (0.1, Fraction(1, 10)), (3, 3), (" -1.5 ", Fraction(-3, 2))]
)
def test_numbers_of_a_request_are_exact(given_, number):
    assert read_number(given_, "x") == number


GROWING = """\
name = "growing"
actions = ["wait", "split"]
start = { state = "a" }
states = { a = { pays = 1 } }
[[outcomes]]
state = "a"
action = "split"
becomes = [{ slot = "2 * slot", state = "a" }, { slot = "2 * slot + 1", state = "a" }]
"""


@pytest.mark.parametrize("horizon", [None, 12, 1000])
def test_a_world_that_grows_is_refused_in_one_sentence_before_it_is_large(horizon):
    asked = {"horizon": horizon, "caring": ["1"], "map": {"x": "discount", "y": "caring"}, "lineage": {}}
    for world in ({"file": GROWING}, {"world": "universal"}):
        found = answer(world | asked)
        assert found.keys() == {"error"}
        assert f"more than {MOST_PLACES} slots and hidden states" in found["error"]["message"]
        assert "give a smaller horizon" in found["error"]["message"]
    assert "error" not in answer({"file": GROWING, "horizon": 3, "values": ["cpy"]})["values"]["cpy"]


def test_a_world_may_have_exactly_as_many_places_and_copies_as_are_allowed(monkeypatch):
    request = {"world": "copy-delete", "horizon": 9}
    kernel = answers.Asked(request).kernel
    places, copies = list(kernel.start.items()), 0
    for slot, state in places:  # grows
        for _, arrivals in (outcome for action in kernel.actions for outcome in kernel.outcomes(slot, state, action)):
            copies += len(arrivals)
            reached = [(target, arrival.state) for target, arrival in arrivals.items()]
            places += [place for place in reached if place not in places]
    limits = {"MOST_COPIES": copies, "MOST_PLACES": len(places)}
    for name, most in limits.items():
        monkeypatch.setattr(answers, name, most)
        assert answers.Asked(request).kernel.name == "copy-delete"
        monkeypatch.setattr(answers, name, most - 1)
        with pytest.raises(TooLargeError, match=r"can be reached within \d+ steps; give a smaller horizon"):
            answers.Asked(request)
        monkeypatch.setattr(answers, name, most)


CHANCES = {"x": ("3/10", "7/20", "7/20", "0"), "y": ("1/7", "0", "2/7", "4/7")}
DRIFTING = 'name = "drift"\nactions = ["a", "b"]\nstart = { state = "x" }\n' + "".join(
    f'[[outcomes]]\nstate = "{state}"\nprobability = "{chance}"\n'
    f'becomes = [{{ state = "{"xy"[place // 2]}", sees = "{place % 2}" }}]\n'
    for state, chances in CHANCES.items()
    for place, chance in enumerate(chances)
)
"""Two hidden states, in which no two histories give the same belief."""


def test_a_world_whose_beliefs_grow_is_refused_value_by_value_with_less_and_less_work(monkeypatch):
    monkeypatch.setattr(answers, "MOST_WORK", 400)
    monkeypatch.setattr(answers, "LITTLE_WORK", 100)
    asked = {"file": DRIFTING, "horizon": 30}
    found = answer({**asked, "values": ["prime-slot", "cpy", "dyn"], "lineage": {"value": "cpy"}})
    assert "error" not in found["values"]["prime-slot"]  # it only looks at slots that nobody reaches
    assert "expected at most=400" in found["values"]["cpy"]["error"]
    assert "expected at most=100" in found["values"]["dyn"]["error"]
    assert 100 < sum(map(int, re.findall(r"(\d+) (?:answers|open)", found["values"]["dyn"]["error"]))) < 120
    assert "expected at most=100" in found["lineage"]["error"]
    assert "expected at most=400" in answer({**asked, "values": ["cpy", "dyn"]})["error"]["message"]
    axes = {"x": "discount", "y": "horizon", "values": ["cpy"]}
    assert "expected at most=400" in answer({**asked, "values": [], "map": axes})["map"]["error"]


@given(st.fractions(0, 1, max_denominator=9), st.integers(1, 5), st.fractions(0, 1, max_denominator=5))
@settings(max_examples=10)
def test_a_file_says_after_what_it_asks_and_beauty_pays_what_her_copies_are_to_each_other(price, many, caring):
    parameters = {"price": str(price), "many": many}
    found = answer({"world": "sleeping-beauty", "parameters": parameters, "caring": [str(caring)]})
    assert found["world"]["after"] == [["refuse", "awake"]]
    extra = caring * (many - 1)
    worth = ((1 + extra) * (1 - price) - price) / 2
    assert found["values"][f"caring={caring}"]["actions"] == {"refuse": "0", "buy": str(worth)}
    at_first = answer({"world": "sleeping-beauty", "parameters": parameters, "history": [], "horizon": 2})
    assert all(one["tied"] for one in at_first["values"].values())  # nothing is for sale before the coin is tossed


@given(st.fractions(0, 1, max_denominator=9), st.sampled_from(["0", "1/2", "1"]), st.sampled_from(["refuse", "buy"]))
@settings(max_examples=10, deadline=None)
def test_an_action_after_a_history_is_worth_the_best_plan_that_takes_it(price, caring, before):
    """All plans of a beauty that is told which copy she is, also where the best one never comes to the question."""
    asked = {"parameters": {"price": str(price), "told": 1}, "caring": [caring], "history": [[before, "awake"]]}
    found = answer({"world": "sleeping-beauty", "horizon": 2, "values": [], **asked})["values"][f"caring={caring}"]
    kernel = world_named("sleeping-beauty", price=price, told=1)
    for action in kernel.actions:
        worths = []
        for told in product(kernel.actions, repeat=2):
            plan = {(): before, ((before, "awake"),): action}
            plan |= {((before, "awake"), (action, f"copy {k}")): then for k, then in zip((1, 2), told, strict=True)}
            worths.append(worth_for_copies(kernel, plan.get, caring=Fraction(caring), discount=1, horizon=3))
        assert Fraction(found["actions"][action]) == max(worths)


def test_what_was_seen_is_enough_where_all_actions_do_the_same():
    text = world_text("sleeping-beauty")
    pair = answer({"file": text.replace('["awake"]', '[["refuse", "awake"]]')})
    assert answer({"file": text})["values"] == pair["values"]
    assert answer({"file": text})["world"]["asked"] == "Asked after seeing “awake”."
    assert pair["world"]["asked"] == "Asked after choosing “refuse” and seeing “awake”."
    late = world_text("branch-line").replace('actions = ["stay"', 'after = ["safe"]\nactions = ["stay"')
    assert (
        'actions differ in state \'home\'; write both, as in ["stay", "safe"]'
        in answer({"file": late})["error"]["message"]
    )


def test_chance_is_said_to_count_twice_only_where_it_does():
    """The controls: without chance, and where chance decides how a copy is paid but not whether it exists."""
    file = world_text("fission")
    twice = answer({"file": file})["verdict"]
    assert any("“stay” 4.095, “divide” 6.143" in note for note in twice["notes"])
    assert "(and chance twice)" in twice["sentence"]
    paid = 'name = "paid"\nactions = ["stay", "go"]\nstart = { state = "a" }\nstates = { a = {}, b = { pays = 1 } }\n'
    paid += "".join(
        f'[[outcomes]]\nstate = "a"\naction = "go"\nprobability = "1/2"\nbecomes = [{{ slot = 2, state = "{name}" }}]\n'
        for name in "ab"
    )
    for once in ({"file": file, "parameters": {"left": 1, "right": 1}}, {"file": paid}):
        verdict = answer(once)["verdict"]
        assert "hance twice" not in verdict["sentence"] + "".join(verdict["notes"])


def test_a_lineage_shows_what_else_could_have_happened_and_names_actions_only_where_they_matter():
    _, first, *later = answer({"world": "fission", "lineage": {"first": "divide"}})["lineage"]
    chances = [Fraction(stage["chance"]) for stage in (first, *first["otherwise"])]
    assert sum(chances) == 1
    assert max(chances) == chances[0]
    assert {agent["action"] for agent in first["agents"]} == {"divide"}
    assert {agent["action"] for stage in later for agent in stage["agents"]} == {None}


def test_the_lineage_of_a_plan_that_tosses_a_coin_shows_the_chances_of_the_coin():
    """The control: before the junctions every action does the same, and no coin counts."""
    _, before, *junctions = answer({"world": "absent-minded-driver", "lineage": {}})["lineage"]
    assert (before["chance"], before["otherwise"]) == ("1", [])
    shown = [
        (case["chance"], case["agents"][0]["action"]) for stage in junctions for case in (stage, *stage["otherwise"])
    ]
    assert shown == [("2/3", "drive on"), ("1/3", "exit")] * 2


def test_whether_the_plan_of_agents_that_forget_copies_is_asked_of_that_plan():
    """The control: with a memory the copy-centered agent copies nobody, so the lineage begins with the other action."""
    text = 'name = "sum"\nactions = ["wait", "copy"]\nmemory = false\nhorizon = 1\nstart = { state = "home" }\n'
    for action, copies in (("wait", "{ pays = 3 }"), ("copy", "{ pays = 2 }, { slot = 2, pays = 2 }")):
        text += f'[[outcomes]]\nstate = "home"\naction = "{action}"\nbecomes = [{copies}]\n'
    assert Asked({"file": text}).copying_action("cpy") is None
    assert len(answer({"file": text, "lineage": {}})["lineage"][1]["agents"]) == 2
    assert Asked({"file": text.replace("false", "true")}).copying_action("cpy") == "copy"


def test_notes_say_who_is_in_which_slot_that_the_choice_comes_again_and_what_changes_nothing():
    """The control: at the last step no choice comes again, and in another world all actions have outcomes."""
    slots = "In this story slot 2 is “safe”."
    verdict = answer({"file": world_text("branch-line").replace("doomed", "Paris")})["verdict"]
    assert "whoever counts only slot 1 (“home” or “Paris”) or only" in verdict["sentence"]
    assert verdict["groups"]["chooses “stay”"][0] == "only slot 1 (“home” or “Paris”)"
    again = "The choice comes again in each later step that begins in “home”."
    again += " So “stay” stands for: stay now, then always do what is best by that value."
    idle = "No outcome has the action “stay”, so this action changes nothing."
    assert answer({"world": "branch-line"})["verdict"]["notes"] == [slots, again, idle]
    agreed = answer({"world": "branch-line", "horizon": 1, "parameters": {"away": 0}})["verdict"]["notes"]
    assert agreed == ["In this story slot 1 is “home” or “doomed”, slot 2 is “safe”.", idle]
    assert "No outcome" not in str(answer({"world": "crowd"})["verdict"]["notes"])
    assert answer({"world": "sleeping-beauty"})["verdict"]["notes"] == []  # slot 1 is one of four states
    assert answer({"world": "universal", "horizon": 3})["verdict"]["notes"] == [
        again.replace("home", "life").replace("stay", "0")
    ]


def test_two_agents_in_one_slot_are_an_error_of_the_line_that_leads_there():
    """The control: where the copy leaves room, the same file is solved."""
    text = 'name = "jail"\nactions = ["wait", "open"]\nstart = [{ state = "guard" }, { slot = 2, state = "caught" }]\n'
    text += '[states]\ncaught = {}\nfree = { pays = 5 }\n[[outcomes]]\nstate = "guard"\naction = "open"\n'
    text += 'becomes = [{ state = "guard" }, { slot = 2, state = "free" }]\n'
    error = answer({"file": text})["error"]
    assert (error["line"], error["entry"]) == (10, "outcomes.0.becomes")
    assert "at step 1 the agents in 'guard' (slot 1, action 'open') and 'caught' (slot 2" in error["message"]
    assert "both come into slot 2. What one agent does changes only itself, so list here" in error["message"]
    assert "values" in answer(
        {"file": text.replace('slot = 2, state = "free"', 'slot = 3, state = "free"'), "horizon": 1}
    )
    pair = (
        'name = "pair"\nactions = ["stay", "swap"]\nhorizon = 2\nstart = [{ state = "a" }, { slot = 2, state = "a" }]\n'
    )
    pair += '[[outcomes]]\nstate = "a"\naction = "swap"\nbecomes = [{ slot = "3 - slot", pays = 1 }]\n'
    assert "values" in answer({"file": pair})
    assert "both come into slot" in answer({"file": "memory = false\n" + pair})["error"]["message"]


def test_an_observation_that_nobody_has_is_named_in_the_words_of_the_file():
    text = world_text("sleeping-beauty").replace('after = ["awake"]', 'after = ["awaken"]')
    error = answer({"file": text})["error"]
    assert error["entry"] == "after.0"
    assert text.splitlines()[error["line"] - 1].startswith("after = ")
    assert "unknown observation at this step 'awaken'; did you mean 'awake'?; known: awake" in error["message"]


def test_the_lineage_comes_to_the_question_and_then_takes_the_action_that_is_asked_for():
    asked = {"world": "sleeping-beauty", "parameters": {"tails": 1, "many": 3, "price": "3/4"}, "values": []}
    for lineage, paid in (({"first": "refuse"}, "0"), ({"first": "buy"}, "1/4"), ({"value": "cpy"}, "1/4")):
        stages = answer({**asked, "lineage": lineage})["lineage"]
        assert [len(stage["agents"]) for stage in stages] == [1, 3, 3]
        assert {agent["reward"] for agent in stages[-1]["agents"]} == {paid}
    drawn = answer(
        {"world": "sleeping-beauty", "values": [], "map": {"x": "price", "y": "caring", "values": ["caring"]}}
    )
    turns = answer({"world": "sleeping-beauty", "values": [], "history": [], "map": {"x": "price", "y": "discount"}})
    assert {action for line in drawn["map"]["values"]["caring"]["best"] for action in line} == {"refuse", "buy"}
    assert {action for line in turns["map"]["values"]["cpy"]["best"] for action in line} == {"refuse"}


def test_a_driver_who_forgets_decides_by_what_is_seen():
    """Behind both junctions lies a town that looks different; exiting there pays what driving past both paid."""
    text = world_text("absent-minded-driver").replace('{ state = "home", pays = "past" }', '{ state = "town" }')
    text = text.replace("home = { lasts", 'town = { sees = "a town" }\nhome = { lasts')
    for action, pays in (("exit", "past"), ("drive on", "0")):
        becomes = f'[{{ state = "home", pays = "{pays}" }}]'
        text += f'\n[[outcomes]]\nstate = "town"\naction = "{action}"\nbecomes = {becomes}\n'

    def driver(seen, **parameters):
        return Forgetful(parse_kernel(text).at(**parameters), Fraction(1), 4, seen)

    coin, town = driver(None), driver("a town")
    assert (coin.asked, coin.decision, town.decision) == ("a junction", COIN, "exit")
    third = Fraction(1, 3)
    assert coin.chances_after("a junction") == {"exit": third, "drive on": 2 * third}
    assert [coin.chances_after(seen) for seen in ("a town", "a bar")] == [{"exit": 1}] * 2
    worths, chosen = {"exit": "4/3", "drive on": "1"}, "exit 1/3, drive on 2/3"
    assert town.values() == {"forgetful": {"best": "exit", "optimal": ["exit"], "tied": False, "actions": worths}}
    worths = {"exit": "0", "drive on": "1"}
    assert coin.values() == {"forgetful": {"best": chosen, "optimal": [chosen], "tied": False, "actions": worths}}
    assert coin.sentence() == (
        "An agent that forgets does best like this: if it sees “a junction”, “exit” with probability 1/3 or “drive on” "
        "with probability 2/3; if it sees “a town”, always “exit”. This is worth 4/3. Without a coin the best is "
        "“drive on” if it sees “a junction”, “exit” if it sees “a town”: worth 1."
    )
    said = driver(None, first=5).sentence()
    assert said.endswith(" “a junction”, always “exit”; if it sees “a town”, always “exit”. This is worth 5.")
    tied = driver("a junction", first=1, second=0).values()["forgetful"]
    assert (tied["best"], tied["optimal"], tied["tied"]) == ("exit", ["exit", "drive on"], True)
    asked = {"file": text, "horizon": 4, "map": {"x": "first", "y": "second"}}
    maps = [answer({**asked, "history": past})["map"] for past in ([], [["drive on", "a junction"]])]
    assert maps[0]["values"] == maps[1]["values"]
    with pytest.raises(SettingError, match="no action matters when an agent sees that"):
        driver("a bar").asked  # noqa: B018


def test_numbers_are_shown_as_fractions_or_with_nine_digits():
    shown = ["1/1000000000", "9.99999999e-10", "0.333333333"]
    assert [show_number(Fraction(*parts)) for parts in ((1, 10**9), (1, 10**9 + 1), (10**9, 3 * 10**9 + 1))] == shown
    for low, high, said in ((1.23456789, 1.23456789, "1.23456789"), (1.23456789, 1.5, "1.2346 to 1.5")):
        assert _worth(SimpleNamespace(best_value=None, lower=low, upper=high)) == said
