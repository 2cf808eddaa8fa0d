"""Would an agent that decides upon waking keep to the plan that was best from the beginning? Random worlds, exactly.

In each world one agent is copied by chance into at most two copies. Each sees x or y and then decides, without knowing
how many there are. Its action may pay it, make two of it, or delete it. Two such worlds are mixed. The scenario
computes the best policy whose copies may each toss a coin, for the total over all copies and for their average. It also
computes the regret of each pair of a theory of choice (causal, evidential) and a rule for weighing where one might be
(`count`, `exists`, `sequential`, `own`). Two pairs never have a regret: causal with `count`, and evidential with
`exists`. Both are theorems, see `multislot.exact.copies.ratifying`. The other pairs sometimes do. Agents that decide by
them can be led away from the best plan; the table says what they lose (Piccione and Rubinstein 1997; Aumann, Hart and
Perry 1997; Briggs 2010).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BLUE, RED
from multislot.exact import plan_for_copies, worth_for_copies
from multislot.exact.copies.ratifying import RULES, THEORIES, Deciding, Ratification
from scenarios.anthropics.tales import HORIZON, describe, draw_world, size_of
from scenarios.lab.table import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAYOFFS = {"total": Fraction(1), "average": Fraction(0)}
PAIRS = tuple(product(THEORIES, RULES))
SAFE = (("causal", "count"), ("evidential", "exists"))
"""The pairs of the two theorems."""
CHUNK = 100
MORAL = (
    "Of the eight pairs, only causal choice by count and evidential choice by exists keep to the best policy for\n"
    "every payoff. Whoever mixes them weighs a run by the number of its copies once too often, or once too seldom,\n"
    "and can be led away from what it wanted before it fell asleep."
)


@dataclass(frozen=True)
class Settings:
    """How many worlds are tried."""

    worlds: Annotated[int, Field(ge=1, le=10**6, description="random worlds")] = 10_000
    seed: Annotated[int, Field(ge=0, description="of the random worlds")] = 0


QUICK = Settings(worlds=200)


@dataclass(frozen=True)
class Cell:
    """Some random worlds."""

    first: int
    number: int
    coins: str


def cells(settings: Settings) -> list[Cell]:
    """List chunks of worlds, with the best policy of private coins; then the control, the best plan without coins."""
    starts = range(0, settings.worlds, CHUNK)
    return [
        Cell(settings.seed * 10**7 + start, min(CHUNK, settings.worlds - start), coins)
        for coins in ("private", "none")
        for start in starts
        if coins == "private" or start < settings.worlds // 4
    ]


def run_cell(cell: Cell) -> dict[str, Any]:
    """Count, for each payoff and pair, the worlds with a regret, and find the largest loss and the smallest world."""
    found: dict[str, dict[str, Any]] = {}
    solved: Counter[str] = Counter()
    for seed in range(cell.first, cell.first + cell.number):
        for payoff in PAYOFFS:
            checked = check(seed, payoff, cell.coins)
            if checked is None:
                continue
            solved[payoff] += 1
            for pair, (regret, loss) in checked.items():
                if regret > 0:
                    entry = found.setdefault(
                        f"{payoff}, {pair[0]}, {pair[1]}", {"worlds": 0, "exploited": 0, "loss": "0", "smallest": None}
                    )
                    size = size_of(draw_world(seed))
                    entry["worlds"] += 1
                    entry["exploited"] += loss > 0
                    entry["loss"] = str(max(Fraction(entry["loss"]), loss))
                    if loss > 0 and (entry["smallest"] is None or size < entry["smallest"][0]):
                        entry["smallest"] = [size, seed, str(regret), str(loss)]
    return {"found": found, "solved": dict(solved)}


def check(seed: int, payoff: str, coins: str) -> dict[tuple[str, str], tuple[Fraction, Fraction]] | None:
    """Return the regret and the loss of each pair in a world; None if its best policy is not rational."""
    world, caring = draw_world(seed), PAYOFFS[payoff]
    plan: Any = plan_for_copies(world, caring=caring, discount=1, horizon=HORIZON, coins=coins)
    if not isinstance(getattr(plan, "value", None), Fraction):
        return None
    deciding = Deciding.of(world, plan.policy, caring, horizon=HORIZON)
    if any(not isinstance(chance, Fraction) for h in deciding.instances for chance in deciding.policy(h).values()):
        return None
    results = {}
    for theory, rule in PAIRS:
        ratified = deciding.ratify(theory, rule)
        loss = Fraction()
        if ratified.regret > 0:
            changed = partial(_changed, deciding, ratified)
            loss = plan.value - worth_for_copies(world, changed, caring=caring, discount=1, horizon=HORIZON)
        results[theory, rule] = Fraction(ratified.regret), loss
    return results


def _changed(deciding: Deciding, ratified: Ratification, history: Any) -> Any:
    """Return the choice after a history if all copies do what one of them prefers."""
    return ratified.preferred[history] if history == ratified.where else deciding.policy(history)


Results = Sequence[tuple[Cell, dict[str, Any]]]


@dataclass(frozen=True)
class Failures:
    """The worlds in which one pair has a regret.

    Attributes:
        tried: worlds whose best policy is known exactly.
        worlds: how many of them have a regret.
        exploited: how many lose by following it.
        loss: the most that is lost.
        smallest: size, seed, regret and loss of the smallest world that loses.
    """

    tried: int
    worlds: int
    exploited: int
    loss: Fraction
    smallest: tuple[int, int, str, str] | None


def failures(results: Results, coins: str, payoff: str, pair: tuple[str, str]) -> Failures:
    """Add up the results of all cells for one payoff and pair."""
    parts = [result for cell, result in results if cell.coins == coins]
    mine = [part["found"][name] for part in parts if (name := f"{payoff}, {pair[0]}, {pair[1]}") in part["found"]]
    return Failures(
        sum(part["solved"].get(payoff, 0) for part in parts),
        sum(one["worlds"] for one in mine),
        sum(one["exploited"] for one in mine),
        max((Fraction(one["loss"]) for one in mine), default=Fraction()),
        min((tuple(one["smallest"]) for one in mine if one["smallest"]), default=None),
    )


def table(settings: Settings, results: Results) -> list[Row]:
    """Say which pairs keep to the best policy in all worlds, and what the others lose."""
    return [row for payoff in PAYOFFS for pair in PAIRS for row in _rows(settings, results, payoff, pair)] + [
        _control(settings, results, payoff, pair) for payoff, pair in (("average", SAFE[0]), ("average", SAFE[1]))
    ]


def _rows(settings: Settings, results: Results, payoff: str, pair: tuple[str, str]) -> Iterator[Row]:
    found, case = failures(results, "private", payoff, pair), f"{payoff}, {pair[0]}, {pair[1]}"
    condition = f"{case}, {found.tried} of {settings.worlds} worlds from seed {settings.seed}"
    same = payoff == "total" and pair == ("causal", "own")
    if pair in SAFE or same:
        source = "own is count at α = 1, with one agent at the beginning" if same else "theorem"
        yield Row("worlds with a regret", condition, found.worlds, paper=0, case=case, source=source)
        return
    word = "refused" if found.worlds else "passes"
    source = "one world with a regret is enough"
    yield Row(
        "always keeps to the best policy", condition, word, paper="refused", case=case, kind="control", source=source
    )
    yield Row("worlds with a regret", condition, found.worlds, case=case)
    yield Row("worlds that lose by it", condition, found.exploited, case=case)
    yield Row("largest loss", condition, found.loss, case=case)
    if found.smallest:
        size, seed, regret, loss = found.smallest
        yield Row("size of the smallest world that loses", f"{condition}, world {seed}", size, case=case)
        yield Row("its regret", f"{condition}, world {seed}", Fraction(regret), case=case)
        yield Row("its loss", f"{condition}, world {seed}", Fraction(loss), case=case)


def _control(settings: Settings, results: Results, payoff: str, pair: tuple[str, str]) -> Row:
    """The best plan without coins need not be ratifiable; the theorems are about policies with private coins."""
    found = failures(results, "none", payoff, pair)
    return Row(
        "the best plan without coins is ratified, too",
        f"{payoff}, {pair[0]}, {pair[1]}, {found.tried} worlds from seed {settings.seed}",
        "refused" if found.worlds else "passes",
        paper="refused",
        kind="control",
        source="it is best at a corner only, where all copies move together",
    )


def story(settings: Settings, results: Results) -> str:
    """Describe the smallest worlds that speak against a pair."""
    lines = []
    for payoff, pair in product(PAYOFFS, PAIRS):
        smallest = failures(results, "private", payoff, pair).smallest
        if smallest:
            lines += [
                f"{payoff}, {pair[0]} by {pair[1]}: loses {smallest[3]} in world {smallest[1]}:",
                *describe(smallest[1]),
            ]
    return "\n".join(lines)


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Show in how many worlds each pair leaves the best policy."""

    def panel(payoff: str) -> Panel:
        def draw(axes: "Axes") -> None:
            for row, pair in enumerate(PAIRS):
                found = failures(results, "private", payoff, pair)
                share = 100 * found.worlds / max(found.tried, 1)
                axes.barh(row, share, color=RED)
                note = f"{share:.1f} %, loses up to {float(found.loss):.3g}" if found.worlds else "never"
                axes.text(share, row, f"  {note}", va="center", fontsize="small", color=RED if found.worlds else BLUE)
            axes.set_yticks(range(len(PAIRS)), [f"{theory} by {rule}" for theory, rule in PAIRS])
            axes.invert_yaxis()
            axes.set_xlabel("worlds in which it regrets the best policy (%)")
            axes.margins(x=0.9)

        return draw

    panels = [(f"payoff: the {payoff} over all copies", panel(payoff)) for payoff in PAYOFFS]
    title = f"ratify: would a copy keep to the best policy? {settings.worlds} random worlds"
    return {"ratify": lettered(title, panels)}
