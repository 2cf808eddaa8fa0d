"""One decision of the pessimistic agent on a 7×7 world: all models side by side against one model after the other.

4 actions, three successors a step, 100 models that differ in their cliffs, γ = 0.95, 100 rewards ahead, all models in
the top set, nothing remembered from before. Target: under 50 ms. Beside it, a decision whose plan is remembered.
"""

from collections.abc import Callable
from timeit import repeat

import numpy as np

from multislot.bayes import MentorClass, ModelClass, PessimisticAgent, TabularMentor
from multislot.bayes.builders import START, cliff_grid
from multislot.bayes.tabular import TabularModel
from multislot.engine.stream import EndlessStream

MODELS, DISCOUNT, HORIZON, REPEATS, TARGET = 100, 0.95, 100, 20, 0.05
LETTERS = "abcdefg"
SLIP = 0.1
"""The chance that a step goes in one of the three other directions."""


def slippery(number: int) -> TabularModel:
    model = cliff_grid("".join(letter for bit, letter in enumerate(LETTERS) if number >> bit & 1)).model(START)
    steps = model.rows.toarray().reshape(model.n_states, model.n_actions, model.n_states)
    others = steps.sum(axis=1, keepdims=True) - steps
    return TabularModel((1 - SLIP) * steps + SLIP / 3 * others, model.rewards, START)


def agent_of(models: tuple[TabularModel, ...], mentors: MentorClass) -> PessimisticAgent:
    """A fresh class, so that nothing is remembered; what a class computes once in its life is computed before."""
    known = ModelClass(models)
    assert known.stack is not None
    known.stack.likelihood(0, 0, (0, 0.0))
    return PessimisticAgent(known, mentors, 0.999, DISCOUNT, HORIZON, exact=False, stream=EndlessStream(0, 1))


def one_after_the_other(models: tuple[TabularModel, ...]) -> float:
    """The same minimum, a matrix of the engine's for each model and action."""
    values = np.zeros(models[0].n_states)
    for _ in range(HORIZON):
        ahead = [
            (1 - DISCOUNT) * model.rewards
            + DISCOUNT * np.column_stack([m @ values for m in model.as_mdp().transitions])
            for model in models
        ]
        values = np.min(ahead, axis=0).max(axis=1)
    return float(values[START])


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest of some repetitions: the one least disturbed."""
    return min(repeat(work, "import gc; gc.enable()", number=1, repeat=repeats))


def main() -> None:
    models = tuple(slippery(number) for number in range(MODELS))
    mentors = MentorClass([TabularMentor(np.full((49, 4), 0.25), START)])
    fresh = iter([agent_of(models, mentors) for _ in range(REPEATS)])
    decision = seconds(lambda: next(fresh).decide())
    agent = agent_of(models, mentors)
    expected, found = one_after_the_other(models), agent.decide().value
    assert abs(expected - found) < 1e-9, (expected, found)
    slow = seconds(lambda: one_after_the_other(models), 2)

    def remembered() -> None:
        agent._made = None
        agent.decide()

    again = seconds(remembered)
    print(f"side by side {decision * 1e3:.1f} ms, one after the other {slow * 1e3:.0f} ms: ratio {slow / decision:.0f}")
    print(f"remembered {again * 1e6:.0f} µs: ratio {decision / again:.0f}")
    print(f"target under {TARGET * 1e3:.0f} ms: {'met' if decision < TARGET else 'missed'}")


if __name__ == "__main__":
    main()
