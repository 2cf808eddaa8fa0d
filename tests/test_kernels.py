"""The same results on other processors: digests under each kernel that this one can run."""

import json
import subprocess
import sys

import numpy as np
import pytest

from tests.kernels import KERNELS, ROOT, TOLERANCE, agree, offered


def results_under(kernel, count):
    command = [sys.executable, "-m", "tests.kernel_digests", str(count)]
    done = subprocess.run(command, env=kernel.environment(), capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences_under(kernels, count):
    """Return what kernels compute otherwise than the first, and what the controls should, but do not."""
    if len(kernels) < 2:
        pytest.skip(f"this processor has {[kernel.name for kernel in kernels]} of {[k.name for k in KERNELS]}")
    first, *others = [results_under(kernel, count) for kernel in kernels]
    found = []
    for kernel, other in zip(kernels[1:], others, strict=True):
        same = {part: other[part] == first[part] for part in ("exact", "decided")}
        same["numbers"] = np.allclose(other["numbers"], first["numbers"], rtol=0, atol=TOLERANCE, equal_nan=True)
        same["control sums"] = other["control sums"] != first["control sums"]
        found += [(kernel.name, part) for part, holds in same.items() if not holds]
    if len({result["control decisions"] for result in (first, *others)}) == 1:
        found.append(("all", "control decisions"))
    return found


def test_an_old_and_a_new_processor_decide_the_same():
    """The controls are sums of BLAS, and choices between sums that are equal up to rounding: they differ."""
    kernels = offered()[0]
    assert differences_under(kernels[:1] + kernels[1:][-1:], 3) == []


@pytest.mark.slow
def test_every_kernel_decides_the_same():
    assert differences_under(offered()[0], 150) == []


def test_what_the_processor_lacks_is_named(monkeypatch):
    monkeypatch.setattr("tests.kernels.dispatched", lambda: (["AVX2"], {"SSE42": True, "AVX2": True, "FMA3": True}))
    kernels, missing = offered()
    if kernels:  # on x86
        assert [kernel.name for kernel in kernels] == ["Nehalem", "Haswell"]
        assert missing == ["SkylakeX: not run, this processor lacks AVX512F, AVX512DQ, AVX512BW, AVX512VL"]


def row(ours, exact=None, error=0.0, agrees=None):
    return {"ours": ours, "ours_exact": exact, "uncertainty": error, "agrees": agrees}


@pytest.mark.parametrize(
    ("one", "other", "plain", "torch"),
    [
        (row(0.5, "1/2"), row(0.5, "1/2"), True, True),
        (row(0.5, "1/2"), row(0.5 + 1e-12, "7/13"), False, False),
        (row("acts", "acts"), row("asks", "asks"), False, False),
        (row(0.5), row(0.5 + 1e-12), True, True),
        (row(0.5), row(0.5 + 1e-7), False, False),
        (row(0.5, error=0.1), row(0.6, error=0.1), False, True),
        (row(0.5, error=0.01), row(0.7, error=0.01), False, False),
        (row(0.5, error=0.01, agrees=True), row(0.6, error=0.01, agrees=True), False, True),
    ],
)
def test_rows_agree_as_far_as_they_are_promised(one, other, plain, torch):
    assert (agree(one, other), agree(one, other, torch=True)) == (plain, torch)
