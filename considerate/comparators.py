"""Other ways to avoid side effects: what the acting agent itself could still do, not what others can.

Compared by Alizadeh Alamdari et al. 2021 in section 5 and appendix B. All are rewards of one agent on a task whose
world stands still while nobody acts:

- plain: ``r₁``;
- future tasks (Krakovna et al. 2020): ``r₁ + β(1−γ)·Σ F(i)·Vᵢ(s')``, and ``r₁ + β·Σ F(i)·Vᵢ(s')`` when s' is terminal;
  with a baseline state b each Vᵢ(s') is min(Vᵢ(s'), Vᵢ(b)) (deterministic worlds);
- relative reachability (Krakovna et al. 2019): ``r₁ − β·mean_y max(R(b; y) − R(s'; y), 0)``, ``R(s; y) = γᵣ^distance``;
- attainable utility preservation (Turner et al. 2020): ``r₁ − λ·mean_y |Q_y(s, a) − Q_y(s, ∅)|``, where the auxiliary
  reward y is 1 on reaching the state y, so that ``Q_y(s, a) = γᵣ·R(s'; y)``.

Baselines b: ``start`` the initial state, ``inaction`` the state had the agent never acted, ``stepwise`` the state had
it not acted now. As nothing moves by itself, inaction leaves the initial state and stepwise the state before the step.
An agent that has finished may enter again, and find what it has left: reaching and future tasks go on from there.
States y are all states, or `MOST_GOALS` of them evenly spaced.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from considerate.craftworld.arrays import Graph, Indices, explore
from considerate.craftworld.definition import Task, Visitor, Visits
from considerate.craftworld.rules import Number, Things
from considerate.solve import Outcome, Problem, Solution, augmented, solve
from multislot.chains import Floats
from multislot.errors import SettingError, UnknownNameError
from multislot.mdp import TabularMDP

Baseline = Literal["start", "inaction", "stepwise"]
BASELINES: tuple[Baseline, ...] = ("start", "inaction", "stepwise")
MOST_GOALS = 400
REACH_DISCOUNT = 0.99


@dataclass(frozen=True)
class Compared:
    """One agent design on one task.

    Attributes:
        design: what the acting agent maximises.
        outcome: what comes of it.
        harm: for each other agent, how far its return falls below what it would have been had nobody acted; 0 if not.
    """

    design: str
    outcome: Outcome
    harm: dict[str, Number]


def compare(task: Task, strength: Number = 1) -> list[Compared]:
    """Every design on one task.

    Args:
        task: a task in which others come later.
        strength: α₂, β and λ.

    Raises:
        SettingError: if the others act at the same time.
    """
    reach = reachability(task)
    solutions: dict[str, Solution] = {
        "plain": solve(task, "value", 0),
        "considerate": solve(task, "value", strength),
        "future task": by_rewards(task, future_task_rewards(task, strength)),
        "future task, start baseline": by_rewards(task, future_task_rewards(task, strength, baseline="start")),
        "attainable utility": by_rewards(task, attainable_utility_rewards(task, strength, reach)),
    }
    for baseline in BASELINES:
        rewards = reachability_rewards(task, strength, reach, baseline)
        solutions[f"relative reachability, {baseline} baseline"] = by_rewards(task, rewards)
    untouched = {name: value(task.start) for name, value in task.value_functions().items()}
    return [
        Compared(
            design,
            Outcome(found.returns, found.term, found.end_state),
            {name: max(0, before - found.returns[name]) for name, before in untouched.items()},
        )
        for design, found in solutions.items()
    ]


def by_rewards(task: Task, rewards: Floats, discount: float = 1.0) -> Solution:
    """The behaviour that is optimal for a reward of each step, [S, A], with its true returns.

    Raises:
        NeverEndingError: if never ending is optimal.
    """
    problem = Problem(task, augmented(task, "value", 1))
    return problem.follow(TabularMDP(task.graph.transitions, rewards, task.graph.process().start), discount)


def future_task_rewards(
    task: Task, strength: Number, discount: float = 1.0, baseline: Baseline | None = None
) -> Floats:
    """[S, A], the future-task reward: one future task, the agent's own task once more.

    Args:
        task: a task in which others come later.
        strength: β.
        discount: γ, whose complement is the chance that the next task begins now.
        baseline: state that a future value is capped at; None for no cap.

    Raises:
        SettingError: if an argument is out of its domain.
    """
    graph = task.graph
    values = own_future_values(task)[graph.targets]
    if baseline is not None:
        values = np.minimum(values, own_future_values(task)[_baseline_states(graph, baseline)])
    weight = np.where(graph.terminal[graph.targets], 1.0, 1.0 - discount)
    return -graph.costs + float(strength) * weight * values


def own_future_values(task: Task) -> Floats:
    """[S], the return of the acting agent's own task, done once more with what it has left in each state."""
    visitor = task.own_future or Visitor(task.acting, _impossible(task))
    left = [task.handover(things) for things in task.graph.things]
    visits = Visits(task, visitor, tuple(dict.fromkeys(left)))
    values = np.array([float(visits.own_return(found)) for found in left])
    return values[task.graph.things_of]


def reachability_rewards(task: Task, strength: Number, reach: Floats, baseline: Baseline) -> Floats:
    """[S, A], the own reward minus β times the loss of reachability against a baseline.

    Args:
        task: whose own rewards.
        strength: β.
        reach: what `reachability` gives for the task, [S, Y].
        baseline: what a state is compared with.

    Raises:
        UnknownNameError: if there is no such baseline.
    """
    graph = task.graph
    before = _baseline_states(graph, baseline)
    loss = np.zeros_like(graph.costs)
    for action in range(loss.shape[1]):
        lost = np.maximum(reach[before[:, action]] - reach[graph.targets[:, action]], 0)
        loss[:, action] = lost.mean(axis=1)
    return -graph.costs - float(strength) * loss


def attainable_utility_rewards(task: Task, strength: Number, reach: Floats) -> Floats:
    """[S, A], the own reward minus λ times the mean change of what the agent could attain; arguments as above."""
    graph = task.graph
    change = np.zeros_like(graph.costs)
    for action in range(change.shape[1]):
        change[:, action] = REACH_DISCOUNT * np.abs(reach[graph.targets[:, action]] - reach).mean(axis=1)
    return -graph.costs - float(strength) * change


def reachability(task: Task) -> Floats:
    """[S, Y], ``γᵣ^distance`` from every state of a task to each state y of the task as it goes on; 0 if out of reach.

    Raises:
        SettingError: if others act at the same time.
    """
    if task.partner is not None:
        raise SettingError(f"in task {task.name!r} others act at the same time; these designs need a world that waits")
    onward = _onward(task)
    goals = np.unique(np.linspace(0, onward.n_states - 1, min(MOST_GOALS, onward.n_states)).astype(int))
    index = {onward.state(number): number for number in range(onward.n_states)}
    same = np.array([index[task.graph.state(number)] for number in range(task.graph.n_states)])
    steps = onward.steps_to(goals)[:, same].T
    return np.where(np.isfinite(steps), REACH_DISCOUNT**steps, 0.0)


def _onward(task: Task) -> Graph:
    """The task with an agent that enters again when it has finished and finds what it has left, over and over."""
    found: dict[Things, None] = {task.start.things: None}
    while True:
        graph = explore(task.grid, task.acting, list(found), task.step_cost)
        left = {int(end): task.left(graph.state(int(end))) for end in graph.ends()}
        if all(things in found for things in left.values()):
            break
        found |= dict.fromkeys(left.values())
    starts = dict(zip(found, graph.starts.tolist(), strict=True))
    targets = graph.targets.copy()
    for end, things in left.items():
        targets[end] = starts[things]
    return replace(graph, targets=targets, terminal=np.zeros_like(graph.terminal))


def _baseline_states(graph: Graph, baseline: Baseline) -> Indices:
    """[S, A], the state that a step is compared with."""
    if baseline not in BASELINES:
        raise UnknownNameError("baseline", baseline, BASELINES)
    states = np.arange(graph.n_states) if baseline == "stepwise" else np.full(graph.n_states, graph.starts[0])
    return np.repeat(states[:, None], len(graph.actions), axis=1)


def _impossible(task: Task) -> Number:
    """What a task that can no longer be done is worth."""
    return next((other.impossible for other in task.others if isinstance(other, Visitor)), -1000)
