"""Figure 3: where the mail-room key is left, for the options of five agents (equation 7).

The nearest place for the key is open to two of five agents, the next to four, and the farthest to all. With α₂ = 1, 5
and 25 the acting agent leaves it in Room 1, Room 2 and the Common Area (Alizadeh Alamdari et al. 2021, appendix A.2).
At α₂ = 25 exactly, Room 2 and the Common Area are equally good: the table names the tie, and gives it to the place that
is lower in the auxiliary term.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from considerate.exact.frontiers import frontier
from scenarios.consideration.behavior import (
    Cell,
    agreement,
    exact_results,
    for_others,
    known_task,
    map_figure,
    run_cell,
    with_seeds,
)
from scenarios.lab.cells import Figures, Results
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings:
    """Coefficients of the others' options, and how often to learn."""

    alphas: Annotated[tuple[Fraction, ...], Field(min_length=1, description="α₂")] = (
        Fraction(1),
        Fraction(5),
        Fraction(25),
    )
    seeds: Annotated[int, Field(ge=0, description="Q-learning runs for each α₂, seeds 0 … n−1; 0 for none")] = 10


QUICK = Settings(seeds=1)


PLACES = {"key: (4, 6)": "Room 1", "key: (6, 3)": "Room 2", "key: (3, 1)": "Common Area"}
MORAL = (
    "One step more gives two more agents their option. The option of the last agent costs so many steps that only\n"
    "a coefficient above 25 pays for it; at 25 exactly, both places are best."
)


def cells(settings: Settings) -> list[Cell]:
    """Return one exact cell for each α₂, and the learned ones."""
    exact = [Cell("mail-room", "options", for_others(alpha)) for alpha in settings.alphas]
    return with_seeds(exact, settings.seeds)


def table(settings: Settings, results: Results) -> list[Row]:
    """Return the place of the key for each α₂, all places that are equally good, and the thresholds."""
    rows = []
    for cell, result in exact_results(results):
        condition = f"α₂ = {cell.caring[0][1]}"
        best = [place(end) for end in (result["end"], *result["tied_ends"])]
        rows.append(Row("places of the key that are optimal", condition, " or ".join(best)))
        rows.append(Row("agent 1's return", condition, result["returns"][0]))
        rows.append(Row("agents who can start", condition, sum(result["returns"][1:])))
    thresholds = frontier(known_task("mail-room"), "options").thresholds
    rows += [Row("threshold", f"number {number} in α₂", value) for number, value in enumerate(thresholds, 1)]
    return rows + agreement(results)


def place(end: str) -> str:
    """Return where the key lies."""
    return next(words for fact, words in PLACES.items() if fact in end)


def figures(settings: Settings, results: Results) -> Figures:
    """Return the map with the walk for each α₂."""
    walks = []
    for cell, result in exact_results(results):
        alpha, shown, note = cell.caring[0][1], result, ""
        if result["ties"]:
            shown = run_cell(Cell(cell.task, cell.criterion, for_others(alpha + Fraction(1, 100))))
            note = f" (tied with {place(result['end'])})"
        walks.append((f"α₂ = {alpha}: {place(shown['end'])}{note}", shown))
    return {"mail-room": map_figure("mail-room", walks, "Where to leave the key")}
