"""Fairness over histories: an agent remembers everyone's rewards, to be fair at the end, always, or from time to time.

These are the fairness schemes of Alizadeh Alamdari, Klassen, Creager and McIlraith 2024 ("Remembering to Be Fair",
arXiv 2312.04772). The *status* of a stakeholder is the sum of its rewards so far. A *welfare* function turns the status
of all stakeholders into one number. A scheme says when welfare is assessed: at the end (`long_term`), at every step
(`anytime`), every p steps (`periodic`), or at certain events (`bounded`). The acting agent maximizes its own return
plus a weight times the sum of all assessments, which is the paper's *reward-like* scheme.

In general a policy that depends on the state alone cannot be optimal. Here a *memory* is added to the state: the
status, and the time within the period. `solve` then plans exactly, `best_memoryless` finds the best policy without
memory, and `frontier` does either for all weights. `FairEnv` shows the memory to any learner.

We could not read the paper's full text. We read its abstract, the released code for doughnuts, and a summary by others;
the definition of bounded fairness follows that summary.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from math import inf, log
from typing import Any, NamedTuple, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box, flatdim, flatten

from considerate.craftworld.definition import Task
from considerate.distributions import Number, check_probabilities
from considerate.wrappers import ORIGINAL
from multislot.checks import (
    checked_callable,
    checked_float,
    checked_hashable,
    checked_index,
    checked_instance,
    checked_items,
    checked_mapping,
    number,
    refusal,
    whole,
)
from multislot.errors import TooLargeError, show_value
from multislot.exact.copies.envelope import Line, upper_envelope

__all__ = [
    "FairEnv",
    "FairPlan",
    "Fairness",
    "Outcome",
    "Process",
    "Worth",
    "anytime",
    "best_memoryless",
    "bounded",
    "evaluate",
    "evenness",
    "frontier",
    "long_term",
    "memoryless_policies",
    "nash",
    "periodic",
    "process_of",
    "solve",
]

Status: TypeAlias = tuple[Number, ...]
"""The sum of each stakeholder's rewards so far."""
Welfare: TypeAlias = Callable[[Status], Number]
MOST_POLICIES = 100_000
LONGEST = 200
MOST_SITUATIONS = 10**6
"""The largest number of states, and of triples (state, status, time) for which an action is planned."""


def evenness(status: Status) -> Number:
    """Compute minus the difference between the largest and the smallest status; 0 is fair."""
    totals = _checked_status(status)
    return min(totals) - max(totals)


def nash(status: Status) -> Number:
    """Compute Nash social welfare as in the paper's experiments, ``Σ log(uᵢ + 1)``; rewards must not be negative."""
    return sum(log(own + 1) for own in _checked_status(status, 0, "use evenness or min if there are costs"))


def _checked_status(status: Status, least: float = -inf, remedy: str = "") -> list[Number]:
    totals: list[Any] = checked_items("status", status, object)
    if not totals:
        raise refusal("status", status, "the sum of rewards of at least one stakeholder")
    return [number(f"status[{place}]", total, least, remedy=remedy) for place, total in enumerate(totals)]


@dataclass(frozen=True)
class Fairness:
    """A fairness scheme.

    Args:
        welfare: of a status, such as `evenness`, `nash` or `min`.
        assessed: whether welfare counts after a step, from (time, status before, status after, whether the step ended
            the episode).
        period: the memory contains the time modulo this number.
    """

    welfare: Welfare
    assessed: Callable[[int, Status, Status, bool], bool]
    period: int = 1

    def __post_init__(self) -> None:
        checked_callable("welfare", self.welfare, "a function of a status", "such as considerate.fairness.evenness")
        checked_callable("assessed", self.assessed)
        whole("period", self.period)

    def paid(self, time: int, before: Status, after: Status, ended: bool) -> Number:
        """Return the assessment of a step; 0 if welfare is not assessed there."""
        if not self.assessed(time, before, after, ended):
            return 0
        return number(f"welfare({show_value(after)})", self.welfare(after))


def long_term(welfare: Welfare) -> Fairness:
    """Make the scheme of fairness at the end."""
    return Fairness(welfare, lambda time, before, after, ended: ended)


def anytime(welfare: Welfare) -> Fairness:
    """Make the scheme of fairness after every step."""
    return Fairness(welfare, lambda time, before, after, ended: True)


def periodic(welfare: Welfare, period: int) -> Fairness:
    """Make the scheme of fairness after every ``period`` steps."""
    return Fairness(welfare, lambda time, before, after, ended: time % period == 0, period)


def bounded(welfare: Welfare, event: Callable[[Status, Status], bool]) -> Fairness:
    """Make the scheme of fairness at certain events.

    Args:
        welfare: of a status.
        event: whether a step is such an event, from the status before and after it; for example, every tenth delivery.
    """
    checked_callable("event", event, "a function of the status before and after a step")
    return Fairness(welfare, lambda time, before, after, ended: event(before, after))


class Outcome(NamedTuple):
    """A possible result of an action.

    Attributes:
        probability: of this outcome.
        state: the next state; None ends the episode.
        own: the acting agent's reward.
        rewards: each stakeholder's.
    """

    probability: Number
    state: Hashable
    own: Number
    rewards: Status


@dataclass(frozen=True)
class Process:
    """A decision process with several stakeholders (the paper's multi-stakeholder MDP) and a finite horizon.

    Args:
        stakeholders: their names.
        actions: their names.
        start: the first state.
        outcomes: from a state and the index of an action to its possible outcomes.
        horizon: the largest number of steps of an episode.
    """

    stakeholders: tuple[str, ...]
    actions: tuple[str, ...]
    start: Hashable
    outcomes: Callable[[Any, int], Iterable[Outcome]]
    horizon: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "stakeholders", _checked_stakeholders(self.stakeholders))
        object.__setattr__(self, "actions", tuple(checked_items("actions", self.actions, str)))
        checked_hashable("start", self.start)
        checked_callable("outcomes", self.outcomes, "a function from a state and the index of an action to outcomes")
        whole("horizon", self.horizon, most=LONGEST)
        whole("number of actions", len(self.actions))

    @property
    def states(self) -> tuple[Hashable, ...]:
        """Every state that can be reached within the horizon, in the order in which a search finds them."""
        reached = latest = {self.start: None}
        for _ in range(self.horizon):
            actions = range(len(self.actions))
            outcomes = [one for state in latest for action in actions for one in _checked_outcomes(self, state, action)]
            latest = {one.state: None for one in outcomes if one.state is not None and one.state not in reached}
            reached = reached | latest
            if len(reached) > MOST_SITUATIONS:
                raise TooLargeError(f"got more than {MOST_SITUATIONS} states; give a shorter horizon, or fewer states")
        return tuple(reached)


def _checked_stakeholders(stakeholders: Iterable[str]) -> tuple[str, ...]:
    names = tuple(checked_items("stakeholders", stakeholders, str))
    if not names:
        raise refusal("stakeholders", names, "at least one name")
    return names


def _checked_outcomes(process: Process, state: Any, action: int) -> tuple[Outcome, ...]:
    """The possible outcomes of an action; NumPy's numbers in them become Python's, so that no sum overflows."""
    where = f"outcomes({show_value(state)}, {action})"
    outcomes = checked_items(where, process.outcomes(state, action), Outcome)
    if not outcomes:
        raise refusal(where, outcomes, "at least one Outcome", "where the episode ends, give one whose state is None")
    check_probabilities(f"probabilities of {where}", [outcome.probability for outcome in outcomes])
    checked = []
    for outcome in outcomes:
        checked_hashable(f"state in {where}", outcome.state)
        rewards: list[Any] = checked_items(f"rewards in {where}", outcome.rewards, object)
        if len(rewards) != len(process.stakeholders):
            raise refusal(f"rewards in {where}", rewards, f"one for each of {', '.join(process.stakeholders)}")
        own, *others = [number(f"reward in {where}", reward) for reward in (outcome.own, *rewards)]
        checked.append(outcome._replace(own=own, rewards=tuple(others)))
    return tuple(checked)


def process_of(task: Task, horizon: int) -> Process:
    """Make a process of a task of Craft-World; its agents are the stakeholders.

    Later agents are paid when the acting agent leaves. As in `TaskEnv.totals` they have 0 if it does not leave within
    the horizon: then staying can be what is best for them.
    """
    checked_instance("task", task, Task, "considerate.craftworld.task(name) reads one")
    graph, values = task.graph, task.value_functions()

    def outcomes(state: int, action: int) -> Iterator[Outcome]:
        target, own = int(graph.targets[state, action]), -graph.exact_costs.exact(state, action)
        ended = bool(graph.terminal[target])
        if task.partner is not None:
            others: Status = (task.partner_rewards.exact(state, action),)
        else:
            others = tuple(value(graph.state(target)) if ended else 0 for value in values.values())
        yield Outcome(1, None if ended else target, own, (own, *others))

    return Process(task.agents, graph.actions, int(graph.starts[0]), outcomes, horizon)


class Worth(NamedTuple):
    """Expected results of a policy: the acting agent's own return, and the sum of assessments."""

    own: Number
    fairness: Number


Policy: TypeAlias = Callable[[Any, Status, int], int]
"""From (state, status, time) to the index of an action."""


@dataclass(frozen=True)
class FairPlan:
    """The best policy with memory.

    Attributes:
        worth: its expected results.
        policy: from (state, status, time) to the index of an action.
    """

    worth: Worth
    policy: Policy


def solve(process: Process, fairness: Fairness, weight: Number = 1) -> FairPlan:
    """Plan with the memory in the state, exactly; ties go to more fairness, then to the first action.

    Args:
        process: the decision process.
        fairness: the scheme.
        weight: of fairness, added to the own return.
    """
    return _plan(process, fairness, lambda *reached: range(len(process.actions)), number("weight", weight))


def evaluate(process: Process, fairness: Fairness, policy: Policy) -> Worth:
    """Compute the worth of a policy, exactly."""
    checked_callable("policy", policy, "a function from (state, status, time) to the index of an action")

    def chosen(state: Any, status: Status, time: int) -> tuple[int]:
        return (checked_index("action", policy(state, status, time), len(process.actions)),)

    return _plan(process, fairness, chosen, 0).worth


def _plan(
    process: Process, fairness: Fairness, choices: Callable[[Any, Status, int], Iterable[int]], weight: Number
) -> FairPlan:
    """Plan with the memory in the state; ``choices`` are the actions to choose from, by (state, status, time)."""
    checked_instance("process", process, Process)
    checked_instance("fairness", fairness, Fairness)

    @cache
    def outcomes(state: Hashable, action: int) -> tuple[Outcome, ...]:
        return _checked_outcomes(process, state, action)

    @cache
    def best(state: Hashable, status: Status, time: int) -> tuple[Worth, int]:
        if best.cache_info().currsize >= MOST_SITUATIONS:
            raise TooLargeError(
                f"got more than {MOST_SITUATIONS} combinations of state, status and time; give a shorter horizon, or "
                "rewards whose sums take fewer values"
            )
        worths = {action: worth(state, status, time, action) for action in choices(state, status, time)}
        action = max(worths, key=lambda a: (worths[a].own + weight * worths[a].fairness, worths[a].fairness))
        return worths[action], action

    def worth(state: Hashable, status: Status, time: int, action: int) -> Worth:
        own: Number = 0
        fair: Number = 0
        for outcome in outcomes(state, action):
            after = tuple(total + reward for total, reward in zip(status, outcome.rewards, strict=True))
            ended = outcome.state is None or time + 1 == process.horizon
            later = Worth(0, 0) if ended else best(outcome.state, after, time + 1)[0]
            own += outcome.probability * (outcome.own + later.own)
            fair += outcome.probability * (fairness.paid(time + 1, status, after, ended) + later.fairness)
        return Worth(own, fair)

    empty = (0,) * len(process.stakeholders)
    return FairPlan(best(process.start, empty, 0)[0], lambda state, status, time: best(state, status, time)[1])


def memoryless_policies(process: Process) -> Iterator[dict[Hashable, int]]:
    """Yield every deterministic policy that depends on the state alone.

    If each of them is sometimes unfair, no randomized policy is always fair. For take in each state one of the actions
    that a randomized policy may choose. Every episode of this deterministic policy may happen under the randomized one.

    Raises:
        TooLargeError: there are more than `MOST_POLICIES`.
    """
    states = checked_instance("process", process, Process).states
    if len(process.actions) ** len(states) > MOST_POLICIES:
        raise TooLargeError(
            f"{len(process.actions)} actions in {len(states)} states make more than {MOST_POLICIES} memoryless "
            "policies; give a smaller process"
        )
    for actions in product(range(len(process.actions)), repeat=len(states)):
        yield dict(zip(states, actions, strict=True))


def best_memoryless(process: Process, fairness: Fairness, weight: Number = 1) -> Worth:
    """Compute the worth of the best deterministic policy without memory, by brute force; arguments as for `solve`."""
    number("weight", weight)
    worths = [
        evaluate(process, fairness, lambda state, status, time, policy=policy: policy[state])  # type: ignore[misc]
        for policy in memoryless_policies(process)
    ]
    return max(worths, key=lambda worth: (worth.own + weight * worth.fairness, worth.fairness))


def frontier(best: Callable[[Number], Worth], most: Number) -> list[tuple[Number, Worth]]:
    """Find the best worth for every weight from 0 to ``most``: pairs of a weight and the best worth from it on.

    Args:
        best: from a weight to the best worth, such as ``lambda weight: solve(process, fairness, weight).worth``.
        most: the largest weight.
    """
    checked_callable("best", best, "a function from a weight to the best worth")

    def line_at(weight: Number) -> Line[Worth]:
        worth = checked_instance("best(weight)", best(weight), Worth, "solve(…).worth is one")
        return Line(number("best(weight).own", worth.own), number("best(weight).fairness", worth.fairness), worth)

    lines = upper_envelope(line_at, line_at(0), line_at(number("most", most, 0)))
    weights = [0, *(lower.crossing(steeper) for lower, steeper in pairwise(lines))]
    return [(weight, line.plan) for weight, line in zip(weights, lines, strict=True)]


class FairEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with a memory that is part of the observation; assessments are part of the reward.

    Observations are flattened and followed by the status of every stakeholder and the time within the period. The own
    reward is in ``info`` under `ORIGINAL`. The attribute ``memory`` is (status, time within the period).

    Args:
        env: an environment with ``totals()``: a `considerate.training.views.SoloEnv` of any PettingZoo environment, a
            `TaskEnv` of Craft-World, or one of your own.
        fairness: the scheme.
        stakeholders: names in ``totals()``; a name that is missing counts as 0.
        weight: of fairness, added to the own reward.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], fairness: Fairness, stakeholders: Iterable[str], weight: float = 1
    ) -> None:
        if not callable(getattr(getattr(env, "unwrapped", None), "totals", None)):
            raise refusal("env", env, "an environment with totals(), such as a SoloEnv or a TaskEnv")
        super().__init__(env)
        self.stakeholders = _checked_stakeholders(stakeholders)
        self.fairness, self.weight = checked_instance("fairness", fairness, Fairness), number("weight", weight)
        size = flatdim(env.observation_space) + len(self.stakeholders) + 1
        self.observation_space = Box(-np.inf, np.inf, (size,), np.float32)

    @property
    def memory(self) -> tuple[Status, int]:
        """The status of every stakeholder, and the time within the period."""
        return self.status, self.time % self.fairness.period

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode with an empty memory."""
        self.seen, info = self.env.reset(seed=seed, options=options)
        self.time, self.status = 0, self._totals()
        return self._observation(), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act; the reward is the own reward and, where it is assessed, the weighted welfare."""
        before = self.status
        self.seen, reward, terminated, truncated, info = self.env.step(action)
        self.time, self.status = self.time + 1, self._totals()
        self.own = float(info.get(ORIGINAL, reward))
        paid = self.own + self.weight * float(
            self.fairness.paid(self.time, before, self.status, terminated or truncated)
        )
        return self._observation(), paid, terminated, truncated, {**info, ORIGINAL: self.own}

    def _totals(self) -> Status:
        totals = checked_mapping("totals()", self.env.unwrapped.totals())  # type: ignore[attr-defined]  # see __init__
        return tuple(checked_float(f"totals()[{name!r}]", totals.get(name, 0.0)) for name in self.stakeholders)

    def _observation(self) -> Any:
        seen = flatten(self.env.observation_space, self.seen)
        return np.concatenate([seen, self.status, [self.memory[1]]]).astype(np.float32)
