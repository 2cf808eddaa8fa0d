"""Random classes of models and mentors, and the true world that lives are lived in."""

import numpy as np

from multislot.bayes import MentorClass, MentoredWorld, ModelClass, ModelWorld, TabularMentor, TabularModel

SELDOM = 0.05
REWARDS = (0.1, 0.4, 0.7, 1.0)


def true_world(model: TabularModel) -> MentoredWorld:
    """Return the world of an agent and its mentor in which a model is the truth."""
    return MentoredWorld(ModelWorld(model, model.n_states))


def random_class(
    rng: np.random.Generator, models: int, states: int, actions: int, concentration: float = 0.5
) -> ModelClass:
    """Return a class of random models that share rewards of at least 0.1, with a random prior.

    Args:
        rng: draws it.
        models: number of models.
        states: number of states.
        actions: number of actions.
        concentration: of the Dirichlet distributions that transitions are drawn from; small is nearly deterministic.
    """
    weights = rng.dirichlet(np.full(models, 5.0))
    drawn = [
        TabularModel(
            rng.dirichlet(np.full(states, concentration), (states, actions)),
            rng.dirichlet(np.full(len(REWARDS), concentration), (states, actions)),
            reward_values=REWARDS,
        )
        for _ in range(models)
    ]
    return ModelClass(drawn, weights)


def tabular(models: ModelClass) -> list[TabularModel]:
    """Return the tabular models of a class."""
    return [model for model in models.models if isinstance(model, TabularModel)]


def random_mentors(rng: np.random.Generator, mentors: int, states: int, actions: int) -> MentorClass:
    """Return a class of random policies, each action in each of them with some probability."""
    policies = 0.97 * rng.dirichlet(np.full(actions, 0.5), (mentors, states)) + 0.03 / actions
    return MentorClass([TabularMentor(policy) for policy in policies])


def tempting_event(model: TabularModel, discount: float, horizon: int) -> tuple[int, int]:
    """Return the start of a model with its best action there: what an agent that knew the model would do first."""
    plan = model.as_mdp().solve(discount=discount, horizon=horizon)
    return model.start, int(plan.policy[model.start])


def seldom(mentors: MentorClass, event: tuple[int, int], chance: float = SELDOM) -> MentorClass:
    """Return mentors who cause an event with a small chance in its state, on the states of a class with twins."""
    policies = [mentor.policy.copy() for mentor in mentors.mentors if isinstance(mentor, TabularMentor)]
    for policy in policies:
        policy[event] = 0.0
        policy[event[0]] *= (1 - chance) / policy[event[0]].sum()
        policy[event] = chance
    return MentorClass([TabularMentor(np.tile(policy, (2, 1))) for policy in policies])
