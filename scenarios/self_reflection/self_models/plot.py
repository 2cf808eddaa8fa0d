"""Pictures of ``self-models``: the measures, and the environments in which the classes of models differ."""

from typing import TYPE_CHECKING

from extenv.measuring.plots import Series, columns_of_bars, rows_of_points, with_errors
from multislot.statistics import mean_and_error
from scenarios.self_reflection.self_models.run import APART, PLAIN, SELF, SHUFFLED, Results, measured
from scenarios.self_reflection.self_models.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASSES = (PLAIN, SELF, SHUFFLED)


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return one figure of measures, and one of environments for the first rule."""
    pairs = [(rule, models) for rule in settings.rules for models in CLASSES]
    found = {pair: measured(settings, results, *pair) for pair in pairs}
    measures = [
        series(f"{models} models", [list(found[rule, models].by_seed.values()) for rule in settings.rules])
        for models in CLASSES
    ]
    first = settings.rules[0]
    panels = {
        title: [
            series(f"{models} models", [found[first, models].mean_rewards(name, opposite) for name in APART])
            for models in CLASSES
        ]
        for title, opposite in (("environments", False), ("opposite environments", True))
    }
    axis = with_errors("self-reflection measure", settings.seeds)
    return {
        "self-models": columns_of_bars(settings.rules, measures, axis),
        first: rows_of_points(APART, panels, with_errors("reward per step", settings.seeds)),
    }


def series(label: str, values: list[list[float]]) -> Series:
    """Return means with their standard errors."""
    means, errors = zip(*map(mean_and_error, values), strict=True)
    return Series(label, means, errors)
