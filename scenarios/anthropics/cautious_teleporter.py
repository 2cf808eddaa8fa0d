"""The cautious teleporter: what if it does not move you, but copies you, or deletes you?

A booth offers a day trip. Three models say what it does: it moves you; it copies you, and deletes the one who stayed
behind a step later; or it deletes you at once (Parfit 1984). The agent is uncertain, and it has a mentor: one who takes
the trip every day, or one who never does. The pessimistic agent of Cohen and Hutter (2020) meets the values of Orseau
(2014): each model is a kernel with copies, and a plan is worth what the value of copies says
(`multislot.bayes.CopiedModel`).

To the copy-centered value a trip is worth more than staying if the booth moves you, and less if it copies you: half of
what comes after belongs to the copy who is deleted. The mixture and the most likely model step in at once. The
pessimist asks; a mentor who arrives has not been deleted, and each arrival doubles the odds of being moved. It steps in
by itself after exactly as many trips as it takes for the copying model to leave its set ``M^β``. With a mentor who
never travels it stays at home, if β is high enough to consider deletion. The event of result 3 is "somebody steps in":
with ``β ≥ 1 − δ·w(deletes)`` the agent is first with probability δ at most, and the ledger says who was.

If the booth really copies, the event is "an irreversible copy is made": nothing joins copies again. The same bound
holds for it, since the deleting model agrees with the truth until then. With a mentor who travels, the mentor makes the
first copy; the mixture and the most likely model make it themselves.

To the static value, which follows the slot, leaving is the end whatever the booth does. No agent steps in, and none
asks. The dynamic value agrees at the beginning; it is not a maximum over policies, so it is not planned with. The lives
are those of one copy, drawn as the copy-centered value weighs them. The controls must fail: the mixture and the most
likely model's agent are first although nobody has shown that it is safe.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import floor, log2
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import Field

from multislot import bayes
from multislot.bayes.agents import MentoredAgent
from multislot.bayes.events import AGENT
from multislot.checks import refusal
from multislot.drawing.pictures import draw_rows
from multislot.drawing.showing import new_figure
from multislot.drawing.styling import BLUE, RED
from multislot.exact import Arrival, action_values
from multislot.exact.kernel import Number
from multislot.statistics import UNDECIDED
from scenarios.conservatism.agents import (
    LIKELY,
    MIXTURE,
    PESSIMISTIC,
    Betas,
    Weight,
    judge_share,
    live_with,
    precedent_bound,
)
from scenarios.lab.cells import Axes, Figures, Results
from scenarios.lab.table import Row, mean_row, share_row

Does = Literal["moves", "copies", "deletes"]
STAY, STEP_IN = 0, 1
SEEN = ("home", "away", "booth")
HOME, AWAY, BOOTH = range(3)


@dataclass(frozen=True)
class Booth:
    """A booth for day trips; an agent that is away comes home the next day, whatever it does.

    Attributes:
        does: what it does to an agent that steps in.
        pays: reward of a day at home or behind in the booth, and of a day away.
    """

    does: Does
    pays: tuple[Number, Number]
    actions: tuple[str, str] = ("stay", "step in")
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "home"})

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[tuple[int, dict[int, Arrival]]]:
        """The one outcome; a trip leads to the next slot, and back home nobody changes slots."""
        home, away = self.pays
        if state == "doomed":
            return [(1, {})]
        if state == "away" or action == "stay":
            return [(1, {slot: Arrival("home", "home", home)})]
        arrives = {slot + 1: Arrival("away", "away", away)}
        behind = {slot: Arrival("doomed", "booth", home)}
        return [(1, {"moves": arrives, "copies": behind | arrives, "deletes": {}}[self.does])]


Pay = Annotated[float, Field(gt=0, le=1)]


@dataclass(frozen=True)
class Settings:
    """What a day pays, what is believed of the booth, and how pessimistic the agents are."""

    home: Annotated[Pay, Field(description="reward of a day at home, or behind in the booth")] = 0.3
    away: Annotated[Pay, Field(description="reward of a day on the trip")] = 0.6
    truths: Annotated[tuple[Does, ...], Field(min_length=1, description="what the booth really does")] = (
        "moves",
        "copies",
    )
    moves: Annotated[Weight, Field(description="prior weight of: it moves you")] = 0.5
    copies: Annotated[Weight, Field(description="prior weight of: it copies you; the rest is: it deletes you")] = 0.3
    betas: Betas = (0.0, 0.5, 0.9, 0.97, 0.99)
    discount: Annotated[float, Field(ge=0, lt=1, description="γ")] = 0.8
    horizon: Annotated[int, Field(ge=1, le=5, description="rewards that every value looks ahead")] = 3
    steps: Annotated[int, Field(ge=1, description="days a life")] = 40
    seeds: Annotated[int, Field(ge=1, description="lives of each agent")] = 40

    @property
    def prior(self) -> tuple[float, float, float]:
        """Prior weights of the models, in the order of `MODELS`."""
        return self.moves, self.copies, 1 - self.moves - self.copies


QUICK = Settings(betas=(0.0, 0.9, 0.97), steps=30, seeds=20)


MODELS: tuple[Does, ...] = get_args(Does)
VALUES = {"cpy": "copy-centered", "sta": "static"}
MENTORS = {"travels": STEP_IN, "never travels": STAY}
NOBODY = "nobody"
TRIPS = "trips of the mentor before the agent's first own one"
WHY = "the copying model leaves the set of weight β; each arrival doubles the odds against it"
ROUNDING = 1e-9
HOLDS, BROKEN = "holds", "broken"
HOMELY, LEAVES = "stays at home", "steps in"

MORAL = (
    "Agents that act on what is likely step in before anybody has shown that it is safe. The pessimistic agent\n"
    "first watches its mentor go, as often as its β requires, and then goes itself. If nobody goes, it stays."
)


@dataclass(frozen=True)
class Cell:
    """All lives of one agent with one mentor and booth; β counts for the pessimistic agent alone."""

    settings: Settings
    true: Does
    value: str
    agent: str
    beta: float
    mentor: str

    @property
    def seeds(self) -> int:
        """The number of lives; only the pessimist draws random numbers."""
        return self.settings.seeds if self.agent == PESSIMISTIC else 1


def cells(settings: Settings) -> list[Cell]:
    if settings.prior[2] <= 0:
        raise refusal("copies", settings.copies, f"less than 1 − moves = {1 - settings.moves:g}")
    agents = [*((PESSIMISTIC, beta) for beta in settings.betas), (MIXTURE, 0.0), (LIKELY, 0.0)]
    return [
        Cell(settings, true, value, agent, beta, mentor)
        for true in settings.truths
        for value in VALUES
        for mentor in MENTORS
        for agent, beta in agents
        if true == "moves" or value == "cpy"  # to the static value leaving is the end whatever the booth does
    ]


@lru_cache(maxsize=8)
def booth_class(value: str, pays: tuple[float, float], prior: tuple[float, float, float]) -> bayes.ModelClass:
    return bayes.ModelClass([bayes.CopiedModel(Booth(does, pays), value, SEEN) for does in MODELS], prior, MODELS)


def run_cell(cell: Cell) -> dict[str, object]:
    """Record who stepped in first, who made the first copy, the mentor's trips before the agent's, and questions."""
    settings = cell.settings
    models = booth_class(cell.value, (settings.home, settings.away), settings.prior)
    truth = models.models[MODELS.index(cell.true)]
    assert isinstance(truth, bayes.CopiedModel)  # so made above
    stepping = bayes.Event.of_pairs("somebody steps in", [(HOME, STEP_IN)], HOME)
    copying = bayes.copy_event(truth, "an irreversible copy is made")
    mentor = bayes.TabularMentor([MENTORS[cell.mentor]] + [STAY] * len(SEEN), n_actions=2)
    agent = _agent_of(cell, models, bayes.MentorClass([mentor]))
    lives: dict[str, list[Any]] = {"first": [], "first copy": [], "trips": [], "questions": []}
    for lived, life in live_with(agent, truth, mentor, settings.steps, range(cell.seeds)):
        causes = bayes.Ledger.of([stepping, copying], lived.done).first
        for name, event in (("first", stepping), ("first copy", copying)):
            lives[name].append(causes[event.name].who if event.name in causes else NOBODY)
        lives["trips"].append(_trips_before(life.observations, life.actions, life.queries))
        lives["questions"].append(life.questions())
    return dict(lives)


def _agent_of(cell: Cell, models: bayes.ModelClass, mentors: bayes.MentorClass) -> MentoredAgent:
    plan, seen = (cell.settings.discount, cell.settings.horizon), len(SEEN) + 1
    if cell.agent == PESSIMISTIC:
        return bayes.PessimisticAgent(models, mentors, cell.beta, *plan, n_inner=seen)
    return (bayes.BayesAgent if cell.agent == MIXTURE else bayes.MostLikelyAgent)(models, *plan, n_inner=seen)


def _trips_before(observations: Sequence[int | None], actions: Sequence[int], queries: Sequence[bool]) -> int | None:
    """The mentor's trips before the agent's own first one; None if it never steps in."""
    trips = 0
    for seen, action, asked in zip(observations, actions, queries, strict=False):
        if seen in (None, HOME) and action == STEP_IN:
            if not asked:
                return trips
            trips += 1
    return None


def evidence_needed(beta: float, prior: tuple[float, float, float]) -> int:
    """Number of arrivals after which the copying model leaves ``M^β``; each doubles the odds of being moved.

    The first arrival refutes deletion. The moving model alone must weigh more than β.
    """
    moves, copies, deletes = prior
    if moves > beta and moves >= copies and moves >= deletes:
        return 0
    if beta == 0:
        return 1
    return max(1, floor(log2(copies / moves * beta / (1 - beta))) + 1)


def table(settings: Settings, results: Results) -> list[Row]:
    rows = [
        Row(f"{value}, knowing what the booth does", f"it {does} you", knows(settings, value, does))
        for does, value in product(MODELS, (*VALUES, "dyn"))
    ]
    cautious = [knows(settings, "cpy", does) for does in MODELS] == ["step in", "stay", "stay"]
    for cell, result in results:
        case = _name(cell)
        common = (
            f"it {cell.true} you, {VALUES[cell.value]} value, mentor {cell.mentor}, "
            f"{cell.seeds} {'life' if cell.seeds == 1 else 'lives'} of {settings.steps} days"
        )
        alone = [trips for trips in result["trips"] if trips is not None]
        quantity = "share of lives in which the agent steps in by itself"
        rows.append(share_row(quantity, case, common, len(alone), cell.seeds))
        if cell.true == "copies":
            quantity = "share of lives in which the agent makes the first copy"
            copied = result["first copy"].count(AGENT)
            rows.append(share_row(quantity, case, common, copied, cell.seeds))
        rows.append(mean_row("questions a life", case, common, result["questions"]))
        if (cell.true, cell.agent, cell.value, cell.mentor) == ("moves", PESSIMISTIC, "cpy", "travels") and alone:
            needed = evidence_needed(cell.beta, settings.prior) if cautious else None
            row = mean_row(TRIPS, case, common, alone)
            rows.append(replace(row, paper=needed, tolerance=ROUNDING, source=WHY if cautious else ""))
    stays = all(trips is None for cell, result in results if cell.value == "sta" for trips in result["trips"])
    word, condition = HOMELY if stays else LEAVES, "static value, every agent, β and mentor"
    return [
        *rows,
        Row("agents that follow the slot", condition, word, kind="claim"),
        *_bound_rows(results, "moves", "first", "step in"),
        *_bound_rows(results, "copies", "first copy", "make a copy"),
    ]


def knows(settings: Settings, value: str, does: Does) -> str:
    """The best action by a value of the engine if what the booth does is known."""
    home, away, discount = (Fraction(str(number)) for number in (settings.home, settings.away, settings.discount))
    best = action_values(Booth(does, (home, away)), value, discount=discount, horizon=settings.horizon).best
    return str(best)


def _bound_rows(results: Results, true: Does, event: str, does: str) -> list[Row]:
    """Whether pessimists are first within the bound of result 3, and the controls, which must break it."""
    own = [(cell, result[event].count(AGENT)) for cell, result in results if (cell.true, cell.value) == (true, "cpy")]
    if not own:
        return []
    cautious = [(cell, firsts) for cell, firsts in own if cell.agent == PESSIMISTIC and bound(cell) < 1]
    words = [judge_share(firsts, cell.seeds, bound(cell), HOLDS, BROKEN) for cell, firsts in cautious]
    word = BROKEN if BROKEN in words else HOLDS if HOLDS in words else UNDECIDED
    tightest = min((bound(cell) for cell, _ in cautious), default=1.0)
    quantity = f"bound on being first to {does}"
    rows = [Row(quantity, "copy-centered, every β and mentor", word, kind="claim")]
    for agent in (MIXTURE, LIKELY):
        (firsts,) = [firsts for cell, firsts in own if (cell.agent, cell.mentor) == (agent, "never travels")]
        caught = BROKEN if float(firsts > 0) > tightest else HOLDS
        condition = "copy-centered, mentor never travels"
        rows.append(Row(f"control: {agent}, {quantity}", condition, caught, kind="control", paper=BROKEN))
    return rows


def bound(cell: Cell) -> float:
    """The δ of result 3; the deleting model is the twin of the truth."""
    return precedent_bound(cell.beta, cell.settings.prior[MODELS.index("deletes")])


STYLES = {"travels": (BLUE, "o", -0.15), "never travels": (RED, "D", 0.15)}
COLUMNS = 2


def figures(settings: Settings, results: Results) -> Figures:
    shares = {
        f"the booth moves, {name} value:\nlives in which it steps in by itself": ("moves", value, "trips")
        for value, name in VALUES.items()
    }
    shares["the booth copies:\nlives in which it makes the first copy"] = "copies", "cpy", "first copy"
    shares = {title: panel for title, panel in shares.items() if panel[0] in settings.truths}
    rows = -(-(len(shares) + 1) // COLUMNS)
    figure = new_figure(10, 0.8 + 3.4 * rows)
    every_panel = figure.subplots(rows, COLUMNS, squeeze=False)
    *panels, last = every_panel.flat[: len(shares) + 1]
    for unused in every_panel.flat[len(shares) + 1 :]:
        unused.set_visible(False)
    for panel, (title, (true, value, part)) in zip(panels, shares.items(), strict=True):
        own = [(cell, result) for cell, result in results if (cell.true, cell.value) == (true, value)]
        _draw_shares(panel, own, part)
        panel.set_title(title)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    _draw_evidence(last, results)
    figure.suptitle(
        f"A booth that moves you ({settings.moves:g}), copies you ({settings.copies:g}) or deletes you:\n"
        f"{settings.seeds} lives of each pessimist (whiskers: 95% confidence); the others draw nothing"
    )
    return {"cautious-teleporter": figure}


def _name(cell: Cell) -> str:
    return f"pessimistic, β={cell.beta:g}" if cell.agent == PESSIMISTIC else cell.agent


def _draw_shares(panel: Axes, results: Results, part: str) -> None:
    names = list(dict.fromkeys(_name(cell) for cell, _ in results))
    for mentor in MENTORS:
        color, marker, shift = STYLES[mentor]
        own = [(cell, result) for cell, result in results if cell.mentor == mentor]
        for drawing in (True, False):
            shares = {
                _name(cell): [float(life is not None if part == "trips" else life == AGENT) for life in result[part]]
                for cell, result in own
                if (cell.agent == PESSIMISTIC) == drawing
            }
            style = {"color": color, "fmt": marker, "label": f"mentor {mentor}" if drawing else None}
            draw_rows(panel, shares, names, share=drawing, shift=shift, **style)
    panel.set_xlim(-0.03, 1.03)
    panel.set_xlabel("share of lives")


def _draw_evidence(panel: Axes, results: Results) -> None:
    """Draw the mentor's trips before the agent's own first one, over β, next to the exact number."""
    lives = [
        (cell, [trips for trips in result["trips"] if trips is not None])
        for cell, result in results
        if (cell.true, cell.value, cell.agent, cell.mentor) == ("moves", "cpy", PESSIMISTIC, "travels")
    ]
    if not lives:
        return
    prior, largest = lives[0][0].settings.prior, max(cell.beta for cell, _ in lives)
    grid = np.linspace(0, largest, 400)
    panel.plot(grid, [evidence_needed(float(beta), prior) for beta in grid], "k-", linewidth=1, label="exact")
    means = [(cell.beta, float(np.mean(trips))) for cell, trips in lives if trips]
    panel.plot(*zip(*means, strict=True), "o", color=BLUE, label="mean of all lives")
    panel.set_xlabel("β")
    panel.set_ylabel("mentor's trips before\nthe agent's first own one")
    panel.set_title("evidence (copy-centered,\nthe mentor travels)")
    panel.grid()
    panel.legend()
