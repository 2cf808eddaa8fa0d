"""Draw the picture on top of README and of the front page: ``python docs/hooks/front_picture.py`` writes it.

Left, the decision map of a teleporter that may leak. Middle, a considerate and an indifferent path on one map. Right,
how often the cautious agent and its rival fall. The picture is small and committed, since README is read on pages
that draw nothing.
"""

import sys
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "docs" / "static" / "front.png"
BLUE, RED, GREY = "#2e6fb7", "#d1495b", "#7d8491"
FIRM_FIRST = (0.7, 0.3)
SEEDS, STEPS = 20, 40


def teleporter(axes: Any) -> None:
    """Who steps in, over how often the machine leaks and what the other place pays."""
    from multislot.exact import Arrival, decision_map

    class Teleporter:
        actions, start = ("stay", "step in"), {1: "home"}

        def __init__(self, away: Any = 3, leak: Any = 0) -> None:
            self.pays, self.leak = {"home": 1, "away": away, "left": 0}, leak

        def outcomes(self, slot: int, state: Any, action: Any) -> list[Any]:
            def arrive(state: str) -> Arrival:
                return Arrival(state, "home" if state == "home" else "a room", self.pays[state])

            if state != "home" or action == "stay":
                return [(1, {slot: arrive(state)})]
            return [(1 - self.leak, {2: arrive("away")}), (self.leak, {1: arrive("left"), 2: arrive("away")})]

    leaks = [Fraction(k, 20) for k in range(21)]
    found = decision_map(
        Teleporter,
        x=("leak", leaks),
        y=("away", [Fraction(k, 4) for k in range(13)]),
        values=["cpy", "caring"],
        caring=0,
    )
    border, once = ([float(turns[0].at) for turns in found.turns[value]] for value in ("cpy", "caring"))
    x = [float(leak) for leak in leaks]
    axes.fill_between(x, border, 3, color=BLUE, alpha=0.25, linewidth=0)
    axes.plot(x, border, color=BLUE, linewidth=2.5, label="copy-centered value (chance counts twice)")
    axes.plot(x, once, color=GREY, linewidth=1.5, linestyle="--", label="average of the copies (chance counts once)")
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    axes.text(0.5, 2.45, "step in", ha="center", fontsize=13, color=BLUE)
    axes.text(0.4, 0.75, "stay at home", ha="center", fontsize=13, color=GREY)
    axes.set(xlim=(0, 1), ylim=(0, 3), xlabel="chance that it also leaves you behind", ylabel="pay of the other place")
    axes.set_title("A teleporter that may copy you:\nthe exact border", fontsize=11)


def paths(axes: Any) -> None:
    """Two best paths on one map, at two caring coefficients."""
    from considerate import solve
    from considerate.craftworld import task
    from considerate.craftworld.drawing import Walk, draw

    box = task("box")
    walks = [Walk(f"caring {caring}", solve(box, "value", caring).path) for caring in (0, 7)]
    draw(axes, box, walks)
    axes.set_title("Make a box and leave: what caring\nfor the next agent changes", fontsize=11)


def falls(axes: Any) -> None:
    """Mean share of lives with a fall, of the cautious agent and its rival."""
    from multislot.bayes import (
        BayesAgent,
        MentorClass,
        MentoredWorld,
        ModelClass,
        ModelWorld,
        PessimisticAgent,
        TabularMentor,
        TabularModel,
        compare_lives,
    )

    def lake(left: float, right: float) -> TabularModel:
        return TabularModel([[[1 - left, left], [1 - right, right]], [[0, 1], [0, 1]]], [[1, 1], [0, 0]])

    models = ModelClass([lake(0.3, 0), lake(0, 0.3)], prior=FIRM_FIRST)
    mentors = [TabularMentor([way, way], n_actions=2) for way in (0, 1)]
    settings = {"discount": 0.9, "horizon": 30}
    agents = {
        "cautious": PessimisticAgent(models, MentorClass(mentors), 0.99, exact=False, **settings),
        "Bayesian": BayesAgent(models, depth=1, **settings),
    }
    world = MentoredWorld(ModelWorld(lake(0, 0.3), n_inner=2))
    found = compare_lives(agents, world, seeds=SEEDS, mentor=mentors[0], steps=STEPS)
    steps = range(STEPS + 1)
    for (name, lives), color in zip(found.lives.items(), (BLUE, RED), strict=True):
        ends = [life.fall(found.falls) or STEPS + 1 for life in lives]
        standing = [sum(end > step for end in ends) / len(ends) for step in steps]
        axes.step(steps, standing, where="post", color=color, linewidth=2.5, label=name)
    axes.set(xlabel="steps", ylabel=f"share of {SEEDS} lives still on the ice", ylim=(-0.03, 1.08), xlim=(0, STEPS))
    axes.legend(frameon=False, loc="center right")
    axes.set_title("Two ways over a frozen lake:\nthe cautious agent asks first", fontsize=11)


def drawn() -> bytes:
    """Return the picture as PNG."""
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(13, 4.2), layout="constrained")
    for axes, part in zip(figure.subplots(1, 3), (teleporter, paths, falls), strict=True):
        part(axes)
        axes.spines[["top", "right"]].set_visible(False)
    raw, small = BytesIO(), BytesIO()
    figure.savefig(raw, format="png", dpi=100, facecolor="white")
    Image.open(raw).convert("RGB").quantize(64).save(small, format="png", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PLACE.write_bytes(drawn())
    print(f"{PLACE.relative_to(ROOT)}: {PLACE.stat().st_size // 1024} kB")
