"""What the harness of malformed input knocks at, and values that fit parameters, by the parameters' names."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from considerate import craftworld
from multislot import EndlessStream, Percept, run
from multislot.agents import A2C, DQN, QLearner, RandomAgent, SimpleLearner
from multislot.agents.language import LanguageModel, Reply, Template
from multislot.agents.one_hot_models import kernel
from multislot.bayes import MentorClass, ModelClass, TabularMentor, TabularModel
from multislot.cells import CellStore
from multislot.exact import AIXI, KernelWorld, copy, teleport, world_named
from multislot.zoo import DynamicView, FixedView, SingleView

MODULES = (
    "multislot",
    "multislot.agents",
    "multislot.agents.language",
    "multislot.exact",
    "multislot.bayes",
    "multislot.cells",
    "multislot.testing",
    "multislot.zoo",
    "extenv",
    "extenv.formal",
    "extenv.composing.compose",
    "considerate",
    "considerate.criteria",
    "considerate.futures",
    "considerate.craftworld",
    "considerate.training",
)
MADE_HERE = frozenset(
    {
        "considerate.Solution",
        "extenv.Comparison",
        "extenv.Measurement",
        "extenv.Run",
        "multislot.Trace",
        "multislot.bayes.MentorPosterior",
        "multislot.bayes.Posterior",
        "multislot.exact.CopiesPlan",
    }
)
"""Results, which the project makes and users only read."""


def model() -> TabularModel:
    """Two states, two actions, chance everywhere."""
    return TabularModel(np.full((2, 2, 2), 0.5), np.full((2, 2), 0.5))


def mentor() -> TabularMentor:
    """A mentor for `model`."""
    return TabularMentor(np.full((2, 2), 0.5))


def unreadable(request: object) -> Reply:
    """Answer no letter."""
    return Reply("nothing")


def started(view: Any) -> Any:
    """A view in its first step."""
    view.reset(seed=1)
    return view


def stream() -> EndlessStream:
    """The stream of a first agent."""
    return EndlessStream(1, 1)


INTERNAL = frozenset({"A2C.new_model", "DQN.new_model", "Lineage.plot"})
"""Hooks of subclasses, and what is handed on to Matplotlib."""
OURS = ("multislot", "extenv", "considerate")
OBJECTS: dict[str, Callable[[], Any]] = {
    "AIXI": lambda: AIXI([copy(), copy()], "cpy", discount=0.5),
    "A2C": lambda: A2C(2, 2, stream(), trainer="sb3") if kernel() is None else A2C(2, 2, stream()),
    "CellStore": lambda: CellStore("cells.sqlite"),
    "DQN": lambda: DQN(2, 2, stream(), trainer="sb3") if kernel() is None else DQN(2, 2, stream()),
    "DynamicView": lambda: started(DynamicView(KernelWorld(copy()))),
    "FileKernel": lambda: world_named("branch-line"),
    "FixedView": lambda: started(FixedView(KernelWorld(copy()), 2)),
    "Lineage": lambda: run(KernelWorld(copy()), {1: RandomAgent}, 2).lineage,
    "QLearner": lambda: QLearner(2, 2, stream()),
    "RandomAgent": lambda: RandomAgent(2, 2, stream()),
    "SimpleLearner": lambda: SimpleLearner(2, 2, stream()),
    "SingleView": lambda: started(SingleView(KernelWorld(copy()))),
    "Stream": stream,
    "Trace": lambda: run(KernelWorld(copy()), {1: RandomAgent}, 2),
}
"""Objects whose methods users call; the engine calls those of worlds, models and mentors, with values it checked."""


FITTING: dict[str, list[Callable[[], Any]]] = {
    "action": [lambda: 0],
    "agent_factory": [lambda: RandomAgent],
    "agents": [lambda: {1: RandomAgent}],
    "beta": [lambda: 0.5],
    "caring": [lambda: 1],
    "cells": [lambda: {"a": 1}],
    "copies": [lambda: {1: (1,)}],
    "criterion": [lambda: "sim", lambda: "value"],
    "discount": [lambda: 0.5, lambda: Fraction(1, 2)],
    "environment": [lambda: "IgnoreRewards"],
    "factory": [lambda: RandomAgent],
    "history": [lambda: ()],
    "horizon": [lambda: 2],
    "jobs": [lambda: 1],
    "kernel": [copy, teleport],
    "kernels": [lambda: [copy(), copy()]],
    "mentor": [mentor],
    "mentors": [lambda: MentorClass([mentor()])],
    "model": [model, lambda: LanguageModel(unreadable, "fake")],
    "models": [lambda: ModelClass([model(), model()])],
    "n_actions": [lambda: 2],
    "n_observations": [lambda: 2],
    "name": [lambda: "IgnoreRewards"],
    "observation": [lambda: 0],
    "path": [lambda: "cells.sqlite"],
    "perform": [lambda: lambda cell: cell],
    "percepts": [lambda: {1: Percept(0)}],
    "reward": [lambda: np.full((2, 2), 0.5)],
    "seed": [lambda: 1],
    "seeds": [lambda: 2],
    "steps": [lambda: 3],
    "stream": [lambda: EndlessStream(1, 1)],
    "task": [lambda: craftworld.task("garden")],
    "template": [lambda: Template.load("plain")],
    "texts": [lambda: Template.load("plain").texts],
    "trace": [lambda: run(KernelWorld(copy()), {1: RandomAgent}, 2)],
    "transition": [lambda: np.full((2, 2, 2), 0.5)],
    "value": [lambda: "cpy", lambda: "dyn"],
    "world": [lambda: KernelWorld(copy())],
}
