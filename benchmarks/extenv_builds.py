"""Compiled against interpreted: the same runs in both builds of the same source, side by side.

Target: the compiled build is at least 20 times as fast. The interpreted one is run from copies of the sources without
their compiled modules.

    python benchmarks/extenv_builds.py
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = """
import sys
sys.path.insert(0, sys.argv[1])
from time import perf_counter
import extenv
from multislot.agents import QLearner
steps = int(sys.argv[2])
extenv.run("IgnoreRewards", QLearner, steps=10)
begun = perf_counter()
totals = [
    extenv.run(name, QLearner, steps=steps, opposite=opposite).total_reward
    for name in extenv.BATTERY
    for opposite in (False, True)
]
print((perf_counter() - begun) / (50 * steps), hasattr(QLearner.act, "__code__"), sum(totals[:1]))
"""


def nanoseconds(root, steps):
    """Return nanoseconds a step and whether the build under `root` is interpreted."""
    command = [sys.executable, "-c", RUNS, str(root), str(steps)]
    found = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root).stdout.split()
    return float(found[0]) * 1e9, found[1] == "True"


def main():
    with tempfile.TemporaryDirectory() as folder:
        for package in ("multislot", "extenv"):
            ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
            shutil.copytree(ROOT / package, Path(folder) / package, ignore=ignored)
        slow, _ = nanoseconds(folder, 1_000)
    fast, is_interpreted = nanoseconds(ROOT, 100_000)
    if is_interpreted:
        print(f"nothing is compiled here; interpreted: {slow:.0f} ns a step")
        return
    print(f"interpreted {slow:.0f} ns a step, compiled {fast:.1f} ns: {slow / fast:.1f} times (target at least 20)")


if __name__ == "__main__":
    main()
