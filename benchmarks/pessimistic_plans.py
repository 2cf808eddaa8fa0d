"""A mixture's best plan, its situations laid out in arrays, against the planner of exact worlds on the same beliefs.

Five models with three states and two actions that differ in transitions and rewards, four steps ahead, nothing
remembered but the laws of the models. Beside it, how many situations a second a graph grows by until it is refused as
too large.
"""

from collections.abc import Callable
from timeit import repeat

import numpy as np

from multislot.bayes import ModelClass, TabularModel, best_mixture_plan
from multislot.bayes.planning import SituationGraph, make_situation
from multislot.errors import TooLargeError
from multislot.exact import Mixture, action_values

MODELS, DISCOUNT, HORIZON, LIMIT, REPEATS = 5, 0.9, 4, 20_000, 5


def random_models(states: int, actions: int, count: int) -> list[TabularModel]:
    rng = np.random.default_rng(0)
    shape = (states, actions)
    return [
        TabularModel(rng.dirichlet(np.ones(states), shape), rng.dirichlet(np.ones(2), shape), reward_values=[0, 1])
        for _ in range(count)
    ]


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest of some repetitions: the one least disturbed."""
    return min(repeat(work, "import gc; gc.enable()", number=1, repeat=repeats))


def refused() -> None:
    models = random_models(4, 3, 4)
    situation = make_situation(models, np.full(4, 0.25), tuple(model.begin() for model in models))
    try:
        SituationGraph(situation, 20, False, LIMIT, "")
    except TooLargeError:
        return
    raise AssertionError("the graph was to be too large")


def main() -> None:
    models, weights = random_models(3, 2, MODELS), np.full(MODELS, 1 / MODELS)
    known, mixture = ModelClass(models), Mixture([model.as_kernel() for model in models], weights.tolist())
    ours = best_mixture_plan(known, weights, DISCOUNT, HORIZON).action_values
    theirs = action_values(mixture, "cpy", discount=DISCOUNT, horizon=HORIZON)
    assert np.allclose(ours, [(1 - DISCOUNT) * theirs[action] for action in range(2)])
    laid_out = seconds(lambda: best_mixture_plan(known, weights, DISCOUNT, HORIZON))
    believed = seconds(lambda: action_values(mixture, "cpy", discount=DISCOUNT, horizon=HORIZON))
    print(f"in arrays {laid_out * 1e3:.1f} ms, on beliefs {believed * 1e3:.1f} ms: ratio {believed / laid_out:.1f}")
    growth = seconds(refused)
    print(f"{LIMIT} variables in {growth * 1e3:.0f} ms: {LIMIT / 3 / growth:.0f} situations a second")


if __name__ == "__main__":
    main()
