"""The caution view: one life of the pessimistic agent on the cliff, and what it thought at every step.

The world is that of the scenario ``conservative-vs-standard``: a 7×7 grid whose shortest path may lead over cliffs, and
a mentor who knows (Cohen and Hutter 2020).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from multislot.bayes import PessimisticAgent
from multislot.bayes.builders import ROWS, START
from multislot.bayes.builders import SUSPECTS as LETTERS
from multislot.bayes.pessimistic import PessimisticDecision
from scenarios.conservatism.cliff import CliffWorld, cliffs_of
from scenarios.conservatism.conservative_vs_standard import SUSPECTS, TRUTHS, Settings, world_of
from scenarios.explore.views import ReplayedView

BETAS = ("0", "0.5", "0.9", "0.91", "0.93", "0.95", "0.97", "0.99", "0.999")
SEEDS = (1, 2, 3)
STEPS = 120
REASONS: Mapping[str, str] = {
    "acts": "It acts: its plan is worth something in every model that it considers.",
    "zero condition": "It asks: in the worst model that it considers every plan is worth nothing.",
    "mentor is worth more": "It asks: it believes that the mentor would do better.",
    "guard": "It asks: the worst model that it considers gives this action the value 0.",
}


@lru_cache(maxsize=64)
def _life(beta: str, truth: str, seed: int) -> dict[str, Any]:
    settings, world = Settings(), world_of(Settings())
    plan = (settings.discount, settings.horizon)
    agent = PessimisticAgent(world.models, world.mentors, float(beta), *plan, exact=False, noise=settings.noise)
    index, mine, lived = world.live(agent, truth == "deadly", STEPS, seed)
    cliffs = cliffs_of(index)
    fall = lived.fall(cliffs)
    decided = [decision for decision in mine.record if isinstance(decision, PessimisticDecision)]
    steps = [_step(world, decision, lived.observations[k + 1], lived.rewards[k]) for k, decision in enumerate(decided)]
    return {
        "cells": _cells(cliffs),
        "start": START,
        "steps": steps[:fall],
        "fell": fall is not None,
        "models": len(world.models),
        "questions": lived.questions(cliffs),
        "reward": f"{np.mean(lived.rewards[:fall]):.3f}",
    }


def _step(world: CliffWorld, decision: PessimisticDecision, arrived: int | None, reward: float) -> dict[str, Any]:
    """Return one step: what it considered, what it decided and why, and where it went."""
    suspected = sorted({cell for index in decision.top_set for cell in cliffs_of(index)})
    return {
        "considers": len(decision.top_set),
        "suspects": suspected,
        "value": f"{decision.value:.4f}",
        "mentor": f"{decision.mentor_value:.4f}",
        "reason": decision.reason,
        "asks": decision.action is None,
        "to": arrived,
        "reward": f"{reward:g}",
    }


def _cells(cliffs: frozenset[int]) -> list[dict[str, Any]]:
    """The cells of the grid, in words."""
    kinds = {"S": "start", "G": "goal", "#": "wall"} | dict.fromkeys(LETTERS[:SUSPECTS], "suspect")
    return [
        {"x": x, "y": y, "kind": "cliff" if y * len(row) + x in cliffs else kinds.get(mark, "floor")}
        for y, row in enumerate(ROWS)
        for x, mark in enumerate(row)
    ]


WORDS = {"betas": BETAS, "truths": TRUTHS, "seeds": SEEDS, "steps": STEPS, "reasons": dict(REASONS)}
VIEW = ReplayedView({"beta": BETAS, "truth": TRUTHS, "seed": SEEDS}, lambda: dict(WORDS), _life)
