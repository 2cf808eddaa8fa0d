"""Finite classes of world-models, the pessimistic agent, and the standard agents (Cohen and Hutter 2020)."""

from multislot.bayes.agents import ClassAgent, Decision
from multislot.bayes.builders import Grid, gridworld_variations, twins
from multislot.bayes.events import Event, FirstCause, Ledger
from multislot.bayes.imitation import ImitatorAgent, RegularizedAgent
from multislot.bayes.lives import Guarantee, Life, LifeComparison, check_guarantee, compare_lives, live, traps
from multislot.bayes.maxmin import PessimisticValue, pessimistic_value, sufficient_horizon
from multislot.bayes.mentor import (
    HistoryMentor,
    Mentor,
    MentorModel,
    TabularMentor,
)
from multislot.bayes.mentored import MentorAgent, MentoredWorld, ModelWorld, TurnCode
from multislot.bayes.models import HistoryModel, WorldModel
from multislot.bayes.pessimistic import PessimisticAgent, PessimisticDecision
from multislot.bayes.planning import MixturePlan, best_mixture_plan, mentor_value, policy_values
from multislot.bayes.posterior import MentorClass, MentorPosterior, ModelClass, Posterior
from multislot.bayes.standard import BayesAgent, MostLikelyAgent, QLearningAgent, ThompsonAgent
from multislot.bayes.tabular import PartiallyObservableModel, TabularModel
from multislot.bayes.top_sets import top_set

__all__ = [
    "BayesAgent",
    "ClassAgent",
    "Decision",
    "Event",
    "FirstCause",
    "Grid",
    "Guarantee",
    "HistoryMentor",
    "HistoryModel",
    "ImitatorAgent",
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
    "TabularMentor",
    "TabularModel",
    "ThompsonAgent",
    "TurnCode",
    "WorldModel",
    "best_mixture_plan",
    "check_guarantee",
    "compare_lives",
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
