"""Other designs against side effects: they value what the acting agent itself can still do, not what others can do.

Compared by Alizadeh Alamdari et al. 2021 in section 5 and appendix B. All are rewards of one agent on a task:

- plain: ``r₁``;
- future tasks (Krakovna et al. 2020): ``r₁ + β(1−γ)·Σ F(i)·Vᵢ(s')``, and ``r₁ + β·Σ F(i)·Vᵢ(s')`` when s' is terminal;
  with a baseline state b each Vᵢ(s') is min(Vᵢ(s'), Vᵢ(b)) (deterministic worlds);
- relative reachability (Krakovna et al. 2019): ``r₁ − β·mean_y max(R(b; y) − R(s'; y), 0)``, ``R(s; y) = γᵣ^distance``;
- attainable utility preservation (Turner et al. 2020): ``r₁ − λ·mean_y |Q_y(s, a) − Q_y(s, ∅)|``, where the auxiliary
  task y pays 1 once, on being in the state y, and then ends, so that ``Q_y(s, a) = γᵣ·R(s'; y)`` is the best discounted
  return after a: γᵣ for the step itself, and once more for each step from s' to y. ∅ is doing nothing for a step.

γᵣ is `REACH_DISCOUNT`, 0.99, in both: a state 100 steps away counts 0.37 of the current one. It is not the γ of the
future tasks, which is 1 here.

Baselines b: ``start`` is the initial state. ``inaction`` is the state if the agent had never acted. ``stepwise`` is the
state if it had not acted in this step. If others come later, nothing moves by itself: inaction leaves the initial state
and stepwise the state before the step. If another agent acts at the same time, it continues by its policy. Doing
nothing is then an action (`WAIT`), and the state after inaction depends on the time, and so does the behavior.

An agent that has finished may enter again and find the facts that it has left. Reachability and future tasks continue
from there, and so does another agent that acts at the same time. States y are all states, or `MOST_GOALS` of them,
evenly spaced.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from considerate.craftworld.arrays import Graph, explore
from considerate.craftworld.definition import Task, Visitor, Visits
from considerate.craftworld.partner import AT, FINISHED, HAS, WAIT
from considerate.craftworld.rules import Change, Things
from considerate.distributions import Number
from considerate.exact.problem import Behavior, Problem, augmented, check_task
from considerate.exact.solutions import Solution, follow, solution_of, solve
from multislot.checks import known_name, number, refusal
from multislot.errors import SettingError
from multislot.mdp.chains import Floats, Integers

__all__ = ["DesignResult", "compare_designs"]

Baseline = Literal["start", "inaction", "stepwise"]
BASELINES: tuple[Baseline, ...] = ("start", "inaction", "stepwise")
MOST_GOALS = 400
REACH_DISCOUNT = 0.99
"""γᵣ, the discount per step of distance in reachability and attainable utility."""
DESIGNS = (
    "plain",
    "considerate",
    "future task",
    "future task, start baseline",
    "attainable utility",
    *(f"relative reachability, {baseline} baseline" for baseline in BASELINES),
)
"""The designs that `compare_designs` compares."""


@dataclass(frozen=True)
class DesignResult:
    """One agent design on one task.

    Attributes:
        design: one of `DESIGNS`.
        behavior: the optimal behavior under this design.
        harm: for each other agent, how far its return is below its return if the acting agent had never acted; at
            least 0.
    """

    design: str
    behavior: Behavior
    harm: dict[str, Number]


def compare_designs(task: Task, strength: Number = 1) -> list[DesignResult]:
    """Solve one task under every design of `DESIGNS`.

    The considerate agent follows equation 1, or equation 6 if another acts at the same time, as in the paper.

    Args:
        task: the acting agent's task.
        strength: α₂, β and λ, at least 0.
    """
    check_task(task)
    strength = number("strength", strength, 0)
    task = add_waiting(task)
    reach, criterion = reachability(task), _criterion(task)
    results = [
        solve(task, criterion, 0),
        solve(task, criterion, strength),
        solve_by_rewards(task, future_task_rewards(task, strength)),
        solve_by_rewards(task, future_task_rewards(task, strength, baseline="start")),
        solve_by_rewards(task, attainable_utility_rewards(task, strength, reach)),
        *(solve_by_reachability(task, strength, reach, baseline) for baseline in BASELINES),
    ]
    untouched = {name: value(task.start) for name, value in task.value_functions().items()}
    return [
        DesignResult(
            design,
            Behavior(solution.returns, solution.term, solution.end_state),
            {name: max(0, before - solution.returns[name]) for name, before in untouched.items()},
        )
        for design, solution in zip(DESIGNS, results, strict=True)
    ]


def add_waiting(task: Task) -> Task:
    """Add the action `WAIT` to a task in which another acts at the same time; other tasks are returned unchanged."""
    if task.partner is None or WAIT in task.acting.actions:
        return task
    changes = (*task.acting.changes, Change(frozenset(), by=WAIT))
    partner = replace(task.partner, walker=replace(task.partner.walker, changes=changes))
    return replace(task, acting=replace(task.acting, changes=changes), partner=partner)


def solve_by_rewards(task: Task, rewards: Floats) -> Solution:
    """Find the best behavior that ends, for a reward of each step, [S, A]; its returns are the true ones.

    Raises:
        NeverEndingError: never ending pays without bound, or a step without cost leads to a state that reaches no end.
    """
    return follow(_problem(task), task.graph.process(rewards), 1.0)


def solve_by_reachability(task: Task, strength: Number, reach: Floats, baseline: Baseline) -> Solution:
    """Find the behavior that is optimal for relative reachability; arguments as for `reachability_rewards`."""
    if baseline == "inaction" and task.partner is not None:
        return _solve_by_reachability_in_time(task, strength, reach)
    return solve_by_rewards(task, reachability_rewards(task, strength, reach, baseline))


def future_task_rewards(task: Task, strength: Number, baseline: Baseline | None = None) -> Floats:
    """Compute the future-task reward at γ = 1, [S, A]; the one future task is the agent's own task again.

    Args:
        task: the acting agent's task.
        strength: β.
        baseline: the future value of this state is the cap; None for no cap.
    """
    graph, worth = task.graph, own_future_values(task)
    values = worth[graph.targets]
    if baseline is not None:
        values = np.minimum(values, worth[_baseline_states(task, baseline)][:, None])
    return -graph.costs + float(strength) * np.where(graph.terminal[graph.targets], values, 0.0)


def own_future_values(task: Task) -> Floats:
    """Compute [S], the return of the acting agent's own task if it enters again and finds what it left in a state.

    Another who acts at the same time continues. An impossible task is worth minus that agent's loss.
    """
    left = [_left(task, things) for things in task.graph.things]
    if task.partner is None:
        visitor, meanwhile = task.own_future or Visitor(task.acting, task.impossible), None
    else:
        visitor, meanwhile = Visitor(task.acting, -task.partner.loss), task.partner.moves
    visits = Visits(task, visitor, tuple(dict.fromkeys(left)), meanwhile)
    return np.array([float(visits.own_return(things)) for things in left])[task.graph.things_of]


def reachability_rewards(task: Task, strength: Number, reach: Floats, baseline: Baseline) -> Floats:
    """Compute [S, A], the own reward minus β times the loss of reachability against a baseline.

    Args:
        task: the acting agent's task.
        strength: β.
        reach: [S, Y], the `reachability` of the task.
        baseline: the state with which each state is compared.
    """
    before = reach[_baseline_states(task, baseline)]
    loss = _mean_over_goals(task, reach, lambda after: np.maximum(before - after, 0))
    return -task.graph.costs - float(strength) * loss


def attainable_utility_rewards(task: Task, strength: Number, reach: Floats) -> Floats:
    """Compute [S, A], the own reward minus λ times the mean change of attainable utility; arguments as above."""
    idle = reach[_idle(task)]
    change = _mean_over_goals(task, reach, lambda after: REACH_DISCOUNT * np.abs(after - idle))
    return -task.graph.costs - float(strength) * change


def _mean_over_goals(task: Task, reach: Floats, compare: Callable[[Floats], Floats]) -> Floats:
    """[S, A], the mean over states y of a function of how far each is reached after an action, both [S, Y]."""
    return np.stack([compare(reach[targets]).mean(axis=1) for targets in task.graph.targets.T], axis=1)


def reachability(task: Task) -> Floats:
    """Compute [S, Y], ``γᵣ^distance`` from every state to each state y of the continued task; 0 if there is no path."""
    onward = _onward(task)
    goals = np.unique(np.linspace(0, onward.n_states - 1, min(MOST_GOALS, onward.n_states)).astype(int))
    index = {onward.state(number): number for number in range(onward.n_states)}
    same = np.array([index[task.graph.state(number)] for number in range(task.graph.n_states)])
    steps = onward.steps_to(goals)[:, same].T
    return np.where(np.isfinite(steps), REACH_DISCOUNT**steps, 0.0)


def _onward(task: Task) -> Graph:
    """The task of an agent that enters again whenever it has finished, and finds what it has left."""
    reached: dict[Things, None] = {task.start.things: None}
    meanwhile = None if task.partner is None else task.partner.moves
    while True:
        graph = explore(task.grid, task.acting, list(reached), task.step_cost, meanwhile)
        left = {int(end): _left(task, graph.state(int(end)).things) for end in graph.ends()}
        if all(things in reached for things in left.values()):
            break
        reached |= dict.fromkeys(left.values())
    starts = dict(zip(reached, graph.starts.tolist(), strict=True))
    targets = graph.targets.copy()
    for end, things in left.items():
        targets[end] = starts[things]
    return replace(graph, targets=targets, terminal=np.zeros_like(graph.terminal))


def _left(task: Task, things: Things) -> Things:
    """The facts that the acting agent finds if it enters again: those it left, and a partner that has not finished."""
    still_there = () if task.partner is None else (AT, HAS, FINISHED)
    return task.handover(things).put({name: things[name] for name in still_there})


def _idle(task: Task) -> Integers:
    """[S], the state that follows each state if the acting agent does nothing."""
    if task.partner is None:
        return np.arange(task.graph.n_states)
    if WAIT not in task.graph.actions:
        raise SettingError(f"in task {task.name!r} another acts while one waits; give comparators.add_waiting(task)")
    return task.graph.targets[:, task.graph.actions.index(WAIT)]


def _baseline_states(task: Task, baseline: Baseline) -> Integers:
    """[S], the state with which a step from each state is compared."""
    known_name("baseline", baseline, BASELINES)
    if baseline == "stepwise":
        return _idle(task)
    if baseline == "inaction" and task.partner is not None:
        raise refusal("baseline", baseline, "start or stepwise where another acts too", "use solve_by_reachability")
    return np.full(task.graph.n_states, task.graph.starts[0])


def _solve_by_reachability_in_time(task: Task, strength: Number, reach: Floats) -> Solution:
    """Find the optimum for relative reachability against inaction so far, by backward induction."""
    graph, onward = task.graph, _idle(task)
    idle = [int(graph.starts[0])]  # the states of an agent that does nothing, until nothing changes
    while onward[idle[-1]] != idle[-1]:
        idle.append(int(onward[idle[-1]]))

    def rewards(time: int) -> Floats:
        lost: Floats = np.maximum(reach[idle[min(time + 1, len(idle) - 1)]] - reach, 0).mean(axis=1)
        return -graph.costs - float(strength) * lost[graph.targets]

    last = graph.process(rewards(len(idle))).solve(1.0)
    values, plan = last.values, [last.policy]
    for time in reversed(range(len(idle))):
        ahead = np.where(graph.terminal[:, None], 0.0, rewards(time) + values[graph.targets])
        values, plan = ahead.max(axis=1), [np.argmax(ahead, axis=1), *plan]
    states, actions = [int(graph.starts[0])], list[int]()
    while not graph.terminal[states[-1]]:
        actions.append(int(plan[min(len(actions), len(idle))][states[-1]]))
        states.append(int(graph.targets[states[-1], actions[-1]]))
    return solution_of(_problem(task), states, actions)


def _problem(task: Task) -> Problem:
    return Problem(task, augmented(task, _criterion(task), 1))


def _criterion(task: Task) -> str:
    return "value" if task.partner is None else "sim"
