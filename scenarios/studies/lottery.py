"""Chance or crowd: a room is drawn by lot, and the copy-centered agent counts the draw twice.

The agent in slot 1 stays, for r_s a step, or draws one of n rooms by lot; every room pays r a step. It is never copied.
The paper's weight P_ij of a copy (Orseau 2014, section 4.2) is normalized over the slots that chance may choose, as if
all of them were copies, and multiplies the chance of the draw. So drawing is worth 1/n of walking into a room. The
weight 1/|c|, where c is the copy set of the outcome that happens, counts chance once. The paper names it for
deterministic worlds, where the two are the same. Counting only the first of the copies avoids the problem, too.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from multislot import HistoryAgent, exact, run
from multislot.drawing.pictures import lettered
from multislot.drawing.styling import BELOW, BLUE, INK, YELLOW
from multislot.exact.futures import named
from multislot.exact.kernel import Kernel, Outcome
from multislot.exact.maps.mapping import between
from scenarios.lab.cells import Axes, Figures, Result, Results, collect
from scenarios.lab.experiment import Cell, describe, exact_rows, geometric
from scenarios.lab.table import Row, claim_row, formula_row


@dataclass(frozen=True)
class OutcomeByOutcome(exact.WeightedFuture):
    """The copy-centered future with the weight 1/|c| in each outcome, c its own copy set.

    ``V(h, a) = Σ_i P_i(h) Σ_c ν(c o | h^i a) Σ_{j ∈ c} [r(o^j) + γ V(h a o^j)] / |c|``. In deterministic worlds this is
    the paper's ``P_ij`` (Orseau 2014, section 4.2); it is 0 where the agent is deleted.
    """

    def future(self, belief: exact.Belief, action: Hashable, step: int | None) -> Iterator[exact.Branch]:
        """Yield every copy, weighed by the chance of its outcome and the number of its siblings."""
        for place, (chance, _) in belief.places.items():
            for probability, arrivals in belief.outcomes(place, action):
                for arrival in arrivals.values():
                    yield exact.Branch(chance * probability / len(arrivals), arrival.reward, arrival.observation)


NAMES = ("copy-centered", "outcome by outcome", "first copy")


def find_value(name: str) -> exact.Value:
    return {"outcome by outcome": OutcomeByOutcome(), "first copy": exact.FirstCopy()}.get(name) or named("cpy")


@dataclass(frozen=True)
class Drift:
    """An agent that a fair coin puts into slot 1 or 2 at every step, and that is paid 1; it is never copied."""

    actions: Sequence[str] = ("wait",)
    observations: Sequence[str] = ("here",)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "here"})

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Sequence[Outcome]:
        return [(Fraction(1, 2), {target: exact.Arrival("here", "here", 1)}) for target in (1, 2)]


@dataclass(frozen=True)
class Settings:
    """What is paid, how many rooms there are, and how finely the map is drawn."""

    discount: Annotated[Fraction, Field(ge=0, le=1, description="discount")] = Fraction(9, 10)
    horizon: Annotated[int, Field(ge=1, le=12, description="steps that count")] = 3
    r_s: Annotated[Fraction, Field(gt=0, le=4, description="reward of each step if one stays")] = Fraction(1)
    r: Annotated[Fraction, Field(gt=0, le=4, description="reward of each step in any room")] = Fraction(2)
    n: Annotated[int, Field(ge=2, le=12, description="number of rooms")] = 4
    drift: Annotated[int, Field(ge=1, le=12, description="steps of the agent that a coin moves")] = 10
    rooms: Annotated[int, Field(ge=2, le=12, description="number of rooms up to which the map goes, or n")] = 8

    @property
    def most_rooms(self) -> int:
        return max(self.rooms, self.n)


FULL = replace(Settings(), rooms=12)


SECTION = "Orseau 2014, section 4.2"
DRAWS, STAYS = "draws", "stays"
WORDS = ("the same", "different")
CROWDS = (2, 3)
MORAL = (
    "A room that is drawn from n rooms counts only 1/n of a room that one walks into, although one agent goes on\n"
    "and is paid in full. The reason: the copy-centered value counts the probability twice, once as the probability\n"
    "of the outcome, and once as a share among copies that never exist together. The paper keeps the joint\n"
    "probability inside the sum and does not say what this costs. With 1/|c| outcome by outcome, or with the first\n"
    "copy, the effect is gone; 1/|c| is P_ij where the world is deterministic."
)


def cells(settings: Settings) -> list[Cell]:
    return [Cell(settings, "exact")]


def run_cell(cell: Cell) -> Result:
    """Make the rows, and find where the decisions of each value turn, for the picture."""
    settings = cell.settings
    turns = {name: turns_of(name, settings) for name in NAMES}
    rows = [*_worth_rows(settings), *_drift_rows(settings), *_crowd_rows(settings), _map_row(settings, turns)]
    return {"rows": [row.as_json() for row in rows], "turns": turns}


def table(settings: Settings, results: Results) -> list[Row]:
    return list(exact_rows(results))


def lottery_world(settings: Settings) -> Kernel:
    return exact.world_named("lottery", r_s=settings.r_s, room=settings.r, n=settings.n)


def _accepting(kernel: Kernel, name: str, settings: Settings) -> tuple[Fraction, Hashable]:
    worths = exact.action_values(kernel, find_value(name), discount=settings.discount, horizon=settings.horizon)
    return Fraction(list(worths.values())[1]), worths.best


def rewards_received(steps: int) -> Fraction:
    """The sum of rewards that the agent that a coin moves is paid in a run."""
    trace = run(exact.KernelWorld(Drift()), {1: HistoryAgent(lambda past: 0)}, steps)
    return Fraction(sum(sum(paid.values()) for paid in trace.rewards))


def turns_of(name: str, settings: Settings) -> list[list[Fraction]]:
    """The sure rewards at which one value stops to draw, for each number of rooms; exact."""
    decided = exact.decision_map(
        lambda r_s, n: exact.world_named("lottery", r_s=r_s, room=settings.r, n=int(n)),
        x=("n", range(1, settings.most_rooms + 1)),
        y=("r_s", between(0, settings.r, 9)),
        values=[find_value(name)],
        discount=settings.discount,
        horizon=settings.horizon,
    )
    (lines,) = decided.lines.values()
    return [[at for at, _ in line[1:]] for line in lines]


def worth_of_drawing(name: str, settings: Settings) -> Fraction:
    """What drawing is worth, by formula: ``r G``, divided by n if chance is counted twice."""
    whole = settings.r * geometric(settings.discount, settings.horizon)
    return whole / settings.n if name == "copy-centered" else whole


def worth_of_drifting(name: str, steps: int) -> Fraction:
    """What so many rewards of 1 are worth to the agent that a coin moves, at γ = 1.

    Each slot's share is ½, and so is its chance: a step counts half of the one before, ``Σ_{k=1..T} 2^-k = 1 - 2^-T``.
    """
    return 1 - Fraction(1, 2**steps) if name == "copy-centered" else Fraction(steps)


def _worth_rows(settings: Settings) -> Iterator[Row]:
    total = geometric(settings.discount, settings.horizon)
    common = describe(settings, ("discount", "horizon", "r", "n"))
    answers = {name: _accepting(lottery_world(settings), name, settings) for name in NAMES}
    for name, (worth, _) in answers.items():
        source = f"{SECTION}: r G / n" if name == "copy-centered" else "r G"
        yield formula_row("worth of drawing", name, common, worth, worth_of_drawing(name, settings), source)
    for name, (worth, best) in answers.items():
        price = worth_of_drawing(name, settings) / total
        quantity, source = "sure reward below which it draws", "the worth divided by G"
        yield formula_row(quantity, name, common, worth / total, price, source)
        ours, decision = (DRAWS if draws else STAYS for draws in (best == "draw", price > settings.r_s))
        source = "the worth against r_s G"
        yield formula_row("decision", name, f"{common}, r_s={settings.r_s}", ours, decision, source)


def _drift_rows(settings: Settings) -> Iterator[Row]:
    """Yield the agent that a coin moves: what it receives, what that is worth, and who counts chance once."""
    common, drift = f"{settings.drift} steps, γ=1", settings.drift
    paid = rewards_received(drift)
    yield Row("rewards received", f"moved by a coin, {common}", paid, paper=drift, source="one a step")
    worths = {
        name: Fraction(exact.action_values(Drift(), find_value(name), discount=1, horizon=drift)["wait"])
        for name in NAMES
    }
    for name, worth in worths.items():
        source = "1 - 2^-T" if name == "copy-centered" else "T"
        quantity = "worth of being moved by a coin"
        yield formula_row(quantity, name, common, worth, worth_of_drifting(name, drift), source)
    for name, worth in worths.items():
        source = "nobody is copied, so nothing is to be shared"
        quantity, twice = "the worth and what is received", name == "copy-centered"
        yield claim_row(quantity, f"{name}, {common}", worth == paid, source, case=name, control=twice, words=WORDS)


def _crowd_rows(settings: Settings) -> Iterator[Row]:
    """Yield the comparison with ``P_ij`` where nothing is random: 1/|c| is the same, the first copy is not."""
    pays = {"r_s": settings.r_s, "prize": settings.r, "rest": settings.r / 2}  # of the copies the first is paid more
    crowds = [exact.world_named("crowd", **pays, n=copies) for copies in CROWDS]
    worths = {name: [_accepting(crowd, name, settings)[0] for crowd in crowds] for name in NAMES}
    for name in NAMES[1:]:
        source = f"{SECTION}: in deterministic environments this is 1/|c|"
        condition = f"{name}, {', '.join(map(str, CROWDS))} copies, r={settings.r}"
        quantity, control = "worth of becoming many, next to the copy-centered one", name != NAMES[1]
        is_same = worths[name] == worths[NAMES[0]]
        yield claim_row(quantity, condition, is_same, source, case=name, control=control, words=WORDS)


def _map_row(settings: Settings, turns: Mapping[str, list[list[Fraction]]]) -> Row:
    """Count the turns of the map that are not where the formula has them."""
    wrong = 0
    for name, lines in turns.items():
        for rooms, turning in enumerate(lines, start=1):
            at = settings.r / rooms if name == NAMES[0] else settings.r
            wrong += turning not in ([at], [] if at == settings.r else [at])
    condition = f"{len(turns)} values, 1 to {settings.most_rooms} rooms, r={settings.r}"
    return Row("turns of the map that are not at r / n, or r", condition, wrong, paper=0)


LOOKS = {
    "copy-centered": (BLUE, 2.2, "-", "o"),
    "outcome by outcome": (YELLOW, 5.0, "-", "s"),
    "first copy": (INK, 1.6, "--", "."),
}


def figures(settings: Settings, results: Results) -> Figures:
    rooms, steps = range(1, settings.most_rooms + 1), range(1, settings.drift + 1)
    (turns,) = collect(results, "turns")
    prices = {
        name: [float(Fraction(line[0])) if line else float(settings.r) for line in lines]
        for name, lines in turns.items()
    }

    def draw_prices(axes: Axes) -> None:
        for name, depth in ((NAMES[1], 0.25), (NAMES[0], 0.35)):
            axes.fill_between(rooms, 0, prices[name], color=LOOKS[name][0], alpha=depth, linewidth=0)
        middle = len(rooms) // 2
        low, high = prices[NAMES[0]][middle], float(settings.r)
        axes.annotate("all three draw", (rooms[middle], low / 2), ha="center", va="center")
        axes.annotate("only the two that count\nchance once draw", (rooms[middle], (low + high) / 2), ha="center")
        _draw_lines(axes, rooms, prices)
        axes.plot([settings.n], [float(settings.r_s)], "k*", markersize=11, zorder=5, label="here")
        highest = 1.12 * max(high, float(settings.r_s))
        axes.set(xlabel="number of rooms n", ylabel="sure reward $r_s$", ylim=(0, highest))
        axes.legend(**BELOW, ncols=2)

    def draw_drift(axes: Axes) -> None:
        _draw_lines(axes, steps, {name: [float(worth_of_drifting(name, step)) for step in steps] for name in NAMES})
        axes.set(xlabel="rewards received, 1 a step", ylabel="worth at γ = 1", ylim=(0, None))
        axes.legend(**BELOW)

    panels = [
        ("up to which sure reward the lot is drawn", draw_prices),
        ("moved by a coin, never copied", draw_drift),
    ]
    return {"lottery": lettered("lottery", panels, height=4.6, width_ratios=(1.2, 1))}


def _draw_lines(axes: Axes, places: range, heights: dict[str, list[float]]) -> None:
    for name in (NAMES[1], NAMES[2], NAMES[0]):
        color, width, style, marker = LOOKS[name]
        look: dict[str, Any] = {"color": color, "linewidth": width, "linestyle": style, "marker": marker}
        axes.plot(places, heights[name], label=name, markersize=5, **look)
