"""Chance or crowd: a room is drawn by lot, and the copy-centered agent counts the draw twice.

The agent in slot 1 stays, for r_s a step, or draws one of n rooms by lot; every room pays r a step. It is never copied.
The paper's weight P_ij of a copy (Orseau 2014, section 4.2) is normalized over the slots that chance may choose, as if
all of them were copies, and multiplies the chance of the draw. So drawing is worth 1/n of walking into a room. The
weight 1/|c|, where c is the copy set of the outcome that happens, counts chance once. The paper names it for
deterministic worlds, where the two are the same. The first of the copies is another way out.

The value that counts chance once, and the worlds of the lottery.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from multislot import HistoryAgent, run
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BELOW, BLUE, INK, YELLOW
from multislot.exact import (
    Arrival,
    Belief,
    Branch,
    DecisionMap,
    FirstCopy,
    KernelWorld,
    Value,
    WeightedFuture,
    action_values,
    decision_map,
    world_named,
)
from multislot.exact.futures import named
from multislot.exact.kernel import Kernel, Outcome
from multislot.exact.maps.mapping import between
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.experiment import geometric
from scenarios.lab.table import Row


@dataclass(frozen=True)
class OutcomeByOutcome(WeightedFuture):
    """The copy-centered future with the weight 1/|c| in each outcome, c its own copy set.

    ``V(h, a) = Σ_i P_i(h) Σ_c ν(c o | h^i a) Σ_{j ∈ c} [r(o^j) + γ V(h a o^j)] / |c|``. In deterministic worlds this is
    the paper's ``P_ij`` (Orseau 2014, section 4.2); it is 0 where the agent is deleted.
    """

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield every copy, weighed by the chance of its outcome and the number of its siblings."""
        for place, (chance, _) in belief.places.items():
            for probability, arrivals in belief.outcomes(place, action):
                for found in arrivals.values():
                    yield Branch(chance * probability / len(arrivals), found.reward, found.observation)


NAMES = ("copy-centered", "outcome by outcome", "first copy")


def value_named(name: str) -> Value:
    """One of the values that are compared."""
    return {"outcome by outcome": OutcomeByOutcome(), "first copy": FirstCopy()}.get(name) or named("cpy")


@dataclass(frozen=True)
class Drift:
    """An agent that a fair coin puts into slot 1 or 2 at every step, and that is paid 1; it is never copied."""

    @property
    def actions(self) -> Sequence[str]:
        """It has no choice."""
        return ("wait",)

    @property
    def observations(self) -> Sequence[str]:
        """All that can be seen."""
        return ("here",)

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent, in slot 1."""
        return {1: "here"}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Sequence[Outcome]:
        """Heads and tails."""
        return [(Fraction(1, 2), {target: Arrival("here", "here", 1)}) for target in (1, 2)]


@dataclass(frozen=True)
class Settings:
    """What is paid, how many rooms there are, and how finely the map is drawn."""

    discount: Annotated[Fraction, Field(ge=0, le=1, title="γ", description="discount")] = Fraction(9, 10)
    horizon: Annotated[int, Field(ge=1, le=12, title="T", description="steps that count")] = 3
    r_s: Annotated[Fraction, Field(gt=0, le=4, title="r_s", description="reward of each step if one stays")] = Fraction(
        1
    )
    r: Annotated[Fraction, Field(gt=0, le=4, title="r", description="reward of each step in any room")] = Fraction(2)
    n: Annotated[int, Field(ge=2, le=12, title="n", description="number of rooms")] = 4
    drift: Annotated[int, Field(ge=1, le=12, description="steps of the agent that a coin moves")] = 10
    rooms: Annotated[int, Field(ge=2, le=12, description="number of rooms up to which the map goes, or n")] = 8

    @property
    def most_rooms(self) -> int:
        """The largest number of rooms on the map, on which n has a place."""
        return max(self.rooms, self.n)


FULL = replace(Settings(), rooms=12)


SECTION = "Orseau 2014, section 4.2"
DRAWS, STAYS = "draws", "stays"
SAME, DIFFERENT = "the same", "different"
CROWDS = (2, 3)
MORAL = (
    "A room that is drawn from n counts 1/n of a room that one walks into, although one agent goes on and is paid in\n"
    "full. The agent that a coin moves is paid in every step, and the copy-centered value of it all stays below what\n"
    "one step pays: chance is counted once as the chance of the outcome, and once more as a share among copies that\n"
    "never exist together. The paper keeps the joint probability inside the sum and does not say what this costs.\n"
    "With 1/|c| outcome by outcome, or with the first copy, it is gone; 1/|c| is P_ij where the world is deterministic."
)


@dataclass(frozen=True)
class Cell:
    """One piece of work: a part, and the value or number of rooms it is about."""

    settings: Settings
    part: str
    which: str = ""


def cells(settings: Settings) -> list[Cell]:
    """The values one by one, the crowds, and the map."""
    return [
        *(Cell(settings, "value", name) for name in NAMES),
        *(Cell(settings, "crowd", str(copies)) for copies in CROWDS),
        Cell(settings, "run"),
        Cell(settings, "map"),
    ]


def run_cell(cell: Cell) -> dict[str, Any]:
    """What one cell gives."""
    if cell.part == "value":
        return _valued(cell.which, cell.settings)
    if cell.part == "crowd":
        return {name: _crowd(name, int(cell.which), cell.settings) for name in NAMES}
    if cell.part == "run":
        return {"rewards": rewards_received(cell.settings.drift)}
    return _mapped(cell.settings)


def lottery_world(settings: Settings) -> Kernel:
    """The world of these settings."""
    return world_named("lottery", r_s=settings.r_s, room=settings.r, n=settings.n)


def _valued(name: str, settings: Settings) -> dict[str, Any]:
    """What drawing and drifting are worth, and the sure reward up to which the lot is drawn."""
    worth = _accepting(lottery_world(settings), name, settings)
    value = value_named(name)
    drift = action_values(Drift(), value, discount=1, horizon=settings.drift)["wait"]
    asked = action_values(lottery_world(settings), value, discount=settings.discount, horizon=settings.horizon)
    return {
        "worth": worth,
        "drift": drift,
        "price": worth / geometric(settings.discount, settings.horizon),
        "draws": asked.best == "draw",
    }


def _accepting(kernel: Kernel, name: str, settings: Settings) -> Fraction:
    found = action_values(kernel, value_named(name), discount=settings.discount, horizon=settings.horizon)
    return Fraction(list(found.values())[1])


def _crowd(name: str, copies: int, settings: Settings) -> Fraction:
    """What it is worth to become so many copies, of which the first is paid: nothing here is random."""
    crowd = world_named("crowd", r_s=settings.r_s, prize=settings.r, rest=settings.r / 2, n=copies)
    return _accepting(crowd, name, settings)


def rewards_received(steps: int) -> float:
    """How many rewards the agent that a coin moves is paid, by running it."""
    trace = run(KernelWorld(Drift()), {1: HistoryAgent(lambda past: 0)}, steps)
    return sum(sum(paid.values()) for paid in trace.rewards)


def map_of(name: str, settings: Settings) -> DecisionMap:
    """Where one value draws, over the number of rooms and the sure reward; exact in the reward."""
    return decision_map(
        lambda r_s, n: world_named("lottery", r_s=r_s, room=settings.r, n=int(n)),
        x=("n", range(1, settings.most_rooms + 1)),
        y=("r_s", between(0, settings.r, 9)),
        values=[value_named(name)],
        discount=settings.discount,
        horizon=settings.horizon,
    )


def _mapped(settings: Settings) -> dict[str, Any]:
    """Return, for each value and number of rooms, the sure reward at which the decision turns."""
    maps = {name: map_of(name, settings) for name in NAMES}
    return {name: [[turn.at for turn in line] for line in one.turns[one.values[0]]] for name, one in maps.items()}


def table(settings: Settings, results: Results) -> list[Row]:
    """Worths, prices and decisions, the agent that a coin moves, and where nothing is random."""
    values = {cell.which: result for cell, result in results if cell.part == "value"}
    crowds = {int(cell.which): result for cell, result in results if cell.part == "crowd"}
    (received,) = (result["rewards"] for cell, result in results if cell.part == "run")
    (turns,) = (result for cell, result in results if cell.part == "map")
    return [
        *_worth_rows(settings, values),
        *_drift_rows(settings, values, received),
        *_crowd_rows(settings, crowds),
        _map_row(settings, turns),
    ]


def worth_of_drawing(name: str, settings: Settings) -> Fraction:
    """What drawing is worth, by formula: ``r G``, divided by n if chance is counted twice."""
    whole = settings.r * geometric(settings.discount, settings.horizon)
    return whole / settings.n if name == "copy-centered" else whole


def worth_of_drifting(name: str, steps: int) -> Fraction:
    """What so many rewards of 1 are worth to the agent that a coin moves, at γ = 1.

    Each slot's share is ½, and so is its chance: a step counts half of the one before, ``Σ_{k=1..T} 2^-k = 1 - 2^-T``.
    """
    return 1 - Fraction(1, 2**steps) if name == "copy-centered" else Fraction(steps)


def _worth_rows(settings: Settings, values: dict[str, dict[str, Any]]) -> Iterator[Row]:
    total = geometric(settings.discount, settings.horizon)
    common = f"γ={settings.discount}, T={settings.horizon}, r={settings.r}, n={settings.n}"
    for name, found in values.items():
        worth = worth_of_drawing(name, settings)
        yield Row("worth of drawing", f"{name}, {common}", Fraction(found["worth"]), paper=worth, case=name,
                       source=f"{SECTION}: r G / n" if name == "copy-centered" else "r G")  # fmt: skip
    for name, found in values.items():
        worth = worth_of_drawing(name, settings)
        yield Row("sure reward below which it draws", f"{name}, {common}", Fraction(found["price"]),
                       paper=worth / total, case=name, source="the worth divided by G")  # fmt: skip
        decision = DRAWS if worth > settings.r_s * total else STAYS
        yield Row("decision", f"{name}, {common}, r_s={settings.r_s}", DRAWS if found["draws"] else STAYS,
                       paper=decision, case=name, source="the worth against r_s G")  # fmt: skip


def _drift_rows(settings: Settings, values: dict[str, dict[str, Any]], received: Any) -> Iterator[Row]:
    """Yield the agent that a coin moves: what it receives, what that is worth, and who counts chance once."""
    common = f"{settings.drift} steps, γ=1"
    paid = Fraction(received)
    yield Row("rewards received", f"moved by a coin, {common}", paid, paper=settings.drift, source="one a step")
    for name, found in values.items():
        expected = worth_of_drifting(name, settings.drift)
        yield Row("worth of being moved by a coin", f"{name}, {common}", Fraction(found["drift"]), paper=expected,
                       case=name, source="1 - 2^-T" if name == "copy-centered" else "T")  # fmt: skip
    for name, found in values.items():
        twice = name == "copy-centered"
        yield Row(
            "the worth and what is received",
            f"{name}, {common}",
            SAME if Fraction(found["drift"]) == paid else DIFFERENT,
            paper=DIFFERENT if twice else SAME,
            kind="control" if twice else "claim",
            case=name,
            source="nobody is copied, so nothing is to be shared",
        )


def _crowd_rows(settings: Settings, crowds: dict[int, dict[str, Any]]) -> Iterator[Row]:
    """Yield the comparison with ``P_ij`` where nothing is random: 1/|c| is the same, the first copy is not."""
    for name in NAMES[1:]:
        alike = all(Fraction(found[name]) == Fraction(found[NAMES[0]]) for found in crowds.values())
        once = name == NAMES[1]
        yield Row(
            "worth of becoming many, next to the copy-centered one",
            f"{name}, {', '.join(map(str, crowds))} copies, r={settings.r}",
            SAME if alike else DIFFERENT,
            paper=SAME if once else DIFFERENT,
            kind="claim" if once else "control",
            case=name,
            source=f"{SECTION}: in deterministic environments this is 1/|c|",
        )


def _map_row(settings: Settings, turns: dict[str, list[list[str]]]) -> Row:
    """How many of the turns of the map are where no formula has them."""
    wrong = 0
    for name, lines in turns.items():
        for rooms, found in enumerate(lines, start=1):
            share = Fraction(1, rooms) if name == NAMES[0] else Fraction(1)
            at = settings.r * share
            wrong += [Fraction(one) for one in found] not in ([at], [] if at == settings.r else [at])
    condition = f"{len(turns)} values, 1 to {settings.most_rooms} rooms, r={settings.r}"
    return Row("turns of the map that are not at r / n, or r", condition, wrong, paper=0)


LOOKS = {
    "copy-centered": (BLUE, 2.2, "-", "o"),
    "outcome by outcome": (YELLOW, 5.0, "-", "s"),
    "first copy": (INK, 1.6, "--", "."),
}


def figures(settings: Settings, results: Results) -> Figures:
    """One figure of two panels."""
    figure = new_figure(9.6, 4.4)
    prices, drift = figure.subplots(1, 2, width_ratios=(1.2, 1))
    (turns,) = (result for cell, result in results if cell.part == "map")
    _draw_prices(prices, settings, turns)
    _draw_drift(drift, settings)
    prices.legend(**BELOW, ncols=2)
    drift.legend(**BELOW)
    return {"lottery": figure}


def _draw_prices(axes: Axes, settings: Settings, turns: dict[str, list[list[str]]]) -> None:
    rooms = list(range(1, settings.most_rooms + 1))
    for name in reversed(NAMES[:2]):
        heights = [float(Fraction(line[0])) if line else float(settings.r) for line in turns[name]]
        if name == NAMES[1]:
            axes.fill_between(rooms, 0, heights, color=LOOKS[name][0], alpha=0.25, linewidth=0)
            continue
        axes.fill_between(rooms, 0, heights, color=LOOKS[name][0], alpha=0.35, linewidth=0)
        middle = len(rooms) // 2
        axes.annotate("all three draw", (rooms[middle], heights[middle] / 2), ha="center", va="center")
        between = (heights[middle] + float(settings.r)) / 2
        axes.annotate("only the two that count\nchance once draw", (rooms[middle], between), ha="center")
    for name in (NAMES[1], NAMES[2], NAMES[0]):
        color, width, style, marker = LOOKS[name]
        heights = [float(Fraction(line[0])) if line else float(settings.r) for line in turns[name]]
        axes.plot(
            rooms, heights, color=color, linewidth=width, linestyle=style, marker=marker, markersize=5, label=name
        )
    axes.plot([settings.n], [float(settings.r_s)], "k*", markersize=11, zorder=5, label="here")
    highest = float(max(settings.r, settings.r_s))
    axes.set(xlabel="number of rooms n", ylabel="sure reward $r_s$", ylim=(0, 1.12 * highest))
    axes.set_title("(a) up to which sure reward the lot is drawn", loc="left")


def _draw_drift(axes: Axes, settings: Settings) -> None:
    steps = list(range(1, settings.drift + 1))
    for name in (NAMES[1], NAMES[2], NAMES[0]):
        color, width, style, marker = LOOKS[name]
        worths = [float(worth_of_drifting(name, step)) for step in steps]
        axes.plot(steps, worths, color=color, linewidth=width, linestyle=style, marker=marker, markersize=4, label=name)
    axes.set(xlabel="rewards received, 1 a step", ylabel="worth at γ = 1", ylim=(0, None))
    axes.set_title("(b) moved by a coin, never copied", loc="left")
