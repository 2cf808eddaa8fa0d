"""Finite classes of world-models, the pessimistic agent and the standard agents (Cohen and Hutter 2020).

The value that a set of models guarantees, and the policy that guarantees it:

    >>> import numpy as np
    >>> from multislot.bayes import TabularModel, pessimistic_value
    >>> forever = np.array([[[0, 1, 0], [0, 0, 1]], [[0, 1, 0]] * 2, [[0, 0, 1]] * 2])  # the first action decides
    >>> def pays(first, second):
    ...     return TabularModel(forever, [[first, second], [first, first], [second, second]])
    >>> doors = [pays(1, 0), pays(0, 1)]

**Mixing matters, first:** the best pure policy can be worth strictly less than the best randomised one. One of two
doors pays from then on. A policy that tosses a coin is worth a half in either model; any other is worth nothing in one
of them.

    >>> round(pessimistic_value(doors, discount=0.9, horizon=300).lower, 6)
    0.5
    >>> round(pessimistic_value(doors, discount=0.9, horizon=300, pure=True).lower, 6)
    0.0

**Mixing matters, again:** with a plan that mixes, "if an event never happened, the agent will not cause it" fails.
Let the truth pay for either door, its twin only for the second, a third model only for the first. The mixed plan is
worth a half. That is more than the 0 that the third model gives a mentor who takes the second door. So an agent that
draws the third model acts, and opens the first door half of the time: with probability 1/6, where β = 0.96 promises
0.12 at most.

    >>> mixed = pessimistic_value([pays(1, 1), *reversed(doors)], discount=0.9, horizon=300)
    >>> round(mixed.lower, 6), mixed.action_values.round(6).tolist()
    (0.5, [0.0, 0.0])

The worst model gives either drawn action nothing, so the guard of `PessimisticAgent` defers. A pure plan is worth 0
here, and the agent defers for that reason. On a fixed history with the same samples, a larger β never defers less; this
holds for pure plans and the step-wise bound only. Where a plan mixes, a larger top set can lead from two doors, each of
which some model fears, to a third that no model fears, and the guard then lets the agent act.
"""

from multislot.bayes.agents import ClassAgent
from multislot.bayes.aixi import BayesAgent, MostLikelyAgent, ThompsonAgent
from multislot.bayes.builders import Grid, by_description_length, gridworld_variations, twins
from multislot.bayes.copied import CopiedModel, copy_event
from multislot.bayes.events import Event, FirstCause, Ledger, Twin
from multislot.bayes.guarantee import Guarantee, check_guarantee
from multislot.bayes.imitation import ImitatorAgent, RegularizedAgent
from multislot.bayes.lives import Life, LifeComparison, compare_lives, live, traps
from multislot.bayes.maxmin import PessimisticValue, pessimistic_value, sufficient_horizon
from multislot.bayes.mentor import (
    HistoryMentor,
    KeyboardMentor,
    Mentor,
    MentorModel,
    ScriptedMentor,
    TabularMentor,
)
from multislot.bayes.mentor_posterior import MentorClass, MentorPosterior
from multislot.bayes.mentored import MentorAgent, MentoredWorld, ModelWorld, TurnCode
from multislot.bayes.models import HistoryModel, PartiallyObservableModel, TabularModel, WorldModel
from multislot.bayes.pessimistic import PessimisticAgent, PessimisticDecision
from multislot.bayes.planning import MixturePlan, best_mixture_plan, best_policy, mentor_value, policy_values
from multislot.bayes.posterior import ModelClass, Posterior
from multislot.bayes.q_learning import QLearningAgent
from multislot.bayes.record import Decision
from multislot.bayes.top_sets import top_set

__all__ = [
    "BayesAgent",
    "ClassAgent",
    "CopiedModel",
    "Decision",
    "Event",
    "FirstCause",
    "Grid",
    "Guarantee",
    "HistoryMentor",
    "HistoryModel",
    "ImitatorAgent",
    "KeyboardMentor",
    "Ledger",
    "Life",
    "LifeComparison",
    "Mentor",
    "MentorAgent",
    "MentorClass",
    "MentorModel",
    "MentorPosterior",
    "MentoredWorld",
    "MixturePlan",
    "ModelClass",
    "ModelWorld",
    "MostLikelyAgent",
    "PartiallyObservableModel",
    "PessimisticAgent",
    "PessimisticDecision",
    "PessimisticValue",
    "Posterior",
    "QLearningAgent",
    "RegularizedAgent",
    "ScriptedMentor",
    "TabularMentor",
    "TabularModel",
    "ThompsonAgent",
    "TurnCode",
    "Twin",
    "WorldModel",
    "best_mixture_plan",
    "best_policy",
    "by_description_length",
    "check_guarantee",
    "compare_lives",
    "copy_event",
    "gridworld_variations",
    "live",
    "mentor_value",
    "pessimistic_value",
    "policy_values",
    "sufficient_horizon",
    "top_set",
    "traps",
    "twins",
]
