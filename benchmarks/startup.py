"""What a command costs before it does anything, against the libraries that the package stands on.

Run with ``python benchmarks/startup.py [tries]``. Every try runs all commands once, in turn, so that what else the
machine does meets all of them alike. Printed are medians by the wall clock, and ratios to the libraries alone.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from statistics import median

LIBRARIES = ("-c", "import numpy, networkx, gymnasium, pettingzoo")
COMMANDS = {
    "import numpy, networkx, gymnasium, pettingzoo": LIBRARIES,
    "import multislot": ("-c", "import multislot"),
    "multislot --version": ("-m", "multislot", "--version"),
    "multislot --help": ("-m", "multislot", "--help"),
    "multislot worlds": ("-m", "multislot", "worlds"),
    "multislot solve branch-line": ("-m", "multislot", "solve", "branch-line"),
}
PROMISED = {"import multislot": 1.3}
"""The largest ratios to the libraries."""
SECONDS = {
    "multislot --version": 0.5,
    "multislot --help": 0.5,
    "multislot worlds": 0.5,
    "multislot solve branch-line": 1,
}
"""The most seconds on an idle core."""


def seconds_of(arguments: Sequence[str], folder: str) -> float:
    """Seconds that a new interpreter takes."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Print a line for each command."""
    tries = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        for arguments in COMMANDS.values():  # files are read into memory, and modules compiled
            seconds_of(arguments, folder)
        rounds = [{name: seconds_of(arguments, folder) for name, arguments in COMMANDS.items()} for _ in range(tries)]
    medians = {name: median(one[name] for one in rounds) for name in COMMANDS}
    (libraries, *_) = medians.values()
    for name, seconds in medians.items():
        promised = f", at most {PROMISED[name]} promised" if name in PROMISED else ""
        promised += f", at most {SECONDS[name]} s on an idle core" if name in SECONDS else ""
        print(f"{name:<46} {seconds:6.3f} s  {seconds / libraries:5.2f} times the libraries{promised}")


if __name__ == "__main__":
    main()
