"""The one-hot trainer gives the same bits at every level of instructions, and on ARM."""

import importlib.util
import platform
import shutil
import subprocess
import sysconfig
from hashlib import sha256
from pathlib import Path

import pytest

from multislot.agents.one_hot_models import kernel
from tests.build import ROOT
from tests.multislot.agents.one_hot_lives import NAMES, plan, some_turns, taught

pytestmark = pytest.mark.skipif(kernel() is None, reason="the one-hot trainer is not compiled")

SOURCES = ROOT / "multislot/agents/one_hot"
CARE = ["-fPIC", "-O2", "-ffp-contract=off", "-fno-math-errno", "-DMULTISLOT_PLAIN", f"-I{SOURCES}"]
FUSED = ["-ffp-contract=fast"]
COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
ON_X86 = platform.machine() == "x86_64" and shutil.which(COMPILER)
ARM = "aarch64-linux-gnu-gcc", "qemu-aarch64"


def make(target, sources, *flags, compiler=COMPILER):
    subprocess.run([compiler, *CARE, *flags, *map(str, sources), "-o", str(target), "-lm"], check=True)
    return target


def module_at(folder, name, glue, *flags):
    """Compile the trainer and load it next to the one that was built."""
    path = make(folder / f"{name}.so", [SOURCES / "network.c", SOURCES / "learner.c", glue], "-shared", *flags)
    spec = importlib.util.spec_from_file_location(f"{name}._one_hot", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bits(module):
    digest = sha256()
    for algorithm in NAMES:
        learner = module.Learner(plan(algorithm, (10, 4), module=module), None, 0)
        taught(learner, some_turns(700, (10, 4)))
        digest.update(b"".join(learner.parameters()[:4]))
    return digest.hexdigest()


@pytest.mark.skipif(not ON_X86, reason="needs a compiler for x86-64")
def test_every_level_of_instructions_gives_the_same_bits(tmp_path):
    """The control: where the compiler may fuse multiplications with additions, the bits are others."""
    cpu = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    glue = make(tmp_path / "module.o", [SOURCES / "module.c"], "-c", "-I" + sysconfig.get_paths()["include"])
    expected = bits(kernel())
    assert bits(module_at(tmp_path, "plain", glue, "-march=x86-64")) == expected
    if " avx2 " in cpu and " fma " in cpu:
        assert bits(module_at(tmp_path, "avx2", glue, "-march=x86-64-v3")) == expected
        assert bits(module_at(tmp_path, "fused", glue, "-march=x86-64-v3", *FUSED)) != expected


@pytest.mark.full
@pytest.mark.skipif(not (ON_X86 and all(map(shutil.which, ARM))), reason=f"needs {' and '.join(ARM)}")
def test_arm_gives_the_bits_of_x86(tmp_path):
    """Compiled for ARM and run by an emulator; the control is fused, which ARM's compilers do unless they are told."""
    sources = [SOURCES / "network.c", SOURCES / "learner.c", ROOT / "tests/multislot/agents/one_hot_bits.c"]
    here = make(tmp_path / "here", sources)
    arm, fused = (
        make(tmp_path / name, sources, "-static", *flags, compiler=ARM[0])
        for name, flags in (("arm", []), ("fused", FUSED))
    )
    printed = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for command in ([here], [ARM[1], arm], [ARM[1], fused])
    ]
    assert printed[0] == printed[1] != printed[2]
