"""Compute the tables of the pages in docs/puzzles again: ``python docs/hooks/puzzles.py``; `draw` makes their pictures.

A page has no code. What stands between its comments is computed here, and a test compares it.
"""

import re
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))
from matplotlib.figure import Figure  # noqa: E402

import extenv  # noqa: E402
from multislot.agents import QLearner  # noqa: E402
from multislot.exact import decision_map, world_named  # noqa: E402
from multislot.exact.copies.memoryless import memoryless_worth  # noqa: E402
from multislot.exact.files.answers import answer  # noqa: E402
from multislot.exact.files.verdicts import COUNTS  # noqa: E402
from multislot.exact.maps.mapping import between  # noqa: E402
from scenarios.anthropics.absent_minded_driver import Road  # noqa: E402
from scenarios.anthropics.coupons import AWAKE, Coupon  # noqa: E402

PAGES = ROOT / "docs" / "puzzles"
FIVE = ("cpy", "sta", "dyn", "caring=1", "caring=0")
NAMES = {
    "count": "self-indication: a possibility counts more if more people in it see what you see",
    "exists": "self-sampling among those who see what you see",
    "sequential": "self-sampling among everybody",
}
TURNS = 2_000


def tabulate(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    lines = [list(head), ["---"] * len(list(head)), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def values_table(world: str, **parameters: str) -> str:
    """Return what five values decide in a world, and what each action is worth to them."""
    reply: dict[str, Any] = answer({"world": world, "parameters": parameters, "caring": ["1", "0"]})
    actions = reply["world"]["actions"]
    rows = []
    for name in FIVE:
        decision = reply["values"][name]
        worths = [f"{float(Fraction(decision['actions'][action])):.2f}" for action in actions]
        best = decision["optimal"]
        choice = "no matter which" if len(best) == len(actions) else " or ".join(f"**{action}**" for action in best)
        rows.append([f"counts {COUNTS[name]}", choice, *worths])
    return tabulate(["whoever", "chooses", *(f"worth of “{action}”" for action in actions)], rows)


def branch_line_borders() -> str:
    """Return from which pay on each value steps in, if the original lives on for 0 to 3 steps."""
    rows = []
    for left in range(4):
        borders = decision_map(
            world_named("branch-line", left=left),
            x=("stay", (1, 2)),
            y="away",
            values=["cpy", "sta", "caring=0"],
        ).lines
        cells = [f"more than {float(line[1][0]):.3g}" if len(line) > 1 else "never" for (line, *_) in borders.values()]
        rows.append([left, *cells])
    return tabulate(["steps the old body lives on", *(COUNTS[name] for name in ("cpy", "sta", "caring=0"))], rows)


def coupon_table(coupon: Coupon, told: bool) -> str:
    """Return the credence of each rule before and after one is told a number, and the prices from the beginning."""
    rows = []
    for rule, name in NAMES.items():
        after = [coupon.credence(rule)] if told else []
        rows.append([name, coupon.credence(rule, (AWAKE,)), *after])
    return tabulate(["rule", "belief on waking", *(["after “you are number 1”"] if told else [])], rows)


def prices(coupon: Coupon) -> str:
    """Return the highest price that a plan made beforehand pays for a coupon."""
    rows = [
        [name, coupon.price_from_the_beginning(Fraction(caring))]
        for caring, name in ((1, "the sum"), (0, "the average"))
    ]
    return tabulate(["a plan made beforehand that counts", "buys below"], rows)


def driver_table() -> str:
    """Return the best plans of the driver, and what she would do if she planned again."""
    road = Road((Fraction(0), Fraction(4), Fraction(1)))
    plan = road.best()
    best = Fraction(plan.policy["junction"]["continue"])
    again = road.planned_again(Fraction(3, 5))
    gain = road.here_and_now(Fraction(3, 5), best, Fraction(1)) - road.here_and_now(Fraction(3, 5), best, Fraction(0))
    rows = [
        ["with a memory", "drive on, then exit", answer_with_memory()],
        ["without memory, no coin", "always drive on", plan.pure_value],
        ["without memory, with a coin", f"drive on with probability {best}", plan.value],
        ["planning again at a junction for both junctions", f"drive on with probability {again}", road.worth(again)],
    ]
    table = tabulate(["driver", "plan", "worth at the start"], rows)
    keeps = "If the driver keeps to the plan with a coin at the other junction"
    return f"{table}\n\n{keeps}, driving on here gains {gain} over exiting here."


def answer_with_memory() -> str:
    """Return what the driver gets who remembers."""
    text = (ROOT / "multislot/exact/worlds/absent-minded-driver.toml").read_text(encoding="utf-8")
    reply = answer({"file": text.replace("memory = false", "memory = true"), "values": ["cpy"]})
    return str(max(Fraction(worth) for worth in reply["values"]["cpy"]["actions"].values()))


def newcomb_table() -> str:
    """Return what both choices are worth by evidence, by causes and as a plan, for several predictors."""
    rows = []
    for accuracy in (Fraction(1, 2), Fraction(501, 1000), Fraction(9, 10), Fraction(1)):
        kernel = world_named("newcomb", accuracy=accuracy)
        policies = ({None: {"take one": 1}, "two boxes": {action: Fraction(1)}} for action in kernel.actions)
        both, one = (memoryless_worth(kernel, policy, horizon=3) for policy in policies)
        plan = answer({"world": "newcomb", "parameters": {"accuracy": str(accuracy)}})["values"]["forgetful"]
        best = "no matter which" if plan["tied"] else plan["best"]
        rows.append([accuracy, f"{one}", f"{both}", best])
    return tabulate(["the predictor is right with", "if you take one", "if you take both", "best plan"], rows)


def newcomb_causes() -> str:
    """Return what the second box adds in each state of the closed box."""
    kernel = world_named("newcomb")
    rows = []
    for state in ("filled", "empty"):
        both, one = (kernel.outcomes(1, state, action)[0][1][1].reward for action in kernel.actions)
        rows.append([f"the closed box is {state}", one, both, f"both: {both - one} more"])
    return tabulate(["", "take one", "take both", "better"], rows)


def newcomb_learner() -> str:
    """Return how often a learner takes one box in the end."""
    result = extenv.run("NormalisedNewcombEnvironment", QLearner, steps=TURNS, seed=1)
    return f"A Q-learner that plays {TURNS:,} times gets {result.total_reward / TURNS:.2f} million a turn on average."


TABLES: dict[str, Callable[[], str]] = {
    "branch-line": lambda: values_table("branch-line"),
    "branch-line borders": branch_line_borders,
    "beauty": lambda: coupon_table(Coupon(1, 2, Fraction(7, 12)), told=False),
    "beauty prices": lambda: prices(Coupon(1, 2, Fraction(7, 12))),
    "driver": driver_table,
    "doomsday": lambda: coupon_table(Coupon(1, 3, Fraction(3, 8), told=True), told=True),
    "doomsday prices": lambda: prices(Coupon(1, 3, Fraction(3, 8), told=True)),
    "newcomb": newcomb_table,
    "newcomb causes": newcomb_causes,
    "newcomb learner": newcomb_learner,
}
MAPS: dict[str, Any] = {
    "branch_line": (
        "branch-line",
        ("left", range(6)),
        ("away", between(Fraction(1, 2), Fraction(5, 2))),
        ("cpy", "sta", "caring=0"),
    ),
    "sleeping_beauty": ("sleeping-beauty", "tails", "price", ("caring=0",)),
    "driver": (
        "absent-minded-driver",
        ("past", between(Fraction(1, 10), 4, 40)),
        ("second", between(0, 8, 41)),
        ("forgetful",),
    ),
    "doomsday": ("doomsday", "chance", "price", ("caring=0",)),
    "newcomb": ("newcomb", ("accuracy", between(0, 1, 51)), ("visible", between(0, 1000, 51)), ("forgetful",)),
}
BETWEEN = re.compile(r"(<!-- computed: ([^>]*?) -->\n\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL)


def computed(page: Path) -> str:
    """Return a page with its tables computed again."""
    return BETWEEN.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}\n\n{found[3]}", page.read_text(encoding="utf-8"))


def draw(name: str) -> Figure:
    """Draw the map of a page."""
    world, x, y, values = MAPS[name]
    axes = decision_map(world, x=x, y=y, values=values).plot()
    meanings = {key: parameter.meaning for key, parameter in world_named(world).parameters.items()}
    axes.set(xlabel=meanings[axes.get_xlabel()], ylabel=meanings[axes.get_ylabel()])
    figure: Figure = axes.figure
    return figure


PICTURES = {f"puzzle_{name}": partial(draw, name) for name in MAPS}

if __name__ == "__main__":
    for path in sorted(PAGES.glob("*.md")):
        path.write_text(computed(path), encoding="utf-8")
