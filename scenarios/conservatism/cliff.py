"""The class of all hypotheses about the cliffs of the 7×7 world of `multislot.bayes.builders`.

Only one thing is uncertain: which of the suspect cells are cliffs. Every set of suspects is a hypothesis. Each suspect
is a cliff with the same small probability, independently of the others.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from multislot.bayes import Life, MentorClass, ModelClass, TabularMentor, gridworld_variations
from multislot.bayes.builders import ROWS, START, SUSPECTS, cliff_grid
from multislot.bayes.lives import AnyAgent
from scenarios.conservatism.agents import live_with

Risk: TypeAlias = Annotated[
    float, Field(gt=0, lt=1, description="probability that a suspect cell is a cliff, as believed")
]
Noise: TypeAlias = Annotated[float, Field(gt=0, description="mean of the noise Z")]

AT_MOST, MORE = "at most δ", "more than δ"


@dataclass(frozen=True, eq=False)
class CliffWorld:
    """The class of hypotheses about a number of suspects.

    Attributes:
        models: all 2^n sets of cliffs, in order of the binary number whose k-th bit is suspect k; the first has none.
        mentors: for each hypothesis the policy that is best in it.
        suspects: states that may be cliffs.
    """

    models: ModelClass
    mentors: MentorClass
    suspects: frozenset[int]

    def live(self, agent: AnyAgent, deadly: bool, steps: int, seed: int) -> tuple[int, AnyAgent, Life]:
        """Let a fresh copy of an agent live next to the mentor who knows the truth, which the seed draws.

        Return the index of the true hypothesis, the copy and its life.
        """
        truth = truth_of(np.random.default_rng(seed), len(self.suspects), deadly)
        ((lived, life),) = live_with(agent, self.models.models[truth], self.mentors.mentors[truth], steps, [seed])
        return truth, lived, life


@lru_cache(maxsize=2)  # a class of many models keeps many plans
def cliff_world(suspects: int, risk: float, discount: float, horizon: int) -> CliffWorld:
    """Make the world with a number of suspects, each of them a cliff with probability `risk`."""
    cliffs = [_names(number, suspects) for number in range(2**suspects)]
    grids = {f"cliffs at {names or 'nothing'}": cliff_grid(names) for names in cliffs}
    count = np.array([len(names) for names in cliffs])
    prior = risk**count * (1 - risk) ** (suspects - count)
    models = gridworld_variations(grids, START, prior / prior.sum())
    mentors = MentorClass(
        [TabularMentor(policy, START, 4) for policy in _best_policies(models, discount, horizon)], prior
    )
    return CliffWorld(models, mentors, _cells(SUSPECTS[:suspects]))


def truth_of(rng: np.random.Generator, suspects: int, deadly: bool) -> int:
    """Draw the true hypothesis: no cliff, or a single one of the suspects on the shortest path."""
    return 1 << int(rng.integers(min(suspects, 5))) if deadly else 0


def cliffs_of(hypothesis: int) -> frozenset[int]:
    """The states that are cliffs in a hypothesis, by its index in the class."""
    return _cells(_names(hypothesis, len(SUSPECTS)))


def _best_policies(models: ModelClass, discount: float, horizon: int) -> NDArray[np.int64]:
    """Return [K, S], the first best action in each model alone."""
    assert models.stack is not None  # gridworlds are tabular
    values = models.stack.best_action_values(discount, horizon)
    best: NDArray[np.int64] = np.argmax(values >= values.max(axis=2, keepdims=True) - 1e-9, axis=2)
    return best


def _cells(names: str) -> frozenset[int]:
    return frozenset(state for state, kind in enumerate("".join(ROWS)) if kind in names)


def _names(cliffs: int, suspects: int) -> str:
    return "".join(name for bit, name in enumerate(SUSPECTS[:suspects]) if cliffs >> bit & 1)
