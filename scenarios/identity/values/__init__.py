"""Eleven futures: for each value a smallest world in which it alone decides otherwise.

What will happen to me may mean what all my copies see, what one slot sees, what the first copy sees, and more. Orseau
2014, section 4, lists nine futures and defines three values. Here all eleven values of the engine stand side by side.
For each there is a world of a few copies in which it stands alone, and from which nothing can be taken away. Random
worlds show how often two values differ, a move shows whose slot moves along, and one value breaks its own forecast.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from multislot import run
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import RED
from multislot.errors import SettingError
from multislot.exact import AIMU, KernelWorld
from scenarios.identity.values.search import is_met, random_world
from scenarios.identity.values.witnesses import WITNESSES, Witness, at, node
from scenarios.identity.values.worlds import (
    NAMES,
    STEPS,
    Copy,
    Node,
    Tiny,
    alone,
    decisions,
    is_alone,
    smaller,
    strict_decisions,
    value_called,
    worths,
)
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.table import Kind, Row, share_row


@dataclass(frozen=True)
class Settings:
    """How many random worlds are compared."""

    kernels: Annotated[int, Field(ge=1, description="random worlds that a seed draws")] = 120
    seeds: Annotated[int, Field(ge=1, description="independent searches")] = 4


QUICK = Settings(kernels=50, seeds=2)
FULL = Settings(kernels=2000, seeds=8)


HOLDS, FAILS = "holds", "fails"
PRINTED = ("cpy", "sta", "dyn")
SECTION = "Orseau 2014, section 4"
MOVED = node(a=(at(2, 0, node(a=(at(2, 1),), b=(at(2, 2),))),))
"""A move to slot 2, where b pays more than a."""
FORK = WITNESSES["dyn"].world
"""The copies cannot tell where they are: slot 1 is paid for a, slot 2 for b."""
FORECASTS = ("sta", "dyn", "known-slot")
MORAL = (
    "No two of the eleven are the same: each stands alone in a world of two to eleven copies. Static and known slot\n"
    "agree at every first decision in slot 1. A move tells them apart: the static value is 0 off its slot, and the\n"
    "others adopt the new one. The known slot alone breaks its forecast: it counts on a next self that knows where it\n"
    "is. The dynamic value foresees that it will not know."
)


@dataclass(frozen=True)
class Cell:
    """One piece of work: a witness, or the random worlds of one seed, or the move, or the forecasts."""

    part: str
    which: str = ""
    kernels: int = 0
    seed: int = 0


def cells(settings: Settings) -> list[Cell]:
    """Every witness, every search, the move and the forecasts."""
    return [
        *(Cell("witness", name) for name in WITNESSES),
        *(Cell("search", "", settings.kernels, seed) for seed in range(settings.seeds)),
        Cell("moved"),
        Cell("forecast"),
    ]


def run_cell(cell: Cell) -> dict[str, Any]:
    """What one cell gives."""
    if cell.part == "witness":
        return _witness(cell.which)
    if cell.part == "search":
        return _searched(Random(cell.seed), cell.kernels)
    if cell.part == "moved":
        return {name: list(worths(MOVED, name, (("a", "x"),)).values()) for name in NAMES}
    return {name: _forecast(name) for name in FORECASTS}


def _witness(name: str) -> dict[str, Any]:
    """What each value makes of a witness, and what can be taken away from it and from a larger one."""
    asked = WITNESSES[name]
    return {
        "worths": {value: list(worths(asked.world, value, asked.history).values()) for value in NAMES},
        "alone": stands_alone(asked.world, asked),
        "size": asked.world.size[0],
        "smaller": _still_alone(asked.world, name, asked),
        "smaller of the tripled": _still_alone(_tripled(asked.world), name, asked),
    }


def stands_alone(world: Node, asked: Witness) -> str:
    """The value that decides otherwise than all others, and what it decides; "nobody" if there is none."""
    found = decisions(world, history=asked.history)
    name = alone(found)
    return f"{name}: {found[name]}" if name and found else "nobody"


def _still_alone(world: Node, name: str, asked: Witness) -> int:
    """In how many of the worlds that are one step smaller the value still stands alone."""
    return sum(is_met(lambda one: is_alone(one, name, asked.history), candidate) for candidate in smaller(world))


def _tripled(world: Node) -> Node:
    """A world with all rewards tripled, which changes no decision: something can be taken away from it."""
    a, b = (tuple(tuple(map(_tripled_copy, together)) for together in choice) for choice in world.outcomes)
    return Node((a, b))


def _tripled_copy(one: Copy) -> Copy:
    return replace(one, pays=3 * one.pays, then=_tripled(one.then) if one.then else None)


def _searched(draw: Random, kernels: int) -> dict[str, Any]:
    """How often the three printed values differ, and any two of all, in random worlds; ties are left out."""
    three: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    decide: Counter[str] = Counter()
    for _ in range(kernels):
        try:
            found = strict_decisions(random_world(draw))
        except SettingError:  # two slots are copied into one
            continue
        printed = {name: found[name] for name in PRINTED if name in found}
        if len(printed) == len(PRINTED):
            three[alone(printed) or "nobody"] += 1
        for one, other in combinations(found, 2):
            decide[f"{one} {other}"] += 1
            differ[f"{one} {other}"] += found[one] != found[other]
    return {"three": three, "differ": differ, "decide": decide}


def _forecast(name: str) -> dict[str, Any]:
    """What the best first action is worth in the fork, and what slot 1 is then paid."""
    expected = max(worths(FORK, name).values())
    agent = AIMU(Tiny(FORK), value_called(name), discount=1, last_step=STEPS)
    trace = run(KernelWorld(Tiny(FORK)), {1: agent}, STEPS)
    return {"expected": expected, "paid": sum(paid.get(1, 0) for paid in trace.rewards)}


def table(settings: Settings, results: Results) -> list[Row]:
    """Witnesses, how often values differ, the move, and the forecasts."""
    witnesses = {cell.which: result for cell, result in results if cell.part == "witness"}
    searches = [result for cell, result in results if cell.part == "search"]
    (moved,) = (result for cell, result in results if cell.part == "moved")
    (forecasts,) = (result for cell, result in results if cell.part == "forecast")
    return [
        *_worth_rows(witnesses),
        *_witness_rows(witnesses),
        *_search_rows(settings, searches),
        *_moved_rows(moved),
        *_forecast_rows(forecasts),
    ]


def _worth_rows(witnesses: dict[str, dict[str, Any]]) -> Iterator[Row]:
    for name, found in witnesses.items():
        for value, (a, b) in found["worths"].items():
            condition = f"{name} alone, smallest worlds"
            yield Row(f"a, b to {value}", condition, f"{Fraction(a)}, {Fraction(b)}", case=f"{name} alone")


def _witness_rows(witnesses: dict[str, dict[str, Any]]) -> Iterator[Row]:
    """Yield who stands alone, that nothing can be taken away, and that something can be from a world with more."""
    for name, found in witnesses.items():
        asked = WITNESSES[name]
        condition = f"{name}, {found['size']} copies" + (", after a step" if asked.history else "")
        expected = f"{name}: {asked.decides}"
        yield Row(
            "who alone decides otherwise", condition, found["alone"], paper=expected, case=condition, source=asked.why
        )
    for name, found in witnesses.items():
        for larger, kind in ((False, "claim"), (True, "control")):
            what = f"{name}, with all rewards tripled" if larger else name
            yield _statement(
                "nothing can be taken away",
                what,
                not found["smaller of the tripled" if larger else "smaller"],
                not larger,
                f"all worlds with a copy, an outcome, a future or a unit of reward less than this {kind}'s",
            )


def _statement(quantity: str, condition: str, is_so: bool, expected: bool, source: str) -> Row:
    kind: Kind = "claim" if expected else "control"
    ours, paper = (HOLDS if one else FAILS for one in (is_so, expected))
    return Row(quantity, condition, ours, paper=paper, kind=kind, case=condition, source=source)


def _search_rows(settings: Settings, searches: Sequence[dict[str, Any]]) -> Iterator[Row]:
    three: Counter[str] = Counter()
    for found in searches:
        three.update(found["three"])
    total = sum(three.values())
    common = f"{settings.seeds} × {settings.kernels} random worlds, {total} without ties for the three"
    for name in ("nobody", *PRINTED):
        yield (
            share_row("decides otherwise (share)", name, common, three[name], total)
            if total
            else Row("decides otherwise (share)", f"{name}, {common}", None, case=name)
        )
    for pair, same in (("sta known-slot", True), ("cpy sta", False)):
        one, other = pair.split()
        differ, decide = pair_counts(searches, pair)
        yield _statement(
            "the same at every first decision in slot 1",
            f"{one} and {other}, {decide} random worlds in which neither is indifferent",
            not differ,
            same,
            "one who is asked in slot 1 for the first time has always been there",
        )


def pair_counts(searches: Sequence[dict[str, Any]], pair: str) -> tuple[int, int]:
    """In how many random worlds two values differ, and in how many neither is indifferent.

    Args:
        searches: the results of the searches.
        pair: the two names with a space between them, in the order of `NAMES`.
    """
    differ, decide = (sum(found[kind].get(pair, 0) for found in searches) for kind in ("differ", "decide"))
    return differ, decide


def _moved_rows(moved: dict[str, list[Any]]) -> Iterator[Row]:
    for name in ("sta", "dyn", "known-slot"):
        a, b = (Fraction(one) for one in moved[name])
        expected = "0, 0" if name == "sta" else "1, 2"
        condition = f"{name}, moved to slot 2, where b pays 2 and a 1"
        yield Row("worth of a, b", condition, f"{a}, {b}", kind="formula", paper=expected, case=name,
                       source=f"{SECTION}.{3 if name == 'sta' else 4}")  # fmt: skip
        yield _statement(
            "it cares for the slot where it is now", condition, b > a, name != "sta", f"{SECTION}.3 and 4.4"
        )


def _forecast_rows(forecasts: dict[str, dict[str, Any]]) -> Iterator[Row]:
    for name, found in forecasts.items():
        expected, paid = Fraction(found["expected"]), Fraction(found["paid"])
        condition = f"{name}, in the fork where dyn stands alone"
        yield Row("worth that is foreseen", condition, expected, case=name)
        yield Row("reward in slot 1, by a run", condition, paid, case=name)
        yield _statement(
            "slot 1 receives what was foreseen",
            condition,
            expected == paid,
            name != "known-slot",
            f"{SECTION}, a note on time-consistency",
        )


def story(settings: Settings, results: Results) -> str:
    """Why each stands alone, and the moral."""
    width = max(map(len, WITNESSES))
    reasons = "\n".join(f"  {name:{width}}  {witness.why}" for name, witness in WITNESSES.items())
    return f"why each of them stands alone in its world:\n{reasons}\n\n{MORAL}"


ALONE, TOGETHER = RED, "#dfe6ee"
PALE = 0.45  # shares above this are written in white


def figures(settings: Settings, results: Results) -> Figures:
    """One figure of two panels."""
    figure = new_figure(8.6, 10.4)
    worlds, pairs = figure.subplots(2, 1)
    _draw_worlds(worlds, {cell.which: result for cell, result in results if cell.part == "witness"})
    _draw_pairs(pairs, [result for cell, result in results if cell.part == "search"])
    return {"values": figure}


def _draw_worlds(axes: Axes, witnesses: dict[str, dict[str, Any]]) -> None:
    """Draw a row for each world, a column for each value; the one that stands alone is colored."""
    for row, (name, found) in enumerate(witnesses.items()):
        for column, value in enumerate(NAMES):
            color = ALONE if value == name else TOGETHER
            axes.add_patch(_square(column, row, color))
            other = {"a": "b", "b": "a"}[WITNESSES[name].decides]
            word = WITNESSES[name].decides if value == name else other
            axes.text(column, row, word, ha="center", va="center", weight="bold" if value == name else None)
        after = ", after a step" if WITNESSES[name].history else ""
        axes.text(len(NAMES) - 0.4, row, f"{found['size']} copies{after}", va="center")
    _frame(axes, [f"world of {name}" for name in witnesses])
    axes.set_title("(a) what each value decides in the smallest world of each", loc="left")


def _draw_pairs(axes: Axes, searches: list[dict[str, Any]]) -> None:
    """Draw the share of random worlds in which two values differ, below the diagonal."""
    from matplotlib import colormaps

    shares = {}
    for one, other in combinations(NAMES, 2):
        differ, decide = pair_counts(searches, f"{one} {other}")
        shares[one, other] = differ / decide if decide else None
    largest = max((share for share in shares.values() if share), default=1.0)
    for (one, other), share in shares.items():
        column, row = NAMES.index(one), NAMES.index(other)
        depth = 0.0 if share is None else share / largest
        axes.add_patch(_square(column, row, colormaps["Blues"](0.75 * depth)))
        word = "?" if share is None else f"{100 * share:.0f}"
        axes.text(column, row, word, ha="center", va="center", color="white" if depth > 2 * PALE else "black")
    _frame(axes, list(NAMES))
    axes.set_title("(b) in how many random worlds two values differ, per cent", loc="left")


def _square(column: int, row: int, color: Any) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=color, edgecolor="white")


def _frame(axes: Axes, rows: list[str]) -> None:
    axes.set_xticks(np.arange(len(NAMES)), NAMES, rotation=90)
    axes.set_yticks(np.arange(len(rows)), rows)
    axes.set(xlim=(-0.5, len(NAMES) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.set_xlabel("value")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
