"""Worlds in files: the golden fractions of those that come with the package, and the faults of others, by line."""

import copy as copying
import json
import pickle
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

import multislot.exact as exact
from multislot import HistoryAgent, run
from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact import KernelWorld, action_values, load_kernel, parse_kernel, world_named, world_names
from multislot.exact.files.answers import read_number
from multislot.exact.files.forms import Becomes, Outcome, Parameter, Start, State, WorldForm
from multislot.exact.files.reading import Document, FileError
from multislot.exact.files.worlds import world_text
from multislot.exact.futures import VALUES
from multislot.zoo import make

GOLDEN = json.loads(Path(__file__).with_name("golden_worlds.json").read_text())
SCHEMA = json.loads((files("multislot.exact") / "kernel.schema.json").read_text(encoding="utf-8"))
ROOM = """actions = ["stay"]
name = "room"
[start]
state = "here"
[states]
here = { pays = 1 }
"""


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda one: f"{one['world']} {one['parameters']}")
def test_built_in_worlds_give_the_fractions_that_they_gave_as_classes(golden):
    parameters = {name: read_number(text, name) for name, text in golden["parameters"].items()}
    whole = {name: int(value) if value.denominator == 1 else value for name, value in parameters.items()}
    kernel = world_named(golden["world"], **whole)
    found = {value: action_values(kernel, value, discount=Fraction(9, 10), horizon=4).values() for value in VALUES}
    assert {value: list(map(str, worths)) for value, worths in found.items()} == golden["values"]


def test_the_universal_world_in_a_file_is_that_of_footnote_3_but_for_the_order_of_slots():
    found, expected = world_named("universal"), exact.UniversalKernel(exchange=True)
    for value in set(VALUES) - {"prime-slot"}:
        ours, theirs = (action_values(one, value, discount=Fraction(9, 10), horizon=4) for one in (found, expected))
        assert list(ours.values()) == list(theirs.values()), value


@pytest.mark.parametrize("name", world_names())
def test_every_world_tells_its_story_and_runs(name):
    kernel = world_named(name)
    assert kernel.name == name
    assert kernel.form.title
    assert all(parameter.meaning for parameter in kernel.parameters.values())
    seen = {"walk": ("road",), "universal": ("0", "1")}  # the slots of these two have no end
    coding = exact.Coding(kernel.actions, seen[name]) if name in seen else exact.Coding.of(kernel)
    world = KernelWorld(kernel, coding)
    trace = run(world, {1: HistoryAgent(lambda history: world.n_actions - 1)}, 4, seed=1)
    assert trace.steps == 4
    asked = 1, kernel.start[1], kernel.actions[0]
    assert copying.deepcopy(kernel).outcomes(*asked) == kernel.outcomes(*asked)
    assert pickle.loads(pickle.dumps(kernel)).values == kernel.values


@pytest.mark.parametrize("name", world_names())
def test_every_world_fits_the_schema(name):
    jsonschema.validate(Document.parse(world_text(name)).content | {}, SCHEMA)


def test_a_start_may_be_only_a_state():
    text = (
        world_text("teleport")
        .replace('[start]\nstate = "home"', "")
        .replace("[parameters]", 'start = "home"\n\n[parameters]')
    )
    kernel = parse_kernel(text)
    assert kernel.start == world_named("teleport").start
    with pytest.raises(FileError, match=r"entry 'start\.state': unknown state 'hom'; did you mean 'home'"):
        parse_kernel(text.replace('start = "home"', 'start = "hom"'))


@pytest.mark.parametrize(("written", "allowed"), [("p", False), ("1 - p", False), ("p / 2", True)])
def test_a_range_beyond_1_is_refused_for_a_probability_when_the_file_is_read(written, allowed):
    """The control: what is computed from a parameter may have another range."""
    rest = {"p": "1 - p", "1 - p": "p", "p / 2": "1 - p / 2"}[written]
    text = (
        'name = "w"\nstart = "a"\nactions = ["go"]\n[parameters]\np = { default = 1, least = 0, most = 2 }\n'
        f'[[outcomes]]\nstate = "a"\nprobability = "{written}"\nbecomes = []\n'
        f'[[outcomes]]\nstate = "a"\nprobability = "{rest}"\nbecomes = [{{}}]\n'
    )
    if allowed:
        assert parse_kernel(text).form.probabilities == frozenset()
        return
    with pytest.raises(FileError, match=r"^line 5, entry 'parameters\.p\.most': got 2; 'p' is a probability"):
        parse_kernel(text)
    assert parse_kernel(text.replace("most = 2", "most = 1")).form.probabilities == {"p"}


def test_the_schema_knows_every_entry_and_no_other():
    forms = {
        "": WorldForm,
        "Parameter": Parameter,
        "Start": Start,
        "State": State,
        "Becomes": Becomes,
        "Outcome": Outcome,
    }
    for name, form in forms.items():
        entry = SCHEMA["$defs"][name] if name else SCHEMA
        assert set(entry["properties"]) == set(form.__dataclass_fields__)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"name": "x", "start": {"state": "a"}, "state": {}}, SCHEMA)


FEATURES = """
name = "features"
actions = ["wait", "go"]
[parameters]
n = { default = 3, least = 1, most = 5, whole = true }
p = 0.25
[[start]]
slot = 1
state = "timer"
[[start]]
slot = "10 * n"
state = "idle"
[states]
timer = { sees = "tick", pays = "slot", lasts = "n - 1", then = "flash" }
flash = { sees = "bang {n}", lasts = 0, then = "over" }
over = { pays = "n ** 2" }
idle = {}
[[outcomes]]
state = "idle"
action = "go"
probability = "p"
becomes = []
[[outcomes]]
state = "idle"
action = "go"
probability = "1 - p"
becomes = [{ each = "k = 1..n", slot = "slot + k", state = "over", pays = "k / slot", sees = "{k} of {n}" }]
[[outcomes]]
state = "over"
becomes = [{ state = "deleted" }]
"""


def test_states_count_down_and_ranges_run():
    kernel = parse_kernel(FEATURES)
    assert set(kernel.start) == {1, 30}
    state = kernel.start[1]
    seen = []
    for _ in range(3):
        ((_, arrivals),) = kernel.outcomes(1, state, "wait")
        if not arrivals:
            break
        state = arrivals[1].state
        seen.append(tuple(arrivals[1])[1:])
    assert seen == [("tick", 1), ("over", 9)]  # two steps in all, the one at the start included; "flash" lasts none
    (gone, spread) = kernel.outcomes(30, "idle", "go")
    assert gone == (Fraction(1, 4), {})
    assert spread[0] == Fraction(3, 4)
    assert {slot: tuple(found)[1:] for slot, found in spread[1].items()} == {
        30 + k: (f"{k} of 3", Fraction(k, 30 + k)) for k in (1, 2, 3)
    }
    assert kernel.outcomes(4, "over", "go") == [(1, {})]
    assert kernel.outcomes(30, "idle", "wait") == [(1, {30: ("idle", "idle", 0)})]
    assert set(kernel.at(n=1).start) == {1, 10}


def with_line(entry, text=ROOM):
    return text + entry + "\n"


ONE = "[[outcomes]]\nstate = 'here'\n"
FAULTS = [
    ("", 'name = "a"', "'start' is missing"),
    (ROOM.replace("here =", "there ="), "", "line 4, entry 'start.state': unknown state 'here'; did you"),
    (ROOM.replace("pays", "pay"), "", "line 6, entry 'states.here.pay': unknown entry 'pay'; did you mean 'pays'"),
    (ROOM.replace("pays", "reward"), "", "line 6, .*unknown entry 'reward'; did you mean 'pays'"),
    (ROOM.replace('"room"', '"my room"'), "", 'line 2, .*expected letters, digits and hyphens, such as "my-room"'),
    (ROOM, "[parameters]\np = 0.5\n" + 2 * f"{ONE}probability='p'\nbecomes=[]\n", 'expected "1 - p" in one of them'),
    (ROOM.replace('["stay"]', "['a', 'a']"), "", "line 1, .*the action 'a' is listed twice; expected each once"),
    (ROOM, "a = {pays = 1}", "line 7, entry 'states.a': no agent ever enters this state"),
    (ROOM, f"a = {{pays = 1}}\n{ONE.replace('here', 'a')}becomes=[]", "line 7, entry 'states.a': no agent ever enters"),
    (ROOM, f"{ONE}becomes=[{{state='deleted'}}]\n[[outcomes]]\nstate='her'\nbecomes=[]", "'her'; .*; known: here$"),
    (ROOM.replace('["stay"]', "[]"), "", "line 1, .*got no action; expected at least one"),
    (ROOM.replace('"room"', "3"), "", "line 2, entry 'name': got 3; expected a text in quotes"),
    (ROOM, f"{ONE}becomes=[{{state='her'}}]", "line 9, .*unknown state 'her'; did you mean 'here'"),
    (
        ROOM,
        f"{ONE}probability='1/2'\nbecomes=[]",
        r"line 9, .*sum to 1/2; expected a sum of 1: add what else can happen, such as becomes = \[\{ state = ",
    ),
    (
        ROOM,
        f"{ONE}probability=1.5\nbecomes=[]\n{ONE}probability='-1/2'\nbecomes=[]",
        "line 9, .*got '3/2', which is 3/2; .*from 0 to 1",
    ),
    ("start = 'a'", "", "'name' is missing; write name = \"…\""),
    (ROOM, f"{ONE}action='sty'\nbecomes=[]", "line 9, entry 'outcomes.0.action': .* did you mean 'stay'"),
    (ROOM, "[outcomes]\nstate = 'here'", r"line 7, .*expected \[\[outcomes\]\] with two brackets, once for each"),
    (ROOM.replace('["stay"]', "['a', 'b']"), "", "line 1, entry 'actions': no outcome names 'a' and 'b'"),
    (ROOM, f"{ONE}becomes=[{{slot=2}},{{slot='1+1'}}]", "line 9, .*slot 2 gets two copies"),
    (ROOM, f"{ONE}becomes=[{{slot=0}}]", "got '0', which is 0; expected a whole number of at least 1"),
    (ROOM, f"{ONE}becomes=[{{slot='1/2'}}]", "got '1/2', which is 1/2; expected a whole number"),
    (ROOM, f"{ONE}becomes=[{{pays='10**400'}}]", r"line 9, .*got a reward beyond 10\^200; expected a smaller one"),
    (ROOM, f"{ONE}becomes=[{{pays='rr'}}]", "line 9, .*unknown parameter 'rr'"),
    (ROOM, f"{ONE}becomes=[{{pays='f(1)'}}]", r"line 9, .*got 'f\(1\)'; expected a number, or arith"),
    (ROOM, f"{ONE}each='k in 3'\nbecomes=[]", 'expected a name and a range, such as "k = 1..n"'),
    (ROOM, f"{ONE}each='k = 1..10000000'\nbecomes=[]", "got 10000000 numbers; expected at most 10000"),
    (ROOM, f"{ONE}each='slot = 1..2'\nbecomes=[]", "got the name 'slot', which means something else"),
    (ROOM, "a = {lasts = 2}", "line 7, entry 'states.a': expected both 'lasts' and 'then', or neither"),
    (ROOM, "a = {lasts = 0, then = 'b'}\nb = {lasts = 0, then = 'a'}", r"no step lead to each other: \['a', 'b'\]"),
    (ROOM, "a = {lasts = 1.5, then = 'a'}", "got '3/2', which is 3/2; expected a whole number"),
    (ROOM, "deleted = {}", "nobody is in the state 'deleted'"),
    (ROOM, "[parameters]\nslot = 1", "line 8, entry 'parameters.slot': got the parameter 'slot'; expected a word"),
    (ROOM, '[parameters]\n"é" = 1', "line 8, .* got the parameter 'é'; expected a word of ASCII letters and digits"),
    (ROOM, "[parameters]\nlambda = 1", "got the parameter 'lambda'; expected a word .* and Python's keywords"),
    (ROOM, "[parameters]\nr = {default = 3, most = 2}", "line 8, entry 'parameters.r': got r=3; .* at most 2"),
    (ROOM, "[parameters]\np = 1e-400", "line 8: got 1e-400; expected 0, or a number"),
    (
        "after = [['stay', 'x'], ['stay']]\n" + ROOM,
        "",
        r"line 1, entry 'after.1': got \['stay'\]; expected an action and",
    ),
    ("after = [['sty', 'x']]\n" + ROOM, "", "line 1, entry 'after.0': unknown action 'sty'; did you mean 'stay'"),
    (
        ROOM,
        f"{ONE}becomes=[]\nafter=['x']",
        r"line 10, entry 'outcomes.0.after': .* table 'outcomes'; move 'after' above the first \[table\]",
    ),
    (ROOM, "after = ['x']", "line 7, entry 'states.after': .* in the table 'states'; move 'after'"),
    (ROOM, "[parameters]\nafter = ['x']", "line 8, .* in the table 'parameters'; move 'after'"),
    (ROOM, "[parameters]\np = 1e999", "expected a finite number"),
    (ROOM, '[parameters]\np = "1/0"', "line 8, entry 'parameters.p.default': got '1/0'; expected a number"),
    (ROOM, '[parameters]\np = "q / 2"', 'expected a number such as 3, or "1/3" in quotes'),
    (ROOM, "[parameters]\np = " + "9" * 5000, "not TOML: Exceeds the limit"),
    (ROOM, "[parameters]\np = " + "[" * 3000, "not TOML"),
    ("horizon = 10000000\n" + ROOM, "", "line 1, entry 'horizon': got 10000000; expected 1 to 1000 steps"),
    ("discount = 2\n" + ROOM, "", "line 1, entry 'discount': got 2.0; expected a number from 0 to 1"),
    ("discount = '-1/2'\n" + ROOM, "", "line 1, entry 'discount': got -0.5; expected a number from 0 to 1"),
    (ROOM, "x" * 1_000_001, "at most 1000000 characters, not 1000"),
]


@pytest.mark.parametrize(("text", "more", "sentence"), FAULTS, ids=range(len(FAULTS)))
def test_a_fault_is_one_sentence_with_its_line(text, more, sentence):
    with pytest.raises(MultislotError, match=sentence) as caught:
        parse_kernel(with_line(more, text))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("gone", ["gone", "deleted"])
@pytest.mark.parametrize("entries", ["{{state='here'}},{{state='{}'}}", "{{state='{}'}},{{state='here'}}"])
def test_a_copy_that_does_not_arrive_takes_no_slot(entries, gone):
    state = "gone = {lasts = 0, then = 'deleted'}\n" if gone == "gone" else ""
    kernel = parse_kernel(with_line(f"{state}{ONE}becomes=[{entries.format(gone)}]"))
    assert kernel.outcomes(1, "here", "stay") == [(1, {1: ("here", "here", 1)})]


def test_a_file_that_is_too_large_is_not_even_read(tmp_path):
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * 10_000_000)
    with pytest.raises(SettingError, match="expected at most 1000000 bytes, not 10000000"):
        load_kernel(path)


def test_parameters_are_checked():
    kernel = world_named("copy-delete")
    with pytest.raises(UnknownNameError, match="unknown parameter of copy-delete 'r_3'; did you mean 'r_"):
        kernel.at(r_3=1)
    with pytest.raises(SettingError, match="got d=0; expected a whole number, at least 1"):
        kernel.at(d=0)
    with pytest.raises(SettingError, match="got r_2='a'; expected a finite number"):
        kernel.at(r_2="a")
    for world in (exact.stay, exact.teleport, exact.copy, exact.copy_delete):
        with pytest.raises(UnknownNameError, match=rf"^{world.__name__}\(\) got .* 'r_z'; did you mean 'r_s'"):
            world(r_z=1)


def test_a_parameter_may_be_called_self():
    kernel = parse_kernel(ROOM + "[parameters]\nself = 1")
    assert kernel.at(self=5).values == {"self": 5}


def test_pettingzoo_runs_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(world_text("copy"), encoding="utf-8")
    environment = make("parallel", "multislot/file-v1", path=str(path), r_2=7)
    environment.reset(seed=0)
    _, rewards, *_ = environment.step({"copy_0": 1})
    assert rewards == {"copy_0": 1.0, "copy_1": 7.0}


def test_a_state_or_action_that_is_not_in_the_file_is_refused():
    with pytest.raises(UnknownNameError, match="unknown state of copy 'started'"):
        exact.copy().outcomes(1, "started", "copy")
    with pytest.raises(UnknownNameError, match="unknown action of copy 'cpy'; did you mean 'copy'"):
        exact.copy().outcomes(1, "home", "cpy")
    with pytest.raises(UnknownNameError, match="unknown action 'cpy'; did you mean 'copy'"):
        exact.slot_weights(exact.copy(), [("cpy", "room 1")])
