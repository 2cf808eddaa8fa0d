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
import numpy.typing as npt
from pydantic import Field

from multislot import run
from multislot.drawing.showing import new_figure
from multislot.errors import SettingError
from multislot.exact import AIMU, KernelWorld
from multislot.exact.belief import History
from scenarios.identity.values import worlds
from scenarios.identity.values.worlds import WITNESSES, Copy, node
from scenarios.lab.cells import Axes, Figures, Result, Results, select
from scenarios.lab.experiment import Cell, exact_rows
from scenarios.lab.table import Row, claim_row, share_row


@dataclass(frozen=True)
class Settings:
    """How many random worlds are compared."""

    kernels: Annotated[int, Field(ge=1, description="random worlds that a seed draws")] = 120
    seeds: Annotated[int, Field(ge=1, description="independent searches")] = 4


QUICK = Settings(kernels=50, seeds=2)
FULL = Settings(kernels=2000, seeds=8)


PRINTED = ("cpy", "sta", "dyn")
SECTION = "Orseau 2014, section 4"
MOVED = node(a=(Copy(2, 0, node(a=(Copy(2, 1),), b=(Copy(2, 2),))),))
"""A move to slot 2, where b pays more than a."""
FORK = WITNESSES["dyn"].world
"""The copies cannot tell where they are: slot 1 is paid for a, slot 2 for b."""
MORAL = (
    "No two of the eleven values are the same: for each there is a world of two to eleven copies in which it alone\n"
    "decides otherwise. Static and known slot agree at every first decision in slot 1. They differ after a move:\n"
    "the static value is then 0, the known slot counts the new slot. The known slot alone does not keep its own\n"
    "forecast, because it assumes that its next self knows where it is. The dynamic value takes into account that\n"
    "it will not know."
)


def cells(settings: Settings) -> list[Cell]:
    searches = [Cell(settings, "search", seed=seed) for seed in range(settings.seeds)]
    return [Cell(settings, "witnesses"), *searches, Cell(settings, "forecasts")]


def run_cell(cell: Cell) -> Result:
    if cell.part == "search":
        return _search(Random(cell.seed), cell.settings.kernels)
    rows = _witness_rows() if cell.part == "witnesses" else [*_moved_rows(), *_forecast_rows()]
    return {"rows": [row.as_json() for row in rows]}


def count_smaller(world: worlds.Node, name: str, history: History) -> int:
    """In how many of the worlds that are one step smaller the value still stands alone."""
    return sum(
        worlds.is_met(lambda node: worlds.is_alone(node, name, history), candidate)
        for candidate in worlds.smaller(world)
    )


def _triple_rewards(world: worlds.Node) -> worlds.Node:
    """A world with all rewards tripled, which changes no decision: something can be taken away from it."""
    a, b = (
        tuple(
            tuple(replace(copy, pays=3 * copy.pays, then=copy.then and _triple_rewards(copy.then)) for copy in together)
            for together in choice
        )
        for choice in world.outcomes
    )
    return worlds.Node((a, b))


def _search(draw: Random, kernels: int) -> Result:
    """Count how often the three printed values differ, and any two of all, in random worlds; ties are left out."""
    three: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    decide: Counter[str] = Counter()
    for _ in range(kernels):
        try:
            decided = worlds.decisions(worlds.random_world(draw))
        except SettingError:  # two slots are copied into one
            continue
        printed = {name: decided[name] for name in PRINTED if name in decided}
        if len(printed) == len(PRINTED):
            three[worlds.alone(printed) or "nobody"] += 1
        for pair in combinations(decided, 2):
            decide[" ".join(pair)] += 1
            differ[" ".join(pair)] += decided[pair[0]] != decided[pair[1]]
    return {"three": three, "differ": differ, "decide": decide}


def table(settings: Settings, results: Results) -> list[Row]:
    return [
        *exact_rows(results, "witnesses"),
        *_search_rows(settings, select(results, part="search")),
        *exact_rows(results, "forecasts"),
    ]


def _witness_rows() -> Iterator[Row]:
    """Yield who stands alone, that nothing can be taken away, and that something can be from a world with more."""
    for name, witness in WITNESSES.items():
        for value in sorted(worlds.NAMES):
            a, b = worlds.worths(witness.world, value, witness.history).values()
            yield Row(f"a, b to {value}", f"{name} alone, smallest worlds", f"{a}, {b}", case=f"{name} alone")
    for name, witness in WITNESSES.items():
        condition = f"{name}, {witness.world.size[0]} copies" + (", after a step" if witness.history else "")
        decided, expected = worlds.decisions(witness.world, history=witness.history), f"{name}: {witness.decides}"
        lonely = worlds.alone(decided) if len(decided) == len(worlds.NAMES) else None  # one that is indifferent
        ours = f"{lonely}: {decided[lonely]}" if lonely else "nobody"
        yield Row("who alone decides otherwise", condition, ours, paper=expected, case=condition, source=witness.why)
    for name, witness in WITNESSES.items():
        less = "all worlds with a copy, an outcome, a future or a unit of reward less than this"
        quantity, tripled = "nothing can be taken away", f"{name}, with all rewards tripled"
        is_smallest = not count_smaller(witness.world, name, witness.history)
        yield claim_row(quantity, name, is_smallest, f"{less} claim's")
        is_smallest = not count_smaller(_triple_rewards(witness.world), name, witness.history)
        yield claim_row(quantity, tripled, is_smallest, f"{less} control's", control=True)


def _search_rows(settings: Settings, searches: Sequence[Result]) -> Iterator[Row]:
    three = sum((Counter(search["three"]) for search in searches), Counter[str]())
    total = three.total()
    common = f"{settings.seeds} × {settings.kernels} random worlds, {total} without ties for the three"
    for name in ("nobody", *PRINTED):
        quantity = "decides otherwise (share)"
        yield (
            share_row(quantity, name, common, three[name], total)
            if total
            else Row(quantity, f"{name}, {common}", case=name)
        )
    for first, second, same in (("sta", "known-slot", True), ("cpy", "sta", False)):
        differ, decide = pair_counts(searches, f"{first} {second}")
        condition = f"{first} and {second}, {decide} random worlds in which neither is indifferent"
        source = "one who is asked in slot 1 for the first time has always been there"
        yield claim_row("the same at every first decision in slot 1", condition, not differ, source, control=not same)


def pair_counts(searches: Sequence[Result], pair: str) -> tuple[int, int]:
    """In how many random worlds two values differ, and in how many neither is indifferent; names as in `NAMES`."""
    differ, decide = (sum(search[kind].get(pair, 0) for search in searches) for kind in ("differ", "decide"))
    return differ, decide


def _moved_rows() -> Iterator[Row]:
    for name in ("sta", "dyn", "known-slot"):
        a, b = worlds.worths(MOVED, name, (("a", "x"),)).values()
        stays = name == "sta"
        condition = f"{name}, moved to slot 2, where b pays 2 and a 1"
        source = f"{SECTION}.{3 if stays else 4}"
        paper = "0, 0" if stays else "1, 2"
        yield Row("worth of a, b", condition, f"{a}, {b}", kind="formula", paper=paper, case=name, source=source)
        cares = "it cares for the slot where it is now"
        yield claim_row(cares, condition, b > a, f"{SECTION}.3 and 4.4", control=stays)


def _forecast_rows() -> Iterator[Row]:
    """Yield what the best first action is worth in the fork, and what slot 1 is then paid."""
    for name in ("dyn", "known-slot", "sta"):
        agent = AIMU(worlds.Tiny(FORK), worlds.find_value(name), discount=1, last_step=worlds.STEPS)
        trace = run(KernelWorld(worlds.Tiny(FORK)), {1: agent}, worlds.STEPS)
        expected = Fraction(max(worlds.worths(FORK, name).values()))
        paid = Fraction(sum(rewards.get(1, 0) for rewards in trace.rewards))
        condition = f"{name}, in the fork where dyn stands alone"
        yield Row("worth that is foreseen", condition, expected, case=name)
        yield Row("reward in slot 1, by a run", condition, paid, case=name)
        received = "slot 1 receives what was foreseen"
        source = f"{SECTION}, a note on time-consistency"
        yield claim_row(received, condition, expected == paid, source, control=name == "known-slot")


def story(settings: Settings, results: Results) -> str:
    width = max(map(len, WITNESSES))
    reasons = "\n".join(f"  {name:{width}}  {witness.why}" for name, witness in WITNESSES.items())
    return f"why each of them stands alone in its world:\n{reasons}\n\n{MORAL}"


def figures(settings: Settings, results: Results) -> Figures:
    figure = new_figure(8.6, 10.4)
    upper, lower = figure.subplots(2, 1)
    _draw_worlds(upper)
    _draw_pairs(lower, select(results, part="search"))
    return {"values": figure}


def _draw_worlds(axes: Axes) -> None:
    """Draw a row for each world, a column for each value; the one that stands alone is dark."""
    words = []
    for row, (name, witness) in enumerate(WITNESSES.items()):
        other = {"a": "b", "b": "a"}[witness.decides]
        words.append([witness.decides if value == name else other for value in worlds.NAMES])
        after = ", after a step" if witness.history else ""
        axes.text(len(worlds.NAMES) - 0.4, row, f"{witness.world.size[0]} copies{after}", va="center")
    shades = [[float(value == name) for value in worlds.NAMES] for name in WITNESSES]
    _draw_table(axes, np.array(shades), np.array(words), [f"world of {name}" for name in WITNESSES])
    axes.set_title("(a) what each value decides in the smallest world of each", loc="left")


def _draw_pairs(axes: Axes, searches: Sequence[Result]) -> None:
    """Draw the share of random worlds in which two values differ, below the diagonal."""
    shades, words = np.full((len(worlds.NAMES),) * 2, np.nan), np.full((len(worlds.NAMES),) * 2, "", object)
    for (column, first), (row, second) in combinations(enumerate(worlds.NAMES), 2):
        differ, decide = pair_counts(searches, f"{first} {second}")
        shades[row, column] = differ / decide if decide else 0.0
        words[row, column] = f"{100 * differ / decide:.0f}" if decide else "?"
    _draw_table(axes, shades / (np.nanmax(shades) or 1.0), words, worlds.NAMES)
    axes.set_title("(b) in how many random worlds two values differ, per cent", loc="left")


def _draw_table(axes: Axes, shades: npt.NDArray[np.float64], words: npt.NDArray[Any], rows: Sequence[str]) -> None:
    """Draw a table with a column for each value: words on shades between 0 and 1; NaN for an empty cell."""
    axes.imshow(shades, cmap="Blues", vmin=-0.15, vmax=1.3, aspect="auto")
    for (row, column), word in np.ndenumerate(words):
        axes.text(column, row, word, ha="center", va="center", color="white" if shades[row, column] > 0.8 else "black")
    axes.set_xticks(np.arange(len(worlds.NAMES)), worlds.NAMES, rotation=90)
    axes.set_yticks(np.arange(len(rows)), rows)
    axes.set_xlabel("value")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
