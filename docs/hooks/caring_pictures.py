"""The pictures of the page "Caring for your copies", one for each section."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from matplotlib.figure import Figure

from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED, house_style
from multislot.exact import Arrival, copy, frontier_for_copies, plan_for_copies, worth_for_copies
from multislot.exact.copies.descendants import copy_weight
from scenarios.anthropics import absent_minded_driver as driver
from scenarios.anthropics import branch_line, fission
from scenarios.anthropics import copy_dilemma as dilemma
from scenarios.anthropics import presumptuous_philosopher as philosopher
from scenarios.anthropics import sleeping_beauty as beauty
from scenarios.anthropics.coupons import draw_by_ratio, draw_losses, lines_of_rules
from scenarios.anthropics.pictures import ALPHA_COLORS, draw_decisions, draw_learners, draw_prices
from scenarios.anthropics.survivals import read_prices
from scenarios.identity.copy import OFFER as COPY
from scenarios.identity.copy import Settings as CopySettings
from scenarios.lab import registry

EXACT = ("exact", "map")


@dataclass(frozen=True)
class Twins:
    """One is copied and told which copy one is; the second, who is worse off, may then be deleted."""

    actions = ("keep", "delete")
    start: ClassVar = {1: "alone"}

    def outcomes(self, slot: int, state: Any, action: Any) -> list[Any]:
        pays = {1: Fraction(1), 2: Fraction(1, 4)}
        if state == "alone":
            return [(1, {i: Arrival("parted", f"copy {i}", pays[i]) for i in (1, 2)})]
        if slot == 2 and action == "delete":
            return [(1, {})]
        return [(1, {slot: Arrival("parted", "still here", pays[slot])})]


def results(name: str, parts: tuple[str, ...] = EXACT) -> tuple[Any, list[Any]]:
    """Return a scenario's settings, and the results of some of its cells."""
    scenario = registry.find(name)
    settings = scenario.settings()
    return settings, [(cell, scenario.run_cell(cell)) for cell in scenario.cells(settings) if cell.part in parts]


def panels(*drawn: Any, width: float = 5.0) -> Figure:
    """Draw panels below each other, so that they can be read on a phone."""
    figure = new_figure(width, 4.6 * len(drawn))
    with house_style():
        for axes, one in zip(figure.subplots(len(drawn), squeeze=False)[:, 0], drawn, strict=True):
            one(axes)
    return figure


def lineage() -> Figure:
    return panels(lambda axes: COPY.lineage(CopySettings()).lineage.plot(axes), width=4.5)


def weights() -> Figure:
    def drawn(axes: Any) -> None:
        numbers = list(range(1, 9))
        for caring, color in ALPHA_COLORS.items():
            counts = [float(copy_weight(caring, number)) for number in numbers]
            axes.plot(numbers, counts, "o-", color=color, label=f"α = {caring}")
        axes.set(xlabel="copies alive, N", ylabel="what each copy's reward counts, $w_α(N)$", ylim=(0, 1.05))
        axes.legend()

    return panels(drawn)


def planned() -> Figure:
    def drawn(axes: Any) -> None:
        rewards = [Fraction(k, 8) for k in range(33)]
        for caring, color in ALPHA_COLORS.items():
            worth = [
                plan_for_copies(copy(1, Fraction(1, 2), r), caring=caring, discount=Fraction(9, 10), horizon=3)
                for r in rewards
            ]
            worths = [float(plan.action_values["copy"]) for plan in worth]
            axes.plot([float(r) for r in rewards], worths, color=color, label=f"to be copied, α = {caring}")
        axes.axhline(2.71, color="black", linestyle=":", label="to stay")
        axes.set(xlabel="reward of the second copy", ylabel="worth from the beginning", xlim=(0, 4), ylim=(0, 8))
        axes.legend()

    return panels(drawn)


def fault() -> Figure:
    def drawn(axes: Any) -> None:
        policies = {"keep both": "keep", "delete the worse-off copy": "delete"}
        alphas = [Fraction(k, 20) for k in range(21)]
        for (name, action), color in zip(policies.items(), (BLUE, RED), strict=True):
            worths = [
                worth_for_copies(Twins(), lambda history, a=action: a, caring=alpha, discount=1, horizon=2)
                for alpha in alphas
            ]
            axes.plot([float(a) for a in alphas], [float(w) for w in worths], color=color, label=name)
        (turn,) = frontier_for_copies(Twins(), discount=1, horizon=2).thresholds
        axes.axvline(float(turn), color="black", linestyle=":", label=f"the best policy changes at α = {turn}")
        axes.set(xlabel="caring coefficient α", ylabel="worth from the beginning", xlim=(0, 1))
        axes.legend()

    return panels(drawn)


def sleeping_beauty() -> Figure:
    settings, found = results("sleeping-beauty")
    lines = lines_of_rules(beauty.coupon(settings), beauty.SHOWN)
    return panels(
        lambda axes: draw_decisions(axes, beauty.PUZZLE, settings, found, "price x", lines),
        lambda axes: draw_losses(axes, found),
    )


def populations() -> Figure:
    _, many = results("presumptuous-philosopher", ("exact",))
    _, told = results("doomsday", ("exact",))
    return panels(
        lambda axes: draw_by_ratio(axes, many, told=False, shown=philosopher.SHOWN),
        lambda axes: draw_by_ratio(axes, told, told=True),
    )


def junctions() -> Figure:
    settings, _ = results("absent-minded-driver", ())
    return panels(lambda axes: driver.draw_worths(axes, settings))


def two_of_you() -> Figure:
    settings, _ = results("copy-dilemma", ())
    return panels(lambda axes: dilemma.draw_standing(axes, settings), lambda axes: dilemma.draw_worths(axes, settings))


def survival() -> Figure:
    branch, found = results("branch-line", ("exact",))
    divided, others = results("fission", ("exact",))
    return panels(
        lambda axes: draw_prices(axes, read_prices(found), branch_line.PUZZLE.reward_axis, float(branch.r_s)),
        lambda axes: draw_prices(axes, read_prices(others), fission.PUZZLE.reward_axis, float(divided.r_s)),
    )


def learning() -> Figure:
    settings, found = results("sleeping-beauty", ("learner",))
    return panels(lambda axes: draw_learners(axes, beauty.PUZZLE, settings, found), width=7)


PICTURES = {
    "lineage": lineage,
    "weights": weights,
    "planned": planned,
    "fault": fault,
    "beauty": sleeping_beauty,
    "populations": populations,
    "junctions": junctions,
    "dilemma": two_of_you,
    "survival": survival,
    "learning": learning,
}
