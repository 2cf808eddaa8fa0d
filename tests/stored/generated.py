"""Values of generated worlds, model classes, processes and answers; the name of each is the seed that draws it."""

import dataclasses
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np

import extenv
from considerate.fairness import (
    anytime,
    best_memoryless,
    evenness,
    frontier,
    long_term,
    nash,
    periodic,
    solve,
)
from multislot import EndlessStream, agents
from multislot.bayes import (
    BayesAgent,
    ImitatorAgent,
    MentorClass,
    MentoredWorld,
    ModelWorld,
    MostLikelyAgent,
    PessimisticAgent,
    QLearningAgent,
    RegularizedAgent,
    TabularMentor,
    ThompsonAgent,
    best_policy,
    live,
    mentor_value,
    pessimistic_value,
    policy_values,
    sufficient_horizon,
    traps,
)
from multislot.errors import MultislotError
from multislot.exact import (
    action_values,
    bracket_for_copies,
    frontier_for_copies,
    plan_for_copies,
    ratifiable,
)
from multislot.exact.futures import VALUES
from multislot.exact.games import write_game
from scenarios.explore import play
from scenarios.profile.questions import draw_identity
from tests.stored.computed import crc32
from tests.worlds.generator import Size, make_class, make_model_class, make_process, make_world

SEEDS = tuple(str(seed) for seed in range(16))
QUICK = tuple(str(seed) for seed in (16, 22, 23, 24, 27, 29, 31, 32, 33, 36, 37, 38, 45, 46))
"""Worlds that are solved by every rule in half a second."""
HALF = Fraction(1, 2)


def or_error(compute: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """What is computed, or the kind of error that says why it cannot be."""
    try:
        return compute(*arguments, **settings)
    except (MultislotError, ValueError) as error:
        return type(error).__name__


def planned(seed: str) -> dict[str, Any]:
    """What a generated world, and a class of two, is worth by every rule, and what is best for all copies."""
    random = Random(seed)
    size = Size(actions=random.randint(2, 3), alone=random.random() < 0.2, phases=random.randint(1, 2))
    alone = make_world(random, size)
    both = make_class(random, size, 2).mixture(random.choice(("sequential", "own")))
    return {"world": planned_in(alone, 3), "class": planned_in(both, 2)}


def planned_in(world: Any, steps: int) -> dict[str, Any]:
    """Worths in a world or a class, as text."""
    found = {value: or_error(worths, world, value, steps) for value in VALUES}
    found["endless"] = or_error(worths, world, "cpy", None)
    for caring in (0, Fraction(1, 3), 1, -1, 2):
        found[f"caring {caring}"] = or_error(copies_of, world, caring, "none")
    found["coins"] = or_error(copies_of, world, 0, "private")
    settings: dict[str, Any] = {"discount": HALF, "horizon": 2}
    for criterion in ("worst", "average-life"):
        found[criterion] = or_error(plan_for_copies, world, criterion=criterion, **settings)
        found[criterion] = str(getattr(found[criterion], "value", found[criterion]))
    pieces = or_error(frontier_for_copies, world, least=-1, most=2, **settings)
    found["frontier"] = [str(place) for place in getattr(pieces, "thresholds", [pieces])]
    plan = plan_for_copies(world, caring=0, discount=1, horizon=2)
    for theory, posterior in (("causal", "count"), ("evidential", "exists"), ("causal", "own")):
        deciding = or_error(ratifiable, world, plan, theory, posterior, 0, discount=1, horizon=2)
        found[f"{theory} {posterior}"] = [str(part) for part in getattr(deciding, "regrets", {}).values()]
    game = or_error(write_game, world, horizon=2, caring=HALF)
    return found | {"game": [len(game), crc32(game.encode())]}


def worths(world: Any, value: str, steps: int | None) -> list[str]:
    """What each first action is worth."""
    return [str(worth) for worth in action_values(world, value, discount=HALF, horizon=steps).values()]


def copies_of(world: Any, caring: Any, coins: str) -> list[str]:
    """The worth of the best plan for all copies, its first action, and the first bounds."""
    plan = plan_for_copies(world, caring=caring, discount=HALF, horizon=2, coins=coins)
    bracket = bracket_for_copies(world, caring=caring, discount=HALF, horizon=2)
    first = plan.policy(())
    return [str(first), *(f"{float(number):.8g}" for number in (plan.lower, plan.upper, bracket.lower, bracket.upper))]


def believed(seed: str) -> dict[str, Any]:
    """What agents with a generated class of models decide in a life, and what plans and mentors are worth."""
    random = Random(seed)
    states, actions = 3, random.randint(2, 3)
    models = make_model_class(random, states, actions, 3)
    rows = np.array([[random.choice((0, 1, 2)) for _ in range(actions)] for _ in range(states)], dtype=float) + 0.25
    mentor = TabularMentor(rows / rows.sum(1, keepdims=True), models.models[0].start)
    other = TabularMentor(np.full((states, actions), 1 / actions), models.models[0].start)
    mentors = MentorClass([mentor, other], np.array([0.3, 0.7]))
    world = MentoredWorld(ModelWorld(models.models[0], states))
    found: dict[str, Any] = {}
    for discount, horizon in ((0.5, 3), (0.9, 2)):
        plan = {"discount": discount, "horizon": horizon}
        found[f"plans {discount}"] = [
            pessimistic_value(models, **plan).lower,
            pessimistic_value(models, **plan, pure=True).lower,
            pessimistic_value(models, **plan, exact=False).lower,
            pessimistic_value(models, 0.3, None, exact=False, error=0.1).lower,
            sufficient_horizon(models, discount, 0.01),
            *(part.tolist() for part in best_policy(models.models[1], **plan)),
            policy_values(models.models[1], mentor.policy, **plan).tolist(),
            mentor_value(models.models[1], 0, mentor, 1, **plan),
            sorted(traps(models.models[2])),
        ]
    made = {
        "pessimist": lambda: PessimisticAgent(models, mentors, 0.7, 0.5, 2),
        "careful": lambda: PessimisticAgent(models, mentors, 0.95, 0.5, 2, exact=False, noise=0.2),
        "mixed": lambda: PessimisticAgent(models, mentors, 0.9, 0.5, 2, pure=False, guard=False),
        "bayes": lambda: BayesAgent(models, 0.5, 2, n_inner=states),
        "shallow": lambda: BayesAgent(models, 0.8, 4, depth=2, n_inner=states),
        "likely": lambda: MostLikelyAgent(models, 0.5, 2, n_inner=states),
        "thompson": lambda: ThompsonAgent(models, 0.5, 2, period=2, stream=EndlessStream(1, 1), n_inner=states),
        "imitator": lambda: ImitatorAgent(mentors, 0.5, stream=EndlessStream(1, 1), n_inner=states),
        "near": lambda: RegularizedAgent(models, mentors, 0.5, 0.5, 2, price=0.4, stream=EndlessStream(1, 1)),
        "learner": lambda: QLearningAgent(states, actions, EndlessStream(1, 1)),
    }
    for name, make in made.items():
        agent = or_error(make)
        found[name] = or_error(live, agent, world, mentor, 12, int(seed))
        if not isinstance(found[name], str):
            found[name] = dataclasses.astuple(found[name])
        found[f"{name} record"] = [str(decision)[:160] for decision in getattr(agent, "record", ())]
    return found


def shared(seed: str) -> dict[str, Any]:
    """What is fair in a generated process, by every welfare and kind of fairness."""
    process = make_process(Random(seed), 3, 3)
    found: dict[str, Any] = {}
    for welfare in (evenness, nash):
        for name, fairness in (("end", long_term(welfare)), ("always", anytime(welfare)), ("2", periodic(welfare, 2))):
            for weight in (0, Fraction(1, 2), 3):
                found[f"{welfare.__name__} {name} {weight}"] = solve(process, fairness, weight).worth
            found[f"{welfare.__name__} {name} memoryless"] = or_error(best_memoryless, process, fairness, 1)
            best = partial(solve, process, fairness)
            found[f"{welfare.__name__} {name} frontier"] = frontier(lambda weight, best=best: best(weight).worth, 4)
    return found


def measured(seed: str) -> Any:
    """The measure of an agent beside that of its reality check in some environments, by weight, and its comparison."""
    random = Random(seed)
    names = random.sample(extenv.BATTERY, 4)
    made = getattr(agents, random.choice(("NaiveLearner", "InterpretedQLearner", "SimpleLearner")))
    weights = {name: random.choice((0, 1, 2.5)) + 0.5 for name in names}
    both = [
        extenv.measure(factory, steps=40, seeds=3, environments=names, weights=weights, progress=False)
        for factory in (made, extenv.reality_check(made))
    ]
    compared = extenv.compare(*both)
    tables = [part.table().round(8).astype(str).values.tolist() for part in (*both, compared)]
    bits = {name: random.choice((1, 3, 4.5)) for name in names}
    numbers = [(part.mean, part.standard_error, part.published_spread, part.by_seed, repr(part)) for part in both]
    return [tables, numbers, repr(compared), extenv.by_complexity(bits)]


def played(seed: str) -> Any:
    """The questions that a reader is asked, and the verdict about drawn answers."""
    random = Random(seed)
    count = random.choice((16, 32, 48))
    request = {"seed": int(seed), "count": count}
    theory = random.choice(("cpy", "sta", "sum", None))
    gains = [question.gains.get(theory, 0) if theory else 0 for question in draw_identity(count, int(seed))]
    chosen = [int(gain > 0) if gain and random.random() < 0.9 else random.randrange(2) for gain in gains]
    return [play.reply(request), play.reply({**request, "chosen": chosen})]
