"""The exact frontier of the box task, and Q-learning at some coefficients between its thresholds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from considerate.exact.frontiers import frontier
from considerate.training.learning import learn
from scenarios.consideration.behaviour import LEAST_SHARE, known_task, reached
from scenarios.consideration.caring_coefficient.settings import Settings
from scenarios.lab.table import Measured

FRONTIER, ILL_WILL, LEARNED = "frontier", "ill will", "learned"
WISHED_ILL = "an agent that wishes the other ill must be told from one that cares"
MORAL = (
    "The smallest coefficient above 0 already saves the next agent, at no cost: a path of the same length puts\n"
    "the key back. From 1/4 to 6 the sum of both returns is at its best. Beyond 6 the acting agent gives up 12 to\n"
    "spare the next one 2."
)


@dataclass(frozen=True)
class Cell:
    """All coefficients exactly, or one coefficient learned with one seed."""

    what: str
    alpha: Fraction
    seed: int


Results = Sequence[tuple[Cell, Mapping[str, Any]]]


def cells(settings: Settings) -> list[Cell]:
    """Return the frontier, that of an agent of ill will, and the learned cells."""
    learned = [Cell(LEARNED, alpha, seed) for alpha in learned_at(settings) for seed in range(settings.seeds)]
    return [Cell(FRONTIER, settings.most, 0), Cell(ILL_WILL, settings.most, 0), *learned]


def learned_at(settings: Settings) -> list[Fraction]:
    """Return the coefficients to learn at: the middles of equal parts."""
    return [settings.most * Fraction(2 * k + 1, 2 * settings.learned) for k in range(settings.learned)]


def run_cell(cell: Cell) -> dict[str, Any]:
    """Return the pieces of the frontier, or the returns of one run of Q-learning."""
    box = known_task("box")
    if cell.what != LEARNED:
        pieces = frontier(box, caring=-1 if cell.what == ILL_WILL else 1).pieces
        return {"pieces": [[p.lower, p.upper, *p.behaviour.returns.values()] for p in pieces]}
    found = learn(box, "value", cell.alpha, seed=cell.seed).solution
    return {"returns": None if found is None else list(found.returns.values())}


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return the behaviours and thresholds, what the paper says of the curves, and how often learning is exact."""
    pieces = results[0][1]["pieces"]
    rows = []
    for number, (lower, upper, own, other) in enumerate(pieces, 1):
        condition = f"behaviour {number}, α₂ from {lower} to {upper or '∞'}"
        rows.append(Measured("acting agent; second agent; sum", condition, f"{own}; {other}; {own + other}"))
    thresholds = [Fraction(piece[0]) for piece in pieces[1:]]
    rows += [Measured("threshold", f"number {number} in α₂", value) for number, value in enumerate(thresholds, 1)]
    own, others = [piece[2] for piece in pieces], [piece[3] for piece in pieces]
    rows.append(Measured("acting agent's return", "as α₂ grows", trend(own), kind="claim"))
    rows.append(Measured("second agent's return", "as α₂ grows", trend(others), kind="claim"))
    rows.append(Measured("the sum is largest", "over α₂", largest(own, others), kind="claim"))
    return rows + _ill_will_rows(results) + _learned_rows(results)


def _ill_will_rows(results: Results) -> list[Measured]:
    """Return the controls: what becomes of the claims under ill will."""
    falling, rising, rows = "as α₂ falls below 0: ill will", "as α₂ rises to 0: ill will", []
    for pieces in (result["pieces"] for cell, result in results if cell.what == ILL_WILL):
        own, others = [piece[2] for piece in pieces], [piece[3] for piece in pieces]
        for quantity, where, ours, must in (
            ("acting agent's return", rising, trend(own[::-1]), "never falls"),
            ("second agent's return", falling, trend(others), "never rises"),
            ("the sum is largest", falling, largest(own, others), "at an end"),
        ):
            rows.append(Measured(quantity, where, ours, paper=must, kind="control", source=WISHED_ILL))
    return rows


def largest(own: Sequence[int], others: Sequence[int]) -> str:
    """Return where along a frontier the sum of both returns is largest."""
    sums = [a + b for a, b in zip(own, others, strict=True)]
    return "in the middle" if 0 < sums.index(max(sums)) < len(sums) - 1 else "at an end"


def trend(values: Sequence[int]) -> str:
    """Return whether values only rise or only fall."""
    if list(values) == sorted(values):
        return "never falls"
    return "never rises" if list(values) == sorted(values, reverse=True) else "rises and falls"


def _learned_rows(results: Results) -> list[Measured]:
    """Return at how many coefficients learning is exact, and where it is not; with few seeds, what was seen at each."""
    rows = []
    for alpha in dict.fromkeys(cell.alpha for cell, _ in results if cell.what == LEARNED):
        runs = [result["returns"] for cell, result in results if (cell.what, cell.alpha) == (LEARNED, alpha)]
        exact = sum(run in optima(results, alpha) for run in runs)
        rows.append(replace(reached(exact, len(runs), f"α₂ = {alpha}"), case=f"α₂ = {alpha}"))
    return _as_one(rows) if rows and rows[0].paper is not None else rows


def _as_one(rows: Sequence[Measured]) -> list[Measured]:
    """Return the claim for all coefficients in one row, then each coefficient at which it fails in a row of its own."""
    failing = [replace(row, case="") for row in rows if not isinstance(row.ours, Fraction) or row.ours < LEAST_SHARE]
    first, last = (row.case.removeprefix("α₂ = ") for row in (rows[0], rows[-1]))
    seeds = rows[0].condition.removeprefix(rows[0].case).lstrip(", ")
    where = f"{len(rows)} coefficients, α₂ = {first} to {last}, {seeds} each"
    quantity = f"coefficients at which learning is exact in at least {LEAST_SHARE} of the seeds"
    return [Measured(quantity, where, len(rows) - len(failing), paper=len(rows), kind="claim"), *failing]


def optima(results: Results, alpha: Fraction) -> list[list[int]]:
    """Return both agents' exact returns at a coefficient, the lower term first: two pairs or more at a threshold."""
    return [
        [own, other]
        for lower, upper, own, other in results[0][1]["pieces"]
        if Fraction(lower) <= alpha and (upper is None or alpha <= Fraction(upper))
    ]
