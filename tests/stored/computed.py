"""Wide computations whose values are stored: many inputs of each kind, drawn with seeds that are fixed."""

import dataclasses
import json
import random
import re
from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np

import extenv
from considerate.craftworld.files import task
from considerate.criteria import CRITERIA
from considerate.exact.comparators import compare_designs
from considerate.exact.frontiers import frontier
from considerate.exact.solutions import solve
from multislot import agents, run
from multislot.errors import MultislotError
from multislot.exact import KernelWorld
from multislot.exact.files.answers import answer
from multislot.exact.files.worlds import world_named, world_text
from multislot.exact.futures import VALUES
from multislot.zoo.registration import ENTRIES, make
from scenarios.profile.care_questions import draw_care
from scenarios.profile.caution_questions import draw_caution
from scenarios.profile.judging import judge
from scenarios.profile.profiling import make_profile
from scenarios.profile.questions import (
    Counts,
    draw_competence,
    draw_comprehension,
    draw_identity,
    draw_learning,
    prompts_of,
)
from scenarios.profile.subjects import SCRIPTED, find_subject
from tests.scenarios.profile.power import FOREIGN

FEW = Counts(competence=20, identity=48, care=24, caution=24, learning=6, comprehension=24)
DRAWN = {
    **{draw.__name__: draw for draw in (draw_care, draw_caution, draw_competence, draw_comprehension, draw_identity)},
    "draw_learning": draw_learning,
}
PLAYED = ("ConstantAgent", "NaiveLearner", "InterpretedQLearner", "RandomAgent", "SimpleLearner")
TASKS = ("doll", "garden", "kitchen-cookie", "kitchen-salt", "mail-room")
DESIGNED = ("doll", "garden", "kitchen-salt", "mail-room")
TOKEN = re.compile(r"[\w.]+|[^\w\s]")
DRAWN_TREES = ("cpy", "dyn", "prime-slot")
SINGLE = re.compile(r"[-+]?\d+")
NUMBER = re.compile(r"-?\d+(?:/[1-9]\d*|\.\d+(?:e-?\d+)?)?")


def question_list(name: str) -> list[Any]:
    """Questions of a part as JSON, and what a language model reads."""
    questions = DRAWN[name](16, 5)
    prompts = [prompt.user for pair in prompts_of(questions, 5) for prompt in pair]
    return [[question.as_json() for question in questions], [" ".join(SINGLE.findall(text)) for text in prompts]]


def profiled(name: str) -> dict[str, Any]:
    """The profile of a scripted subject; one is asked adaptively."""
    adaptive = name == "caring=1/2"
    counts = dataclasses.replace(FEW, identity=160 if adaptive else 48)
    found = make_profile(find_subject(SCRIPTED + name), counts=counts, resamples=99, adaptive=adaptive).as_json()
    return {key: value for key, value in found.items() if key not in ("items", "multislot", "runtime")}


def judged(kind: str) -> list[Any]:
    """The verdict about a subject that follows no theory, on some questions of each part."""
    questions = draw_identity(96, 3)
    chosen = FOREIGN[kind](questions, np.random.default_rng(3))
    verdict = dataclasses.asdict(judge(questions, np.asarray(chosen, dtype=float), resamples=99))
    return [verdict, dataclasses.asdict(judge(questions, 0.2 + 0.6 * np.asarray(chosen, dtype=float), resamples=99))]


def edited(name: str) -> dict[str, Any]:
    """What is said of the file of a world in which a word, a number or a mark is gone, repeated or another one."""
    text, rng = world_text(name), random.Random(name)
    places = [place for place in TOKEN.finditer(text) if "#" not in text[text.rfind("\n", 0, place.start()) :][:1]]
    found = {}
    for number in range(60):
        place, other = rng.choice(places), rng.choice(places)
        put = rng.choice(("", f"{place[0]} {place[0]}", other[0], "(", "]", "0", "1/0", "-3", '"', "10000000"))
        changed = text[: place.start()] + put + text[place.end() :]
        replied = answer({"file": changed, "values": ["cpy", "dyn"], "horizon": 2, "caring": [0, "1/2"]})
        error = replied.get("error")
        found[str(number)] = [error["line"], error["entry"], error["message"]] if error else replied["values"]
    return found


def asked_further(name: str) -> list[Any]:
    """Answers about a world of the package at other settings, after each first step, with trees, lineages and maps."""
    kernel = world_named(name)
    requests: list[dict[str, Any]] = [
        {"horizon": 1, "discount": "1/3"},
        {"horizon": 3, "discount": 1, "values": list(VALUES), "caring": [0, "1/3", 1, 2]},
        {"horizon": None, "discount": "1/2", "values": ["cpy"]},
        *({"horizon": 2, "tree": {"value": value, "depth": 2}, "lineage": {"value": value}} for value in DRAWN_TREES),
        {"horizon": 2, "map": {}},
        *({"horizon": 2, "values": ["cpy", "dyn"], "parameters": {key: 2}} for key in kernel.parameters),
        *({"horizon": 2, "values": ["cpy"], "parameters": {key: "1/3"}} for key in kernel.parameters),
        *(
            {"horizon": 2, "values": ["cpy", "dyn"], "history": [[action, seen]]}
            for action in kernel.actions
            for seen in ("awake", "asleep")
        ),
    ]
    return [digest(answer({"world": name, **request})) for request in requests]


def digest(value: Any) -> Any:
    """A long value in short: its sentence or error, and a sum over all its numbers, to eight digits."""
    text = json.dumps({**value, "world": ""}, default=str)
    numbers = [f"{float(Fraction(number)):.8g}" for number in NUMBER.findall(text)]
    told = value["error"]["message"] if "error" in value else value["verdict"]["groups"]
    return [told, len(numbers), crc32(" ".join(numbers).encode())]


def battery(name: str) -> dict[str, Any]:
    """What some agents earn in an extended environment and in its opposite, and their reality checks."""
    kinds = {kind: getattr(agents, kind) for kind in PLAYED}
    kinds |= {f"RC({kind})": extenv.reality_check(made) for kind, made in kinds.items() if kind != "RandomAgent"}
    found = {}
    for kind, made in kinds.items():
        for opposite in (False, True):
            try:
                found[f"{kind}, {opposite}"] = extenv.run(name, made, steps=60, seed=3, opposite=opposite).total_reward
            except MultislotError as error:
                found[f"{kind}, {opposite}"] = type(error).__name__
    return found


def lives(name: str) -> list[Any]:
    """Lives in a world of the package: who acts where, sees what and is copied from whom."""
    found = []
    for seed, made in enumerate((agents.RandomAgent, agents.InterpretedQLearner, agents.SimpleLearner)):
        trace = run(KernelWorld(world_named(name)), {1: made}, 8, seed=seed)
        steps = zip(trace.actions, trace.observations, trace.rewards, strict=True)
        last = trace.observations[-1]
        paths = {slot: [trace.slot_history(slot), trace.reward_history(slot)] for slot in sorted(last)[:4]}
        found.append([[[dict(part) for part in step] for step in steps], paths])
    return found


def shown(observation: Any) -> list[Any]:
    """The form of an observation, what it adds up to and where, as numbers."""
    parts = observation.values() if isinstance(observation, dict) else [observation]
    arrays = [np.asarray(part, dtype=float) for part in parts if not isinstance(part, str)]
    return [[part.shape, part.sum(), float(part.ravel() @ np.arange(1, part.size + 1))] for part in arrays]


def episodes(name: str) -> list[Any]:
    """What a registered environment of each kind shows and pays when actions are drawn, and its infos."""
    rng = np.random.default_rng(3)
    found: list[Any] = []
    if name in ENTRIES["parallel"]:
        several = make("parallel", name)
        seen, infos = several.reset(seed=3)
        found.append([SINGLE.findall(repr(several.observation_space(agent))) for agent in sorted(several.agents)])
        found.append(SINGLE.findall(repr(getattr(several, "state_space", ""))))
        while several.agents and len(found) < 14:
            actions = {agent: int(rng.integers(several.action_space(agent).n)) for agent in sorted(several.agents)}
            seen, *told, infos = several.step(actions)
            found.append([{agent: [shown(seen[agent]), sorted(infos[agent])] for agent in sorted(seen)}, *told])
    if name in ENTRIES["single"]:
        alone = make("single", name)
        found.append(shown(alone.reset(seed=3)[0]))
        ended = cut = False
        while not ended and not cut and len(found) < 26:
            seen, reward, ended, cut, info = alone.step(int(rng.integers(alone.action_space.n)))
            found.append([shown(seen), reward, ended, cut, sorted(info)])
    return found


def solved_task(name: str) -> dict[str, Any]:
    """Behaviors in a Craft-World task at some coefficients of caring, frontiers, other designs, and fair plans."""
    chosen = task(name)
    found: dict[str, Any] = {}
    for criterion in CRITERIA:
        found[criterion] = [[str(piece.lower), piece.behavior.returns] for piece in frontier(chosen, criterion).pieces]
        for caring in (0, Fraction(1, 3), 1, 5):
            solution = solve(chosen, criterion, caring)
            found[f"{criterion} {caring}"] = [solution.actions, solution.returns, solution.path]
    return found


def designs(name: str) -> list[Any]:
    """What other designs do in a task."""
    return [dataclasses.asdict(result) for strength in (1, 3) for result in compare_designs(task(name), strength)]


def varied_settings(settings: Any) -> dict[str, Any]:
    """Each number of some settings changed, and each choice between yes and no made the other way."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if isinstance(value, bool):
            found[field.name] = not value
        elif isinstance(value, Fraction):
            found[field.name] = value * Fraction(2, 3)
        elif isinstance(value, int) and field.name not in ("seeds", "rounds", "resolution", "steps"):
            found[field.name] = value + 1
    return found
