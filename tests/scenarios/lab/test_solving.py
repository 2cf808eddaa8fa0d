"""The command ``multislot solve``: decisions in the world of a file, as a table, as JSON and as a map."""

import json
import re
import time
from fractions import Fraction
from functools import partial

import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

from multislot.errors import MultislotError, SettingError
from multislot.exact import action_values, copy_delete, world_named
from multislot.exact.files.verdicts import COUNTS, plain_name
from multislot.exact.files.worlds import world_names, world_text
from multislot.exact.games import write_game
from scenarios.lab import registry, solving
from scenarios.lab.cli import app
from tests.scenarios.conftest import output_of

solve = partial(output_of, "solve")


@pytest.fixture
def branch_line(tmp_path):
    path = tmp_path / "branch-line.toml"
    path.write_text(world_text("branch-line"), encoding="utf-8")
    return path


def test_tables_show_decisions_tree_lineage_and_moral():
    told = solve("copy-delete", "--set", "d=4", "--set", "r_2=7/2", "--horizon", 6, "--first", "copy", "--value", "dyn")
    worth = action_values(copy_delete(d=4, r_2=Fraction(7, 2)), "cpy", discount=Fraction(9, 10), horizon=6)["copy"]
    for words in (
        f"≈ {float(worth):.4g}",
        "decisions by “only their own slot (dyn)”, 2 steps ahead",
        "step 5      slot 1 is deleted",
        "step 6      nobody moves",
        "counts the survivor's rewards only half",
    ):
        assert words in told


def test_the_tree_is_printed_only_if_it_is_asked_for():
    tree = "steps ahead"
    assert tree not in solve("branch-line")
    assert tree in solve("branch-line", "--value", "cpy")
    assert tree in solve("branch-line", "--all")


@pytest.mark.parametrize("shown", ["", "--map r_2=0..4:3 r_s --value caring", "--save own.png"])
def test_suggested_commands_keep_the_settings_and_work(tmp_path, monkeypatch, shown):
    monkeypatch.chdir(tmp_path)
    given = "--set r_b=3 --set d=4 --discount 1/2 --horizon 6 --caring 1/3"

    def suggested(command):
        result = CliRunner().invoke(app, command.split())
        assert (result.exit_code, "Try next:" in result.stderr) == (0, True)
        return re.findall(r"  multislot (solve .*?)(?:   \(|$)", result.stderr.partition("Try next:")[2], re.MULTILINE)

    commands = [each for each in suggested(f"solve copy-delete {given} {shown}") if not each.endswith(".html")]
    assert len(commands) == (1 if shown else 2)
    assert shown in commands[0] or "--save" in shown
    for command in commands:
        assert [word for word in given.split() if word not in command] in ([], ["r_b=3"], ["d=4"])
        assert len(set(re.findall(r"--set (\w+)", command))) == command.count("--set")
        assert suggested(command)


def test_a_suggested_number_is_one_that_the_world_can_have(tmp_path):
    """The file does not say that `copies` is whole, but nobody is copied 1.2 times."""
    path = tmp_path / "crowd.toml"
    text = 'name = "w"\nactions = ["stay", "copy"]\nparameters = { copies = 3, pay = "1/2" }\nstart = { state = "a" }\n'
    text += 'states = { a = { pays = "pay" }, b = { pays = 1 } }\n[[outcomes]]\nstate = "a"\naction = "copy"\n'
    path.write_text(text + 'becomes = [{ slot = "slot + k", each = "k = 0..copies", state = "b" }]\n')
    told = CliRunner().invoke(app, ["solve", str(path)])
    (numbers,) = re.findall(r"--set (\S+)", told.stderr)
    assert CliRunner().invoke(app, ["solve", str(path), "--set", numbers]).exit_code == 0


@pytest.mark.parametrize("arguments", [["--all"], ["--map", "left", "away"]])
def test_brackets_in_texts_are_printed_as_they_stand(branch_line, arguments):
    text = re.sub('(?m)^(title|question|moral) = "', r'\1 = "\1 [/x][bold]', world_text("branch-line"))
    text = text.replace('"step in"', '"step [/x][bold]"')
    branch_line.write_text(text)
    shown = solve(branch_line, *arguments)
    assert all(f"{name} [/x][bold]" in shown for name in ("title", "question", "moral", "“step"))
    assert "[/x][bold]" in shown.partition("━")[2]


def test_what_no_value_can_decide_is_said_once(tmp_path):
    path = tmp_path / "twice.toml"
    text = 'name = "w"\nactions = ["stay", "copy"]\nstates = { b = {} }\nstart = { state = "a" }\n'
    text += '[[outcomes]]\nstate = "a"\n'
    path.write_text(text + 'action = "copy"\nbecomes = [{ state = "a" }, { slot = 2, state = "b" }]\n')
    done = CliRunner().invoke(app, ["solve", str(path)])
    assert isinstance(done.exception, MultislotError)
    assert str(done.exception).count("both come into slot 2") == 1
    assert str(done.exception).startswith(f"{path}: line 8, entry 'outcomes.0.becomes': at step 2")
    assert done.output == ""


def test_a_game_is_saved(tmp_path):
    path = tmp_path / "copy.efg"
    assert f"wrote {path}" in " ".join(solve("copy", "--horizon", "2", "--caring", "1/2", "--save", path).split())
    assert path.read_text(encoding="utf-8") == write_game(
        world_named("copy"), horizon=2, caring=Fraction(1, 2), discount=Fraction(9, 10)
    )


def test_a_map_is_saved_and_its_turns_are_printed(branch_line, tmp_path):
    told = solve(branch_line, "--set", "left=0", "--map", "away", "discount", "--save", tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 5000
    assert "stay, above 1 step in" in told
    told = solve(branch_line, "--map", "left=1..2:2", "stay", "--value", "cpy")
    assert "step in, from 3/2 = 1.5 on stay" in told
    told = solve(branch_line, "--map", "left", "horizon=1..4:4")
    assert "step in" in told
    told = solve("copy-delete", "--map", "discount=0..1:2", "horizon=1..4", "--caring", "0", "--value", "caring")
    assert re.findall("│ ([^│]*?) *│$", told, re.MULTILINE) == ["stay", "stay, from 2 on copy"]
    told = solve("copy-delete", "--map", "discount=0..1:2", "horizon=1..4:2", "--caring", "0", "--value", "caring")
    assert "stay, turns to copy between 1 and 4" in told
    reply = json.loads(solve(branch_line, "--map", "away=0..4:5", "discount=0..1:3", "--json"))
    assert reply["map"]["x"] == {"name": "away", "values": ["0", "1", "2", "3", "4"], "whole": False}


def test_an_agent_that_forgets_has_one_plan_with_a_coin(tmp_path):
    """The control: with a memory the same driver has values, and the copy-centered one drives on for 4."""
    told = " ".join(solve("absent-minded-driver").split())
    assert "“exit” with probability 1/3 or “drive on” with probability 2/3. This is worth 4/3." in told
    assert "Without a coin the best is “drive on” if it sees “a junction”: worth 1." in told
    assert "copies by shares" not in told
    assert "plan" in json.loads(solve("absent-minded-driver", "--json"))
    remembers = tmp_path / "remembers.toml"
    remembers.write_text(world_text("absent-minded-driver").replace("memory = false", "memory = true"))
    reply = json.loads(solve(remembers, "--json"))
    assert reply["values"]["cpy"]["actions"]["exit"] == "4"
    assert "plan" not in reply


def test_the_map_of_an_agent_that_forgets_shows_where_it_tosses_a_coin():
    told = json.loads(solve("absent-minded-driver", "--map", "second=0..4:3", "past=0..4:3", "--json"))["map"]
    assert told["actions"] == ["exit", "drive on", "toss a coin"]
    # With p for driving on, the worth is p(1 - p)·second + p²·past: a coin is best if second > 2·past.
    never, some = ["exit", "drive on", "drive on"], ["toss a coin", "drive on", "drive on"]
    assert told["values"]["forgetful"]["best"] == [never, some, some]
    told = solve("absent-minded-driver", "--map", "second=0..4:3", "past=0..3:3")  # the coin is best until past = 2
    assert "toss a coin, turns to drive on between 3/2 = 1.5 and 3" in told
    with pytest.raises(MultislotError, match="got horizon=inf for an agent without memory"):
        solve("absent-minded-driver", "--discount", "1/2", "--horizon", "inf")


def test_who_gets_no_answer_in_time_gets_no_part_of_it_and_no_file(monkeypatch, tmp_path):
    def work_forever(*_):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(solving, "_next_steps", work_forever)
    game = tmp_path / "game.efg"
    done = CliRunner().invoke(app, ["solve", "teleport", "--seconds", "1", "--save", str(game)])
    assert "no answer within 1 seconds" in str(done.exception)
    assert done.output == ""
    assert not game.exists()


def test_an_endless_horizon_says_what_has_no_value():
    told = solve("teleport", "--horizon", "inf", "--value", "prime-slot", "--caring", "1/2")
    assert told.count("got value='PrimeSlot'; expected one with a solution") == 3
    reply = json.loads(solve("teleport", "--horizon", "inf", "--json"))
    assert reply["values"]["cpy"]["actions"] == {"stay": "10", "teleport": "20"}
    assert "error" in reply["values"]["known-slot"]


def test_where_a_file_has_the_name_it_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('name = "mine"')
    with pytest.raises(MultislotError, match=r"^unknown world 'mine'; give the file, mine\.toml$"):
        solve("mine")


def test_long_meanings_and_many_names_fit_into_the_picture(monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **settings: drawn.append(figure))
    text = world_text("branch-line").replace('meaning = "', 'meaning = "' + "a long meaning " * 6)
    text = text.replace("stay = {", "T = {").replace('pays = "stay"', 'pays = "T"')  # the symbol of the horizon
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    told = solve(tmp_path / "mine.toml", "--map", "away", "T", "--save", tmp_path / "map.png")
    assert "T = 1" in told
    (figure,) = drawn
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert axes.get_lines()[0].get_xydata().tolist() == [[3, 1]]  # a ring at the numbers of the story
    assert "○" in axes.get_title()
    solve(tmp_path / "mine.toml", "--map", "away=4..8:2", "T", "--save", tmp_path / "map.png")
    assert "○" not in drawn[1].axes[0].get_title()
    for told in (axes.title, axes.xaxis.label, axes.yaxis.label):
        assert figure.bbox.contains(*told.get_window_extent().min)
        assert figure.bbox.contains(*told.get_window_extent().max)


BAD = [
    (["nothing.toml"], "got path='nothing.toml'; this file does not exist"),
    (["copy", "--set", "r_2"], "--set r_2: write --set key=value"),
    (["copy", "--set", "b=x"], "got b='x'; expected a number"),
    (["copy", "--horizon", "many"], "--horizon many: give a number of steps, or inf"),
    (["copy", "--save", "map.doc"], "give a file that ends in .html, .htm, .png, .svg, .pdf, .efg"),
    (["copy", "--horizon", "inf", "--save", "copy.html"], "a saved page cannot compute an endless future"),
    (["copy", "--horizon", "inf", "--save", "copy.efg"], "a game has an end"),
    (["copy", "--caring", "0", "--caring", "1", "--save", "copy.efg"], "give --caring once"),
    (["copy", "--horizon", "inf", "--map", "r_2", "r_s"], "a map cannot compute an endless future"),
    (
        ["copy", "--map", "r_2", "discount", "--save", "/nowhere/at/all/map.png"],
        "map.png cannot be written: No such file",
    ),
    (["copy", "--map", "r_2", "--save", "map.png"], "--map needs 2 values. A decision map: two settings, .* such as"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=range(len(BAD)))
def test_what_is_wrong_is_one_sentence(arguments, sentence):
    with pytest.raises(MultislotError, match=sentence) as caught:
        solve(*arguments)
    assert "\n" not in str(caught.value)


def test_a_fault_in_a_file_names_file_and_line(branch_line):
    branch_line.write_text(world_text("branch-line").replace('"safe" }]', '"save" }]'), encoding="utf-8")
    with pytest.raises(MultislotError, match=r"branch-line.toml: line 28, entry 'outcomes.0.*'save'"):
        solve(branch_line)


@pytest.mark.parametrize("option", [("--value", "cy"), ("--first", "cpoy")])
def test_an_unknown_name_is_said_before_anything_is_printed(option):
    done = CliRunner().invoke(app, ["solve", "copy", *option])
    assert "did you mean 'c" in str(done.exception)
    assert done.output == ""


def test_the_verdict_comes_first_and_the_main_values_are_shown():
    lines = solve("branch-line").split("\n")
    assert lines[5] == (
        "Whoever counts copies by shares, copies in full or copies on average chooses “step in”; "
        "whoever counts only slot 1 (“home” or “doomed”) or only their own slot chooses “stay”."
    )
    printed = "\n".join(lines)
    assert "copies by shares (cpy)" in printed
    assert "│ 5.64265 │" in printed  # exact: 112853/20000
    assert "1/4 = 0.25" in solve("copy-delete", "--set", "r_s=1/4", "--horizon", "1")
    assert "│ ≈ 13.86 │" in solve("branch-line", "--horizon", "30")  # a longer fraction would fill the line
    assert "1/12 ≈ 0.08333" in "\n".join(solve("sleeping-beauty").splitlines())
    assert "least rewarded" not in printed
    assert "least rewarded" in solve("branch-line", "--all")
    tied = solve("branch-line", "--set", "away=0", "--set", "stay=0")
    assert 'If the choice comes later, say in the file what is seen before it:  after = ["what is seen then"]' in tied


def test_rows_of_caring_have_numbers_after_a_history_and_say_from_when_they_count():
    said = " ".join(solve("sleeping-beauty", "--set", "told=1", "--horizon", 2).replace("│", " ").split())
    assert "Asked after seeing “awake”." in said
    assert "Everyone finds all equally good: all values agree." in said
    assert "copies on average (α = 0), counted from the beginning 5/48" in said
    counted = "Counted from the beginning: these rows also add up the rewards of the steps before the question."
    assert counted in said
    assert counted not in solve("branch-line")


def test_the_verdict_names_the_values_that_disagree_with_the_usual_ones():
    printed = solve("branch-line", "--set", "away=0", "--all")
    exceptions = "prime slots (prime-slot), acted a sequence (acted-sequence)"
    assert f"“stay” by the usual values. Other values (--all shows them) find a tie: {exceptions}." in printed
    otherwise = "Other values (--all shows them) say otherwise: least rewarded copy (least-rewarded); find a tie: prime"
    assert f"“multiply” by the usual values. {otherwise}" in solve("crowd")


@pytest.mark.parametrize(
    ("given", "setting"),
    [(("--set", "T=20"), "horizon"), (("--map", "left", "T"), "horizon"), (("--set", "gamma=1/2"), "discount")],
)
def test_a_setting_that_no_file_holds_is_told_with_its_option(given, setting):
    with pytest.raises(SettingError, match=f"the {setting} is not a number of the file; --{setting} sets it"):
        solve("branch-line", *given)


def test_a_map_shows_the_values_of_the_table_or_other_coefficients_of_caring():
    """The control: along the axis of the coefficient there is one value, and the plans of both ends differ."""
    drawn = solve("branch-line", "--map", "left", "away")
    assert "Where actions are equally good, the map shows the first of them." in drawn
    asked = json.loads(solve("branch-line", "--map", "left=1..2:2", "away", "--json"))["map"]["values"]
    assert set(asked) == set(COUNTS)
    turns = {value: known["turns"][0][0][0] for value, known in asked.items() if known["turns"][0]}
    assert turns == {"cpy": "2", "caring=1": "1", "caring=0": "40951/35951"}
    some = json.loads(solve("branch-line", "--map", "left", "away", "--caring", "0", "--caring", "1/2", "--json"))
    assert {"caring=0", "caring=1/2"} == {name for name in some["map"]["values"] if name.startswith("caring")}
    ends = json.loads(solve("branch-line", "--map", "caring=0..1:2", "away", "--json"))["map"]["values"]["caring"]
    assert [turns[0][0] for turns in ends["turns"]] == ["40951/35951", "1"]


def test_one_name_of_a_value_stands_in_the_sentence_the_table_and_the_map(monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **settings: drawn.append(figure))
    assert "what each action is worth" not in solve("branch-line", "--save", tmp_path / "map.png")
    sentence, table = solve("branch-line").split("what each action is worth")
    axes, columns = drawn[0].axes[0], solve("branch-line", "--map", "left", "away")
    title = " ".join(axes.get_title().split())
    areas = " ".join(text.get_text() for text in (*axes.texts, *axes.get_legend().get_texts()))
    for name, words in COUNTS.items():
        assert words in sentence
        assert plain_name(name) in table
        assert plain_name(name) in title
        assert words in " ".join(columns.replace("┃", " ").split())
        assert (words in areas) == (name not in ("sta", "dyn"))  # who never takes the second action has no area
    solve("absent-minded-driver", "--map", "second", "past", "--save", tmp_path / "map.png")  # with three actions
    assert "a forgetful agent" in drawn[1].axes[0].get_title()


def test_the_lineage_shows_the_branch_that_copies_with_its_chance(tmp_path):
    path = tmp_path / "leaky.toml"
    text = world_text("branch-line").replace("[parameters]\n", "[parameters]\nleak = 0.25\n")
    moved = '[[outcomes]]\nstate = "home"\naction = "step in"\nprobability = "1 - leak"\nbecomes = [{ slot = 2, '
    text = text.replace("becomes = [", 'probability = "leak"\nbecomes = [') + moved + 'state = "safe" }]\n'
    path.write_text(text, encoding="utf-8")
    printed = solve(path)
    assert "slot 1 → 1, 2 " in printed
    assert "(chance 1/4)" in printed
    assert re.search(r"otherwise +slot 1 → 2 .*\(chance 3/4\)", printed)
    assert "(and chance twice)" in printed
    assert "Chance twice: " in printed
    never = solve(path, "--set", "leak=0")
    assert "1 → 1, 2" not in never
    assert "counts chance twice" not in never


def test_the_other_case_of_a_step_shows_all_agents_and_not_only_the_one_with_chance(tmp_path):
    """One agent is deleted in both cases; the control: in the next step nobody moves."""
    text = 'name = "two"\nhorizon = 2\nstart = [{ state = "home" }, { slot = 3, state = "ill" }]\n[states]\nhome = {}\n'
    text += 'away = {}\nill = { lasts = 1, then = "deleted" }\n'
    for state, chance in (("away", "2/3"), ("home", "1/3")):
        text += f'[[outcomes]]\nstate = "home"\naction = "go"\nprobability = "{chance}"\n'
        text += f'becomes = [{{ slot = 2, state = "{state}" }}]\n'.replace("slot = 2, " * (state == "home"), "")
    path = tmp_path / "two.toml"
    path.write_text(text, encoding="utf-8")
    printed = solve(path)
    assert re.search(r"step 1 +slot 1 → 2; slot 3 is deleted +slot 2 sees away, paid 0 +\(chance 2/3\)", printed)
    assert re.search(r"otherwise +slot 3 is deleted +slot 1 sees home, paid 0 +\(chance 1/3\)", printed)
    assert re.search(r"step 2 +nobody moves", printed)


@pytest.mark.parametrize("world", ["branch-line", "crowd", "lottery", "walk"])
def test_what_to_try_next_changes_a_decision(world):
    change = re.search(rf"multislot solve {world} --set (\S+)", solve(world))[1]
    usual, changed = (json.loads(solve(world, *given, "--json")) for given in ((), ("--set", change)))
    decided = [{name: reply["values"][name]["best"] for name in COUNTS} for reply in (usual, changed)]
    assert decided[0] != decided[1]
    name, number = change.split("=")
    limits = usual["world"]["parameters"][name]
    assert number not in (limits["least"], limits["most"])


def test_a_scenario_that_is_no_world_says_what_to_run():
    with pytest.raises(MultislotError, match=r"multislot run copy-dilemma"):
        solve("copy-dilemma")
    with pytest.raises(
        MultislotError, match="'crowd' is a world and not an experiment; solve it with  multislot solve crowd"
    ):
        registry.find("crowd")


def test_worlds_are_listed_and_a_new_one_is_not_written_over(tmp_path):
    listed = CliRunner().invoke(app, ["worlds"], env={"COLUMNS": "200"}).output
    assert [name for name in world_names() if name not in listed] == []
    assert len(json.loads(CliRunner().invoke(app, ["worlds", "--json"]).output)) == len(world_names())
    first, second = (CliRunner().invoke(app, ["new", str(tmp_path / "my.toml")]) for _ in range(2))
    assert first.exit_code == 0
    solved = solve(tmp_path / "my.toml")  # a story whose question comes once, with every part that one may change
    assert solved.startswith("my\nDo you step in?  pay_home = 1, ")
    assert "The choice comes again" not in solved
    assert "my.toml exists already" in str(second.exception)
    asked = ["new", str(tmp_path / "mine.toml"), "--from", "crowd"]
    assert CliRunner().invoke(app, asked).exit_code == 0
    known = world_text("crowd").replace('name = "crowd"', 'name = "mine"')
    written = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    assert "moral = " in known
    assert written.splitlines() == [
        line for line in known.splitlines() if not line.startswith(("moral = ", "source = "))
    ]
    (tmp_path / "other.toml").write_text(known.replace('"mine"', "'mine'"), encoding="utf-8")
    copied = ["new", str(tmp_path / "copied.toml"), "--from", str(tmp_path / "other.toml")]
    assert CliRunner().invoke(app, copied).exit_code == 0
    assert 'name = "copied"' in (tmp_path / "copied.toml").read_text(encoding="utf-8")


def test_the_map_of_a_story_without_numbers_is_saved(tmp_path):
    text = re.sub(r"(?s)\[parameters\].*?\n\n", "", world_text("teleport"))
    story = tmp_path / "teleport.toml"
    story.write_text(re.sub(r'"r_\w+"', "2", text))
    assert "wrote" in solve(story, "--save", tmp_path / "still.png")


def test_a_tie_of_some_actions_names_them(tmp_path):
    """The control: a tie of all actions is said above to be one."""
    states = "\n".join(f"{name} = {{ pays = {pay} }}" for name, pay in (("red", 1), ("blue", 1), ("gray", 0)))
    outcomes = "\n".join(
        f'[[outcomes]]\nstate = "start"\naction = "{name}"\nbecomes = [{{ slot = 1, state = "{name}" }}]'
        for name in ("gray", "red", "blue")
    )
    story = tmp_path / "doors.toml"
    story.write_text(f'name = "doors"\nstart = {{ state = "start" }}\n[states]\nstart = {{}}\n{states}\n{outcomes}\n')
    said = solve(story)
    assert "Everyone finds “red” and “blue” equally good" in said
    assert "red or blue (tie)" in said
