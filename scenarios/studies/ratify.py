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

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random
from typing import Annotated, Any

from pydantic import Field

from multislot.drawing.pictures import lettered
from multislot.drawing.styling import BLUE, RED
from multislot.exact import Arrival, Mixture, plan_for_copies, worth_for_copies
from multislot.exact.copies.ratifying import RULES, THEORIES, Deciding, Ratification
from scenarios.lab.cells import Axes, Figures, Result, Results, select
from scenarios.lab.table import Row, caught_row

PAYOFFS = {"total": Fraction(1), "average": Fraction(0)}
PAIRS = tuple(product(THEORIES, RULES))
SAFE = (("causal", "count"), ("evidential", "exists"))
"""The pairs of the two theorems."""
CHUNK = 100
HORIZON = 2
SEEDS_APART = 10**7
"""Random worlds of one search; those of the next search begin after them."""
MORAL = (
    "There are eight pairs of a rule and a way to choose. Only two of them keep to the best policy for every\n"
    "payoff: causal choice with the rule `count`, and evidential choice with the rule `exists`. The other pairs\n"
    "give a run a weight for the number of its copies once too often, or once too seldom. So they can depart from\n"
    "the plan that was best before."
)


@dataclass(frozen=True)
class Settings:
    """How many worlds are tried."""

    worlds: Annotated[int, Field(ge=1, le=10**6, description="random worlds")] = 10_000
    seed: Annotated[int, Field(ge=0, description="of the random worlds")] = 0


QUICK = Settings(worlds=200)


@dataclass(frozen=True)
class Cell:
    """Some random worlds, by their seeds, and which policy is asked about: that of private coins or of none."""

    part: str
    first: int
    number: int

    @property
    def seeds(self) -> range:
        return range(self.first, self.first + self.number)


@dataclass(frozen=True)
class Tale:
    """A random world: copies wake, and each acts once.

    Args:
        waking: probabilities, each with what the copies see.
        acting: for each slot that wakes, and each action, what the agent there and a new copy of it are paid; nothing
            if it is deleted.
    """

    waking: tuple[tuple[Fraction, tuple[str, ...]], ...]
    acting: Mapping[tuple[int, Hashable], tuple[int, ...]]
    actions: tuple[int, ...] = (0, 1)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "asleep"})

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[tuple[Fraction, dict[int, Arrival]]]:
        """Wake the copies, or pay for an action; slots 3 and 4 are for copies of slots 1 and 2."""
        if state == "asleep":
            return [
                (chance, {i: Arrival("awake", seen) for i, seen in enumerate(sights, start=1)})
                for chance, sights in self.waking
            ]
        pays = self.acting[slot, action]
        return [(Fraction(1), {slot + 2 * i: Arrival("over", "over", pay) for i, pay in enumerate(pays)})]

    @property
    def size(self) -> int:
        """The sum of the absolute payments, plus one for each way of waking and each copy that wakes."""
        return sum(map(abs, sum(self.acting.values(), ()))) + sum(1 + len(sights) for _, sights in self.waking)


def draw_tale(stream: Random) -> Tale:
    ways = stream.choice((1, 1, 2))
    chances = [Fraction(1)] if ways == 1 else [(p := Fraction(stream.randint(1, 3), 4)), 1 - p]
    sights = [tuple(stream.choice("xxy") for _ in range(stream.randint(1, 2))) for _ in range(ways)]
    pays: dict[tuple[int, Hashable], tuple[int, ...]] = {
        key: tuple(stream.randint(-3, 3) for _ in range(stream.choice((0, 1, 1, 1, 2))))
        for key in product((1, 2), (0, 1))
    }
    return Tale(tuple(zip(chances, sights, strict=True)), pays)


def draw_world(seed: int) -> Mixture:
    stream = Random(seed)
    return Mixture((draw_tale(stream), draw_tale(stream)), (stream.randint(1, 3), stream.randint(1, 3)))


def cells(settings: Settings) -> list[Cell]:
    """List worlds with the best policy of private coins; then the control, the best plan without coins."""
    start, worlds = settings.seed * SEEDS_APART, settings.worlds
    whole = [Cell("private", start + k, min(CHUNK, worlds - k)) for k in range(0, worlds, CHUNK)]
    fewer = [replace(cell, part="none") for number, cell in enumerate(whole) if number * CHUNK < worlds // 4]
    return [*whole, *fewer]


def run_cell(cell: Cell) -> Result:
    """List, for each payoff and pair, the worlds with a regret: size, seed, regret and loss; count the solved ones."""
    regretting, solved = defaultdict[str, list[Any]](list), Counter[str]()
    for seed, payoff in product(cell.seeds, PAYOFFS):
        checked = check(seed, payoff, cell.part)
        solved[payoff] += checked is not None
        for pair, (regret, loss) in (checked or {}).items():
            if regret > 0:
                regretting[_case(payoff, pair)].append((size_of(draw_world(seed)), seed, regret, loss))
    return {"found": regretting, "solved": solved}


def _case(payoff: str, pair: tuple[str, str]) -> str:
    return f"{payoff}, {pair[0]}, {pair[1]}"


def check(seed: int, payoff: str, coins: str) -> dict[tuple[str, str], tuple[Fraction, Fraction]] | None:
    """The regret and the loss of each pair in a world; None if its best policy is not rational."""
    world, caring = draw_world(seed), PAYOFFS[payoff]
    plan: Any = plan_for_copies(world, caring=caring, discount=1, horizon=HORIZON, coins=coins)
    if not isinstance(getattr(plan, "value", None), Fraction):
        return None
    deciding = Deciding(world, plan.policy, caring, horizon=HORIZON)
    if any(not isinstance(chance, Fraction) for h in deciding.instances for chance in deciding.policy(h).values()):
        return None
    results = {}
    for theory, rule in PAIRS:
        ratified = deciding.ratify(theory, rule)
        loss = Fraction()
        if ratified.regret > 0:

            def changed(history: Any, own: Ratification = ratified) -> Any:  # all do what one of them prefers
                return own.preferred[history] if history == own.where else deciding.policy(history)

            loss = plan.value - worth_for_copies(world, changed, caring=caring, discount=1, horizon=HORIZON)
        results[theory, rule] = Fraction(ratified.regret), loss
    return results


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
    of_coins = select(results, part=coins)
    regretting = [world for result in of_coins for world in result["found"].get(_case(payoff, pair), ())]
    losing = [tuple(world) for world in regretting if Fraction(world[-1]) > 0]
    return Failures(
        sum(result["solved"].get(payoff, 0) for result in of_coins),
        len(regretting),
        len(losing),
        max((Fraction(loss) for *_, loss in losing), default=Fraction()),
        min(losing, default=None),
    )


def table(settings: Settings, results: Results) -> list[Row]:
    """Say which pairs keep to the best policy in all worlds, and what the others lose."""
    rows = [row for payoff in PAYOFFS for pair in PAIRS for row in _rows(settings, results, payoff, pair)]
    for pair in SAFE:  # the theorems are about private coins: the best plan without coins need not be ratifiable
        failed = failures(results, "none", "average", pair)
        condition = f"{_case('average', pair)}, {failed.tried} worlds from seed {settings.seed}"
        source = "it is best at a corner only, where all copies move together"
        rows.append(caught_row("the best plan without coins is ratified, too", condition, failed.worlds > 0, source))
    return rows


def _rows(settings: Settings, results: Results, payoff: str, pair: tuple[str, str]) -> Iterator[Row]:
    failed, case = failures(results, "private", payoff, pair), _case(payoff, pair)
    condition = f"{case}, {failed.tried} of {settings.worlds} worlds from seed {settings.seed}"
    same = payoff == "total" and pair == ("causal", "own")
    if pair in SAFE or same:
        source = "own is count at α = 1, with one agent at the beginning" if same else "theorem"
        yield Row("worlds with a regret", condition, failed.worlds, paper=0, case=case, source=source)
        return
    source = "one world with a regret is enough"
    yield replace(caught_row("always keeps to the best policy", condition, failed.worlds > 0, source), case=case)
    yield Row("worlds with a regret", condition, failed.worlds, case=case)
    yield Row("worlds that lose by it", condition, failed.exploited, case=case)
    yield Row("largest loss", condition, failed.loss, case=case)


def story(settings: Settings, results: Results) -> str:
    lines = []
    for payoff, pair in product(PAYOFFS, PAIRS):
        smallest = failures(results, "private", payoff, pair).smallest
        if smallest:
            _, world, _, loss = smallest
            lines += [f"{payoff}, {pair[0]} by {pair[1]}: loses {loss} in world {world}:", *describe(world)]
    return "\n".join(lines)


def size_of(world: Mixture) -> int:
    """The size of a random world: the sizes of its tales."""
    return sum(kernel.size for kernel in world.kernels if isinstance(kernel, Tale))


def describe(seed: int) -> list[str]:
    """Describe a random world in words, line by line."""
    mixture, lines = draw_world(seed), list[str]()
    for share, tale in zip(mixture.prior, mixture.kernels, strict=True):
        assert isinstance(tale, Tale)
        ways = " or ".join(f"{chance}: copies see {', '.join(sights)}" for chance, sights in tale.waking)
        most = max(len(sights) for _, sights in tale.waking)
        pays = "; ".join(
            f"slot {slot}, {action}: {' and '.join(map(str, paid)) or 'deleted'}"
            for (slot, action), paid in tale.acting.items()
            if slot <= most
        )
        lines.append(f"    weight {share}: {ways}; {pays}")
    return lines


def figures(settings: Settings, results: Results) -> Figures:
    """Show in how many worlds each pair leaves the best policy."""

    def draw(axes: Axes, payoff: str) -> None:
        for row, pair in enumerate(PAIRS):
            failed = failures(results, "private", payoff, pair)
            share = 100 * failed.worlds / max(failed.tried, 1)
            axes.barh(row, share, color=RED)
            note = f"{share:.1f} %, loses up to {float(failed.loss):.3g}" if failed.worlds else "never"
            axes.text(share, row, f"  {note}", va="center", fontsize="small", color=RED if failed.worlds else BLUE)
        axes.set_yticks(range(len(PAIRS)), [f"{theory} by {rule}" for theory, rule in PAIRS])
        axes.invert_yaxis()
        axes.set_xlabel("worlds in which it regrets the best policy (%)")
        axes.margins(x=0.9)

    panels = [(f"payoff: the {payoff} over all copies", partial(draw, payoff=payoff)) for payoff in PAYOFFS]
    title = f"ratify: would a copy keep to the best policy? {settings.worlds} random worlds"
    return {"ratify": lettered(title, panels)}
