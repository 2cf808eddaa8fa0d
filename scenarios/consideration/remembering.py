"""A seller of doughnuts who has to be fair: what a memory of the past is worth, and when fairness is judged.

One doughnut a step goes to a customer; the way to the first costs the seller nothing, to the others more. Unfairness is
the distance between the best and the worst served, assessed at the end, at every step, every two steps, or after every
second doughnut (Alizadeh Alamdari, Klassen, Creager and McIlraith 2024, whose experiments hand out doughnuts, too). The
exact plans with a memory of everyone's rewards are compared with every policy that looks at the state alone, for all
weights of fairness. Q-learning with counterfactual memories is compared with Q-learning without them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from textwrap import fill
from typing import Annotated, Any

from pydantic import Field

from considerate import fairness
from considerate.fairness import FairEnv, Fairness, Outcome, Process, ProcessEnv, Status, Worth
from multislot.drawing.showing import new_figure
from scenarios.lab.cells import Figures, Result, Results
from scenarios.lab.table import Row, claim_row


@dataclass(frozen=True)
class Settings:
    """How many doughnuts there are, and how long to learn."""

    doughnuts: Annotated[int, Field(ge=2, le=8, multiple_of=2, description="doughnuts for two customers")] = 4
    steps: Annotated[int, Field(ge=100, description="steps of learning, for three customers")] = 1800
    seeds: Annotated[int, Field(ge=2, description="independent learners of each kind")] = 20


TITLE_LETTERS = 22
QUICK = Settings(seeds=4)

MORAL = (
    "A policy that looks at the present alone cannot be fair, because it does not know whose turn it is. A memory of\n"
    "what everyone has got is enough. It also matters when fairness is judged: a policy that is fair at the end need\n"
    "not be fair at every step."
)
YES_NO = ("yes", "no")
WEIGHT, FAIREST, MOST = 10, 10**6, 100
LEARNERS = {"counterfactual memories": 8, "no counterfactual memories": 0}
WHOSE_TURN = "the state says whose turn it is"
PAPER = "Alizadeh Alamdari et al. 2024, arXiv 2312.04772"
SCHEMES: dict[str, Fairness] = {
    "long-term": fairness.long_term(fairness.evenness),
    "anytime": fairness.anytime(fairness.evenness),
    "periodic (2 steps)": fairness.periodic(fairness.evenness, 2),
    "bounded (every second doughnut)": fairness.bounded(
        fairness.evenness, lambda before, after: sum(after) % 2 == 0 and sum(after) > sum(before)
    ),
}


@dataclass(frozen=True)
class Cell:
    """The plans under one scheme, or one learner of each kind."""

    doughnuts: int
    scheme: str = ""
    steps: int = 0
    seed: int = 0


def shop(doughnuts: int, customers: int = 2, present: Fraction = Fraction(1), visible: bool = False) -> Process:
    """One doughnut a step; the way to a customer costs the seller as many steps as others stand before it.

    Args:
        doughnuts: how many there are.
        customers: how many.
        present: the chance that a customer is there, independently; absent customers get nothing.
        visible: whether the state shows who was served last.
    """

    def outcomes(state: tuple[Any, ...], action: int) -> Iterator[Outcome]:
        got: Status = tuple(int(customer == action and state[customer]) for customer in range(customers))
        for there in product((True, False), repeat=customers):
            chance = present ** sum(there) * (1 - present) ** (customers - sum(there))
            if chance:
                yield Outcome(chance, (*there, action if visible else None), -action, got)

    names = tuple("ABC"[:customers])
    start = (*(True,) * customers, None)
    return Process(names, tuple(f"serve {name}" for name in names), start, outcomes, doughnuts)


def cells(settings: Settings) -> list[Cell]:
    plans = [Cell(settings.doughnuts, scheme) for scheme in SCHEMES]
    return [*plans, *(Cell(9, steps=settings.steps, seed=seed) for seed in range(settings.seeds))]


def run_cell(cell: Cell) -> Result:
    return plan(cell) if cell.scheme else learn(cell)


def plan(cell: Cell) -> Result:
    """Plan with and without memory, where customers are always there, and solve for all weights."""
    scheme, process = SCHEMES[cell.scheme], shop(cell.doughnuts)
    rare = shop(cell.doughnuts, present=Fraction(4, 5))
    sequences = product(range(2), repeat=cell.doughnuts)  # where nothing is random, no policy does anything else
    worths = [fairness.evaluate(process, scheme, _follow(actions)) for actions in sequences]
    return {
        "with memory": fairness.solve(process, scheme, WEIGHT).worth,
        "without memory": fairness.best_memoryless(process, scheme, FAIREST),
        "last one visible": fairness.best_memoryless(shop(cell.doughnuts, visible=True), scheme, WEIGHT),
        "A first, then B": fairness.evaluate(process, scheme, lambda _, status, time: 2 * time // cell.doughnuts),
        "brute force": max(worth.own + WEIGHT * worth.fairness for worth in worths),
        "frontiers": {
            "with memory": fairness.frontier(lambda weight: fairness.solve(rare, scheme, weight).worth, MOST),
            "without memory": fairness.frontier(lambda weight: fairness.best_memoryless(rare, scheme, weight), MOST),
        },
    }


def _follow(actions: Sequence[int]) -> fairness.Policy:
    return lambda state, status, time: actions[time]


def learn(cell: Cell) -> Result:
    """Evaluate exactly what each kind of learner has learned of three customers, at every step assessed."""
    process, scheme = shop(cell.doughnuts, customers=3), SCHEMES["anytime"]
    best = fairness.solve(process, scheme, WEIGHT).worth
    env = ProcessEnv(process)
    results: Result = {"best": best.own + WEIGHT * best.fairness}
    for name, counterfactuals in LEARNERS.items():
        fair = FairEnv(env, scheme, process.stakeholders, WEIGHT)
        act = fairness.learn(fair, cell.steps, cell.seed, counterfactuals)
        learned = fairness.evaluate(process, scheme, lambda state, *memory, act=act: act(env.states[state], *memory))
        results[name] = learned.own + WEIGHT * learned.fairness
    return results


def table(settings: Settings, results: Results) -> list[Row]:
    rows = []
    for cell, result in results:
        if cell.scheme:
            rows += _plan_rows(cell, result)
    learned = [result for cell, result in results if not cell.scheme]
    condition = f"three customers, 9 doughnuts, {settings.steps} steps, {len(learned)} seeds"
    for name, control in zip(LEARNERS, (False, True), strict=True):
        exact = sum(result[name] == result["best"] for result in learned)
        where, all_exact = f"{name}, {condition}", exact == len(learned)
        quantity, words = "learners that find the exact optimum", ("all", "not all")
        rows.append(claim_row(quantity, where, all_exact, PAPER, case=name, control=control, words=words))
        rows.append(Row("share of learners that find it", where, exact / len(learned), case=name))
    return rows


def _plan_rows(cell: Cell, result: Mapping[str, Any]) -> list[Row]:
    condition = f"{cell.scheme}, {cell.doughnuts} doughnuts, weight {WEIGHT}"
    names = ("with memory", "without memory", "last one visible", "A first, then B")
    remembered, blind, visible, one_by_one = (_worth(result[name]) for name in names)
    best, brute_force = remembered.own + WEIGHT * remembered.fairness, Fraction(result["brute force"])
    claim, order = "the fairest policy needs a memory", "A first, then B is as fair as can be"
    seen = f"the state shows who was served last, {condition}"
    unfair = one_by_one.fairness != remembered.fairness
    rows = [
        Row("sum of assessments", f"with memory, {condition}", remembered.fairness),
        Row("sum of assessments", f"without memory, {condition}", blind.fairness),
        Row("own return and weighted assessments", condition, best, paper=brute_force, source="brute force"),
        claim_row(claim, condition, blind.fairness < remembered.fairness, PAPER, words=YES_NO),
        claim_row(claim, seen, visible.fairness < remembered.fairness, WHOSE_TURN, control=True, words=YES_NO),
        claim_row(order, condition, unfair, PAPER, control=cell.scheme == "long-term", words=("no", "yes")),
    ]
    for name, pieces in result["frontiers"].items():
        case = f"{name}, customers are there with chance 4/5, {cell.scheme}"
        rows += [
            Row("weight at which behavior changes", f"{case}, number {n}", w) for n, (w, _) in enumerate(pieces[1:], 1)
        ]
        rows.append(Row("fairest sum of assessments", case, _worth(pieces[-1][1]).fairness))
    return rows


def _worth(stored: Sequence[str]) -> Worth:
    return Worth(*map(Fraction, stored))


def figures(settings: Settings, results: Results) -> Figures:
    """Draw the frontier of each scheme: the seller's return against fairness, with and without memory."""
    plans = [(cell, result) for cell, result in results if cell.scheme]
    figure = new_figure(9.0, 3.0)
    panels = figure.subplots(1, len(plans), squeeze=False)[0]
    for panel, (cell, result) in zip(panels, plans, strict=True):
        for (name, pieces), marker in zip(result["frontiers"].items(), "os", strict=True):
            points = [tuple(map(float, _worth(worth))) for _, worth in pieces]
            panel.plot(*zip(*points, strict=True), f"{marker}-", label=name)
        panel.set(
            title=fill(cell.scheme, TITLE_LETTERS), xlabel="seller's return", ylabel="sum of assessments (0 is fair)"
        )
    panels[0].legend()
    return {"remembering": figure}
