"""Should your copies toss coins? The best policy with private coins, exactly, and where it beats every plan.

Copies with the same history act alike if they follow a plan. If each tosses a coin of its own, some may do one thing
and some another. For the total over all copies that never helps, which is a theorem. For their average, for a negative
α, or under another criterion it can help: two copies that see the same get 9/5 instead of 1 (see
`multislot.exact.copies.coins`). A coin that all copies share never helps, since it only mixes plans. Without memory a
coin helps even a single driver (Piccione and Rubinstein 1997). Random worlds show how often private coins gain. Every
policy of a grid is compared with the best one.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Annotated, Any

from pydantic import Field

from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BELOW, BLUE, GREY, RED
from multislot.exact import Arrival, plan_for_copies, worth_for_copies
from multislot.exact.copies.polynomials import Algebraic
from scenarios.lab.cells import Axes, Figures, Result, Results, collect
from scenarios.lab.experiment import exact_rows
from scenarios.lab.table import Row, Value, caught_row
from scenarios.studies.tales import HORIZON, Cell, describe, draw_world, join_lists, random_cells, size_of

__all__ = ["CLUELESS", "PAIR"]

ALPHAS = tuple(map(Fraction, ("-1/2", "0", "1/2", "1")))
CHUNK = 50
GRID = 4
CLUELESS = (("A", "same"),)
"""The history of each of the two copies when they decide."""
MORAL = (
    "If each copy tosses its own coin, the copies can do better than with any plan, unless the total over all\n"
    "copies counts. The reason: with a coin, copies that cannot tell themselves apart can still do different\n"
    "things."
)


@dataclass(frozen=True)
class Settings:
    """How many random worlds are searched."""

    worlds: Annotated[int, Field(ge=1, le=10**6, description="random worlds")] = 1_000
    compared: Annotated[int, Field(ge=1, description="random worlds in which a grid of policies is tried")] = 40
    seed: Annotated[int, Field(ge=0, description="of the random worlds")] = 0


QUICK = Settings(worlds=100, compared=5)


@dataclass(frozen=True)
class Parting:
    """One agent is copied. The copies see the same, and each decides.

    Args:
        pays: what each action pays the copies, by slot; None deletes a copy.
    """

    pays: Mapping[str, tuple[int | None, ...]]

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(self.pays)

    @property
    def start(self) -> Mapping[int, Hashable]:
        return {1: "alone"}

    def outcomes(self, slot: int, state: Hashable, action: Any) -> list[tuple[int, dict[int, Arrival]]]:
        if state == "alone":
            return [(1, {i: Arrival("parted", "same") for i in range(1, len(self.pays[action]) + 1)})]
        pay = self.pays[action][slot - 1]
        return [(1, {} if pay is None else {slot: Arrival("over", "over", pay)})]


PAIR = Parting({"A": (10, -8), "B": (0, None)})
"""A pays the copy in slot 1 10, and the copy in slot 2 −8. B pays nothing, and deletes the copy in slot 2."""


def watch(copies: int) -> Parting:
    """The game in which each copy is paid 1 if it keeps watch."""
    return Parting({"watch": (1,) * copies, "sleep": (0,) * copies})


def cells(settings: Settings) -> list[Cell]:
    return [
        Cell("examples"),
        *random_cells("random", settings.seed, settings.worlds, CHUNK),
        *random_cells("grid", settings.seed, settings.compared, 1),
    ]


def run_cell(cell: Cell) -> Result:
    """Find the random worlds in which private coins gain: for each α the size, the seed and the gain."""
    if cell.part == "examples":
        return {"rows": [row.as_json() for row in _example_rows()]}
    if cell.part == "grid":
        return {"better": sum(_beaten(cell.first, caring) for caring in ALPHAS)}
    gains_by_caring: dict[str, list[Any]] = {str(caring): [] for caring in ALPHAS}
    for seed, caring in product(cell.seeds, ALPHAS):
        gain = _gain(seed, caring)
        if gain is not None and gain > 0:
            gains_by_caring[str(caring)].append((size_of(draw_world(seed)), seed, float(gain)))
    return {"found": gains_by_caring}


def _gain(seed: int, caring: Fraction) -> Any:
    """The gain of private coins in a random world; None if there are only bounds."""
    world = draw_world(seed)
    # At α = 1 coins are skipped; as a criterion the sum is maximized like any other objective.
    objective: dict[str, Any] = {"criterion": sum} if caring == 1 else {"caring": caring}
    best: Any = plan_for_copies(world, discount=1, horizon=HORIZON, coins="private", **objective)
    plain = plan_for_copies(world, caring=caring, discount=1, horizon=HORIZON).value
    return best.value - plain if hasattr(best, "value") else None


def _beaten(seed: int, caring: Fraction) -> int:
    """Count the policies of a grid that are worth more than the best one."""
    world, shares = draw_world(seed), [Fraction(k, GRID) for k in range(GRID + 1)]
    best: Any = plan_for_copies(world, caring=caring, discount=1, horizon=HORIZON, coins="private")
    beaten = 0
    for x, y in product(shares, repeat=2):
        chances: dict[Hashable, Any] = {"x": {0: x, 1: 1 - x}, "y": {0: y, 1: 1 - y}}

        def policy(history: Any, chances: Any = chances) -> Any:
            return chances[history[0][1]] if history else 0  # the first action does not matter

        beaten += worth_for_copies(world, policy, caring=caring, discount=1, horizon=HORIZON) > best.upper
    return beaten


FORMULAS: Mapping[str, tuple[Value, str]] = {
    "pair, none, α=0": (1, "both do A"),
    "pair, shared, α=0": (1, "a mixture is worth the mean"),
    "pair, private, α=0": (Fraction(9, 5), "A with probability p: 6p − 5p², best at 3/5"),
    "pair, none, α=1": (2, "both do A"),
    "pair, private, α=1": (2, "theorem: for the total a coin gains nothing"),
    "one of two, none": (0, "both or none"),
    "one of two, private": (Fraction(1, 2), "2p(1 − p), best at 1/2"),
    "one of three, none": (0, "all or none"),
    "one of three, private": ((10 + 7 * 7**0.5) / 54, "3p(1 − p)² + p²(1 − p), best where 6p² − 10p + 3 = 0"),
}


def _example_rows() -> Iterator[Row]:
    values: dict[str, Any] = {}
    games: Sequence[tuple[str, int, Callable[[Any], Any]]] = (
        ("one of two", 2, lambda rewards: int(sum(rewards) == 1)),
        ("one of three", 3, lambda rewards: {1: Fraction(1), 2: Fraction(1, 3)}.get(sum(rewards), Fraction())),
    )
    for coins in ("none", "shared", "private"):
        for caring in ALPHAS:
            plan: Any = plan_for_copies(PAIR, caring=caring, discount=1, horizon=2, coins=coins)
            values[f"pair, {coins}, α={caring}"] = plan.value
        for name, copies, criterion in games:  # a step is worth most if exactly one copy keeps watch
            plan = plan_for_copies(watch(copies), criterion=criterion, discount=1, horizon=2, coins=coins)
            values[f"{name}, {coins}"] = plan.value
    for name, value in sorted(values.items()):
        ours = float(value) if isinstance(value, Algebraic) else Fraction(value)
        paper, source = FORMULAS.get(name, (None, ""))
        tolerance = 1e-12 if isinstance(paper, float) else 0.0
        yield Row("worth", name, ours, paper=paper, tolerance=tolerance, source=source)


def table(settings: Settings, results: Results) -> list[Row]:
    rows, worlds = list(exact_rows(results, "examples")), f"random worlds from seed {settings.seed}"
    for caring in ALPHAS:
        condition = f"α={caring}, {settings.worlds} {worlds}"
        gains, quantity = len(_gaining(results, caring)), "worlds in which private coins gain"
        if caring == 1:
            rows.append(Row(quantity, condition, gains, paper=0, source="theorem"))
        else:
            rows.append(Row(quantity, condition, gains))
            rows.append(caught_row("coins never gain", condition, gains > 0, "one world is enough"))
    better = collect(results, "better", part="grid")
    condition = f"{len(better) * len(ALPHAS) * (GRID + 1) ** 2} random policies in {len(better)} {worlds}"
    return [*rows, Row("policies of a grid that are worth more", condition, sum(better), paper=0)]


def _gaining(results: Results, caring: Fraction) -> list[Any]:
    return join_lists(results, "random", str(caring))


def story(settings: Settings, results: Results) -> str:
    """Describe the smallest random world in which coins gain, for each α."""
    lines = []
    for caring in ALPHAS:
        if gaining := _gaining(results, caring):
            _, world, gain = min(gaining)
            lines += [f"α={caring}: private coins gain {gain:.3g} in world {world}:", *describe(world)]
    return "\n".join(lines)


def figures(settings: Settings, results: Results) -> Figures:
    """Show the two copies' worth over the probability of A, what coins gain over α, and how often they gain."""

    def curve(axes: Axes) -> None:
        chances = [Fraction(k, 40) for k in range(41)]
        for caring, color in ((Fraction(0), RED), (Fraction(1), BLUE)):
            policies: list[dict[Any, Any]] = [{(): "A", CLUELESS: {"A": p, "B": 1 - p}} for p in chances]
            worths = [
                worth_for_copies(PAIR, policy.__getitem__, caring=caring, discount=1, horizon=2) for policy in policies
            ]
            axes.plot([float(p) for p in chances], [float(w) for w in worths], color=color, label=f"α={caring}")
            top = max(range(41), key=worths.__getitem__)
            axes.plot(float(chances[top]), float(worths[top]), "o", color=color)
        axes.set(xlabel="probability of A for each of two copies", ylabel="worth from the beginning")
        axes.legend(**BELOW)

    def over_alpha(axes: Axes) -> None:
        alphas = [Fraction(k, 10) for k in range(-10, 11)]
        for coins, color in (("none", GREY), ("private", RED)):
            worths: list[Any] = [
                plan_for_copies(PAIR, caring=caring, discount=1, horizon=2, coins=coins).upper for caring in alphas
            ]
            axes.plot([float(a) for a in alphas], [float(w) for w in worths], color=color, label=f"{coins} coins")
        axes.set(xlabel="caring coefficient α", ylabel="worth of the best policy")
        axes.legend(**BELOW)

    def often(axes: Axes) -> None:
        shares = [100 * len(_gaining(results, caring)) / settings.worlds for caring in ALPHAS]
        axes.bar([f"α={caring}" for caring in ALPHAS], shares, color=[RED if share else BLUE for share in shares])
        for place, share in enumerate(shares):
            axes.text(place, share, f"{share:.3g} %" if share else "never", ha="center", va="bottom", fontsize="small")
        axes.set_ylabel(f"of {settings.worlds} random worlds (%)")
        axes.margins(y=0.15)

    panels: list[tuple[str, Panel]] = [
        ("two copies that see the same", curve),
        ("the best plan, and the best policy of private coins", over_alpha),
        ("how often private coins gain", often),
    ]
    return {"coins": lettered("coins: each copy tosses its own", panels)}
