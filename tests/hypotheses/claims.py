"""Every guarantee that is stated, its hypotheses, and where to look for a world that breaks it without one of them.

A *claim* is a guarantee with one hypothesis dropped (or none, as a control). It has candidates in order of size, and a
test that says what goes wrong in a candidate, or nothing. Candidates come from seeds, so a search can be repeated.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import inf
from random import Random
from typing import Any

import numpy as np

from considerate import fairness
from considerate.fairness import Process
from multislot.bayes import MentorClass, ModelClass, PessimisticAgent, TabularMentor, TabularModel
from multislot.bayes.imitation import imitate
from multislot.bayes.posterior import UnexplainedError
from multislot.engine.credit import lineage_returns
from multislot.engine.stream import PublishedStream
from multislot.errors import TooLargeError
from multislot.exact import Arrival, UniversalKernel, action_values, best_memoryless, plan_for_copies, ratifiable
from tests.multislot.bayes.examples import first_decides
from tests.multislot.exact.oracle import TableKernel
from tests.multislot.test_credit import ENGINE, as_tree
from tests.worlds.generator import CHANCES, Size, make_process, make_world
from tests.worlds.runs import Brute, Run

HALF = Fraction(1, 2)
NOTHING = "nothing"
"""The name of a claim without a dropped hypothesis."""


@dataclass(frozen=True)
class Claim:
    """A guarantee without one of its hypotheses.

    Attributes:
        guarantee: a key of `GUARANTEES`.
        dropped: the hypothesis, or `NOTHING`.
        sizes: what is tried, in words, smallest first.
        candidates: from the number of a size to worlds of that size.
        show: a world in words.
        breaks: what goes wrong in a world; empty if nothing does.
        is_slow: whether its search belongs to the second tier of tests.
    """

    guarantee: str
    dropped: str
    sizes: tuple[str, ...]
    candidates: Callable[[int], Iterable[Any]]
    show: Callable[[Any], str]
    breaks: Callable[[Any], str]
    is_slow: bool = False


GUARANTEES = {
    "Theorem 1 (Orseau 2014)": (
        "In the universal world some copy makes every possible sequence of observations: exactly one of the 2^t slots "
        "at step t has observed what a given environment would have shown it."
    ),
    "Coins gain nothing": (
        "For the total reward of all copies, no policy that draws actions at random is better than the best plan."
    ),
    "Theorem 1 of deciding": (
        "An agent that decides for itself only, and weighs each copy by its probability (`count`), never wants to "
        "leave the best policy with private coins (each copy draws its own action)."
    ),
    "Theorem 2 of deciding": (
        "An agent that decides for all copies with its history, and weighs only whether there are any (`exists`), "
        "never wants to leave the best policy with private coins (each copy draws its own action)."
    ),
    "Credit": (
        "If rewards are credited to the agents from which the paid agents were copied, the expected return of the "
        "first agent equals its exact value. This equality needs two hypotheses for `cpy` (all copies by shares), and "
        "none for `sum`, `dyn` and `sta`."
    ),
    "Result 1 (Cohen and Hutter 2020)": (
        "In the limit a pessimistic agent gets at least as much reward as its mentor. In all worlds that were tried, "
        "the agent thinks its true mentor possible, and rewards are above 0."
    ),
    "Result 2 (Cohen and Hutter 2020)": (
        "The probability that a pessimistic agent asks its mentor to act goes to 0. In all worlds that were tried, "
        "the agent thinks the true world and its true mentor possible."
    ),
    "Result 3 (Cohen and Hutter 2020)": (
        "The probability that a pessimistic agent causes an event before its mentor does is at most δ. In the worlds "
        "of this table the first action decides what is paid from then on, and the event is action 0."
    ),
    "Imitation": "The probability that an imitator ever takes an action that its mentor never takes is at most δ.",
    "Proposition 1 (Alizadeh Alamdari et al. 2021)": "A considerate agent's optimal policies end with probability 1.",
    "Fairness": "A fair plan that reads state, past rewards (status) and time is as good as one that reads histories.",
}


def show_course(course: "Course") -> str:
    """A kernel's places that an agent can reach in the steps that it has, with their outcomes."""
    kernel, names = course.kernel, dict[Hashable, str]()
    sights = {a.observation for ways in kernel.table.values() for _, arrivals in ways for a in arrivals.values()}

    def name(step: int, slot: int, state: Hashable) -> str:
        place = step, slot, state
        return names.setdefault(place, f"{slot}{'abcdefghijkl'[sum(s == slot for _, s, _ in names)]}")

    def arrive(step: int, target: int, arrival: Arrival) -> str:
        seen = f" sees {arrival.observation}" if len(sights) > 1 else ""
        sign = "−" if arrival.reward < 0 else "+"
        return f"{name(step, target, arrival.state)}{seen} {sign}{abs(arrival.reward)}"

    level, lines = list(kernel.start.items()), []
    for step in range(course.horizon):
        after = list[tuple[int, Hashable]]()
        for slot, state in level:
            here, done = name(step, slot, state), dict[str, list[str]]()
            for action in kernel.actions:
                ways = []
                for chance, arrivals in kernel.outcomes(slot, state, action):
                    if chance:
                        copies = [arrive(step + 1, target, arrival) for target, arrival in sorted(arrivals.items())]
                        after += [(target, arrival.state) for target, arrival in sorted(arrivals.items())]
                        ways.append(("" if chance == 1 else f"{chance}: ") + (" and ".join(copies) or "deleted"))
                done.setdefault(" or ".join(ways), []).append(str(action))
            for what, actions in done.items():
                by = f", action {' or '.join(actions)}" if len(done) > 1 else ""
                lines.append(f"{here}{by}: {what}")
        level = list(dict.fromkeys(after))
    return "; ".join(lines)


# Kernels by size: (actions, slots, outcomes, steps).
KERNELS = ((2, 2, 1, 1), (2, 2, 1, 2), (2, 2, 2, 2), (2, 3, 2, 2), (3, 3, 2, 2))
TRIED = tuple(f"{a} actions, {s} slots, {o} outcome{'s' * (o > 1)}, {t} step{'s' * (t > 1)}" for a, s, o, t in KERNELS)


@dataclass(frozen=True)
class Course:
    """A kernel and the number of its steps."""

    kernel: TableKernel
    horizon: int


def kernels(
    seeds: int, *, sizes=KERNELS, actions: int | None = None, **fixed: Any
) -> Callable[[int], Iterator[Course]]:
    """Random kernels of each size with one agent at the start."""

    def of_size(number: int) -> Iterator[Course]:
        some, slots, outcomes, steps = sizes[number]
        size = Size(actions or some, slots, phases=steps, states=1, outcomes=outcomes, observations=1, **fixed)
        for seed in range(seeds):
            kernel = make_world(Random(seed), size)
            yield Course(TableKernel(kernel.table, {1: (0, 0)}, kernel.actions), steps)

    return of_size


# Theorem 1 of Orseau 2014: an environment says after every sequence of actions what may be observed.


def environments(allowed: Callable[[int], Iterable[frozenset[int]]]) -> Callable[[int], Iterator[Mapping[Any, Any]]]:
    """All environments that look at the last action only, for 1 and 2 steps."""

    def of_size(number: int) -> Iterator[Mapping[Any, Any]]:
        steps = number + 1
        keys = [(step, action) for step in range(steps) for action in (0, 1)]
        for chosen in product(allowed(number), repeat=len(keys)):
            yield dict(zip(keys, chosen, strict=True))

    return of_size


def unexplained(kernel: Any) -> Callable[[Mapping[Any, Any]], str]:
    """Say at which step not exactly one slot has a history that an environment explains."""

    def breaks(environment: Mapping[Any, Any]) -> str:
        steps = len(environment) // 2
        for actions in product((0, 1), repeat=steps):
            policy = dict(enumerate(actions))
            (run,) = Brute([kernel], [Fraction(1)], lambda h, p=policy: {p[len(h)]: Fraction(1)}, steps).runs
            for time in range(1, steps + 1):
                count = sum(
                    all(seen in environment[step, action] for step, (action, seen) in enumerate(copy.history))
                    for copy in run.steps[time]
                )
                if count != 1:
                    return f"after step {time}, {count} of {len(run.steps[time])} slots have an explained history"
        return ""

    return breaks


def show_environment(environment: Mapping[Any, Any]) -> str:
    """What may be observed, by step and action."""
    return "; ".join(
        f"step {step + 1}, action {action}: {' or '.join(map(str, sorted(seen)))}"
        for (step, action), seen in environment.items()
    )


STEPS = ("1 step", "2 steps")


# Plans, coins and ratifying.


def coins_gain(caring: Fraction) -> Callable[[Course], str]:
    """Say where private coins are worth more than every plan."""

    def breaks(course: Course) -> str:
        options = {"caring": caring, "discount": 1, "horizon": course.horizon}
        try:
            private = plan_for_copies(course.kernel, coins="private", **options)
        except TooLargeError:
            return ""
        plain = plan_for_copies(course.kernel, **options).value
        return f"best plan {plain}, private coins {private.value}" if private.lower > plain else ""

    return breaks


def coins_gain_without_memory(course: Course) -> str:
    """Say where the best policy without memory needs a coin."""
    best = best_memoryless(course.kernel, discount=1, horizon=course.horizon, first="left")
    return f"best without chance {best.pure_value}, with coins {best.lower}" if best.lower > best.pure_value else ""


def regrets(theory: str, rule: str, coins: str = "private", *, memory: bool = True) -> Callable[[Course], str]:
    """Say where the best policy is regretted, for the average or the total."""

    def breaks(course: Course) -> str:
        options = {"discount": 1, "horizon": course.horizon}
        for caring in (Fraction(1), Fraction(0)) if memory else (Fraction(1),):
            if memory:
                try:
                    policy = plan_for_copies(course.kernel, caring=caring, coins=coins, **options)
                except TooLargeError:
                    continue
                if not isinstance(getattr(policy, "value", None), Fraction):
                    continue
            else:
                policy = best_memoryless(course.kernel, **options)
                if not isinstance(policy.best_value, Fraction):
                    continue
            found = ratifiable(course.kernel, policy, theory, rule, caring=caring, memory=memory, **options)
            if found.regret > Fraction(1, 10**9):
                payoff = "total" if caring == 1 else "average"
                return f"{payoff}: regret {found.regret}"
        return ""

    return breaks


def worse_than_best(course: Course) -> str:
    """Say where always taking the first action is causally regretted under count."""
    found = ratifiable(course.kernel, lambda history: 0, "causal", "count", discount=1, horizon=course.horizon)
    return f"always action 0: regret {found.regret}" if found.regret > 0 else ""


# Credit.


def tree_of(run: Run) -> Any:
    """The rows of a run."""
    rows, places = [], {}
    for step, living in enumerate(run.steps):
        for place, copy in enumerate(living):
            places[step, place] = len(rows)
            parent = len(rows) if copy.parent is None else places[step - 1, copy.parent]
            rows.append((parent, copy.reward, copy.slot, step + 1 < len(run.steps)))
    return as_tree(rows)


def credit_differs(future: str, value: str | None = None) -> Callable[[Course], str]:
    """Say where the expected return of the first row is not a value of the engine."""

    def breaks(course: Course) -> str:
        brute = Brute([course.kernel], [Fraction(1)], lambda history: {0: Fraction(1)}, course.horizon)
        returned = sum(
            r.chance * lineage_returns(tree_of(r), future=future, discount=Fraction(1))[0] for r in brute.runs
        )
        exact = action_values(course.kernel, value or ENGINE[future], discount=1, horizon=course.horizon)[0]
        return f"return {returned}, value {exact}" if returned != exact else ""

    return breaks


LIVES = ((1, 2, 1, 1), (1, 2, 1, 2), (1, 3, 1, 2), (1, 3, 1, 3))
RANDOM_LIVES = tuple((a, s, 2, t) for a, s, _, t in LIVES)


def lives_tried(sizes: Iterable[tuple[int, int, int, int]]) -> tuple[str, ...]:
    return tuple(f"{s} slots, {o} outcome{'s' * (o > 1)}, {t} step{'s' * (t > 1)}" for _, s, o, t in sizes)


# Result 1: one deterministic world that is known; the mentor's policy against planning again and again for T steps.


@dataclass(frozen=True)
class Known:
    """A deterministic world: state → the next state of each action, and its reward; and what the mentor does."""

    after: tuple[tuple[int, ...], ...]
    rewards: tuple[tuple[Fraction, ...], ...]
    mentor: tuple[int, ...]
    horizon: int


GAMMA = Fraction(9, 10)


def added_up(
    world: "Known | Ending", acts: Sequence[int], discount: Fraction, first: int, own: Any = 1, others: Any = 0
) -> Any:
    """The discounted sum of a stationary policy's rewards, without end if it comes back to a state."""
    met: dict[int | None, tuple[Any, Fraction]] = {}
    state: int | None = first
    total, factor = Fraction(), Fraction(1)
    while state is not None and state not in met:
        met[state] = (total, factor)
        total += factor * own * world.rewards[state][acts[state]]
        factor, state = factor * discount, world.after[state][acts[state]]
    if state is None:
        return total + factor * others
    before, begun = met[state]
    if discount < 1:
        return before + (total - before) / (1 - factor / begun)
    return before + (0 if total == before else inf * (1 if total > before else -1))


def known_worlds(planned: int | None) -> Callable[[int], Iterator[Known]]:
    """Random deterministic worlds of 1, 2 and 3 states with two actions."""

    def of_size(number: int) -> Iterator[Known]:
        states, drawn = number + 1, Random(number)
        for _ in range(200):
            rows = range(states)
            yield Known(
                tuple(tuple(drawn.randrange(states) for _ in (0, 1)) for _ in rows),
                tuple(tuple(drawn.choice((Fraction(1, 10), HALF, Fraction(1))) for _ in (0, 1)) for _ in rows),
                tuple(drawn.randrange(2) for _ in rows),
                planned or 200,
            )

    return of_size


def forever(world: Known, acts: Iterable[int]) -> list[Fraction]:
    """The normalized discounted value of a stationary policy from each state, without end."""
    chosen = list(acts)
    return [(1 - GAMMA) * added_up(world, chosen, GAMMA, first) for first in range(len(world.after))]


def falls_short(world: Known) -> str:
    """Say where the agent never asks, since no plan of T steps is worth more than its own, and yet gets less."""
    states = range(len(world.after))
    values: list[Any] = [0.0 if world.horizon > 50 else Fraction() for _ in states]
    gamma = float(GAMMA) if world.horizon > 50 else GAMMA
    acts = [0 for _ in states]
    for _ in range(world.horizon):
        ahead = [[world.rewards[s][a] + gamma * values[world.after[s][a]] for a in (0, 1)] for s in states]
        acts = [int(row[1] > row[0] + (1e-12 if world.horizon > 50 else 0)) for row in ahead]
        values = [max(row) for row in ahead]
    ours, theirs = forever(world, acts), forever(world, world.mentor)
    recurrent = set()
    state = 0
    for _ in range(2 * len(states)):
        state = world.after[state][acts[state]]
    for _ in states:
        recurrent.add(state)
        state = world.after[state][acts[state]]
    short = [s for s in sorted(recurrent) if ours[s] < theirs[s]]
    return f"forever {ours[short[0]]} a step; the mentor {theirs[short[0]]}" if short else ""


def show_known(world: Known) -> str:
    """The world as a table."""
    rows = "; ".join(
        f"state {s}: " + ", ".join(f"action {a} pays {world.rewards[s][a]} → {world.after[s][a]}" for a in (0, 1))
        for s in range(len(world.after))
    )
    return f"{rows}; the mentor takes {', '.join(map(str, world.mentor))}"


# Bandits with one state: results 1 to 3 and the imitator.


@dataclass(frozen=True)
class Bandit:
    """One state: each model says what each action pays for sure. The first model is the truth unless it is left out."""

    pays: tuple[tuple[Fraction, ...], ...]
    truth: tuple[Fraction, ...]
    mentor: int


def bandits(levels: tuple[Fraction, ...], *, realizable: bool) -> Callable[[int], Iterator[Bandit]]:
    """All bandits of one and two actions and of one and two models."""

    def of_size(number: int) -> Iterator[Bandit]:
        actions, models = ((1, 1), (2, 1), (2, 2))[number]
        rows = list(product(levels, repeat=actions))
        for pays in product(rows, repeat=models):
            for truth in [pays[0]] if realizable else [row for row in rows if row not in pays]:
                for mentor in range(actions):
                    yield Bandit(pays, truth, mentor)

    return of_size


BANDITS = ("1 action, 1 model", "2 actions, 1 model", "2 actions, 2 models")


def lived(bandit: Bandit, steps: int = 25) -> list[tuple[bool, Fraction]]:
    """Whether each step was a question, and what it paid, in a life of our agent; it ends where no model is left."""
    levels = sorted({pay for row in (*bandit.pays, bandit.truth) for pay in row})
    models = ModelClass([one_state(row, levels) for row in bandit.pays])
    mentors = MentorClass([TabularMentor([bandit.mentor], n_actions=len(bandit.truth))])
    agent, life = PessimisticAgent(models, mentors, 0.9, 0.9, 5, exact=False), []
    for _ in range(steps):
        action = agent.decide().action
        taken = bandit.mentor if action is None else action
        life.append((action is None, bandit.truth[taken]))
        try:
            agent.observe(taken, (0, float(bandit.truth[taken])), action is None)
        except UnexplainedError:
            break
    return life


def one_state(pays: tuple[Fraction, ...], levels: list[Fraction]) -> TabularModel:
    """A model with one state whose actions pay for sure."""
    return TabularModel(
        np.ones((1, len(pays), 1)),
        np.array([[[float(pay == level) for level in levels] for pay in pays]]),
        reward_values=[float(level) for level in levels],
    )


def asks_forever(bandit: Bandit) -> str:
    """Say where the last steps are questions."""
    life = lived(bandit)
    return "asks at each of the last 10 of 25 steps" if len(life) == 25 and all(a for a, _ in life[-10:]) else ""


def stays_below(bandit: Bandit) -> str:
    """Say where the agent does not ask any more, and gets less than the mentor."""
    life = lived(bandit)
    late, best = life[-10:], bandit.truth[bandit.mentor]
    below = len(life) == 25 and not any(asks for asks, _ in late) and all(paid < best for _, paid in late)
    return f"{late[-1][1]} a step without a question; the mentor {best}" if below else ""


def show_bandit(bandit: Bandit) -> str:
    """What the models and the truth pay."""
    rows = " and ".join(f"({', '.join(map(str, row))})" for row in bandit.pays)
    truth = ", ".join(map(str, bandit.truth))
    return f"models that pay {rows}; the truth pays ({truth}); the mentor takes {bandit.mentor}"


# Result 3: the first action decides what is paid forever; action 0 is the event; model 1 is the twin of model 0.


@dataclass(frozen=True)
class Doors:
    """What each model pays for each first action, the weights, β, and how the plan is made."""

    pays: tuple[tuple[int, ...], ...]
    weights: tuple[Fraction, ...]
    beta: Fraction
    delta: Fraction
    mixes: bool


def doors(*, twin: bool, enough: bool, mixes: bool) -> Callable[[int], Iterator[Doors]]:
    """Classes of two and three models with two actions; the mentor takes action 1."""

    def of_size(number: int) -> Iterator[Doors]:
        others = number + (1 if twin else 2)
        for rows in product(list(product((0, 1), repeat=2)), repeat=others):
            truth = rows[0]
            pays = (truth, (0, truth[1]), *rows[1:]) if twin else rows
            if truth[1] == 0 or len(set(pays)) < len(pays):
                continue
            weights = (Fraction(1, len(pays)),) * len(pays)
            delta = Fraction(1, 8)
            beta = 1 - delta / len(pays) if enough else Fraction(0)
            yield Doors(pays, weights, beta, delta, mixes)

    return of_size


def is_first_too_often(setting: Doors, cells: int = 12) -> str:
    """Say where our agent opens door 0 first with a probability above δ, over all cells of its draws."""
    models = ModelClass(first_decides(*setting.pays), [float(weight) for weight in setting.weights])
    mentors = MentorClass([TabularMentor([1, 1, 1], n_actions=2)])
    middle = (np.arange(cells) + 0.5) / cells
    caused = 0
    for model, action in product(middle, middle):
        agent = PessimisticAgent(
            models,
            mentors,
            float(setting.beta),
            0.8,
            4,
            pure=not setting.mixes,
            guard=not setting.mixes,
            noise=0.001,
            stream=PublishedStream([model, 0.5, 0.5, action]),
        )
        caused += agent.decide().action == 0
    first = Fraction(caused, cells**2)
    return f"opens it first with probability {first}; δ = {setting.delta}" if first > setting.delta else ""


def show_doors(setting: Doors) -> str:
    """The class in words."""
    rows = ", ".join(f"({', '.join(map(str, row))})" for row in setting.pays)
    return f"equally likely models that pay {rows}; β = {setting.beta}"


# The imitator: one state, tables of probabilities.


@dataclass(frozen=True)
class Imitated:
    """Mentor-models on one state with their weights; the first is the truth unless `truth` says otherwise."""

    tables: tuple[tuple[Fraction, ...], ...]
    prior: tuple[Fraction, ...]
    truth: tuple[Fraction, ...]
    alpha: Fraction | None
    delta: Fraction


def imitated(
    *, small: bool = True, realizable: bool = True, conservative: bool = True
) -> Callable[[int], Iterator[Any]]:
    """Two actions, one to three mentor-models with probabilities 0, 1/2 and 1; δ = 1/5."""

    def of_size(number: int) -> Iterator[Imitated]:
        rows, delta = [(Fraction(1), Fraction(0)), (HALF, HALF), (Fraction(0), Fraction(1))], Fraction(1, 5)
        for tables in product(rows, repeat=number + 1):
            if len(set(tables)) < len(tables):
                continue
            for parts in product((1, 4), repeat=len(tables)):
                prior = tuple(Fraction(part, sum(parts)) for part in parts)
                alpha = delta * prior[0] if small else Fraction(1)
                for truth in [tables[0]] if realizable else [row for row in rows if row not in tables]:
                    yield Imitated(tables, prior, truth, alpha if conservative else None, delta)

    return of_size


def strays(setting: Imitated, steps: int = 3) -> str:
    """Say where the imitator takes an action that the mentor never takes with a probability above δ in three steps."""
    mentors = MentorClass(
        [TabularMentor(np.array([table], dtype=float)) for table in setting.tables],
        np.array([float(weight) for weight in setting.prior]),
    )
    policies = np.array(setting.tables, dtype=float)

    def ever(posterior: Any, left: int) -> float:
        """The probability that it happens in the steps that are left."""
        if not left:
            return 0.0
        own = imitate(posterior, None if setting.alpha is None else float(setting.alpha), policies)
        total = 0.0
        for action, chance in enumerate(own):
            if chance > 0:
                if setting.truth[action] == 0:
                    total += chance
                    continue
                after = posterior.copy()
                after.observe(action, (0, 0.5), by_mentor=False)
                total += chance * ever(after, left - 1)
        asks = max(0.0, 1 - own.sum())
        for action, chance in enumerate(map(float, setting.truth)):
            if asks * chance > 1e-12:
                after = posterior.copy()
                if not any(w > 0 and t[action] > 0 for w, t in zip(after.weights, setting.tables, strict=True)):
                    continue  # every model is refuted
                after.observe(action, (0, 0.5), by_mentor=True)
                total += asks * chance * ever(after, left - 1)
        return total

    found = ever(mentors.posterior(), steps)
    return f"probability {found:.4f}; δ = {setting.delta}" if found > float(setting.delta) + 1e-9 else ""


def show_imitated(setting: Imitated) -> str:
    """The class in words."""
    rows = ", ".join(
        f"({', '.join(map(str, table))}) of weight {weight}"
        for table, weight in zip(setting.tables, setting.prior, strict=True)
    )
    how = "Bayesian" if setting.alpha is None else f"α = {setting.alpha}"
    return f"mentor-models {rows}; the mentor is ({', '.join(map(str, setting.truth))}); {how}"


MENTORS = ("1 mentor-model", "2 mentor-models", "3 mentor-models")


# Proposition 1: a deterministic process with an end, and what the end is worth to others.


@dataclass(frozen=True)
class Ending:
    """States 0, …; an action leads to a state or to the end (None). What the end is worth to others is added there."""

    after: tuple[tuple[int | None, ...], ...]
    rewards: tuple[tuple[Fraction, ...], ...]
    others: Fraction
    own: Fraction
    discount: Fraction


def endings(rewards: tuple[int, ...], own: int = 1, discount: Fraction = Fraction(1), *, ends: bool = True) -> Any:
    """All processes of one state, and random ones of two states, with two actions."""

    def of_size(number: int) -> Iterator[Ending]:
        states = number + 1
        targets: list[int | None] = [*range(states), None]
        drawn = Random(number)
        for _ in range(300):
            after = tuple(tuple(drawn.choice(targets) for _ in (0, 1)) for _ in range(states))
            paid = tuple(tuple(Fraction(drawn.choice(rewards)) for _ in (0, 1)) for _ in range(states))
            process = Ending(after, paid, Fraction(drawn.choice((-5, 0, 5))), Fraction(own), discount)
            if any(_ends(process, acts) for acts in product((0, 1), repeat=states)) == ends:
                yield process

    return of_size


def _ends(process: Ending, acts: tuple[int, ...]) -> bool:
    state: int | None = 0
    for _ in range(len(acts) + 1):
        if state is None:
            return True
        state = process.after[state][acts[state]]
    return state is None


def never_ends(process: Ending) -> str:
    """Say where never ending is worth more than every policy that ends (equation 1, over all stationary policies)."""
    policies = list(product((0, 1), repeat=len(process.after)))
    ending = [_worth(process, acts) for acts in policies if _ends(process, acts)]
    endless = [_worth(process, acts) for acts in policies if not _ends(process, acts)]
    if not ending:
        return "nothing ends"
    better = bool(endless) and max(endless) > max(ending)
    return f"never ending is worth {max(endless)}, ending at most {max(ending)}" if better else ""


def _worth(process: Ending, acts: tuple[int, ...]) -> Any:
    """What a policy is worth: its own rewards, and what the end is worth to others."""
    return added_up(process, acts, process.discount, 0, process.own, process.others)


def _where(state: int | None) -> str:
    return "the end" if state is None else str(state)


def show_ending(process: Ending) -> str:
    """The process as a table."""
    rows = "; ".join(
        f"state {s}: "
        + ", ".join(f"action {a} pays {process.rewards[s][a]} → {_where(process.after[s][a])}" for a in (0, 1))
        for s in range(len(process.after))
    )
    return f"{rows}; the end is worth {process.others} to others; α₁ = {process.own}, γ = {process.discount}"


STATES = ("1 state", "2 states")


# Fairness.


def shops(number: int) -> Iterator[Any]:
    """Random processes of one to three steps."""
    for seed in range(150):
        yield make_process(Random(seed), 2, number + 1)


def over_histories(process: Any, known: Callable[[tuple[Any, ...]], Hashable], welfare: Callable[[Any], Any]) -> Any:
    """The best worth of plans that read only what is `known` of a history of (state, rewards); None if too many."""
    situations = dict[Hashable, None]()

    def collect(history: tuple[Any, ...], state: Any) -> None:
        situations[known((*history, state))] = None
        for action in range(2):
            for chance, following, _, rewards in process.outcomes(state, action):
                if chance and following is not None and len(history) + 1 < process.horizon:
                    collect((*history, (state, rewards)), following)

    collect((), process.start)
    if len(situations) > 9:
        return None

    def worth(plan: Mapping[Hashable, int], history: tuple[Any, ...], state: Any) -> Any:
        total = 0
        for chance, following, own, rewards in process.outcomes(state, plan[known((*history, state))]):
            past = (*history, (state, rewards))
            total += chance * (own + welfare(past))
            if following is not None and len(past) < process.horizon:
                total += chance * worth(plan, past, following)
        return total

    plans = product((0, 1), repeat=len(situations))
    return max(worth(dict(zip(situations, plan, strict=True)), (), process.start) for plan in plans)


def status_of(past: tuple[Any, ...]) -> tuple[int, ...]:
    """Everyone's rewards added up."""
    return tuple(map(sum, zip(*(rewards for _, rewards in past), strict=True)))


def even(past: tuple[Any, ...]) -> Any:
    """Evenness of the status."""
    return fairness.evenness(status_of(past))


def order_matters(past: tuple[Any, ...]) -> int:
    """Minus the number of times that a step pays the same as the one before it: not a function of the status."""
    return -sum(before == after for (_, before), (_, after) in pairwise(past))


def turns(number: int) -> Iterator[Any]:
    """Random processes of one state in which each step serves one of two stakeholders, for one to three steps."""
    for seed in range(60):
        drawn = Random(seed)
        table = [
            [fairness.Outcome(chance, 0, 0, drawn.choice(((1, 0), (0, 1)))) for chance in drawn.choice(CHANCES[:5])]
            for _ in (0, 1)
        ]
        yield Process(("A", "B"), ("a", "b"), 0, lambda state, action, table=table: table[action], number + 1)


def memory_of(*, status: bool, time: bool) -> Callable[[tuple[Any, ...]], Hashable]:
    """What a plan reads: the state, and perhaps the status and the time."""
    return lambda seen: (seen[-1], status_of(seen[:-1]) if status else None, len(seen) if time else None)


def needs_more(known: Callable[[tuple[Any, ...]], Hashable], welfare: Callable[[Any], Any]) -> Callable[[Any], str]:
    """Say where plans that read less than the history are worth less."""

    def breaks(process: Any) -> str:
        whole, part = over_histories(process, lambda seen: seen, welfare), over_histories(process, known, welfare)
        return f"with the whole history {whole}, without {part}" if whole is not None and part < whole else ""

    return breaks


def show_process(process: Any) -> str:
    """The process as a table."""
    lines, todo = [], [process.start]
    for state in todo:
        for action in (0, 1):
            ways = []
            for chance, following, own, rewards in process.outcomes(state, action):
                if following is not None and following not in todo and process.horizon > 1:
                    todo.append(following)
                share = "" if chance == 1 else f"{chance}: "
                ways.append(f"{share}own {own}, others {rewards} → {_where(following)}")
            lines.append(f"state {state}, action {action}: {' or '.join(ways)}")
    return f"{process.horizon} steps; " + "; ".join(lines)


SHOPS = ("1 step", "2 steps", "3 steps")


def claims() -> list[Claim]:
    """Every claim, the controls first."""
    orseau, coins = "Theorem 1 (Orseau 2014)", "Coins gain nothing"
    first, second, credit = "Theorem 1 of deciding", "Theorem 2 of deciding", "Credit"
    results = [f"Result {number} (Cohen and Hutter 2020)" for number in (1, 2, 3)]
    ending, imitation, fair = "Proposition 1 (Alizadeh Alamdari et al. 2021)", "Imitation", "Fairness"
    plain, early = UniversalKernel(), UniversalKernel(before_copies=True)
    says_one, says_two, says_other = (
        (STEPS, environments(lambda _, second=second: [frozenset({0}), second]), show_environment)
        for second in map(frozenset, ({1}, {0, 1}, {2}))
    )
    some, many = ((TRIED, kernels(seeds), show_course) for seeds in (60, 150))
    fixed, blind = (
        (lives_tried(LIVES), kernels(300, sizes=LIVES, told_apart=told), show_course) for told in (True, False)
    )
    chancy, unseen = (
        (lives_tried(RANDOM_LIVES), kernels(80, sizes=RANDOM_LIVES, told_apart=told), show_course)
        for told in (True, False)
    )
    whole, one_step, two_steps = (
        ((*STATES, "3 states"), known_worlds(planned), show_known) for planned in (None, 1, 2)
    )
    levels = (Fraction(1, 4), HALF, Fraction(1))
    real, unreal = ((BANDITS, bandits(levels, realizable=real), show_bandit) for real in (True, False))
    unpaid = (BANDITS, bandits((Fraction(0), *levels), realizable=True), show_bandit)
    served, in_turns = ((SHOPS, worlds, show_process) for worlds in (shops, turns))
    slow = {"is_slow": True}
    return [
        Claim(orseau, NOTHING, *says_one, unexplained(plain)),
        Claim(orseau, "it is deterministic", *says_two, unexplained(plain)),
        Claim(orseau, "it shows 0 or 1", *says_other, unexplained(plain)),
        Claim(orseau, "observations come after the copies", *says_one, unexplained(early)),
        Claim(coins, NOTHING, *some, coins_gain(Fraction(1)), **slow),
        Claim(coins, "the total counts (here: the average)", *some, coins_gain(Fraction(0)), **slow),
        Claim(coins, "copies remember", *some, coins_gain_without_memory, **slow),
        Claim(first, NOTHING, *some, regrets("causal", "count"), **slow),
        Claim(first, "the best policy (here: any)", *some, worse_than_best),
        Claim(first, "with coins (here: the best plan)", *some, regrets("causal", "count", "none"), **slow),
        Claim(first, "count (here: exists)", *many, regrets("causal", "exists"), **slow),
        Claim(first, "causal (here: evidential)", *many, regrets("evidential", "count"), **slow),
        Claim(second, NOTHING, *some, regrets("evidential", "exists"), **slow),
        Claim(second, "with coins (here: the best plan)", *some, regrets("evidential", "exists", "none"), **slow),
        Claim(second, "exists (here: count)", *many, regrets("evidential", "count"), **slow),
        Claim(second, "evidential (here: causal)", *many, regrets("causal", "exists"), **slow),
        Claim(second, "memory, which it does not need", *some, regrets("evidential", "exists", memory=False), **slow),
        Claim(credit, NOTHING, *fixed, credit_differs("cpy"), **slow),
        Claim(credit, "copy sets are not random", *chancy, credit_differs("cpy")),
        Claim(credit, "copies are told apart", *blind, credit_differs("cpy"), **slow),
        *(Claim(credit, f"both of these, for {name}", *unseen, credit_differs(name)) for name in ("sum", "dyn", "sta")),
        Claim(results[0], NOTHING, *whole, falls_short, **slow),
        Claim(results[0], "the whole future (here: 1 step)", *one_step, falls_short),
        Claim(results[0], "the whole future (here: 2 steps)", *two_steps, falls_short),
        Claim(results[0], "the truth is in the class", *unreal, stays_below),
        Claim(results[1], NOTHING, *real, asks_forever, **slow),
        Claim(results[1], "rewards are above 0", *unpaid, asks_forever),
        *(
            Claim(results[2], dropped, ("2 models", "3 models"), doors(**held), show_doors, is_first_too_often)
            for dropped, held in (
                (NOTHING, {"twin": True, "enough": True, "mixes": False}),
                ("a twin is in the class", {"twin": False, "enough": True, "mixes": False}),
                ("β ≥ 1 − δ·w(twin) (here: β = 0)", {"twin": True, "enough": False, "mixes": False}),
                ("pure, or guarded", {"twin": True, "enough": True, "mixes": True}),
            )
        ),
        *(
            Claim(imitation, dropped, MENTORS, imitated(**held), show_imitated, strays)
            for dropped, held in (
                (NOTHING, {}),
                ("α ≤ δ·w(mentor) (here: α = 1)", {"small": False}),
                ("the mentor is in the class", {"realizable": False}),
                ("conservative (here: Bayesian)", {"conservative": False}),
            )
        ),
        Claim(ending, NOTHING, STATES, endings((-1, -2)), show_ending, never_ends),
        Claim(ending, "γ = 1 (here: 1/2)", STATES, endings((-1, -2), discount=HALF), show_ending, never_ends),
        Claim(ending, "α₁ > 0 (here: 0)", STATES, endings((-1, -2), own=0), show_ending, never_ends),
        Claim(ending, "negative before the end", STATES, endings((-1, 0)), show_ending, never_ends),
        Claim(ending, "some policy ends", STATES, endings((-1, -2), ends=False), show_ending, never_ends),
        Claim(fair, NOTHING, *served, needs_more(memory_of(status=True, time=True), even), **slow),
        Claim(fair, "the plan reads the status", *served, needs_more(memory_of(status=False, time=True), even)),
        Claim(fair, "the plan reads the time", *served, needs_more(memory_of(status=True, time=False), even), **slow),
        Claim(
            fair,
            "welfare depends on the status",
            *in_turns,
            needs_more(memory_of(status=True, time=True), order_matters),
            **slow,
        ),
    ]
