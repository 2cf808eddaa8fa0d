"""Figure 3: where does an agent leave the mail-room key, if it cares which of five others can get the key (equation 7)?

Two of five agents can get the key at its nearest place, four at the next, and all at the farthest. With α₂ = 1, 5
and 25 the acting agent leaves it in Room 1, Room 2 and the Common Area (Alizadeh Alamdari et al. 2021, appendix A.2).
At α₂ = 25 exactly, Room 2 and the Common Area are equally good: the table names the tie, and the place
with the lower auxiliary term comes first.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from scenarios.consideration import behavior
from scenarios.consideration.behavior import run_cell
from scenarios.lab.cells import Figures, Results
from scenarios.lab.table import Row


@dataclass(frozen=True)
class Settings:
    """Coefficients of the others' options, and how often to learn."""

    alphas: behavior.Alphas = (Fraction(1), Fraction(5), Fraction(25))
    seeds: behavior.Seeds = 10


QUICK = Settings(seeds=1)

PLACES = {"key: (4, 6)": "Room 1", "key: (6, 3)": "Room 2", "key: (3, 1)": "Common Area"}
MORAL = (
    "By walking one step more, the agent leaves the key where two more of the others can get it. A place where all\n"
    "five others can get the key is so far away that it is worth the steps only with a caring coefficient above 25."
)


def cells(settings: Settings) -> list[behavior.Cell]:
    exact = [behavior.Cell("mail-room", "options", behavior.for_others(alpha)) for alpha in settings.alphas]
    return behavior.with_seeds(exact, settings.seeds)


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for cell, result in behavior.exact_results(results):
        condition = f"α₂ = {cell.alpha}"
        best = [place(end) for end in (result["end"], *result["tied_ends"])]
        rows.append(Row("places of the key that are optimal", condition, " or ".join(best)))
        rows.append(Row("agent 1's return", condition, result["returns"][0]))
        rows.append(Row("agents who can start", condition, sum(result["returns"][1:])))
    return rows + behavior.threshold_rows("mail-room", "options") + behavior.agreement(results)


def place(end: str) -> str:
    return next(words for fact, words in PLACES.items() if fact in end)


def figures(settings: Settings, results: Results) -> Figures:
    """Draw the map with the walk for each α₂; in place of a tie, the walk just above it."""
    shown, tied = [], {}
    for cell, result in behavior.exact_results(results):
        if result["ties"]:
            tied[cell] = f" (tied with {place(result['end'])})"
            result = run_cell(replace(cell, caring=behavior.for_others(cell.alpha + Fraction(1, 100))))
        shown.append((cell, result))
    return behavior.map_figure(
        shown,
        lambda cell, result: f"α₂ = {cell.alpha}: {place(result['end'])}{tied.get(cell, '')}",
        "Where to leave the key",
    )
