"""What importing the packages does: it registers environments, loads nothing heavy, and keeps documented paths."""

import ast
import json
import subprocess
import sys

import pytest

from multislot import exact
from tests.build import ROOT

HEAVY = ("torch", "stable_baselines3", "matplotlib", "pandas", "pygame", "dask", "distributed", "sympy", "openai")


def answer(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_importing_all_packages_loads_nothing_heavy():
    code = (
        "import json, sys, multislot, extenv, considerate.training, scenarios; print(json.dumps(sorted(sys.modules)))"
    )
    modules = answer(code)
    assert "numpy" in modules
    assert set(HEAVY) & set(modules) == set()


def test_the_exact_theory_is_imported_when_it_is_used():
    code = """
import json, sys, multislot
before = {"multislot.exact", "flint"} & set(sys.modules)
name = multislot.exact.copy().name
print(json.dumps([sorted(before), name, "multislot.exact.copies" in sys.modules]))
"""
    assert answer(code) == [[], "copy", False]


def test_every_name_of_a_package_that_imports_late_is_there():
    stub = ast.parse((ROOT / "multislot" / "exact" / "__init__.pyi").read_text(encoding="utf-8")).body[-1]
    assert ast.literal_eval(stub.value) == sorted(exact.__all__, key=ast.literal_eval(stub.value).index)
    assert all(hasattr(exact, name) for name in exact.__all__)


@pytest.mark.parametrize("order", ["multislot, pettingzoo, gymnasium", "pettingzoo, gymnasium, multislot"])
def test_environments_are_registered_whichever_package_comes_first(order):
    code = f"""
import json
import {order}
made = pettingzoo.make("parallel", "multislot/copy-v1"), pettingzoo.make("aec", "multislot/mentor-cliff-v0")
print(json.dumps([*map(str, made), type(gymnasium.make("multislot/stay-v1").unwrapped).__name__]))
"""
    assert answer(code) == ["multislot/copy-v1", "multislot/mentor-cliff-v0", "SingleView"]


MOVED = {
    **{"considerate.evaluation": "evaluate", "considerate.learners": "Learner", "considerate.views": "SoloEnv"},
    **{"considerate.training": "train", "considerate.sweeps": "Sweep", "extenv.compose": "Folded"},
    **{"multislot.credit": "CopyTree", "multislot.stream": "EndlessStream"},
}


def test_documented_paths_from_before_a_move_still_work():
    imports = "; ".join(f"from {path} import {name}" for path, name in MOVED.items())
    assert answer(f"{imports}; print(len([{', '.join(MOVED.values())}]))") == len(MOVED)
