"""Random classes of models and mentors, and events that tempt an agent."""

from collections.abc import Iterable, Sequence

import numpy as np

from multislot.bayes import MentorClass, ModelClass, TabularMentor, TabularModel
from multislot.mdp.chains import Floats

SELDOM = 0.05


def random_models(
    rng: np.random.Generator,
    number: int,
    states: int,
    actions: int,
    rewards: Sequence[float],
    concentration: float = 0.5,
) -> list[TabularModel]:
    """Draw models; a small concentration of the Dirichlet distributions makes transitions nearly deterministic."""
    return [
        TabularModel(
            rng.dirichlet(np.full(states, concentration), (states, actions)),
            rng.dirichlet(np.full(len(rewards), concentration), (states, actions)),
            reward_values=rewards,
        )
        for _ in range(number)
    ]


def with_hell(moves: Floats, pays: Floats, event: Iterable[tuple[int, int]]) -> TabularModel:
    """Make a model with one more state, the last, in which nothing is paid, and to which the pairs of an event lead.

    Args:
        moves: [S, A, S], the transitions without the event.
        pays: [S, A], the rewards.
        event: (state, action) pairs.
    """
    states, actions = pays.shape
    transition, reward = np.zeros((states + 1, actions, states + 1)), np.zeros((states + 1, actions))
    transition[:states, :, :states], reward[:states] = moves, pays
    transition[states, :, states] = 1
    for pair in event:
        transition[pair], reward[pair] = np.eye(states + 1)[states], 0
    return TabularModel(transition, reward)


def tabular(models: ModelClass) -> list[TabularModel]:
    return [model for model in models.models if isinstance(model, TabularModel)]


def tabular_mentors(mentors: MentorClass) -> list[TabularMentor]:
    return [mentor for mentor in mentors.mentors if isinstance(mentor, TabularMentor)]


def random_mentors(rng: np.random.Generator, mentors: int, states: int, actions: int) -> MentorClass:
    """Draw policies that take each action with some probability."""
    policies = 0.97 * rng.dirichlet(np.full(actions, 0.5), (mentors, states)) + 0.03 / actions
    return MentorClass([TabularMentor(policy) for policy in policies])


def tempting_event(model: TabularModel, discount: float, horizon: int) -> tuple[int, int]:
    """The first state of a model and its best action there, which an agent that knew the model would take."""
    plan = model.as_mdp().solve(discount=discount, horizon=horizon)
    return model.start, int(plan.policy[model.start])


def seldom(mentors: MentorClass, event: tuple[int, int], chance: float = SELDOM) -> MentorClass:
    """Return mentors who cause an event with a small chance in its state, on the states of a class with twins."""
    policies = [mentor.policy.copy() for mentor in tabular_mentors(mentors)]
    for policy in policies:
        policy[event] = 0.0
        policy[event[0]] *= (1 - chance) / policy[event[0]].sum()
        policy[event] = chance
    return MentorClass([TabularMentor(np.tile(policy, (2, 1))) for policy in policies])
