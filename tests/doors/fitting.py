"""What the harness of malformed input knocks at, and values that fit parameters, by the parameters' names."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from considerate import craftworld
from multislot import EndlessStream, Percept, run
from multislot.agents import RandomAgent
from multislot.agents.language import LanguageModel, Reply, Template
from multislot.bayes import MentorClass, ModelClass, TabularMentor, TabularModel
from multislot.exact import KernelWorld, copy, teleport

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
    "considerate.training.single",
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
