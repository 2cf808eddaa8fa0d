"""For each of eleven ideas of “my future”, the smallest world in which it decides differently from all others.

"My future" may mean what all my copies see, what one slot sees, what the first copy sees, and more. Orseau 2014,
section 4, lists nine futures and defines three values. This scenario compares all eleven values of the engine. For each
value there is a world of a few copies in which it decides otherwise than all other values. Nothing can be left out of
this world. A move to another slot shows which values follow the agent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from multislot import run
from multislot.drawing.showing import new_figure
from multislot.exact import AIMU, KernelWorld
from multislot.exact.belief import History
from scenarios.identity.values import worlds
from scenarios.identity.values.worlds import WITNESSES, Copy, node
from scenarios.lab.cells import Figures, Result, Results
from scenarios.lab.experiment import Cell, exact_rows
from scenarios.lab.table import Row, claim_row


@dataclass(frozen=True)
class Settings:
    """Nothing can be set."""


SECTION = "Orseau 2014, section 4"
MOVED = node(a=(Copy(2, 0, node(a=(Copy(2, 1),), b=(Copy(2, 2),))),))
"""A move to slot 2, where b pays more than a."""
FORK = WITNESSES["dyn"].world
"""The copies cannot tell where they are: slot 1 is paid for a, slot 2 for b."""
MORAL = (
    "For each of the eleven values (ideas of “my future”) there is a world of two to eleven copies in which an agent\n"
    "with this value decides differently from all others. An agent that counts only the rewards in the slot where it\n"
    "started (“static”) counts none after it has moved; an agent that counts the slot where it is now (“known slot”)\n"
    "counts those in the new slot. An agent that wrongly assumes that it will know its slot (“known slot”) may later\n"
    "depart from its own plan. With any value other than “known slot” an agent keeps to its plan."
)


def cells(settings: Settings) -> list[Cell]:
    return [Cell(settings, "witnesses"), Cell(settings, "forecasts")]


def run_cell(cell: Cell) -> Result:
    rows = _witness_rows() if cell.part == "witnesses" else [*_moved_rows(), *_forecast_rows()]
    return {"rows": [row.as_json() for row in rows]}


def count_smaller(world: worlds.Node, name: str, history: History) -> int:
    """In how many of the worlds that are one step smaller the value still stands alone."""
    return sum(worlds.is_alone(candidate, name, history) for candidate in worlds.smaller(world))


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


def table(settings: Settings, results: Results) -> list[Row]:
    return [*exact_rows(results, "witnesses"), *exact_rows(results, "forecasts")]


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
    """Draw a row for each world, a column for each value; the one that stands alone is dark."""
    figure = new_figure(8.6, 5.2)
    axes = figure.subplots()
    words = []
    for row, (name, witness) in enumerate(WITNESSES.items()):
        other = {"a": "b", "b": "a"}[witness.decides]
        words.append([witness.decides if value == name else other for value in worlds.NAMES])
        after = ", after a step" if witness.history else ""
        axes.text(len(worlds.NAMES) - 0.4, row, f"{witness.world.size[0]} copies{after}", va="center")
    shades = [[float(value == name) for value in worlds.NAMES] for name in WITNESSES]
    axes.imshow(np.array(shades), cmap="Blues", vmin=-0.15, vmax=1.3, aspect="auto")
    for (row, column), word in np.ndenumerate(np.array(words)):
        axes.text(column, row, word, ha="center", va="center", color="white" if shades[row][column] else "black")
    axes.set_xticks(np.arange(len(worlds.NAMES)), worlds.NAMES, rotation=90)
    axes.set_yticks(np.arange(len(WITNESSES)), [f"world of {name}" for name in WITNESSES])
    axes.set_xlabel("value")
    axes.set_title("what each value decides in the smallest world of each", loc="left")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return {"values": figure}
