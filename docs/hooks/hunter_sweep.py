"""The sweep of the page "Considerate hunters": how its data were made, and its picture.

``python docs/hooks/hunter_sweep.py`` trains everything again (some minutes) and writes ``hunter_sweep.json``.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from considerate.sweeps import Sweep, sweep
from considerate.training import Training
from considerate.training.evaluation import Evaluation
from considerate.training.views import SoloEnv
from considerate.wrappers import Caring

DATA = Path(__file__).with_name("hunter_sweep.json")
CARING = (Fraction(0), Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), Fraction(2))
SEEDS, STEPS, EPISODES = range(3), 8_000, 40
HUNTER, PREY = "adversary_0", "agent_0"
TRAINING = Training(
    "PPO",
    steps=STEPS,
    settings={
        "n_steps": 512,
        "batch_size": 128,
        "n_epochs": 8,
        "learning_rate": 2e-3,
        "gamma": 0.95,
        "ent_coef": 0.005,
    },
)


def hunt(caring: Any) -> SoloEnv:
    """Return the hunter's view of one prey that stands still, with the prey's reward times a coefficient added."""
    from mpe2 import simple_tag_v3

    game = simple_tag_v3.parallel_env(num_good=1, num_adversaries=1, num_obstacles=0, max_cycles=25)
    return SoloEnv(Caring(game, HUNTER, "sim", float(caring)), HUNTER, {PREY: lambda seen: 0})


def read() -> Sweep:
    """Return the sweep that was run."""
    found = json.loads(DATA.read_text())
    return Sweep({Fraction(alpha): tuple(map(_evaluation, seeds)) for alpha, seeds in found.items()})


def _evaluation(everyone: dict[str, list[float]]) -> Evaluation:
    return Evaluation((), (), (), {name: tuple(values) for name, values in everyone.items()})


def picture() -> Figure:
    """Draw the picture of the page."""
    return read().plot()


def main(directory: str) -> None:
    """Train at every coefficient with every seed, and keep each episode's returns."""
    found = sweep(
        hunt, CARING, TRAINING, SEEDS, episodes=EPISODES, directory=directory, progress=lambda *done: print(*done)
    )
    kept = {str(alpha): [dict(one.everyone) for one in seeds] for alpha, seeds in found.evaluations.items()}
    DATA.write_text(json.dumps(kept) + "\n")
    print(found.table().to_string())


if __name__ == "__main__":
    main(*sys.argv[1:])
