"""Two theories that differ in how many copies there are, and a coupon that pays if the larger one is true.

A fair coin decides between a world with n copies and one with N > n. All wake at the same time and see the same; they
may then be told which copy they are. Each may buy, for a price x, a coupon that pays 1 in the larger world.

Chosen from the beginning, the policy "buy" is worth ``½ w_α(N) m_N (1 − x) − ½ w_α(n) m_n x``, where m copies with this
history buy in each world: all of them, or one if each is told who it is. So it is bought below the price
``w_α(N) m_N / (w_α(N) m_N + w_α(n) m_n)``.

Decided upon waking, by a credence c in the larger world, one buys below c if one's own coupon counts and below
``c m_N / (c m_N + (1 − c) m_n)`` if all coupons of those with one's history do. The three rules for c:

- ``exists``: how likely it is that some copy has this history (self-sampling, the reference class being those who have
  exactly this history);
- ``sequential``: each observation as likely as it is for a random one of the copies (self-sampling, the reference class
  being all copies);
- ``count``: in proportion to the expected number of copies with this history (self-indication).
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np

from multislot import exact
from multislot.drawing.pictures import Panel
from multislot.drawing.styling import BELOW
from multislot.exact.kernel import Number
from multislot.exact.maps.mapping import between
from scenarios.anthropics.learning import EVERYONE, ONE_SURVIVOR, Lesson
from scenarios.anthropics.pictures import ALPHA_COLORS, RULE_COLORS, draw_decisions, draw_puzzle
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.experiment import Experiment, LearningCase, describe, exact_rows
from scenarios.lab.table import Row, caught_row, formula_row

HALF = Fraction(1, 2)
CLEAR = Fraction(1, 24)
"""Distance of a price from the threshold at which learners tell buying from refusing."""
REFUSE, BUY = "refuse", "buy"
AWAKE = (REFUSE, "awake")
RULES = ("exists", "sequential", "count")
COUPONS = ("own coupon", "all coupons")
RATIOS = (2, 10, 100)
THRESHOLD = "w_α(N) m_N / (w_α(N) m_N + w_α(n) m_n)"
DEFINITION = "the rule's own definition"
Outcomes = Sequence[tuple[Number, Mapping[int, exact.Arrival]]]
History = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Coupon:
    """A coupon on the larger of two populations.

    Attributes:
        few: n.
        many: N.
        price: x.
        told: whether copies are told which they are; what is asked is then what the first copy does.
    """

    few: int
    many: int
    price: Fraction
    told: bool = False

    def world(self, tails: Fraction) -> exact.Kernel:
        """The world in which the coin falls tails, so that there are N, with this probability."""
        numbers = {"few": self.few, "many": self.many, "told": int(self.told)}
        return exact.world_named("sleeping-beauty", price=self.price, tails=tails, **numbers)

    @property
    def length(self) -> int:
        return 3 if self.told else 2

    @property
    def history(self) -> History:
        """What the copy that is asked has seen."""
        return (AWAKE, (REFUSE, "copy 1")) if self.told else (AWAKE,)

    @property
    def buyers(self) -> tuple[int, int]:
        """How many copies have that history in each world, ``m_n`` and ``m_N``."""
        return (1, 1) if self.told else (self.few, self.many)

    def mixture(self, rule: str = "count") -> exact.Mixture:
        """Both worlds, equally likely, after the coin has fallen."""
        return exact.Mixture((self.world(Fraction(0)), self.world(Fraction(1))), (HALF, HALF), rule)

    def inside(self) -> exact.Kernel:
        """One world in which the coin is tossed."""
        return self.world(HALF)

    def worth(self, caring: Fraction) -> Fraction:
        """What buying at the history is worth more than never buying, by the engine."""
        here = self.history

        def policy(history: Sequence[tuple[Hashable, Hashable]]) -> str:
            return BUY if tuple(history) == here else REFUSE

        return Fraction(exact.worth_for_copies(self.mixture(), policy, caring=caring, discount=1, horizon=self.length))

    def price_from_the_beginning(self, caring: Fraction) -> Fraction:
        """The price below which it is bought by a policy chosen from the beginning, by the engine."""
        return price_where_equal(lambda price: replace(self, price=price).worth(caring))

    def worth_by_formula(self, caring: Fraction) -> Fraction:
        few, many = self.weights(caring)
        return HALF * (many * (1 - self.price) - few * self.price)

    def weights(self, caring: Fraction) -> tuple[Fraction, Fraction]:
        """``w_α(n) m_n`` and ``w_α(N) m_N`` with ``w_α(N) = (1 + α(N − 1)) / N``."""
        few, many = (
            (1 + caring * (number - 1)) * Fraction(buyers, number)
            for number, buyers in zip((self.few, self.many), self.buyers, strict=True)
        )
        return few, many

    def threshold(self, caring: Fraction) -> Fraction:
        """The price below which it is bought from the beginning, in closed form."""
        few, many = self.weights(caring)
        return many / (few + many)

    def credence(self, rule: str, history: History | None = None) -> Fraction:
        """The credence in the larger world after a history, by the engine."""
        belief = exact.Situations(self.mixture(rule)).belief(self.history if history is None else history)
        return Fraction(belief.worlds[1])

    def credence_by_formula(self, rule: str, *, told: bool) -> Fraction:
        """The same in closed form: before or after a copy is told that it is the first."""
        ratio = {("count", False): Fraction(self.many, self.few), ("sequential", True): Fraction(self.few, self.many)}
        odds = ratio.get((rule, told), Fraction(1))
        return odds / (1 + odds)

    def price_on_waking(self, rule: str, coupons: str) -> Fraction:
        """The price below which a rule buys upon waking, from credences and numbers found by the engine."""
        worlds = self.mixture().kernels
        numbers = [Fraction(sum(exact.slot_weights(world, self.history).values())) for world in worlds]
        return price_at(self.credence(rule), *(numbers if coupons == COUPONS[1] else (1, 1)))

    def price_on_waking_by_formula(self, rule: str, coupons: str) -> Fraction:
        credence = self.credence_by_formula(rule, told=self.told)
        return price_at(credence, *(self.buyers if coupons == COUPONS[1] else (1, 1)))


def price_at(credence: Fraction, few: Fraction | int, many: Fraction | int) -> Fraction:
    """The price below which one buys with a credence in the larger world, where so many coupons count in each world."""
    return credence * many / (credence * many + (1 - credence) * few)


@dataclass(frozen=True)
class CouponPuzzle(Experiment):
    """What the puzzles about coupons have in common.

    Attributes:
        coupon: the coupon that settings describe; their price is x, their populations are n and N, or only n.
        populations: of the grid over which the formulas are checked.
        by_ratio: whether rows and a panel show prices by N/n; otherwise the panel shows losses.
        shown: the rules whose prices are drawn.
    """

    name: str
    coupon: Callable[[Any], Coupon]
    populations: Sequence[tuple[int, int]]
    learning_cases: Callable[[Any], Sequence[LearningCase]]
    more_rows: Callable[[Any], Iterable[Row]] = lambda settings: ()
    by_ratio: bool = False
    shown: tuple[str, ...] = RULES
    title: str = "bought from the beginning; lines: rules upon waking"

    price = "x"
    words = MappingProxyType({True: "accepts", False: "refuses"})

    def rows(self, settings: Any) -> Iterator[Row]:
        coupon = self.coupon(settings)
        condition = describe(settings, ("n", "N")) + ", told" * coupon.told
        for caring in (Fraction(0), HALF, Fraction(1)):
            ours = coupon.price_from_the_beginning(caring)
            quantity = "price below which it is bought, from the beginning"
            yield formula_row(quantity, f"α={caring}", condition, ours, coupon.threshold(caring), THRESHOLD)
        yield from upon_waking(coupon, condition)
        yield from agreeing(coupon, condition)
        yield from self.more_rows(settings)
        for caring, ratio in product((Fraction(0), Fraction(1)), RATIOS if self.by_ratio else ()):
            asked = Coupon(1, ratio, HALF, coupon.told)
            ours, formula = asked.price_from_the_beginning(caring), asked.threshold(caring)
            quantity, case = "price below which it is bought, by N/n", f"α={caring}, N/n={ratio}"
            yield formula_row(quantity, case, "n=1" + ", told" * coupon.told, ours, formula, THRESHOLD)
        # The grid must refuse a formula that sums over all copies for every α.
        caring, points = Fraction(1, 3), [Coupon(*numbers, Fraction(2, 5), coupon.told) for numbers in self.populations]
        refuses = any(
            point.worth(caring) != replace(point, told=False).worth_by_formula(Fraction(1)) for point in points
        )
        quantity = "a formula that sums over all copies for every α"
        condition = f"α={caring}, {len(points)} populations of the grid"
        yield caught_row(quantity, condition, refuses, "only α = 1 sums over all copies")

    def differences(self, settings: Any) -> Iterator[Fraction]:
        alphas, prices = (map(Fraction, texts) for texts in (("0", "1/3", "1", "5/2"), ("0", "2/5", "1")))
        for (few, many), caring, price in product(self.populations, alphas, prices):
            coupon = Coupon(few, many, price, self.coupon(settings).told)
            yield coupon.worth(caring) - coupon.worth_by_formula(caring)

    def decisions(self, settings: Any) -> exact.DecisionMap:
        coupon = self.coupon(settings)
        return exact.decision_map(
            lambda price: replace(coupon, price=price).inside(),
            x=("caring", between(0, 1, settings.resolution)),
            y=("price", between(0, 1, settings.resolution)),
            values=["caring"],
            discount=1,
            horizon=1,
            history=coupon.history,
        )

    def accept_by_formula(self, settings: Any, x: Fraction, y: Fraction) -> list[bool]:
        """Whether the coupon is bought at α = x and a price of y, in closed form."""
        return [y < self.coupon(settings).threshold(x)]

    def figures(self, settings: Any, results: Results) -> Figures:
        """One figure of three panels; the map shows rules upon waking as lines."""
        coupon, words = self.coupon(settings), describe(settings, ("n", "N", "x"))
        lines = lines_of_rules(coupon, self.shown)
        if self.by_ratio:
            ratios: Panel = partial(draw_by_ratio, results=results, told=coupon.told, shown=self.shown)
            third = "by how many more there may be", ratios
        else:
            third = "what deciding upon waking can lose", partial(draw_losses, results=results)
        first = self.title, lambda axes: draw_decisions(axes, self, settings, results, "price x", lines)
        return draw_puzzle(self.name, words, self, settings, results, first, third)


def price_where_equal(worth: Callable[[Fraction], Fraction]) -> Fraction:
    """The price at which a worth, which is linear in the price, is 0."""
    free, dear = worth(Fraction(0)), worth(Fraction(1))
    return free / (free - dear)


def upon_waking(coupon: Coupon, condition: str) -> Iterator[Row]:
    """Yield, for each rule, the credence, the price below which it buys, and what deciding so loses at worst."""
    for rule in RULES:
        credence, formula = coupon.credence(rule), coupon.credence_by_formula(rule, told=coupon.told)
        yield formula_row("credence in the larger world", rule, condition, credence, formula, DEFINITION)
    for rule, counted in product(RULES, COUPONS):
        case = f"{rule}, {counted}"
        price = coupon.price_on_waking(rule, counted)
        formula = coupon.price_on_waking_by_formula(rule, counted)
        source = "c m_N / (c m_N + (1 − c) m_n); without m for one's own coupon"
        yield formula_row("price below which it is bought upon waking", case, condition, price, formula, source)
        for caring in (Fraction(0), Fraction(1)):
            quantity = f"most that deciding so can lose, α={caring}"
            lost = abs(replace(coupon, price=formula).worth_by_formula(caring))
            source = "½ |w_α(N) m_N (1 − x) − w_α(n) m_n x| at the rule's own price"
            yield formula_row(quantity, case, condition, abs(replace(coupon, price=price).worth(caring)), lost, source)


def agreeing(coupon: Coupon, condition: str) -> Iterator[Row]:
    """Yield which rules buy at exactly the prices at which it is bought from the beginning."""
    for caring in (Fraction(0), Fraction(1)):
        ours, formula = (
            ", ".join(f"{rule} {own}" for rule, own in product(RULES, COUPONS) if price(rule, own) == right) or "none"
            for right in [coupon.threshold(caring)]
            for price in (coupon.price_on_waking, coupon.price_on_waking_by_formula)
        )
        quantity = "rules that decide as from the beginning, at every price"
        yield Row(quantity, f"α={caring}, {condition}", ours, paper=formula, source="equal prices")


def learners(
    coupon: Coupon,
    rounds: int,
    *,
    memory: str = ONE_SURVIVOR,
    caring: Fraction = Fraction(0),
    control: str = "",
) -> LearningCase:
    """Learners who meet the coupon, and what they should come to do; in a control every copy explores apart.

    One survivor's memory counts each world once, and a copy of many seldom; everyone's counts each world as often as
    it has copies. Caring counts the coupons of those who act alike, which copies that are told apart do not.
    """
    rule = "count" if memory == EVERYONE else "sequential"
    threshold = coupon.price_on_waking_by_formula(rule, COUPONS[int(caring)])
    decision = len(coupon.history), coupon.history[-1][1]
    lesson = Lesson(coupon.inside(), coupon.many, coupon.length, decision, rounds, memory, caring)
    return LearningCase(
        f"{memory}, α={caring}, x={coupon.price}" + (", exploring apart" if control else ""),
        replace(lesson, apart=bool(control)),
        coupon.price < threshold,
        control,
        abs(coupon.price - threshold) >= CLEAR,
    )


STYLES = dict(zip(COUPONS, ("--", "-."), strict=True))
LARGEST_RATIO = 100


def lines_of_rules(coupon: Coupon, shown: tuple[str, ...] = RULES) -> dict[str, tuple[Fraction, str, str]]:
    """The prices below which rules buy upon waking, each with its color and style; equal ones together."""
    return {
        _together(names): (price, RULE_COLORS[names[0][0]], STYLES[names[0][1]])
        for price, names in _by_price(coupon, shown).items()
    }


def _by_price(coupon: Coupon, shown: tuple[str, ...]) -> dict[Fraction, list[tuple[str, str]]]:
    rules: dict[Fraction, list[tuple[str, str]]] = defaultdict(list)
    for name in product(shown, COUPONS):
        rules[coupon.price_on_waking_by_formula(*name)].append(name)
    return rules


def _together(names: list[tuple[str, str]]) -> str:
    """Name rules; a rule that gives the same price for both coupons is named once."""
    counted = {rule: [counted_coupons for other, counted_coupons in names if other == rule] for rule, _ in names}
    return " = ".join(rule if len(some) == len(COUPONS) else f"{rule}, {some[0]}" for rule, some in counted.items())


def draw_losses(axes: Axes, results: Results) -> None:
    """Draw the most that deciding upon waking can lose, by rule, for the average and for the sum."""
    losses = {
        caring: {
            row.case: float(Fraction(str(row.ours)))
            for row in exact_rows(results)
            if row.quantity.endswith(f"lose, α={caring}")
        }
        for caring in (Fraction(0), Fraction(1))
    }
    names = list(losses[Fraction(0)])
    for offset, (caring, lost) in zip((-0.2, 0.2), losses.items(), strict=True):
        places = np.arange(len(names)) + offset
        axes.barh(places, [lost[name] for name in names], 0.38, color=ALPHA_COLORS[caring], label=f"α={caring}")
        for place, name in zip(places, names, strict=True):
            axes.text(lost[name] + 0.004, place, f"{lost[name]:.3g}", va="center", fontsize="small")
    axes.set_yticks(range(len(names)), [name.replace(", ", "\n") for name in names])
    axes.set(xlabel="most that is lost, at the worst price", ylim=(len(names) - 0.5, -0.5))
    axes.margins(x=0.15)
    axes.legend(ncols=2, **BELOW)


def draw_by_ratio(axes: Axes, results: Results, told: bool, shown: tuple[str, ...] = RULES) -> None:
    """Draw prices as functions of N/n, at n = 1: lines in closed form, dots by the engine."""
    ratios = np.unique(np.round(np.geomspace(1, LARGEST_RATIO, 40)).astype(int))
    coupons = [Coupon(1, int(ratio), HALF, told) for ratio in ratios]
    for names in _by_price(coupons[-1], shown).values():
        prices = [float(coupon.price_on_waking_by_formula(*names[0])) for coupon in coupons]
        color, style = RULE_COLORS[names[0][0]], STYLES[names[0][1]]
        axes.plot(ratios, prices, style, color=color, linewidth=1.5, label=_together(names))
    for caring in (Fraction(0), Fraction(1)):
        color, name = ALPHA_COLORS[caring], f"from the beginning, α={caring}"
        prices = [float(coupon.threshold(caring)) for coupon in coupons]
        axes.plot(ratios, prices, color=color, linewidth=5, alpha=0.45, label=name, zorder=0)
    for row in exact_rows(results):
        if row.quantity.endswith("by N/n"):
            caring, ratio = (Fraction(part.partition("=")[2]) for part in row.case.split(", "))
            axes.plot(float(ratio), float(Fraction(str(row.ours))), "o", color=ALPHA_COLORS[caring], markersize=6)
    axes.set(xscale="log", xlabel="N / n  (n = 1)", ylabel="price below which it is bought", ylim=(0, 1.02))
    axes.legend(**BELOW)
