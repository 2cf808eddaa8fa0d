"""Run what uses floating-point numbers as other processors would: ``make kernels``.

OpenBLAS, NumPy, torch and the C library choose their code by what a processor offers, so sums, exponentials and powers
differ in their last bits. Here they are told to choose as older processors do, once for each kernel. Under each kernel
run the tests and a whole quick reproduction, whose rows are compared: exact ones must be equal, others equal within
`TOLERANCE`, and those of scenarios that train with torch within what the row states.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "kernels"
TOLERANCE = 1e-9
ERRORS_APART = 5.0
"""Standard errors between two means that agree."""
AVX512 = re.compile("AVX512|X86_V4")
BASELINE = re.compile("SS|POPCNT|X86_V2|LAHF|CX16")
SAY = """
import json, numpy, scipy.linalg, threadpoolctl
from numpy._core._multiarray_umath import __cpu_features__ as features
try:
    from torch.backends.cpu import get_cpu_capability
except ImportError:
    get_cpu_capability = lambda: "not installed"
kernels = sorted({pool.get("architecture", "") for pool in threadpoolctl.threadpool_info()} - {""})
print(json.dumps({"OpenBLAS": kernels, "NumPy": "AVX512F" if features.get("X86_V4", features["AVX512F"]) else
    "AVX2" if features.get("X86_V3", features["AVX2"]) else "SSE", "torch": get_cpu_capability()}))
"""


@dataclass(frozen=True)
class Kernel:
    """What a kind of processor chooses.

    Attributes:
        name: OpenBLAS's name of the kernel.
        torch: torch's name.
        needs: features of the processor.
        lacks: matches NumPy's features that this kind does not have.
        hidden: features that the C library must not use.
    """

    name: str
    torch: str
    needs: tuple[str, ...]
    lacks: re.Pattern[str] | None
    hidden: str

    def environment(self) -> dict[str, str]:
        """The variables that make all libraries choose this kernel."""
        settings = {"OPENBLAS_CORETYPE": self.name, "ATEN_CPU_CAPABILITY": self.torch, "OMP_NUM_THREADS": "1"}
        names, features = dispatched()
        disabled = [name for name in names if self.lacks and features.get(name) and self.lacks.match(name)]
        settings["NPY_DISABLE_CPU_FEATURES"] = " ".join(disabled)
        if self.hidden:
            settings["GLIBC_TUNABLES"] = f"glibc.cpu.hwcaps={self.hidden}"
        return {**os.environ, **settings}

    def show(self) -> dict[str, Any]:
        """Name what really runs."""
        said: dict[str, Any] = json.loads(
            subprocess.run(
                [sys.executable, "-c", SAY], env=self.environment(), capture_output=True, text=True, check=True
            ).stdout
        )
        return said


KERNELS = (
    Kernel("Nehalem", "default", ("SSE42",), re.compile(f"(?!{BASELINE.pattern})"), "-AVX2,-FMA,-FMA4,-AVX512F"),
    Kernel("Haswell", "avx2", ("AVX2", "FMA3"), AVX512, "-AVX512F"),
    Kernel("SkylakeX", "avx512", ("AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL"), None, ""),
)


def dispatched() -> tuple[list[str], Mapping[str, bool]]:
    """The features for which NumPy has code of its own, and those that this processor has."""
    from numpy._core import _multiarray_umath as numpy_core

    return list(numpy_core.__cpu_dispatch__), numpy_core.__cpu_features__


def offered() -> tuple[list[Kernel], list[str]]:
    """The kernels that this processor can run, and a sentence for each that it cannot."""
    features, kernels, missing = dispatched()[1], [], []
    for kernel in KERNELS:
        lacking = [name for name in kernel.needs if not features.get(name)]
        if platform.machine().lower() not in ("x86_64", "amd64"):
            lacking = [f"an x86 processor (it is {platform.machine()})"]
        if lacking:
            missing.append(f"{kernel.name}: not run, this processor lacks {', '.join(lacking)}")
        else:
            kernels.append(kernel)
    return kernels, missing


def reproduce(kernel: Kernel, jobs: int) -> dict[str, Any]:
    """The rows of a quick reproduction, by scenario."""
    options = ["--json", "--jobs", str(jobs), "--results", str(BUILD / kernel.name)]
    command = [sys.executable, "-m", "multislot", "reproduce", *options]
    done = subprocess.run(command, env=kernel.environment(), stdout=subprocess.PIPE, cwd=ROOT)
    if done.returncode > 1:
        raise SystemExit(f"{kernel.name}: the reproduction ended with status {done.returncode}")
    return {scenario["scenario"]: scenario["rows"] for scenario in json.loads(done.stdout)["scenarios"]}


def trains_with_torch(scenario: str) -> bool:
    """Whether a scenario imports torch when it is run."""
    code = (
        "import atexit, sys; atexit.register(lambda: print('torch' in sys.modules, file=sys.stderr)); "
        "from multislot.__main__ import main; main()"
    )
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", code, "run", scenario, "--quick", "--json", "--results", folder]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.stderr.splitlines()[-1] == "True"


def agree(row: Mapping[str, Any], other: Mapping[str, Any], torch: bool = False) -> bool:
    """Whether a row is the same under two kernels."""
    if row["ours"] == other["ours"] and row["ours_exact"] == other["ours_exact"]:
        return True
    if torch and row["agrees"] == other["agrees"] is True:
        return True
    numbers = [each["ours"] for each in (row, other) if each["ours_exact"] is None]
    if len(numbers) < 2 or None in numbers:
        return False
    apart, scale = abs(numbers[0] - numbers[1]), max(1.0, *map(abs, numbers))
    if apart <= TOLERANCE * scale:
        return True
    return torch and apart <= ERRORS_APART * sum(each["uncertainty"] or 0.0 for each in (row, other))


def compare(mine: Mapping[str, Any], first: Mapping[str, Any]) -> tuple[int, int, list[str]]:
    """How many rows are equal, how many agree otherwise, and those that differ."""
    equal, near, differ = 0, 0, []
    for scenario, rows in first.items():
        pairs = list(zip(rows, mine[scenario], strict=True))
        unequal = [pair for pair in pairs if pair[0] != pair[1]]
        equal += len(pairs) - len(unequal)
        apart = [pair for pair in unequal if not agree(*pair)]
        if apart and trains_with_torch(scenario):
            apart = [pair for pair in apart if not agree(*pair, torch=True)]
        near += len(unequal) - len(apart)
        differ += [
            f"{scenario}: {a['quantity']}, {a['condition']}: {a['ours_exact'] or a['ours']} "
            f"and {b['ours_exact'] or b['ours']}"
            for a, b in apart
        ]
    return equal, near, differ


def main() -> None:
    """Run tests and a reproduction under each kernel, and end with status 1 if something fails or differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", action="append", help="only this kernel; by default all that the processor has")
    parser.add_argument("--reproduce-first", action="store_true", help="compare with the first kernel, too")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    kernels, missing = offered()
    for sentence in missing:
        print(sentence)
    failed, first = False, None
    for kernel in kernels:
        chosen = not asked.kernel or kernel.name in asked.kernel
        if not chosen and (kernel is not kernels[0] or not asked.reproduce_first):
            continue
        shown = kernel.show()
        print(f"{kernel.name}: {shown}", flush=True)
        if shown["OpenBLAS"] != [kernel.name]:
            failed = True
            print(f"{kernel.name}: another kernel runs")
        if chosen:
            command = [sys.executable, "-m", "pytest", "-q", "-n", str(asked.jobs), "--dist", "loadfile"]
            done = subprocess.run(command, env=kernel.environment(), cwd=ROOT)
            failed |= done.returncode != 0
        rows = reproduce(kernel, asked.jobs)
        if first is None:
            first = rows
            print(f"{kernel.name}: the rows of the other kernels are compared with these", flush=True)
            continue
        equal, near, differ = compare(rows, first)
        summary = f"{kernel.name}: {equal} rows equal, {near} within their tolerance, {len(differ)} differ"
        print(summary, *differ, sep="\n  ", flush=True)
        failed |= bool(differ)
    sys.exit(failed)


if __name__ == "__main__":
    main()
