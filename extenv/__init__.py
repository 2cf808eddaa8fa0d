"""Extended (agent-simulating) environments, which simulate copies of the agent, and the measure of self-reflection.

    import extenv
    from multislot.agents import QLearner

    print(extenv.run("IgnoreRewards", QLearner, steps=1000, seed=1).total_reward)
    print(extenv.measure(QLearner, steps=1000).mean)

Alexander, Castaneda, Compher and Martinez 2021; Alexander 2022.
"""

import sys

from extenv import formal, zoo  # zoo registers the environments
from extenv.battery import BATTERY, ENVIRONMENTS, OUTSIDE, SLOW, make
from extenv.composing import compose
from extenv.environment import ExtendedEnvironment, SimulatingEnvironment
from extenv.measuring.comparison import Comparison, compare
from extenv.measuring.measurement import Measurement, by_complexity, measure
from extenv.measuring.running import Run, run
from extenv.reality_checks import RealityCheck, reality_check
from extenv.world import AsWorld, published
from extenv.zoo import register_environment
from multislot.engine.docstrings import restore_docstrings

restore_docstrings("extenv")

# The documented path from before it moved: `from extenv.compose import Handicapped` still works.
sys.modules[f"{__name__}.compose"] = compose

__all__ = [
    "BATTERY",
    "ENVIRONMENTS",
    "OUTSIDE",
    "SLOW",
    "AsWorld",
    "Comparison",
    "ExtendedEnvironment",
    "Measurement",
    "RealityCheck",
    "Run",
    "SimulatingEnvironment",
    "by_complexity",
    "compare",
    "compose",
    "formal",
    "make",
    "measure",
    "published",
    "reality_check",
    "register_environment",
    "run",
    "zoo",
]
