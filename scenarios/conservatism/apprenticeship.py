"""An agent and its mentor in classes that hold the truth: what results 1 and 2 are about.

Rewards are at least 0.1 and the true mentor is in the mentor class, as both results require. Both are promised for the
exact plan (pure, over a short horizon).

There are two kinds of *random* classes. In the first, the first few observations distinguish the truth from all other
models. In the second, every model has a twin that pays nothing from a tempting event on (`multislot.bayes.twins`).
Nobody can tell the twins apart until somebody causes the event, and the mentor seldom does. With the *bold mentor*
there are two arms. The first pays a little. The second pays 1, or it leads to a state that pays nothing, which the
agent believes to be more likely. So only the mentor's example shows how good the second arm is.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from multislot import bayes
from multislot.bayes.planning import largest_value
from multislot.mdp.chains import Floats
from multislot.statistics import class_bootstrap
from scenarios.conservatism import agents
from scenarios.conservatism.random_classes import (
    random_mentors,
    random_models,
    seldom,
    tabular,
    tabular_mentors,
    tempting_event,
)
from scenarios.lab.cells import Results, collect
from scenarios.lab.table import Row, interval_row

STATES, ACTIONS, MENTORS = 3, 2, 3
REWARDS = (0.1, 1.0)
CLASSES_KEPT = 64
SAFE_PAY, BOLD_PAY, BELIEF_IN_BOLD = 0.5, 1.0, 0.3
SAFE_ARM, BOLD_ARM = 0, 1
Family = Literal["random", "bold mentor"]
CONTROLS = (agents.NEVER_DEFERS, agents.ALWAYS_DEFERS, agents.LIKELY, agents.MIXTURE)


@dataclass(frozen=True)
class ApprenticeSettings:
    """The classes, the agents and their plans."""

    betas: agents.Betas = (0.0, 0.5, 0.9, 0.99)
    models: Annotated[int, Field(ge=1, description="models in a random class, without their twins")] = 4
    discount: agents.Discount = 0.7
    horizon: agents.Horizon = 3
    noise: Annotated[float, Field(gt=0, description="mean of the noise Z, as a share of the largest value")] = 0.01


@dataclass(frozen=True)
class Cell:
    """All lives of one agent in one class.

    Attributes:
        settings: those of the scenario, `ApprenticeSettings`.
        seed: draws the class, the truth and the mentors; there is one class with the bold mentor only.
        share: prior probability of the twins together; 0 if no model has a twin.
        example: the mentor's chance of the tempting event in its state, if there are twins.
    """

    settings: Any
    agent: str
    beta: float
    family: Family
    seed: int
    steps: int
    seeds: int
    share: float = 0.0
    example: float = 0.0


@dataclass(frozen=True, eq=False)
class Situation:
    """A class with its truth and its true mentor, the first of its mentors."""

    models: bayes.ModelClass
    mentors: bayes.MentorClass
    truth: bayes.TabularModel
    mentor: bayes.TabularMentor


def situation_of(cell: Cell) -> Situation:
    """The class of a cell; cells of one class share it and its plans."""
    if cell.family == "bold mentor":
        return _bold_class()
    plan = (cell.settings.discount, cell.settings.horizon)
    return _random_class(cell.seed, cell.settings.models, cell.share, cell.example, *plan)


@lru_cache(maxsize=CLASSES_KEPT)
def _random_class(seed: int, models: int, share: float, example: float, discount: float, horizon: int) -> Situation:
    rng = np.random.default_rng(seed)
    drawn = random_models(rng, models, STATES, ACTIONS, REWARDS)
    classes = bayes.ModelClass(drawn)
    mentors, truth = random_mentors(rng, MENTORS, STATES, ACTIONS), int(rng.integers(models))
    if share:
        event = tempting_event(drawn[truth], discount, horizon)
        classes, mentors = bayes.twins(classes, [event], share), seldom(mentors, event, example)
    return Situation(classes, mentors, tabular(classes)[truth], tabular_mentors(mentors)[0])


@lru_cache
def _bold_class() -> Situation:
    """Two models of the second arm, which pays in the first model only, and the mentor who takes it."""
    stays = [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]
    falls = [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    pays = bayes.TabularModel(stays, [[SAFE_PAY, BOLD_PAY], [0.0, 0.0]])
    ruins = bayes.TabularModel(falls, [[SAFE_PAY, 0.0], [0.0, 0.0]])
    bold = bayes.TabularMentor([BOLD_ARM, BOLD_ARM], n_actions=2)
    return Situation(
        bayes.ModelClass([pays, ruins], [BELIEF_IN_BOLD, 1 - BELIEF_IN_BOLD]), bayes.MentorClass([bold]), pays, bold
    )


def lives_of(cell: Cell) -> list[bayes.Life]:
    situation, plan = situation_of(cell), (cell.beta, cell.settings.discount, cell.settings.horizon)
    agent = agents.make_agent(cell.agent, situation.models, situation.mentors, *plan, noise=cell.settings.noise)
    seeds = [cell.seed * 1_000_003 + index for index in range(cell.seeds)]
    return [life for _, life in agents.live_with(agent, situation.truth, situation.mentor, cell.steps, seeds)]


def advantages(cell: Cell) -> Floats:
    """Return [T, S, A], the true advantage of each action over what the mentor does.

    Row t − 1 is ``Q_t(s, a) − V_t(s)`` with t rewards left and the mentor followed afterwards. It is a share of the
    largest value of all T rewards.
    """
    situation, discount, horizon = situation_of(cell), cell.settings.discount, cell.settings.horizon
    model, mentor = situation.truth, situation.mentor
    by_rewards_left, values = [], np.zeros(len(model.rewards))
    for _ in range(horizon):
        ahead = (model.rows @ values).reshape(model.rewards.shape)
        action_values = (1 - discount) * model.rewards + discount * ahead
        values = (mentor.policy * action_values).sum(axis=1)
        by_rewards_left.append(action_values - values[:, None])
    return np.array(by_rewards_left) / largest_value(discount, horizon)


def states_of(life: bayes.Life) -> list[int]:
    """The states before each step and after the last; all these classes start in state 0."""
    return [0 if seen is None else seen for seen in life.observations]


def above_mentor(life: bayes.Life, step: int, advantage: Floats, discount: float) -> float:
    """An unbiased estimate of the agent's value minus its mentor's, from a step of a life on.

    The estimate is the discounted sum of the advantages of the agent's own actions. Its mean is the difference of the
    two values (performance difference, Kakade and Langford 2002, for a finite horizon). Chance in rewards, transitions
    and the mentor's choices is left out; it would only add noise.

    Args:
        life: at least as many steps after ``step`` as the horizon.
        step: the first step that counts.
        advantage: [T, S, A], as `advantages` returns it.
        discount: γ.
    """
    horizon, states = len(advantage), states_of(life)
    return sum(
        discount**ahead * float(advantage[horizon - 1 - ahead, states[step + ahead], life.actions[step + ahead]])
        for ahead in range(horizon)
        if not life.queries[step + ahead]
    )


def extremes(advantage: Floats, discount: float) -> tuple[float, float]:
    """The smallest and the largest value that `above_mentor` can have."""
    weights = discount ** np.arange(len(advantage))
    least, most = advantage[::-1].min(axis=(1, 2)), advantage[::-1].max(axis=(1, 2))
    return float(np.minimum(least, 0) @ weights), float(np.maximum(most, 0) @ weights)


def gather(results: Results, name: str, **fields: object) -> Floats:
    """[C, …], what the cells with these fields have under a name, by class."""
    return np.array(collect(results, name, **fields), dtype=float)


def class_mean_row(quantity: str, case: str, common: str, values: Floats) -> Row:
    """Make the row of a mean over classes and lives, [C, L], with its interval."""
    return interval_row(quantity, case, common, float(values.mean()), class_bootstrap(values))
