"""The first weights of deep agents are the same on every machine, and as good as torch's own."""

import os
import subprocess
import sys

import numpy as np
import pytest

from multislot.agents import A2C, DQN, PPO
from multislot.agents.one_hot_models import kernel
from multislot.engine.stream import EndlessStream
from multislot.errors import SettingError

pytest.importorskip("torch")

SIZES = ((3, 2), (40, 4), (100, 3))
CODE_PATHS = (
    {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE", "OPENBLAS_CORETYPE": "Prescott"},
    {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"},
    {"ATEN_CPU_CAPABILITY": "avx512", "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3"},
)
"""Settings of torch, MKL, OpenBLAS and NumPy that choose other branches of their code."""
PORTABLE = "d4df1f591f2e7310"
"""`digest` of the first weights, stored: it may only change with the definition."""
PRINT_WEIGHTS = """
from tests.multislot.agents.test_initial_weights import digest, totals
print(digest(), *totals())
"""


def first_weights(kind, sizes, **overrides):
    return kind(*sizes, EndlessStream(5, 1), **overrides).model.parameters


def digest():
    """Hash of the first weights of every kind of agent, in several sizes."""
    from hashlib import sha256

    weights = [array for kind in (A2C, PPO, DQN) for sizes in SIZES for array in first_weights(kind, sizes)]
    return sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in weights)).hexdigest()[:16]


def totals():
    """Total rewards of short published runs with the one-hot trainer."""
    import extenv

    def published(kind):
        return lambda *arguments: kind(*arguments, mode="published", trainer="one_hot")

    steps = {A2C: 2000, PPO: 4200, DQN: 2000}
    return [
        int(extenv.run(environment, published(kind), steps=steps[kind], seed=1).total_reward)
        for kind in steps
        for environment in ("TemptingButton", "IgnoreRewards", "LimitedMemory")
    ]


def test_first_weights_are_the_stored_ones():
    assert digest() == PORTABLE
    assert first_weights(A2C, (3, 2))[0].tobytes() != first_weights(A2C, (3, 2), initial_weights="torch")[0].tobytes()


@pytest.mark.full
@pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")
@pytest.mark.parametrize("settings", CODE_PATHS)
def test_no_branch_of_a_library_changes_weights_or_totals(settings):
    ours = " ".join(map(str, (digest(), *totals())))
    command = [sys.executable, "-c", PRINT_WEIGHTS]
    theirs = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    assert theirs.stdout.strip() == ours


@pytest.mark.parametrize("kind", [A2C, PPO])
@pytest.mark.parametrize("sizes", SIZES)
def test_first_weights_are_orthogonal_with_the_gains_of_stable_baselines3(kind, sizes):
    ours, theirs = (first_weights(kind, sizes, initial_weights=name) for name in ("portable", "torch"))
    for array, torchs in zip(ours, theirs, strict=True):
        assert array.shape == torchs.shape
        if array.ndim == 2:
            assert squared(array) == pytest.approx(squared(torchs), abs=1e-5)
        else:
            assert not array.any()


def squared(matrix):
    """Products of the shorter of rows and columns with each other: a multiple of the unit matrix if orthogonal."""
    wide = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    return wide.astype(float) @ wide.T


def test_dqn_begins_with_what_torch_draws_but_for_last_bits():
    for array, torchs in zip(
        first_weights(DQN, (40, 4)), first_weights(DQN, (40, 4), initial_weights="torch"), strict=True
    ):
        assert array == pytest.approx(torchs, abs=1e-7)


def test_an_unknown_kind_of_first_weights_is_an_error():
    with pytest.raises(SettingError, match="initial_weights"):
        A2C(3, 2, EndlessStream(5, 1), initial_weights="mkl")
