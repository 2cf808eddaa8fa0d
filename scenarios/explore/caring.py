"""The caring view: what an agent in a Craft-World task does for every caring coefficient at once."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from considerate.craftworld.definition import Task
from considerate.craftworld.files import TASKS, task
from considerate.craftworld.grid import WALLS
from considerate.criteria import CRITERIA
from considerate.exact.frontiers import Piece, frontier
from considerate.exact.solutions import solve
from scenarios.explore.views import ReplayedView

CRITERION_WORDS: Mapping[str, str] = {
    "value": "the others' expected future (equation 1)",
    "worst": "their worst possible future (equation 2)",
    "neg": "only harm: their future compared with doing nothing, if it is worse (equation 3)",
    "per_agent": "each other's future with a coefficient of its own (equation 4)",
    "min": "the future of whoever is worst off (equation 5)",
    "sim": "what the others are paid at every step (equation 6)",
    "options": "how many options the others keep (equation 7)",
    "valued_options": "the worth of the options that the others keep (equation 8)",
}


def _start() -> dict[str, Any]:
    criteria = [{"name": name, "meaning": CRITERION_WORDS[name]} for name in CRITERIA]
    return {"tasks": [{"name": name, "title": task(name).title} for name in TASKS], "criteria": criteria}


@lru_cache(maxsize=128)
def _frontier_of(name: str, criterion: str) -> dict[str, Any]:
    chosen_task = task(name)
    pieces = frontier(chosen_task, criterion).pieces
    return {
        "title": chosen_task.title,
        "source": chosen_task.source,
        "map": _map(chosen_task),
        "agents": list(pieces[0].behavior.returns),
        "pieces": [_piece(chosen_task, criterion, piece) for piece in pieces],
    }


def _map(shown: Task) -> dict[str, Any]:
    grid = shown.grid
    cells = [
        {
            "x": x,
            "y": y,
            "kind": "wall" if mark in WALLS else grid.word((x, y)) or "floor",
            "mark": mark if mark.isalpha() and mark not in WALLS else "",
        }
        for y, row in enumerate(grid.rows)
        for x, mark in enumerate(row)
    ]
    return {"width": grid.width, "height": grid.height, "cells": cells}


def _piece(chosen_task: Task, criterion: str, piece: Piece) -> dict[str, Any]:
    """A behavior, where it is optimal, and the path at a coefficient inside."""
    inside = piece.lower + 1 if piece.upper is None else (piece.lower + piece.upper) / 2
    solution = solve(chosen_task, criterion, inside)
    return {
        "lower": str(piece.lower),
        "upper": None if piece.upper is None else str(piece.upper),
        "returns": {agent: str(worth) for agent, worth in piece.behavior.returns.items()},
        "path": [list(cell) for cell in solution.path],
        "actions": list(solution.actions),
    }


VIEW = ReplayedView({"task": tuple(TASKS), "criterion": tuple(CRITERIA)}, _start, _frontier_of)
