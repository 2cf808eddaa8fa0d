"""Eight ways to care for others, on nine tasks: when an agent changes its behavior, what everyone gets, and who loses.

Alizadeh Alamdari et al. 2021 say in section 4.1 that the different formulations of caring show "the same trend": as the
caring coefficient grows, the acting agent's return falls and the others' returns rise. Here equations 1 to 8 are solved
exactly on every task, for all coefficients at once. The trend holds for the sum of the others' returns, except under
equation 8 on the task box. It does not hold for every single agent: some lose so that others gain.

Section 3.1.2 says that under equation 3 the optimal solution "might still involve causing negative side effects and
doing just enough good to counterbalance them". On a map of its own, the shortest way leads over a flower bed and past a
dry patch. Trampling the bed costs its owner 6. Watering the patch brings its owner 6, twice at most, and takes a step
each time. Going round the bed takes two steps more. Equation 3 allows the harm if the owner of the bed also owns the
patch, because one value function then counts both. It does not allow the harm if the two have different owners.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import Field

from considerate.craftworld import PAPER_TASKS, State, load_task, task
from considerate.craftworld.rules import Things
from considerate.criteria import CRITERIA
from considerate.distributions import Distribution
from considerate.exact.frontiers import frontier
from multislot.drawing.showing import new_figure
from multislot.errors import SettingError
from multislot.statistics import UNDECIDED
from scenarios.lab.cells import Axes, Figures, Result, Results, select_pairs
from scenarios.lab.table import Kind, Row, word_row


@dataclass(frozen=True)
class Settings:
    """The tasks of Craft-World."""

    tasks: Annotated[tuple[str, ...], Field(min_length=1, description="names of tasks")] = tuple(PAPER_TASKS)


EQUATIONS = {name: f"equation {number}" for number, name in enumerate(CRITERIA, 1)}
ILL_WILL = "ill will"
"""The control: equation 1 with a coefficient below 0, which must make the others' total fall."""
NOWHERE = "nowhere"
EXCEPTIONS = {"valued_options": ("box",)}
"""Where the others' total falls although the agent cares more."""
TREND = "Alizadeh Alamdari et al. 2021, section 4.1: 'the same trend under the different formulations'"
EXCEPTION = (
    "equation 8 as printed: an option that cannot start counts 0, which is more than a negative value, so the acting "
    "agent takes the key away"
)
MONOTONE = "add the two optimality inequalities of a smaller and a larger coefficient (γ = 1)"
MORAL = (
    "An agent that counts the sum over all others, or only the worst-off of them, may harm one of the others so that\n"
    "the rest gain. An agent that counts only harm (equation 3) never harms anybody in these tasks to let others\n"
    "gain."
)


BED = "flower-bed"
FLOWER_BED = Path(__file__).with_name("flower_bed.toml")
STORY = (
    "Under equation 3 harm is outweighed by good elsewhere where one value function counts both: the flower bed is "
    "trampled and the patch watered just enough. Where two count them, the bed is spared."
)
WORTH = 6
WATERED = ("dry", "watered once", "watered twice")


def bed(state: State) -> int:
    return -WORTH if state.things["trampled"] else 0


def patch(state: State) -> int:
    return WORTH * WATERED.index(str(state.things["patch"]))


def both(state: State) -> int:
    return bed(state) + patch(state)


TO_ONE, TO_TWO = "bed and patch in one value function", "bed and patch in two"
OWNERS: Mapping[str, Distribution[Callable[[State], int]]] = {
    TO_ONE: Distribution.certain(both),
    TO_TWO: Distribution.uniform((bed, patch)),
}
ENOUGH, NO_HARM, MORE = "trampled, watered once", "spared, dry", "spared, watered twice"
CASES: Mapping[tuple[str, str], tuple[str, Kind, str]] = {
    ("neg", TO_ONE): (
        ENOUGH,
        "claim",
        "Alizadeh Alamdari et al. 2021, section 3.1.2: 'just enough good to counterbalance them'",
    ),
    ("neg", TO_TWO): (NO_HARM, "control", "good to one is not set against harm to another: each value has its own cap"),
    ("value", TO_ONE): (MORE, "control", "equation 1 has no cap: all the good is done, and no harm"),
}
"""By criterion and owners: what unbounded care leaves behind, the kind of the row, and its source."""


@dataclass(frozen=True)
class Cell:
    """One criterion, or ill will, on one task; on the flower bed, `owners` says whose it is."""

    task: str
    criterion: str
    owners: str = ""


def cells(settings: Settings) -> list[Cell]:
    on_tasks = [Cell(task, criterion) for task in settings.tasks for criterion in (*CRITERIA, ILL_WILL)]
    return on_tasks + [Cell(BED, criterion, owners) for criterion, owners in CASES]


def run_cell(cell: Cell) -> Result:
    if cell.owners:
        return run_case(cell.criterion, cell.owners)
    criterion, caring = ("value", -1) if cell.criterion == ILL_WILL else (cell.criterion, 1)
    try:
        solved = frontier(task(cell.task), criterion, caring=caring)
    except SettingError as error:
        return {"refused": str(error)}
    pieces = [[piece.lower, list(piece.behavior.returns.values())] for piece in solved.pieces]
    return {"agents": list(solved.pieces[0].behavior.returns), "pieces": pieces}


def table(settings: Settings, results: Results) -> list[Row]:
    of_bed = [row for cell, r in results if cell.owners for row in bed_rows(cell.criterion, cell.owners, r)]
    results = select_pairs(results, owners="")
    rows = [row for criterion in CRITERIA for row in _claims(criterion, results)]
    rows += [*_ill_will_rows(results), *of_bed]
    for cell, result in results:
        if "pieces" not in result or cell.criterion == ILL_WILL:
            continue
        where = f"{cell.task}, {EQUATIONS[cell.criterion]}"
        thresholds = ", ".join(str(lower) for lower, _ in result["pieces"][1:]) or "none"
        returns = " | ".join("; ".join(map(str, returns)) for _, returns in result["pieces"])
        rows += [
            Row("thresholds in α", where, thresholds, case=cell.task),
            Row("everyone's return, behavior by behavior", where, returns, case=cell.task),
            Row("others who lose as α grows", where, list_names(losers(result), "nobody"), case=cell.task),
        ]
    return rows


def _ill_will_rows(results: Results) -> list[Row]:
    """Check the controls: as ill will grows, the others lose; as it shrinks, the acting agent gains.

    Nothing is decided where ill will never costs it anything.
    """
    wishes = [result for cell, result in results if cell.criterion == ILL_WILL and "pieces" in result]
    own = [own_returns(result)[::-1] for result in wishes]
    rising = "rises" if any(map(rises, own)) else "falls"
    changes = any(len(set(returns)) > 1 for returns in own)
    source = "an agent that wishes others ill must be told from one that cares"
    others = ("the others' total as α grows", f"{ILL_WILL} (equation 1, α below 0)")
    acting = ("the acting agent's return as α grows", f"{ILL_WILL} (equation 1, α from below up to 0)")
    return [
        word_row(*others, "falls" if any(map(falls, wishes)) else "never falls", "falls", source, control=True),
        word_row(*acting, rising if changes else UNDECIDED, "rises", source, control=True),
    ]


def _claims(criterion: str, results: Results) -> list[Row]:
    mine = [(cell.task, r) for cell, r in results if cell.criterion == criterion and "pieces" in r]
    where = f"{EQUATIONS[criterion]}, {len(mine)} tasks"
    exceptions = [task for task, _ in mine if task in EXCEPTIONS.get(criterion, ())]
    gaining = [task for task, r in mine if rises(own_returns(r))]
    falling = [task for task, r in mine if falls(r)]
    unchanged = [task for task, r in mine if len(r["pieces"]) == 1]
    others = "tasks where the others' total falls as α grows"
    acting = "tasks where the acting agent's return rises as α grows"
    return [
        word_row(others, where, list_names(falling), list_names(exceptions), EXCEPTION if exceptions else TREND),
        word_row(acting, where, list_names(gaining), NOWHERE, MONOTONE),
        Row("tasks where caring changes nothing", where, list_names(unchanged)),
    ]


def run_case(criterion: str, owners: str) -> Result:
    """List the smallest coefficient of each behavior, its own return and what it leaves behind."""
    solved = frontier(load_task(FLOWER_BED), criterion, futures={"next": OWNERS[owners]})
    return {
        "behaviors": [
            (piece.lower, piece.behavior.returns["first"], left_behind(piece.behavior.end_state.things))
            for piece in solved.pieces
        ]
    }


def left_behind(things: Things) -> str:
    return f"{'trampled' if things['trampled'] else 'spared'}, {things['patch']}"


def bed_rows(criterion: str, owners: str, result: Result) -> list[Row]:
    """Describe the state that a criterion leaves behind as the coefficient grows, and from which coefficient on."""
    left, kind, source = CASES[criterion, owners]
    where = f"{BED}, equation {1 + list(CRITERIA).index(criterion)}, {owners}"
    behaviors = result["behaviors"]
    steps = "; ".join(f"α from {lower}: {state} (own return {own})" for lower, own, state in behaviors)
    return [
        Row("what unbounded care leaves behind", where, behaviors[-1][-1], paper=left, kind=kind, source=source),
        Row("what care leaves behind as α grows", where, steps),
    ]


def list_names(names: Sequence[str], if_empty: str = NOWHERE) -> str:
    return ", ".join(names) or if_empty


def columns(result: Result) -> dict[str, list[Fraction]]:
    returns = [[Fraction(value) for value in values] for _, values in result["pieces"]]
    return dict(zip(result["agents"], map(list, zip(*returns, strict=True)), strict=True))


def own_returns(result: Result) -> list[Fraction]:
    return columns(result)[result["agents"][0]]


def others_totals(result: Result) -> list[Fraction]:
    _, *others = columns(result).values()
    return [sum(values, Fraction(0)) for values in zip(*others, strict=True)]


def rises(returns: Sequence[Fraction]) -> bool:
    return any(after > before for before, after in pairwise(returns))


def falls(result: Result) -> bool:
    return "pieces" in result and any(after < before for before, after in pairwise(others_totals(result)))


def losers(result: Result) -> list[str]:
    """The others whose own return is ever lower at a larger coefficient."""
    _, *others = columns(result).items()
    return [name for name, values in others if any(after < before for before, after in pairwise(values))]


def story(settings: Settings, results: Results) -> str:
    lines = [
        f"{cell.task}, {EQUATIONS[cell.criterion]}: {', '.join(losers(result))} lose"
        for cell, result in select_pairs(results, owners="")
        if cell.criterion != ILL_WILL and "pieces" in result and losers(result)
    ]
    return "\n".join(["As the acting agent cares more, some of the others get less:", *lines, STORY])


RISES, FALLS, STAYS, LINE = "#cfe0f0", "#f9cfd6", "#ececec", "#b8b8b8"


def figures(settings: Settings, results: Results) -> Figures:
    """Draw a grid: rows are equations, columns are tasks."""
    from matplotlib.patches import Patch

    by_place = {(cell.criterion, cell.task): result for cell, result in results}
    figure = new_figure(10, 8.4)
    axes = figure.add_subplot()
    for row, criterion in enumerate(CRITERIA):
        for column, name in enumerate(settings.tasks):
            _write(axes, row, column, by_place[criterion, name])
    axes.set(xlim=(-0.5, len(settings.tasks) - 0.5), ylim=(len(CRITERIA) - 0.5, -0.5))
    names = [task.replace("-", "\n", 1) for task in settings.tasks]
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(CRITERIA)), [f"{EQUATIONS[name]}\n{name}" for name in CRITERIA])
    axes.set_title("From not caring to caring without bound: own cost, gain of the others, who loses")
    axes.set(xlabel="task", ylabel="equation and criterion")
    meanings = {"the others' total rises": RISES, "it falls somewhere": FALLS, "it stays": STAYS}
    figure.legend(
        handles=[Patch(facecolor=color, edgecolor=LINE, label=says) for says, color in meanings.items()],
        loc="outside lower center",
        ncols=3,
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return {"formulations": figure}


def _write(axes: Axes, row: int, column: int, result: Result) -> None:
    """Fill one place: blue where the others' total rises, red where it falls, grey where nothing changes."""
    from matplotlib.patches import Rectangle

    if "pieces" not in result:
        text, color = "not\ndefined", "#ffffff"
    else:
        own, others, losing = own_returns(result), others_totals(result), losers(result)
        color = FALLS if falls(result) else RISES if others[-1] > others[0] else STAYS
        text = f"own {float(own[-1] - own[0]):+g}\nothers {float(others[-1] - others[0]):+g}"
        text += "\n" + ", ".join(losing).replace("_", " ") + "\nloses" if losing else ""
    axes.add_patch(Rectangle((column - 0.48, row - 0.46), 0.96, 0.92, facecolor=color, edgecolor=LINE, lw=0.6))
    axes.text(column, row, text, ha="center", va="center", fontsize="small")
