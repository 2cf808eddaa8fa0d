"""What the harness of malformed input knocks at, and values that fit parameters, by the parameters' names."""

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

import considerate
import extenv
from considerate import craftworld
from considerate.futures import Distribution, Option, Trajectory
from multislot import EndlessStream, HistoryAgent, Percept, VectorHistoryAgent, run
from multislot.agents import A2C, DQN, QLearner, RandomAgent, SimpleLearner
from multislot.agents.language import LanguageAgent, LanguageModel, Reply, Template
from multislot.agents.one_hot_models import kernel
from multislot.bayes import (
    HistoryMentor,
    ImitatorAgent,
    MentorClass,
    ModelClass,
    ModelWorld,
    QLearningAgent,
    RegularizedAgent,
    TabularMentor,
    TabularModel,
    TurnCode,
)
from multislot.cells import CellStore
from multislot.exact import AIXI, Coding, KernelWorld, Plan, copy, decision_map, teleport, world_named
from multislot.zoo import DynamicView, FixedView, SingleView
from tests.build import load_script
from tests.doors.harness import own_methods, signature

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


INTERNAL = frozenset(
    {
        *("A2C.new_model", "DQN.new_model", "PPO.new_model", "Lineage.plot", "DynamicSlotCentered.staying"),
        *("Slots.apply", "Slots.enter", "Turn.from_arrays", "VectorHistoryAgent.move", "InterpretedQLearner.act"),
        *("TaskEnv.look", "TaskEnv.term_at_limit", "TaskEnv.finish", "Task.handover", "Task.left", "Task.visits"),
        "Grid.word",
    }
)
"""Hooks of subclasses, inner steps of the engine and the planner, and what is handed on to Matplotlib."""
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
"""Objects whose methods users call, made by hand; those of all other public classes are in `DERIVED`."""


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


def measured(agent: Any) -> Any:
    """A small measurement."""
    return extenv.measure(agent, steps=2, seeds=2)


LISTED: dict[str, Callable[[], Any]] = {
    "considerate.Frontier": lambda: considerate.frontier(craftworld.task("garden")),
    "considerate.craftworld.Grid": lambda: craftworld.task("garden").grid,
    "considerate.craftworld.Task": lambda: craftworld.task("garden"),
    "considerate.futures.Distribution": lambda: Distribution.uniform([1, 2]),
    "considerate.futures.Option": lambda: Option(lambda state: True),
    "considerate.futures.Trajectory": lambda: Trajectory([0, 1], [1.0]),
    "extenv.Comparison": cache(lambda: extenv.compare(measured(RandomAgent), measured(SimpleLearner))),
    "extenv.Measurement": cache(lambda: measured(RandomAgent)),
    "multislot.HistoryAgent": lambda: HistoryAgent(lambda history: 0),
    "multislot.VectorHistoryAgent": lambda: VectorHistoryAgent(lambda history: 0),
    "multislot.agents.language.LanguageAgent": lambda: LanguageAgent(2, 2, stream(), LanguageModel(unreadable, "fake")),
    "multislot.agents.language.LanguageModel": lambda: LanguageModel(unreadable, "fake"),
    "multislot.bayes.HistoryMentor": lambda: HistoryMentor(lambda history: 0, 2),
    "multislot.bayes.ImitatorAgent": lambda: ImitatorAgent(MentorClass([mentor()]), alpha=0.5),
    "multislot.bayes.MentorClass": lambda: MentorClass([mentor()]),
    "multislot.bayes.ModelClass": lambda: ModelClass([model(), model()]),
    "multislot.bayes.ModelWorld": lambda: ModelWorld(model(), 2),
    "multislot.bayes.QLearningAgent": lambda: QLearningAgent(2, 2, stream()),
    "multislot.bayes.RegularizedAgent": lambda: RegularizedAgent(
        ModelClass([model()]), MentorClass([mentor()]), 0.5, 0.5, 2
    ),
    "multislot.bayes.TabularMentor": mentor,
    "multislot.bayes.TurnCode": lambda: TurnCode(2, 2),
    "multislot.exact.Belief": lambda: AIXI([copy()], "cpy", discount=0.5).belief(),
    "multislot.exact.Coding": lambda: Coding.of(copy()),
    "multislot.exact.DecisionMap": cache(
        lambda: decision_map("branch-line", x="discount", y="caring", values=["caring"])
    ),
    "multislot.exact.Plan": lambda: Plan(copy(), "cpy", 0.5, 2),
    "multislot.exact.Situations": lambda: AIXI([copy()], "cpy", discount=0.5).plan.situations,
    "multislot.zoo.torchrl.LineageGAE": lambda: import_module("multislot.zoo.torchrl").LineageGAE(
        future="cpy", discount=0.5, gae_lambda=0.5
    ),
}
"""The same for public classes that `FITTING` cannot make, by module and name; what takes long is made once."""

INTERFACES = (
    *("multislot.World", "multislot.bayes.Mentor", "multislot.bayes.WorldModel", "multislot.bayes.MentorModel"),
    *("multislot.exact.Kernel", "multislot.exact.WeightedFuture", "multislot.exact.KnownSlot"),
    *("considerate.criteria.Criterion", "multislot.VectorAgent"),
)
"""The engine calls the methods of these, and of classes that implement them, with values that it has checked."""
HOOKS = "its methods are for the engine, which calls them with values that it has checked"
NOT_YET = "no object of it is made here"
RESULTS = "a result, which the project makes and users only read"
UNCOVERED: dict[str, str] = {
    **dict.fromkeys(
        (
            *(
                "considerate.criteria.Considered",
                "considerate.criteria.AugmentedReward",
            ),
            "multislot.bayes.PartiallyObservableModel",
            *("multislot.bayes.MentorAgent",),
            *(
                "multislot.bayes.Event",
                "multislot.exact.Planner",
            ),
            *(
                "multislot.exact.Value",
                "multislot.bayes.Grid",
                "multislot.exact.Belief",
            ),
            *("multislot.exact.Situations", "considerate.craftworld.Barrier", "considerate.craftworld.Change"),
            *("considerate.craftworld.Condition", "considerate.craftworld.Things"),
        ),
        HOOKS,
    ),
    **dict.fromkeys(
        (
            *("extenv.composing.compose.Handicapped", "extenv.composing.compose.Folded", "extenv.formal.Coding"),
            "multislot.bayes.zoo.MentoredEnv",
            *("considerate.fairness.Fairness", "considerate.fairness.FairEnv"),
            *("considerate.training.views.SoloEnv", "considerate.training.views.CountedGame"),
            *(
                "considerate.wrappers.CaringParallel",
                "considerate.wrappers.CaringAEC",
                "considerate.wrappers.CaringEnv",
            ),
            *(
                "multislot.bayes.ClassAgent",
                "considerate.training.learners.Group",
                "considerate.zoo.tasks.TaskEnv",
            ),
        ),
        NOT_YET,
    ),
    **dict.fromkeys(
        (
            *("considerate.sweeps.Sweep", "considerate.training.evaluation.Evaluation", "multislot.bayes.Life"),
            *("considerate.training.learners.Together", "multislot.bayes.LifeComparison", "multislot.bayes.Ledger"),
            *("multislot.exact.DecisionTree", "multislot.exact.CaringFrontier", "multislot.zoo.Registered"),
            "multislot.zoo.spaces.FiniteSpace",
        ),
        RESULTS,
    ),
}
"""Public classes whose methods are not called with malformed values, and why."""


def reference() -> dict[str, list[str]]:
    """What the reference lists, by module."""
    return load_script("docs/hooks/public_names.py").listed()  # type: ignore[no-any-return]


def public_classes() -> Iterator[tuple[str, type]]:
    """Yield every class of the reference that has public methods of ours, but errors and abstract classes."""
    met: set[type] = set()
    for module, names in sorted(reference().items()):
        for name in names:
            kind = getattr(import_module(module), name, None)
            is_class = inspect.isclass(kind) and not issubclass(kind, BaseException) and kind not in met
            if not is_class or getattr(kind, "_is_protocol", False) or inspect.isabstract(kind):
                continue
            met.add(kind)
            if set(own_methods(kind)) - hooks(kind):
                yield f"{module}.{name}", kind


def hooks(kind: type) -> set[str]:
    """The methods that a class has because it implements one of the `INTERFACES`."""
    names: set[str] = set()
    for place in INTERFACES:
        interface = getattr(import_module(place.rpartition(".")[0]), place.rpartition(".")[2])
        methods = {name for name in own_methods(interface) if name not in dir(object)}
        if interface in kind.__mro__ or methods <= set(dir(kind)):
            names |= methods
    return names


def maker(name: str, kind: type) -> Callable[[], Any]:
    """A function that makes an object of a public class; raises KeyError if nobody says how."""
    made = LISTED.get(name) or OBJECTS.get(name.rpartition(".")[2])
    if made:
        return made
    needed = [parameter.name for parameter in signature(kind) if parameter.default is parameter.empty]
    arguments = {parameter: FITTING[parameter][0] for parameter in needed}
    return lambda: kind(**{parameter: make() for parameter, make in arguments.items()})
