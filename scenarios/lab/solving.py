"""The command ``multislot solve``: what every value decides in the world of a file.

It asks `multislot.exact.files.answers` and prints the reply, as tables or, with ``--json``, as it is.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact import DecisionMap
from multislot.exact.courses import Stage
from multislot.exact.files.answers import Asked
from multislot.exact.files.reading import FileError
from multislot.exact.files.worlds import find_kernel
from scenarios.lab import printing

SPAN = re.compile(r"(?P<name>[^=]+)=(?P<least>[^:]+?)\.\.(?P<most>[^:]+)(:(?P<points>\d+))?")
TREE_DEPTH = 2
MOST_LINES = 12
CARING = ("0", "1")
PICTURES = (".png", ".pdf", ".svg")

World = Annotated[
    str,
    typer.Argument(metavar="FILE|NAME", help="A world's TOML file, or the name of a world of the package."),
]
Changes = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a parameter; may be repeated.")
]
Discount = Annotated[str | None, typer.Option(metavar="γ", help="The discount, such as 9/10; the file's by default.")]
Horizon = Annotated[str | None, typer.Option(metavar="T", help="The number of steps, or inf; the file's by default.")]
Caring = Annotated[
    list[str] | None, typer.Option(metavar="α", help="A coefficient of caring for copies; may be repeated.")
]
ValueName = Annotated[str, typer.Option("--value", metavar="NAME", help="Whose tree and lineage are shown.")]
First = Annotated[str | None, typer.Option(metavar="ACTION", help="The first action of the lineage.")]
Axes = Annotated[
    tuple[str, str] | None,
    typer.Option("--map", metavar="X Y", help="A decision map: two settings, as NAME or NAME=LEAST..MOST[:POINTS]."),
]
Save = Annotated[Path | None, typer.Option(metavar="FILE", help="Save the map as a picture.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON and nothing else.")]


def solve(
    world: World,
    changes: Changes = None,
    discount: Discount = None,
    horizon: Horizon = None,
    caring: Caring = None,
    value: ValueName = "cpy",
    first: First = None,
    axes: Axes = None,
    save: Save = None,
    as_json: AsJson = False,
) -> None:
    """Work out what every value decides in the world of a file, exactly.

    Prints the decisions as fractions, the tree of decisions, who is copied from whom, and a decision map.
    """
    if save is not None and axes is None:
        raise SettingError(f"--save {save}: there is no map to save; give --map X Y")
    if save is not None and save.suffix not in PICTURES:
        raise SettingError(f"--save {save}: give a file that ends in {', '.join(PICTURES)}")
    try:
        request = _request(world, changes or (), discount, horizon, caring or CARING)
        request |= {"tree": {"value": value, "depth": TREE_DEPTH}}
        request |= {"lineage": {"value": value} | ({} if first is None else {"first": first})}
        asked = Asked(request | ({} if axes is None else {"map": dict(zip("xy", map(_axis, axes), strict=True))}))
    except FileError as error:
        raise SettingError(f"{world}: {error}") from None
    found = asked.map(asked.request["map"]) if axes else None
    if found is not None and save is not None:
        _save(found, save)
    if as_json:
        print(json.dumps(asked.reply(), ensure_ascii=False))
    else:
        _print(asked, found)


def _save(found: DecisionMap, path: Path) -> None:
    drawn: Any = found.plot()
    try:
        drawn.figure.savefig(path)
    except OSError as error:
        raise SettingError(f"--save {path}: the picture cannot be written: {error}") from None


def _request(
    world: str, changes: Sequence[str], discount: str | None, horizon: str | None, caring: Sequence[str]
) -> dict[str, Any]:
    request: dict[str, Any] = {"file": find_kernel(world).file.document.text, "caring": list(caring)}
    pairs = [change.partition("=") for change in changes]
    for key, equals, _ in pairs:
        if not equals:
            raise SettingError(f"--set {key}: write --set key=value")
    request["parameters"] = {key.strip(): value.strip() for key, _, value in pairs}
    if discount is not None:
        request["discount"] = discount
    if horizon is not None:
        request["horizon"] = _steps(horizon)
    return request


def _steps(horizon: str) -> int | None:
    if horizon == "inf":
        return None
    if not re.fullmatch(r"\d{1,9}", horizon):
        raise SettingError(f"--horizon {horizon}: give a number of steps, or inf")
    return int(horizon)


def _axis(written: str) -> Any:
    """Return an axis of a request; without a range the file's or the usual one is taken."""
    found = SPAN.fullmatch(written)
    if found is None:
        return written
    axis: dict[str, Any] = {key: found[key] for key in ("name", "least", "most")}
    return axis | ({"points": int(found["points"])} if found["points"] else {})


def _print(asked: Asked, found: DecisionMap | None) -> None:
    console = printing.output()
    world, values = asked.world(), asked.values()
    tree, lineage = asked.request["tree"], asked.request["lineage"]
    decided = _told(lambda: str(asked.tree(tree)))
    lives = _told(lambda: "\n".join(_lineage_lines(asked.lineage(lineage))))
    settings = {name: one["value"] for name, one in world["parameters"].items()}
    settings |= {"γ": world["discount"], "T": "∞" if world["horizon"] is None else world["horizon"]}
    console.print(f"[bold]{world['name']}[/bold]" + ": " * bool(world["title"]) + world["title"], highlight=False)
    numbers = ", ".join(f"{k}={v}" for k, v in settings.items())
    console.print(f"{world['question']}  {numbers}".strip(), markup=False)
    if world["after"]:
        console.print("asked after " + ", ".join(" → ".join(pair) for pair in world["after"]), markup=False)
    printing.show(console, _values_table(values, world["actions"]))
    console.print(f"\nwhat {tree['value']} does, {TREE_DEPTH} steps ahead:", markup=False)
    console.print(decided, markup=False)
    first = f", if {lineage['first']!r} comes first" if "first" in lineage else ""
    console.print(f"\nwho is copied from whom{first}:", markup=False)
    console.print(lives, markup=False, highlight=False)
    if found is not None:
        printing.show(console, _map_table(found))
    if world["moral"]:
        console.print("\n" + world["moral"], markup=False)


def _told(work: Callable[[], str]) -> str:
    """Return a text, or why there is none: an endless future may have no value."""
    try:
        return work()
    except UnknownNameError:
        raise
    except MultislotError as error:
        return str(error)


def _values_table(values: Mapping[str, Mapping[str, Any]], actions: Sequence[str]) -> Table:
    table = Table("value", *actions, "decides", title="what each action is worth", title_justify="left")
    for name, one in values.items():
        if "error" in one:
            table.add_row(name, *[""] * len(actions), one["error"])
        else:
            tie = " (tie)" if one["tied"] else ""
            table.add_row(name, *(one["actions"][action] for action in actions), one["best"] + tie)
    return table


def _lineage_lines(stages: Sequence[Stage]) -> Iterator[str]:
    """Yield a line for each step: copies, deletions, and what everyone sees and is paid."""
    for stage in stages[1:]:
        targets: dict[int, list[int]] = {}
        for agent in stage.agents:
            targets.setdefault(agent.source, []).append(agent.slot)
        moves = [
            f"{source} → {', '.join(map(str, slots))}" for source, slots in targets.items() if slots != [source]
        ] + [f"{slot} is deleted" for slot in stage.deleted]
        seen = [f"{a.slot} sees {a.history[-1][1]}, paid {a.reward}" for a in stage.agents]
        yield f"{stage.step:>4}  {'; '.join(moves) or 'all stay':<24}  {'; '.join(seen) or 'nobody is left'}"


def _map_table(found: DecisionMap) -> Table:
    """Return where decisions turn along the swept axis, or what is decided at some points."""
    swept = found.swept or "y"
    other, along = (found.x, found.y) if swept == "y" else (found.y, found.x)
    title = f"\ndecisions over {along.name}, from {along.values[0]} to {along.values[-1]}"
    table = Table(other.name, *found.values, title=title, title_justify="left")
    step = max(1, -(-len(other.values) // MOST_LINES))
    for line in range(0, len(other.values), step):
        table.add_row(str(other.values[line]), *(_line(found, value, line) for value in found.values))
    return table


def _line(found: DecisionMap, value: str, line: int) -> str:
    """Return what is decided along one line, such as ``"stay, above 5/3 copy"``."""
    if found.swept is None:
        return ", ".join(str(action) for action in dict.fromkeys(found.best[value][line]))
    turns = found.turns[value][line]
    return ", ".join([str(found.starts[value][line]), *(f"above {turn.at} {turn.above}" for turn in turns)])
