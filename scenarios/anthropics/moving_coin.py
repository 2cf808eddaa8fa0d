"""Where does the coin stand? The same story with its coin between two worlds, or tossed inside one, early or late.

A coin is tossed. After heads one copy wakes; after tails more do, and none knows how many. Each may buy, for a price, a
coupon that pays 1 if the coin fell tails. A mixture of two worlds can hold the coin, or one world can toss it, in the
first night or in the second. Nothing that anybody sees, does or is paid depends on this. Yet the paper's own agent
(Orseau 2014, equation 2) buys at a price of 3/5 if the coin is tossed inside, and refuses if it stands between worlds:
inside a world it expects numbers of copies, and between worlds it does not. Each value and each rule for the weights of
worlds is asked at many prices, with a certain and with a random number of copies. Only the rule `count` is invariant
for every value that looks at all copies.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Annotated, Any

from pydantic import Field

from multislot.drawing.pictures import Panel, lettered
from multislot.drawing.styling import BLUE, GREY, RED
from multislot.errors import SettingError
from multislot.exact import Arrival, Mixture, action_values, plan_for_copies
from multislot.exact.copies.ratifying import RULES, THEORIES, Deciding
from scenarios.lab.cells import Axes, Figures, Result, Results, select
from scenarios.lab.table import Row, caught_row

HALF = Fraction(1, 2)
PLACES = ("between worlds", "first night", "second night")
VALUES = ("cpy", "sta", "dyn", "first-copy", "least-rewarded", "same-history", "common-ancestor")
NIGHTS = (("refuse", "asleep"), ("refuse", "awake"))
HORIZON = 3
INVARIANT = {
    *((value, "count") for value in VALUES if value != "sta"),
    ("sta", "own"),
    ("common-ancestor", "own"),
    *((theory, rule) for theory in THEORIES for rule in ("count", "exists", "own")),
}
"""What must not depend on the place, because what is weighed inside a world and between worlds is the same."""
MORAL = (
    "The rule `count` weighs a world by the expected number of copies in the situation. It decides the same\n"
    "wherever the coin stands, for every value that looks at all copies. The static value looks at one slot, and\n"
    "needs its own weights. The paper's copy-centered agent with its own weights changes from buying to refusing if\n"
    "the coin is moved out of the world. A plan from the beginning needs no credence, so the place of the coin does\n"
    "not matter."
)


@dataclass(frozen=True)
class Settings:
    """How many copies wake after tails, and the price in the example."""

    n: Annotated[int, Field(ge=2, le=4, description="copies that wake after tails")] = 2
    x: Annotated[Fraction, Field(ge=0, le=1, description="price of a coupon")] = Fraction(3, 5)
    resolution: Annotated[int, Field(ge=5, le=200, description="prices that are tried, less one")] = 60


QUICK = Settings(resolution=60)


@dataclass(frozen=True)
class Awakening:
    """One world of the story.

    Args:
        price: of a coupon.
        tails: how many wake after tails, each number with its probability.
        coin: the night in which it is tossed, 1 or 2; or what has fallen already, "heads" or "tails".
    """

    price: Fraction
    tails: tuple[tuple[Fraction, int], ...]
    coin: int | str
    actions: tuple[str, str] = ("refuse", "buy")

    @property
    def start(self) -> Mapping[int, Any]:
        """One sleeper; what has fallen is hidden."""
        return {1: (0, self.coin if isinstance(self.coin, str) else None)}

    def outcomes(self, slot: int, state: Any, action: Hashable) -> Iterator[tuple[Fraction, dict[int, Arrival]]]:
        night, side = state
        if night == 2:
            pays = (side == "tails") - self.price if action == "buy" else 0
            yield Fraction(1), {slot: Arrival((3, side), "over", pays)}
            return
        if night == 3:
            yield Fraction(1), {slot: Arrival(state, "over")}
            return
        sides = [(HALF, "heads"), (HALF, "tails")] if self.coin == night + 1 else [(Fraction(1), side)]
        for chance, now in sides:
            ways = self.tails if night == 1 and now == "tails" else ((Fraction(1), 1),)
            seen = "awake" if night == 1 else "asleep"
            for share, number in ways:
                yield chance * share, {i: Arrival((night + 1, now), seen) for i in range(1, number + 1)}


def stories(settings: Settings) -> Mapping[str, tuple[tuple[Fraction, int], ...]]:
    """Two stories: the number of copies after tails is certain, or random with the same mean."""
    n = settings.n
    return {"n copies": ((Fraction(1), n),), "1 or 2n − 1 copies": ((HALF, 1), (HALF, 2 * n - 1))}


@dataclass(frozen=True)
class Cell:
    """One way of deciding, in one story."""

    settings: Settings
    kind: str
    name: str
    rule: str
    story: str


def cells(settings: Settings) -> list[Cell]:
    ways = [
        *(("value", value, rule) for value, rule in product(VALUES, RULES)),
        *(("theory", theory, rule) for theory, rule in product(THEORIES, RULES)),
        *(("plan", caring, "") for caring in ("0", "1/2", "1")),
    ]
    return [Cell(settings, *way, story) for way in ways for story in stories(settings)]


def buys(way: Cell, place: str, price: Fraction) -> bool | None:
    """Whether one buys with the coin in a place; None if the question has no answer."""
    posterior = way.rule if way.kind == "value" else "count"
    tails = stories(way.settings)[way.story]
    asked: Any = Awakening(price, tails, PLACES.index(place))
    if place == PLACES[0]:
        asked = Mixture([Awakening(price, tails, side) for side in ("heads", "tails")], (HALF, HALF), posterior)
    if way.kind == "plan":
        plan = plan_for_copies(asked, caring=Fraction(way.name), discount=1, horizon=HORIZON)
        return bool(plan.policy(NIGHTS) == "buy")
    if way.kind == "theory":  # whether buying is ratifiable, for the total over all copies
        bought = Deciding(asked, lambda past: "buy" if len(past) == len(NIGHTS) else "refuse", horizon=HORIZON)
        return bool(bought.ratify(way.name, way.rule).regrets[NIGHTS] == 0)
    try:
        values = action_values(asked, way.name, discount=1, horizon=HORIZON, history=NIGHTS)
    except SettingError:
        return None
    return bool(values["buy"] > values["refuse"])


def run_cell(cell: Cell) -> Result:
    """Find the price above which one no longer buys, for each place of the coin, and the decision at the example's."""
    steps = cell.settings.resolution
    by_place: dict[str, Any] = {}
    for place in PLACES:
        example = buys(cell, place, cell.settings.x)
        if example is None:
            return {"places": {}}

        def refuses(k: int, place: str = place) -> bool:
            return not buys(cell, place, Fraction(2 * k + 1, 2 * steps))

        # A higher price is never accepted where a lower one is not.
        by_place[place] = {"buys": example, "until": bisect_left(range(steps), True, key=refuses)}
    return {"places": by_place}


def changes(result: Mapping[str, Any]) -> int:
    """At how many prices the decision depends on where the coin stands."""
    until = [decision["until"] for decision in result["places"].values()]
    return int(max(until) - min(until))


def table(settings: Settings, results: Results) -> list[Row]:
    """Say for each way of deciding whether the place of the coin matters, and what is decided in the example."""
    rows = []
    for cell, result in results:
        if not result["places"]:
            continue
        name = f"{cell.name} by {cell.rule}" if cell.rule else f"plan from the beginning, α={cell.name}"
        condition = f"{name}, {cell.story}, n={settings.n}"
        invariant = (cell.name, cell.rule) in INVARIANT or cell.kind == "plan"
        until = {
            place: Fraction(decision["until"], settings.resolution) for place, decision in result["places"].items()
        }
        rows += [
            Row(f"buys up to, coin {place}", f"{condition}, to 1/{settings.resolution}", price, case=name)
            for place, price in until.items()
        ]
        rows.append(
            Row(
                "prices at which the place of the coin matters",
                f"{condition}, {settings.resolution} prices",
                changes(result),
                paper=0 if invariant else None,
                case=name,
                source="worlds are weighed as places within a world are" if invariant else "",
            )
        )
    for rule in ("sequential", "exists", "own"):
        # The copy-centered value with another rule must be found to depend on the place.
        moved = [changes(result) for result in select(results, kind="value", name="cpy", rule=rule)]
        quantity = "the copy-centered value decides alike wherever the coin stands"
        source = "the rule does not count copies between worlds"
        rows.append(caught_row(quantity, f"{rule}, n={settings.n}", max(moved) > 0, source))
    return rows


def story(settings: Settings, results: Results) -> str:
    lines = [f"Price {settings.x}, {settings.n} copies after tails: who buys, by the place of the coin"]
    for cell, result in results:
        if cell.story == "n copies" and result["places"]:
            words = ["buys" if decision["buys"] else "refuses" for decision in result["places"].values()]
            lines.append(f"  {cell.name + ' ' + cell.rule:28}" + "".join(f"{word:12}" for word in words))
    return "\n".join(lines)


def figures(settings: Settings, results: Results) -> Figures:
    """Show up to which price each way of deciding buys, for each place of the coin."""
    colors = dict(zip(PLACES, (RED, BLUE, GREY), strict=True))

    def draw(axes: Axes, kinds: Sequence[str], *, legend: bool = False) -> None:
        shown = [(c, r["places"]) for c, r in results if c.story == "n copies" and c.kind in kinds and r["places"]]
        shown = [(c, p) for c, p in shown if c.kind != "value" or c.name in ("cpy", "dyn", "common-ancestor")]
        for row, (_, places) in enumerate(shown):
            prices = [decision["until"] / settings.resolution for decision in places.values()]
            axes.plot([min(prices), max(prices)], [row, row], color="#bbbbbb", linewidth=3, zorder=1)
            for shift, (place, price) in enumerate(zip(places, prices, strict=True)):
                axes.scatter(price, row + 0.18 * (shift - 1), color=colors[place], s=26, label=place, zorder=2)
        names = [f"{c.name} by {c.rule}" if c.rule else f"plan, α={c.name}" for c, _ in shown]
        axes.set_yticks(range(len(shown)), names)
        axes.set(ylim=(len(shown) - 0.4, -0.6), xlim=(0, 1), xlabel="buys up to this price")
        axes.axvline(float(settings.x), color="black", linewidth=1, linestyle=":")
        if legend:
            handles, labels = axes.get_legend_handles_labels()
            axes.legend(handles[:3], [f"coin {label}" for label in labels[:3]], fontsize="small", loc="lower left")

    panels: list[tuple[str, Panel]] = [
        ("values, upon waking", lambda axes: draw(axes, ("value",), legend=True)),
        ("theories of choice, and plans", lambda axes: draw(axes, ("theory", "plan"))),
    ]
    return {"moving-coin": lettered(f"moving-coin:  n={settings.n}, price {settings.x}", panels, height=5.0)}
