"""Pictures of ``language``: the measure by steps beside tabular agents, and every environment."""

from statistics import fmean
from typing import TYPE_CHECKING

from extenv.measuring.plots import rows_of_points, with_errors
from multislot.drawing.showing import new_figure
from multislot.statistics import student, whiskers
from scenarios.self_reflection.language.asking import asked_by
from scenarios.self_reflection.language.lives import PLAIN, TOLD, UNPAID, Results, compared, measured, points_of
from scenarios.self_reflection.language.rows import beside, by_seed
from scenarios.self_reflection.language.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures(settings: Settings, results: Results) -> "dict[str, Figure]":
    """Return the learning curves, and the environments; nothing where nobody was asked."""
    if settings.dry:
        return {}
    pair = [
        measured(results, name, part, variant=PLAIN, asked=asked_by(settings))
        for part, name in (("totals", settings.model), ("checked", f"RC({settings.model})"))
    ]
    panels = {
        title: [one.series(opposite) for one in pair]
        for title, opposite in (("environments", False), ("opposite environments", True))
    }
    return {
        "language": curves(settings, results),
        "environments": rows_of_points(settings.environments, panels, with_errors("reward per step", settings.seeds)),
    }


def curves(settings: Settings, results: Results) -> "Figure":
    """Return the measure after each quarter of the steps, with Student's intervals where there are seeds for them."""
    points = points_of(settings.steps)
    numbers = range(len(points))
    lines = {
        settings.model: [by_seed(settings, results, point=point) for point in numbers],
        f"RC({settings.model})": [by_seed(settings, results, part="checked", point=point) for point in numbers],
        "told of copies": [by_seed(settings, results, TOLD, point=point) for point in numbers],
        "rewards drawn at random": [by_seed(settings, results, UNPAID, point=point) for point in numbers],
        **{agent: [beside(settings, results, agent, point) for point in numbers] for agent in compared(settings)},
    }
    figure = new_figure(7.5, 4.5)
    axes = figure.subplots()
    for place, (label, values) in enumerate(lines.items()):
        means = [fmean(one) for one in values]
        shifted = [point + (place - len(lines) / 2) * settings.steps / 250 for point in points]
        style = "--" if label in compared(settings) else "-"
        (line,) = axes.plot(shifted, means, style, marker=".", label=label)
        if settings.seeds > 1:
            for x, mean, one in zip(shifted, means, values, strict=True):
                axes.errorbar(x, mean, whiskers(mean, student(one)), color=line.get_color(), linewidth=0.8)
    axes.axhline(0.0, color="black", linewidth=0.6)
    axes.set_xticks(points)
    axes.set_xlabel("steps")
    many = f"95% confidence, {settings.seeds} seeds" if settings.seeds > 1 else "1 seed: no interval"
    axes.set_ylabel(f"self-reflection measure\n({many})")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
