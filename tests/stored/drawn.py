"""Computations in worlds that are drawn with a seed: exact values, plans for copies, and lives beside a mentor."""

from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random
from typing import Any

from multislot.bayes import ImitatorAgent, MentorClass, MentoredWorld, ModelWorld, RegularizedAgent, TabularMentor, live
from multislot.engine.stream import EndlessStream
from multislot.errors import MultislotError
from multislot.exact import action_values, best_memoryless, frontier_for_copies, plan_for_copies, ratifiable
from multislot.exact.copies.ratifying import RULES, THEORIES
from multislot.exact.futures import VALUES
from scenarios.conservatism.agents import NEVER_DEFERS, PESSIMISTIC, STANDARD, make_agent
from tests.worlds.generator import CHANCES, Size, make_class, make_model_class

SEEDS = ("1", "2", "3", "4", "5", "8", "9", "10", "11")
"""Others draw worlds that take minutes."""
COEFFICIENTS = (Fraction(0), Fraction(1, 2), Fraction(-1))


def solved(seed: str) -> dict[str, Any]:
    """What values, mixtures, copies and deciding agents make of two worlds; the name of an error where they refuse."""
    random = Random(seed)
    drawn = make_class(random, Size(slots=random.randint(2, 3), phases=random.randint(1, 2)), 2)
    kernel, half = drawn.kernels[0], Fraction(1, 2)
    ends: dict[str, Any] = {"discount": random.choice((Fraction(1, 3), Fraction(1))), "horizon": random.randint(2, 3)}
    few, mixture = {**ends, "horizon": 2}, drawn.mixture()
    asked: dict[str, Callable[[], Any]] = {}
    for value in VALUES:
        asked[value] = partial(action_values, kernel, value, **ends)
        asked[f"{value}, endless"] = partial(action_values, kernel, value, discount=half)
    for rule in (*RULES, "printed"):
        asked[f"mixture, {rule}"] = partial(action_values, drawn.mixture(rule), "cpy", **ends)
    for caring, coins in product(COEFFICIENTS, ("none", "private", "shared")):
        asked[f"α={caring}, {coins} coins"] = partial(plan_for_copies, mixture, caring=caring, coins=coins, **few)
    for theory, rule, memory in product(THEORIES, RULES, (True, False)):
        decide = partial(ratifiable, mixture, bool, theory, rule, half, memory=memory)
        asked[f"{theory}, {rule}, {memory}"] = partial(decide, **few)
    asked |= {"no memory": partial(best_memoryless, kernel, **few), "α": partial(frontier_for_copies, kernel, **few)}
    return {name: shown(compute) for name, compute in asked.items()}


def shown(compute: Callable[[], Any]) -> Any:
    """The numbers of a result; irrational ones are rounded."""
    try:
        found = compute()
    except MultislotError as error:
        return type(error).__name__
    names = ("value", "lower", "upper", "action_values", "regret", "regrets", "pure_value", "thresholds")
    parts = found if isinstance(found, dict) else {name: getattr(found, name, None) for name in names}
    return {str(name): rounded(part) for name, part in parts.items() if part is not None}


def rounded(part: Any) -> Any:
    """A number as a fraction, or with nine digits."""
    if isinstance(part, dict | tuple):
        return {
            str(key): rounded(inner) for key, inner in (part.items() if isinstance(part, dict) else enumerate(part))
        }
    return str(part) if isinstance(part, int | str | Fraction) else round(float(part), 9)


def lived(seed: str) -> dict[str, Any]:
    """What agents do beside a mentor in a drawn world, and why: those that plan in a class of models, and imitators."""
    random = Random(seed)
    models = make_model_class(random, 3, actions := random.randint(2, 3), 3)
    rows = [[*map(float, law), 0.0, 0.0][:actions] for law in CHANCES if len(law) <= actions]
    tables = [[random.choice(rows) for _ in range(3)] for _ in range(3)]
    mentors = MentorClass([TabularMentor(table, start=models.models[0].start) for table in tables])
    beta, *plan = random.choice((0.3, 0.8, 0.95)), random.choice((0.5, 0.9)), random.randint(1, 4)
    agents = {name: make_agent(name, models, mentors, beta, *plan) for name in (PESSIMISTIC, NEVER_DEFERS, *STANDARD)}
    for alpha in (0.3, None):
        agents[f"imitator, {alpha}"] = ImitatorAgent(mentors, alpha)
        agents[f"regularized, {alpha}"] = RegularizedAgent(models, mentors, alpha, *plan, price=0.2)
    world, found = MentoredWorld(ModelWorld(models.models[0], 3)), {}
    for name, agent in agents.items():
        own = agent.fresh(EndlessStream(int(seed), 1))
        found[name] = [asdict(live(own, world, mentors.mentors[0], 6, int(seed))), [*map(asdict, own.record)]]
    return found
