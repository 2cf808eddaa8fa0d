"""The scenarios of pessimism on small settings, which several tests share."""

import importlib
import pickle
from dataclasses import replace
from functools import cache

from scenarios.lab import registry

SMALL = {
    "mentor-level": {
        "classes": 2,
        "seeds": 3,
        "bold_seeds": 4,
        "betas": (0.0, 0.9),
        "checkpoints": (0, 10),
        "horizon": 2,
    },
    "query-decay": {"classes": 2, "seeds": 2, "betas": (0.5,), "steps": 32},
    "precedent": {"tight_seeds": 5, "literals": 2, "event_seeds": 3},
    "reward-hacking": {"weights": (0.25, 0.75), "betas": (0.0, 0.9), "steps": 60, "seeds": 5, "takeovers": (0.0, 0.05)},
    "conservative-vs-standard": {"betas": (0.0, 0.99), "steps": 40, "seeds": 2, "depth": 1},
}


@cache
def ran(name, **changes):
    scenario = registry.find(name)
    run = importlib.import_module(scenario.module)
    settings = replace(scenario.settings(), **{**SMALL[name], **changes})
    return settings, [(cell, run.run_cell(cell)) for cell in pickle.loads(pickle.dumps(run.cells(settings)))], run


def rows_of(name, **changes):
    settings, results, run = ran(name, **changes)
    return {(row.quantity, row.condition): row for row in run.table(settings, results)}


def verdict_of(rows, quantity, condition=""):
    (found,) = {row.ours for row in rows if row.quantity == quantity and row.condition.startswith(condition)}
    return found
