"""The four conditions under which considerate agents end their task (Proposition 1): what if one is missing?

Alizadeh Alamdari et al. 2021, Proposition 1: if nothing is discounted, the acting agent counts its own reward, every
step costs, values are finite and some policy ends, then every optimal policy ends. Otherwise an agent may stay
endlessly, "to avoid being penalized for what effect its actions have had on others". Here leaving harms the next agent,
or helps it. Each condition is violated alone, and a search over all policies says what is then optimal. The conditions
are sufficient, not necessary: where leaving helps, an agent leaves without some of them.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

import considerate
from considerate.craftworld import State, Task, load_task
from considerate.craftworld.arrays import ENDED
from multislot.errors import NeverEndingError, SettingError
from scenarios.lab.cells import Result, Results
from scenarios.lab.table import Row, word_row


@dataclass(frozen=True)
class Settings:
    """What the next agent loses or gains, and how long the search looks."""

    harm: Annotated[Fraction, Field(gt=0, description="what a door that has shut costs the next agent")] = Fraction(100)
    discount: Annotated[Fraction, Field(gt=0, lt=1, description="γ where it is below 1")] = Fraction(9, 10)
    steps: Annotated[int, Field(ge=100, le=10_000, description="how long policies that stay are followed")] = 500


CORRIDOR = Path(__file__).with_name("corridor.toml")
ENDS, NEVER_ENDS, UNDEFINED = "ends", "never ends", "has no value"
HARM, GIFT = "leaving harms", "leaving helps"
PROPOSITION = "Alizadeh Alamdari et al. 2021, Proposition 1"
FIRST, NEXT = "first", "next"
SOON = 20
"""Policies that end are searched up to this number of steps; the door is two steps away."""


@dataclass(frozen=True)
class Condition:
    """The conditions of Proposition 1, with one of them violated.

    Attributes:
        says: the violation, in short.
        own: α₁.
        step_cost: of every step.
        discounted: whether γ is below 1.
        door: "shut" leaves no policy that ends.
        finite: whether leaving is worth a finite number to the next agent.
        paid: what the next agent is paid at every step, under equation 6; None for equation 1.
    """

    says: str
    own: int = 1
    step_cost: int = 1
    discounted: bool = False
    door: str = "open"
    finite: bool = True
    paid: int | None = None


HELD = (Condition("all conditions hold, equation 1"), Condition("all conditions hold, equation 6", paid=0))
VIOLATED = (
    Condition("γ is below 1", discounted=True),
    Condition("α₁ is 0", own=0),
    Condition("steps are free", step_cost=0),
    Condition("steps pay", step_cost=-1),
    Condition("values are not finite", finite=False),
    Condition("no policy ends", door="shut"),
    Condition("the augmented reward is above 0, equation 6", paid=2),
)
CONDITIONS = HELD + VIOLATED


@dataclass(frozen=True)
class Cell:
    """One condition, by its index in `CONDITIONS`, and what leaving is worth to the next agent."""

    settings: Settings
    condition: int
    worth: Fraction


MORAL = (
    "If the end of an agent's task harms others, it may be best for a considerate agent never to end the task. The\n"
    "four conditions of Proposition 1 together guarantee that an agent with the best plan ends its task. If any one\n"
    "of Proposition 1's four conditions is dropped, there is a task that it is best never to end."
)


def cells(settings: Settings) -> list[Cell]:
    return [
        Cell(settings, number, worth) for number in range(len(CONDITIONS)) for worth in (-settings.harm, settings.harm)
    ]


def run_cell(cell: Cell) -> Result:
    condition = CONDITIONS[cell.condition]
    corridor = load_task(CORRIDOR)
    corridor = replace(corridor, step_cost=condition.step_cost, facts=corridor.facts.put({"door": condition.door}))
    discount = cell.settings.discount if condition.discounted else Fraction(1)
    if not condition.finite:
        solver = ask_solver(corridor, condition, math.copysign(math.inf, cell.worth), discount)
        return {"search": UNDEFINED, "solver": solver}
    ending, staying = search(corridor, condition, float(cell.worth), float(discount), cell.settings.steps)
    return {
        "search": verdict(ending, staying, float(discount)),
        "solver": ask_solver(corridor, condition, cell.worth, discount),
    }


def search(
    corridor: Task, condition: Condition, worth: float, discount: float, steps: int
) -> tuple[float, list[float]]:
    """Find the best return of policies that end within `SOON` steps, and of those that stay, by number of steps.

    Backward over time and over all states and actions; it uses nothing of the solver but where each step leads.
    """
    graph, paid = corridor.graph, condition.paid or 0
    leads_out = graph.terminal[graph.targets]
    last = worth if condition.paid is not None else discount * worth
    rewards = -condition.own * graph.costs + np.where(leads_out, last, paid)
    ending, staying, totals = np.full(graph.n_states, -math.inf), np.zeros(graph.n_states), []
    for step in range(steps):
        if step < SOON:
            ending = (rewards + np.where(leads_out, 0.0, discount * ending[graph.targets])).max(axis=1)
        staying = np.where(leads_out, -math.inf, rewards + discount * staying[graph.targets]).max(axis=1)
        totals.append(float(staying[graph.starts[0]]))
    return float(ending[graph.starts[0]]), totals


def verdict(ending: float, staying: list[float], discount: float) -> str:
    """Decide whether ending is optimal, by the worth of both kinds of policies as time goes on."""
    growth = staying[-1] - staying[len(staying) // 2]
    limit = staying[-1] if discount < 1 or growth == 0 else math.copysign(math.inf, growth)
    return ENDS if ending >= limit and math.isfinite(ending) else NEVER_ENDS


def ask_solver(corridor: Task, condition: Condition, worth: Any, discount: Fraction) -> str:
    def value(state: State) -> Any:
        return worth

    def reward(before: State, action: str, after: State) -> Any:
        return worth if after.things[ENDED] else condition.paid

    criterion, future = ("value", value) if condition.paid is None else ("sim", reward)
    try:
        caring = {FIRST: condition.own, NEXT: 1}
        considerate.solve(corridor, criterion, caring, discount=discount, futures={NEXT: future})
    except NeverEndingError:
        return NEVER_ENDS
    except SettingError:
        return UNDEFINED
    return ENDS


def table(settings: Settings, results: Results) -> list[Row]:
    """Make a claim where all conditions hold, and a control where one is violated and leaving harms."""
    rows = []
    for cell, result in results:
        condition = CONDITIONS[cell.condition]
        name, where, ours = "what is optimal", f"{condition.says}; {GIFT if cell.worth > 0 else HARM}", result["search"]
        fails = NEVER_ENDS if condition.finite else UNDEFINED
        if condition in HELD:
            rows.append(word_row(name, where, ours, ENDS, PROPOSITION))
        elif cell.worth > 0:
            rows.append(Row(name, where, ours))
        else:
            rows.append(word_row(name, where, ours, fails, f"{PROPOSITION}, without this condition", control=True))
        source = "search over all policies that end soon, and all that stay"
        rows.append(Row("the solver's answer", where, result["solver"], paper=ours, source=source))
    return rows


def story(settings: Settings, results: Results) -> str:
    ending = [CONDITIONS[cell.condition] for cell, result in results if cell.worth > 0 and result["search"] == ENDS]
    kept = "; ".join(condition.says for condition in ending if condition in VIOLATED)
    return (
        f"The conditions are sufficient, not necessary. Where leaving helps the next agent, it leaves although {kept}."
    )
