"""Finite classes of world-models, the pessimistic agent and the standard ones beside it (Cohen and Hutter 2020)."""

from multislot.bayes.agents import ClassAgent, Decision
from multislot.bayes.aixi import BayesAgent, MostLikelyAgent, QLearningAgent, ThompsonAgent
from multislot.bayes.builders import Grid, by_description_length, gridworld_variations, twins
from multislot.bayes.events import Event, FirstCause, Ledger, Twin
from multislot.bayes.maxmin import PessimisticValue, pessimistic_value
from multislot.bayes.mentor import (
    HistoryMentor,
    KeyboardMentor,
    Mentor,
    MentorClass,
    MentorModel,
    MentorPosterior,
    ScriptedMentor,
    TabularMentor,
)
from multislot.bayes.mentored import MentorAgent, MentoredWorld, ModelWorld, TurnCode
from multislot.bayes.models import HistoryModel, PartiallyObservableModel, TabularModel, WorldModel
from multislot.bayes.pessimistic import PessimisticAgent, PessimisticDecision
from multislot.bayes.planning import MixturePlan, best_mixture_plan, best_policy, mentor_value, policy_values
from multislot.bayes.posterior import ModelClass, Posterior, top_set

__all__ = [
    "BayesAgent",
    "ClassAgent",
    "Decision",
    "Event",
    "FirstCause",
    "Grid",
    "HistoryMentor",
    "HistoryModel",
    "KeyboardMentor",
    "Ledger",
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
    "gridworld_variations",
    "mentor_value",
    "pessimistic_value",
    "policy_values",
    "top_set",
    "twins",
]
