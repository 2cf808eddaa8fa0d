"""The command ``multislot solve``: what every value decides in the world of a file.

``solve`` asks `multislot.exact.files.answers` and prints the reply: first the verdict in a sentence, then tables; with
``--json`` the reply as it is.
"""

import json
import re
import shlex
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, groupby, pairwise
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from multislot.drawing.showing import axes_or_new
from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact import DecisionMap
from multislot.exact.files.answers import Asked
from multislot.exact.files.arithmetic import read_number
from multislot.exact.files.courses import Stage
from multislot.exact.files.forgetful import FORGETFUL
from multislot.exact.files.reading import FileError
from multislot.exact.files.verdicts import COUNTS, name_value, plain_name
from multislot.exact.futures import shown_values
from multislot.exact.maps.map_results import Axis
from multislot.exact.maps.mapping import list_values
from multislot.files.writing import open_draft, write_file
from scenarios.lab import printing
from scenarios.lab.limits import GIGABYTES, SECONDS, limit_resources
from scenarios.lab.worlds import find_world

SPAN = re.compile(r"(?P<name>[^=]+)=(?P<least>(?:(?!\.\.)[^:])+)\.\.(?P<most>[^:]+)(:(?P<points>\d+))?")
TREE_DEPTH = 2
MOST_LINES = 12
LONGEST_LABEL, LONGEST_TITLE = 56, 80
CARING = ("0", "1")
LEGEND = (
    "By shares: each copying splits an agent's share among its copies. In full: the rewards of all living copies are\n"
    "added up; on average: divided by their number. Only their own slot: the slot in which the agent is in each step.\n"
    "The papers call cpy copy-centered, sta and dyn static and dynamic slot-centered, and α caring."
)
TREE_LEGEND = (
    "(slots: how likely the agent is in each; *: what it chooses, the first if there is a tie; worths are rounded)"
)
TIES = "Where actions are equally good, the map shows the first of them."
LATER = 'If the choice comes later, say in the file what is seen before it:  after = ["what is seen then"]'
FROM_BEGINNING = ", counted from the beginning"
COUNTED = "Counted from the beginning: these rows also add up the rewards of the steps before the question."
SETTINGS = {"T": "horizon", "γ": "discount", "α": "caring"}
SYMBOLS = SETTINGS | {"gamma": "discount", "alpha": "caring"} | {name: name for name in SETTINGS.values()}
"""What people call settings that no file holds, and the options and axes that set them."""
LONG = 100
"""The denominator from which on a fraction is not shown where a few decimals are exact."""
MOST_CHANGES, MOST_PLACES = 20, 100
"""Changes of a number that are tried, if so few places and steps are to be solved each time."""
LONGEST = 9
"""Characters; a longer fraction is shown in JSON only."""
PICTURE_INCHES = (7, 6.5)
PAGES = (".html", ".htm")
GAME = ".efg"
PICTURES = (".png", ".svg", ".pdf")

World = Annotated[
    str,
    typer.Argument(metavar="FILE|NAME", help="A world's TOML file, or a world that `multislot worlds` lists."),
]
Changes = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter; may be repeated.")
]
Discount = Annotated[str | None, typer.Option(metavar="γ", help="The discount, such as 9/10; the file's by default.")]
Horizon = Annotated[str | None, typer.Option(metavar="T", help="The number of steps, or inf; the file's by default.")]
Caring = Annotated[
    list[str] | None, typer.Option(metavar="α", help="A coefficient of caring for copies; may be repeated.")
]
ValueNames = Annotated[
    list[str] | None,
    typer.Option(
        "--value",
        metavar="NAME",
        help="Whose decisions are drawn with --map (any value, or caring; may be repeated), "
        "and, except for caring, whose tree and lineage are shown.",
    ),
]
EveryValue = Annotated[bool, typer.Option("--all", help="Show every value.")]
First = Annotated[str | None, typer.Option(metavar="ACTION", help="The first action of the lineage.")]
Axes = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--map",
        metavar="X Y",
        help="A decision map: two settings, NAME or NAME=LEAST..MOST[:POINTS], such as  --map discount horizon",
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Save a page that any browser opens (.html), a map (.png, .pdf, .svg), or a game (.efg)."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print only the answer, as JSON.")]
Seconds = Annotated[float, typer.Option(metavar="S", min=0.1, max=1e6, help="Give up after so many seconds.")]
Gigabytes = Annotated[float, typer.Option(metavar="GB", min=0.1, max=1e6, help="Give up if it needs more memory.")]


def solve(
    world: World,
    changes: Changes = None,
    discount: Discount = None,
    horizon: Horizon = None,
    caring: Caring = None,
    values: ValueNames = None,
    every_value: EveryValue = False,
    first: First = None,
    axes: Axes = None,
    save: Save = None,
    as_json: AsJson = False,
    seconds: Seconds = SECONDS,
    gigabytes: Gigabytes = GIGABYTES,
) -> None:
    """Work out what every value decides in the world of a file, exactly.

    Prints the verdict, what each action is worth, and who is copied from whom; with --all or --value also the tree of
    decisions.
    """
    if save is not None and save.suffix not in (*PAGES, *PICTURES, GAME):
        raise SettingError(f"--save {save}: give a file that ends in {', '.join((*PAGES, *PICTURES, GAME))}")
    if save is not None and save.suffix == GAME and len(caring or ()) > 1:
        raise SettingError(f"--save {save}: a game has one coefficient of caring; give --caring once")
    with limit_resources(seconds, gigabytes), _explain_faults(world):
        text = find_world(world).document.text
        asked = Asked(_request(text, changes or (), discount, horizon, (*CARING, *(caring or ()))))
        value = next((name for name in values or () if not name.startswith("caring")), "cpy")
        first = asked.copying_action(value) if first is None and not as_json else first
        asked.request["tree"] = {"value": value, "depth": TREE_DEPTH}
        asked.request["lineage"] = {"value": value} | ({} if first is None else {"first": first})
        if axes is not None:
            asked.request["map"] = _map_request(axes, values, caring or CARING)
        drawn = pictured = _draw(asked, asked.request["map"]) if axes else None
        if drawn is None and save is not None and save.suffix in PICTURES:
            pictured = _draw(asked, _map_request(asked.axes(), values, caring or CARING))
        show_tree = every_value or bool(values)
        is_brief = bool(save) and not show_tree
        shown = (*COUNTS, *(f"caring={read_number(part, 'caring')}" for part in caring or ()), *(values or ()))
        told = json.dumps(asked.reply()) if as_json else Told.of(asked, drawn, show_tree, is_brief)
        mapped = shlex.join([*(axes or ()), *(part for name in values or () for part in ("--value", name))])
        steps = [] if as_json else _next_steps(world, asked, pictured, save, mapped)
        if save is not None:
            _save(asked, pictured, caring or CARING, save)
    # Within the limits an interrupt could cut the print off, or add the sentence that there is no answer.
    if isinstance(told, str):
        print(told)
        return
    is_own = world.endswith(".toml")  # who wrote a story knows it
    _print(told, None if every_value else shown, has_story=not is_own, is_brief=is_brief)
    if save is not None:
        shows = f": {pictured.x.name} to the right, {pictured.y.name} upward" if pictured else ""
        print(f"wrote {save}{shows}")
    printing.say_next(*steps)


@contextmanager
def _explain_faults(world: str) -> Iterator[None]:
    """Name the file of a fault, and the option of a setting that no file holds."""
    try:
        yield
    except FileError as error:
        raise SettingError(f"{world}: {error}") from None
    except UnknownNameError as error:
        setting = SYMBOLS.get(str(error.name))
        if setting is None:
            raise
        problem = f"the {setting} is not a number of the file; --{setting} sets it, and --map calls it {setting}"
        raise SettingError(f"got {error.name}: {problem}") from None


@dataclass(frozen=True)
class Told:
    """All that is printed of an answer, worked out.

    Attributes:
        asked: the question.
        drawn: the map, if it is asked for.
        values: what each value decides.
        verdict: the same as a sentence, and notes.
        details: lines of the tree and of the lineage.
    """

    asked: Asked
    drawn: DecisionMap | None
    values: Mapping[str, Mapping[str, Any]]
    verdict: Mapping[str, Any]
    details: tuple[str, ...]

    @classmethod
    def of(cls, asked: Asked, drawn: DecisionMap | None, show_tree: bool, is_brief: bool) -> "Told":
        """Work out an answer."""
        values = asked.values()
        details = _tree_and_lineage(asked, show_tree) if drawn is None and not is_brief else ()
        return cls(asked, drawn, values, asked.verdict(values), details)


def _map_request(axes: tuple[str, str], values: Sequence[str] | None, caring: Sequence[str]) -> dict[str, Any]:
    request = dict(zip("xy", map(_axis, axes), strict=True))
    usual = () if any(axis.partition("=")[0] == "caring" for axis in axes) else shown_values()
    names = values or (*usual, "caring")
    each = ([f"caring={one}" for one in reversed(caring)] if usual and name == "caring" else [name] for name in names)
    return request | {"values": list(chain(*each))}


def _draw(asked: Asked, request: Mapping[str, Any]) -> DecisionMap:
    from multislot.cells.progress import progress_bar  # imports much that no other question needs

    with progress_bar("computing the map", True):
        return asked.map(request)


def _next_steps(world: str, asked: Asked, drawn: DecisionMap | None, save: Path | None, mapped: str) -> list[str]:
    from scenarios.explore.saving import is_built

    place, given = shlex.quote(world), _given_settings(asked.request)
    again, explore = f"solve {place}{given}", f"explore {place}"
    page = again if given and asked.horizon else explore  # explore takes no settings; solve saves no endless future
    page += f" --save {shlex.quote(Path(world).name.removesuffix('.toml'))}.html"
    steps = [explore] if save is not None and save.suffix in PAGES else [explore, page]
    if save is None and drawn is None:
        changes = [f"solve {place}{_given_settings(asked.request, change)}" for change in _suggest_change(asked)]
        steps = [*changes, f"{again} --save map.png", *steps]
    elif save is None and drawn is not None:
        steps = [f"{again} --map {mapped} --save map.png", *steps]
    elif save is not None and save.suffix in PICTURES:
        names = [name for name, span in asked.kernel.parameters.items() if len(list_values(span)) > 1]
        pairs = combinations([*names, "discount", "horizon"], 2)
        others = [pair for pair in pairs if drawn is None or set(pair) != {drawn.x.name, drawn.y.name}]
        steps = [*(f"{again} --map {' '.join(axes)} --save other_map.png" for axes in others[:1]), *steps]
    return [*steps[:-1], steps[-1] + ("" if is_built() else "   (first, once:  make explorer)")]


def _given_settings(request: Mapping[str, Any], *changes: str) -> str:
    """The options of a command with the settings that the user gave, and with changes of them."""
    numbers = request["parameters"] | read_changes(changes)
    given = [("set", f"{name}={value}") for name, value in numbers.items()]
    given += [(name, request[name] or "inf") for name in ("discount", "horizon") if name in request]
    given += [("caring", coefficient) for coefficient in request["caring"][len(CARING) :]]
    return "".join(f" --{option} {shlex.quote(str(value))}" for option, value in given)


def _suggest_change(asked: Asked) -> list[str]:
    """A change of one number, such as ``away=2``: the nearest that changes a decision, or else one of middle size."""
    ways = []
    for name, parameter in asked.kernel.parameters.items():
        numbers, now = list_values(parameter), Fraction(asked.world()["parameters"][name]["value"])
        ways += [(abs(to - now) / (numbers[-1] - numbers[0]), name, to) for to in numbers if to != now]
    changes = [f"{name}={to if to.denominator == 1 else f'{float(to):.4g}'}" for _, name, to in sorted(ways)]
    is_quick = not asked.forgetful and len(asked.places) * (asked.horizon or MOST_PLACES) < MOST_PLACES
    decided = _decisions(asked.request, []) if is_quick else {}
    for change in changes[:MOST_CHANGES] if decided else ():
        with suppress(MultislotError):  # no agent comes to the question
            if any(best != decided.get(name, best) for name, best in _decisions(asked.request, [change]).items()):
                return [change]
    for change in changes[len(changes) // 2 :]:
        with suppress(MultislotError):  # a number that this world cannot have, such as half a copy
            Asked(asked.request | {"parameters": asked.request["parameters"] | read_changes([change])})
            return [change]
    return []


def _decisions(request: Mapping[str, Any], changes: Sequence[str]) -> dict[str, str]:
    """What the main values choose, where there is no tie."""
    settings = {key: request[key] for key in ("file", "discount", "horizon") if key in request}
    parameters = request["parameters"] | read_changes(changes)
    asked = Asked(settings | {"parameters": parameters, "values": list(shown_values())})
    return {name: value["best"] for name, value in asked.values().items() if not value.get("tied", True)}


def _save(asked: Asked, drawn: DecisionMap | None, caring: Sequence[str], path: Path) -> None:
    """Save a page, a game, or a map as a picture."""
    if path.suffix in PAGES:
        _save_page(asked, path)
    elif path.suffix == GAME:
        _save_game(asked, caring[-1], path)
    elif drawn is not None:
        _save_picture(asked, drawn, path)


def _save_page(asked: Asked, path: Path) -> None:
    """Save the page of the explorer with this world and these settings inside."""
    from scenarios.explore.saving import address_settings, save_page

    request = asked.request | {"caring": [] if asked.request["caring"] == list(CARING) else asked.request["caring"]}
    save_page(path, asked.kernel, address_settings(request))


def _save_game(asked: Asked, caring: str, path: Path) -> None:
    """Save the world as a game that Gambit reads."""
    from multislot.exact.games import write_game

    if asked.horizon is None:
        raise SettingError(f"--save {path}: a game has an end; give --horizon T")
    steps, memory = len(asked.history) + asked.horizon, asked.kernel.form.memory
    coefficient = read_number(caring, "caring")
    text = write_game(asked.kernel, horizon=steps, caring=coefficient, discount=asked.discount, memory=memory)
    write_file(path, text)


def _save_picture(asked: Asked, drawn: DecisionMap, path: Path) -> None:
    """Save a map as a picture that says what it shows: question, numbers, and all who decide."""
    world, shown = asked.world(), {drawn.x.name, drawn.y.name}
    fixed = _numbers(world)
    known = [one for one in (drawn.x, drawn.y) if fixed.get(one.name, "∞") != "∞"]
    here = [float(at) for one in known if one.values[0] <= (at := Fraction(fixed[one.name])) <= one.values[-1]]
    plot: Any = drawn.plot(axes_or_new(None, *PICTURE_INCHES), (here[0], here[1]) if len(here) == 2 else None)
    numbers = _say_numbers(fixed, shown)
    who = fill(", ".join(map(plain_name, drawn.values)), LONGEST_TITLE)
    told = f"{TIES} ○: the numbers that are set." if len(here) == 2 else TIES
    plot.set_title("\n".join((f"{world['name']}: {world['question']}", who, numbers, told)), fontsize="small")
    meanings = {name: parameter["meaning"] for name, parameter in world["parameters"].items()}
    for way, axis in zip("xy", (drawn.x, drawn.y), strict=True):
        if meanings.get(axis.name):
            plot.set(**{f"{way}label": fill(f"{axis.name}: {meanings[axis.name]}", LONGEST_LABEL)})
    with open_draft(path) as file:
        plot.figure.savefig(file, format=path.suffix.removeprefix("."))


def _request(
    text: str, changes: Sequence[str], discount: str | None, horizon: str | None, caring: Sequence[str]
) -> dict[str, Any]:
    request: dict[str, Any] = {"file": text, "caring": list(caring), "parameters": read_changes(changes)}
    if discount is not None:
        request["discount"] = discount
    if horizon is not None:
        if horizon != "inf" and not re.fullmatch(r"\d{1,9}", horizon):
            raise SettingError(f"--horizon {horizon}: give a number of steps, or inf")
        request["horizon"] = None if horizon == "inf" else int(horizon)
    return request


def read_changes(changes: Sequence[str]) -> dict[str, str]:
    """Read settings, each written ``key=value``, by name."""
    settings = {}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise SettingError(f"--set {change}: write --set key=value")
        settings[key.strip()] = value.strip()
    return settings


def _axis(written: str) -> Any:
    """An axis of a request; without a range the file's or the usual one is taken."""
    span = SPAN.fullmatch(written)
    if span is None:
        return written
    axis: dict[str, Any] = {key: span[key] for key in ("name", "least", "most")}
    return axis | ({"points": int(span["points"])} if span["points"] else {})


def _print(told: Told, shown: Sequence[str] | None, *, has_story: bool, is_brief: bool) -> None:
    """Print an answer; of the values only those in `shown`, if it is given."""
    console = printing.output(markup=False)  # texts are of files
    world, values, drawn = told.asked.world(), told.values, told.drawn
    title = ": " * bool(world["title"]) + escape(world["title"])
    console.print(f"[bold]{world['name']}[/bold]{title}", markup=True, highlight=False)
    if world["story"] and has_story:
        console.print(printing.reflow(world["story"].strip()) + "\n", highlight=False)
    asks = f"{world['question']}  {_say_numbers(_numbers(world))}".strip(), *filter(None, [world["asked"]])
    console.print("\n".join(asks), highlight=False)
    console.print("\n" + "\n".join([told.verdict["sentence"], *told.verdict["notes"]]))
    if not world["after"] and all(decision.get("tied") for decision in values.values()):
        console.print(LATER, highlight=False)
    if drawn is None and is_brief:
        return
    if drawn is None and told.asked.forgetful:
        printing.show(console, _values_table(values, world["actions"]))
    elif drawn is None:
        listed = values if shown is None else {name: values[name] for name in shown if name in values}
        printing.show(console, _values_table(listed, world["actions"], FROM_BEGINNING if world["after"] else ""))
        console.print(LEGEND, highlight=False)
        if world["after"]:
            console.print(COUNTED, highlight=False)
        if hidden := len(values) - len(listed):
            console.print(f"{hidden} more values, and a tree of decisions: --all", highlight=False)
    else:
        printing.show(console, _map_table(drawn))
        console.print(TIES, highlight=False)
    for line in told.details:
        console.print(line, highlight=False)
    if world["moral"]:
        console.print("\n" + world["moral"])


def _numbers(world: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a world: its parameters, the discount and the horizon."""
    parameters = {name: parameter["value"] for name, parameter in world["parameters"].items()}
    return parameters | {"discount": world["discount"], "horizon": world["horizon"] or "∞"}


def _say_numbers(numbers: Mapping[str, Any], hidden: Container[str] = ()) -> str:
    """The settings with their symbols, such as ``"left = 1, γ = 9/10"``; a parameter of a file may be called T."""
    symbols = {name: symbol for symbol, name in SETTINGS.items() if symbol not in numbers}
    return ", ".join(f"{symbols.get(name, name)} = {number}" for name, number in numbers.items() if name not in hidden)


def _tree_and_lineage(asked: Asked, show_tree: bool) -> tuple[str, ...]:
    tree, lineage = asked.request["tree"], asked.request["lineage"]
    first = f", if {lineage['first']!r} comes first" if "first" in lineage else ""
    lines = (
        f"\ndecisions by “{plain_name(tree['value'])}”, {TREE_DEPTH} steps ahead:",
        _or_reason(lambda: str(asked.tree(tree))),
        TREE_LEGEND,
    )
    return (
        *(lines if show_tree else ()),
        f"\nwho is copied from whom{first}:",
        _or_reason(lambda: "\n".join(_lineage_lines(asked.lineage(lineage)))),
    )


def _or_reason(work: Callable[[], str]) -> str:
    """A text, or the reason why there is none: an endless future may have no value."""
    try:
        return work()
    except UnknownNameError:
        raise
    except MultislotError as error:
        return str(error)


def _values_table(values: Mapping[str, Mapping[str, Any]], actions: Sequence[str], of_caring: str = "") -> Table:
    head = "if it always does this" if FORGETFUL in values else "whose rewards count"
    table = Table(head, *actions, "decides", title="what each action is worth", title_justify="left")
    for name, decision in values.items():
        label = plain_name(name) + of_caring * name.startswith("caring=")
        if "error" in decision:
            table.add_row(label, *[""] * len(actions), decision["error"])
        else:
            tie = " (tie)" if decision["tied"] else ""
            worths = (_with_decimals(decision["actions"][action]) for action in actions)
            table.add_row(label, *worths, " or ".join(decision["optimal"]) + tie)
    return table


def _with_decimals(worth: str) -> str:
    """A fraction with its decimals: ``"1/4 = 0.25"`` or ``"250/173 ≈ 1.445"``; decimals alone if it is long."""
    try:
        number = Fraction(worth)
    except ValueError:  # not a fraction: an algebraic number or an interval has decimals already
        return worth
    if number.denominator == 1:
        return worth
    exact, rounded = f"{float(number):.7g}", f"{float(number):.4g}"
    if Fraction(exact) == number:
        return f"{worth} = {exact}" if number.denominator < LONG else exact
    return f"{worth} ≈ {rounded}" if len(worth) <= LONGEST else f"≈ {rounded}"


def _lineage_lines(stages: Sequence[Stage]) -> Iterator[str]:
    """Yield a line for each step, or for several alike: copies, deletions, what everyone sees and is paid, chances."""
    for lines, alike in groupby(stages[1:], lambda stage: [*map(_lineage_line, [stage, *stage["otherwise"]])]):
        first, *later = [stage["step"] for stage in alike]
        steps = f"steps {first}–{later[-1]}" if later else f"step {first}"
        yield f"  {steps:<12}{lines[0]}"
        yield from (f"   otherwise  {line}" for line in lines[1:])


def _lineage_line(stage: Stage) -> str:
    targets: dict[int, list[int]] = {}
    for agent in stage["agents"]:
        targets.setdefault(agent["from"], []).append(agent["slot"])
    moves = [f"slot {source} → {', '.join(map(str, slots))}" for source, slots in targets.items() if slots != [source]]
    moves += [f"slot {slot} is deleted" for slot in stage["deleted"]]
    seen = [f"slot {agent['slot']} sees {agent['observes']}, paid {agent['reward']}" for agent in stage["agents"]]
    chance = "" if stage["chance"] == "1" else f"  (chance {stage['chance']})"
    return f"{'; '.join(moves) or 'nobody moves':<24}  {'; '.join(seen) or 'nobody is left'}{chance}"


def _map_table(drawn: DecisionMap) -> Table:
    """Return where decisions turn along the swept axis, or what is decided at some points."""
    swept = drawn.swept or "y"
    other, along = (drawn.x, drawn.y) if swept == "y" else (drawn.y, drawn.x)
    title = f"\ndecisions over {along.name}, from {along.values[0]} to {along.values[-1]}"
    table = Table(other.name, *map(name_value, drawn.values), title=title, title_justify="left")
    step = max(1, -(-len(other.values) // MOST_LINES))
    for line in range(0, len(other.values), step):
        table.add_row(str(other.values[line]), *(_line(drawn, value, line) for value in drawn.values))
    return table


def _line(drawn: DecisionMap, value: str, line: int) -> str:
    """Describe the decisions along one line, such as ``"stay, above 5/3 copy"``."""
    if drawn.swept is None:
        return _say_points(drawn.y, drawn.best[value][line])
    places = drawn.lines[value][line]
    words, rank = [str(places[0][1])], drawn.actions.index
    for (_, before), (at, action) in pairwise(places):
        place, is_first = _with_decimals(str(at)), rank(action) < rank(before)  # there both are equally good
        words.append(f"from {place} on {action}" if is_first else f"above {place} {action}")
    return ", ".join(words)


def _say_points(along: Axis, decided: Sequence[Hashable]) -> str:
    """Describe decisions that are known at points only: between two points nobody knows where they turn."""
    words = [str(decided[0])]
    for (low, before), (high, action) in pairwise(zip(along.values, decided, strict=True)):
        if action == before:
            continue
        least, most = _with_decimals(str(low)), _with_decimals(str(high))
        is_next = along.whole and high == low + 1
        words.append(f"from {most} on {action}" if is_next else f"turns to {action} between {least} and {most}")
    return ", ".join(words)
