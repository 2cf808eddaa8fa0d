"""Computations whose values are stored: profiles, verdicts and changed settings, drawn with seeds that are fixed."""

import dataclasses
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from multislot.exact.files.worlds import world_named
from multislot.exact.futures import VALUES
from scenarios.explore import play
from scenarios.explore.questions import reply
from scenarios.profile.judging import judge
from scenarios.profile.profiling import make_profile
from scenarios.profile.questions import Counts, draw_identity
from scenarios.profile.subjects import SCRIPTED, find_subject
from tests.scenarios.explore.asked import axis, number_of
from tests.scenarios.profile.kinds import FOREIGN

FEW = Counts(competence=20, identity=48, care=24, caution=24, learning=6, comprehension=24)
SEEDS = tuple(str(seed) for seed in range(16))


def profiled(name: str) -> dict[str, Any]:
    """The profile of a scripted subject; one is asked adaptively."""
    adaptive = name == "caring=1/2"
    counts = dataclasses.replace(FEW, identity=80 if adaptive else 48)
    found = make_profile(find_subject(SCRIPTED + name), counts=counts, resamples=99, adaptive=adaptive).as_json()
    return {key: value for key, value in found.items() if key not in ("items", "multislot", "runtime")}


def judged(kind: str) -> list[Any]:
    """The verdict about a subject that follows no theory, on some questions of each part."""
    questions = draw_identity(96, 3)
    chosen = FOREIGN[kind](questions, np.random.default_rng(3))
    verdict = dataclasses.asdict(judge(questions, np.asarray(chosen, dtype=float), resamples=99))
    return [verdict, dataclasses.asdict(judge(questions, 0.2 + 0.6 * np.asarray(chosen, dtype=float), resamples=99))]


def played(seed: str) -> Any:
    """The questions that a reader is asked, and the verdict about drawn answers."""
    random = Random(seed)
    count = random.choice((16, 32, 48))
    request = {"seed": int(seed), "count": count}
    theory = random.choice(("cpy", "sta", "sum", None))
    gains = [question.gains.get(theory, 0) if theory else 0 for question in draw_identity(count, int(seed))]
    chosen = [int(gain > 0) if gain and random.random() < 0.9 else random.randrange(2) for gain in gains]
    return [play.reply(request), play.reply({**request, "chosen": chosen})]


def asked(world: str) -> list[Any]:
    """The replies to some drawn questions about a world, as the explorer's page asks them."""
    random, known, values = Random(world), world_named(world), list(VALUES)
    replies = []
    for shown in ("map", "tree", "lineage", "plan"):
        request: dict[str, Any] = {
            "view": "identity",
            "world": world,
            "parameters": {name: number_of(random, one) for name, one in known.parameters.items()},
            "discount": str(Fraction(random.randrange(1, 21), 20)),
            "horizon": random.randrange(1, 5),
            "values": values if shown == "plan" else random.sample(values, 3),
            "caring": [str(Fraction(random.randrange(-1, 6), 4)), "1/3"],
        }
        if shown == "map":
            request["map"] = {"x": axis("discount", 4), "y": axis("caring", 3), "values": ["caring"]}
        elif shown != "plan":
            request[shown] = {"value": random.choice(values)}
        replies.append(reply(request))
    return replies


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
