"""What importing the engine costs and needs: the exact engine needs the standard library alone."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.build import ROOT

THIRD_PARTY = ("numpy", "scipy", "networkx", "matplotlib", "gymnasium", "pettingzoo", "pydantic", "joblib")

ANSWER = """
import json, sys
from fractions import Fraction

import multislot
from multislot.exact.files.answers import answer
from multislot.exact import (
    AIMU, AIXI, FirstCopy, KernelWorld, Mixture, UniversalKernel, action_values, copy, copy_delete, decision_tree, Plan,
    teleport,
)

kernels = {"teleport": teleport(), "copy": copy(b=1), "copy_delete": copy_delete(d=2), "universal": UniversalKernel()}
valued = {
    f"{name} {value}": {str(a): str(v) for a, v in values.items()}
    for name, kernel in kernels.items()
    for value in ("cpy", "sta", "dyn", FirstCopy())
    for values in [action_values(kernel, value, discount=Fraction(1, 2), horizon=4)]
}
mixture = Mixture([copy(), copy(r_2=9)], [1, 2])
trace = multislot.run(KernelWorld(copy()), {1: AIMU(copy(r_2=9), "cpy", discount=Fraction(1, 2), last_step=4)}, 4)
found = {
    "values": valued,
    "mixture": str(action_values(mixture, "cpy", discount=0.5, horizon=3)),
    "tree": str(decision_tree(Plan(copy(), "dyn", Fraction(1, 2), 3), 2)),
    "lineage": trace.lineage.text(),
    "ancestor": trace.lineage.common_ancestor(1, 2),
    "same": trace.lineage.same_history(),
    "actions": [dict(step) for step in trace.actions],
    "histories": [trace.agent_history(2).pairs(), trace.slot_history(2), trace.reward_history(2)],
    "asked": answer({"world": "copy-delete", "tree": {}, "lineage": {}, "map": {"x": "r_2", "y": "discount"}}),
    "rows": [list(map(float, getattr(trace, name))) for name in ("offsets", "slot", "parent", "reward", "acted")],
}
print(json.dumps({"found": found, "modules": sorted({name.split(".")[0] for name in sys.modules})}))
"""


def answer(*python):
    done = subprocess.run([sys.executable, *python], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bare(folder):
    """Copy the sources and the files of worlds alone, as a page that runs them in a browser does."""
    for path in [*(ROOT / "multislot").rglob("*.py"), *(ROOT / "multislot").rglob("*.toml")]:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return ["-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{ANSWER}"]


def test_the_exact_engine_needs_the_standard_library_alone(tmp_path):
    alone, installed = answer(*bare(tmp_path)), answer("-c", ANSWER)
    assert set(alone["modules"]) - sys.stdlib_module_names == {"__main__", "multislot"}
    assert alone["found"] == installed["found"]
    assert "numpy" in installed["modules"]


def test_a_third_party_import_would_be_found(tmp_path):
    script = bare(tmp_path)
    with (tmp_path / "multislot" / "engine" / "turn.py").open("a") as turn:
        turn.write("\nimport numpy\n")
    with pytest.raises(AssertionError, match="No module named 'numpy'"):
        answer(*script)


def test_importing_the_engine_imports_no_third_party_package():
    code = "import json, sys, multislot; print(json.dumps(sorted(sys.modules)))"
    assert not set(answer("-c", code)) & set(THIRD_PARTY)


def test_importing_all_packages_imports_neither_scipy_nor_registries():
    code = "import json, sys, multislot, extenv, considerate; print(json.dumps(sorted(sys.modules)))"
    assert not set(answer("-c", code)) & {"scipy", "networkx", "matplotlib", "gymnasium", "pettingzoo", "pydantic"}


@pytest.mark.parametrize("name", ["compose", "comparators", "solve", "nothing"])
def test_names_that_are_imported_late_are_there_or_refused(name):
    package = "extenv" if name == "compose" else "considerate"
    if name == "nothing":
        with pytest.raises(AssertionError, match="module 'considerate' has no attribute 'nothing'"):
            answer("-c", "import considerate; considerate.nothing")
    else:
        assert answer("-c", f"import json, {package}; print(json.dumps(bool({package}.{name})))")


@pytest.mark.parametrize("order", ["multislot, pettingzoo, gymnasium", "pettingzoo, gymnasium, multislot"])
def test_environments_are_registered_whichever_package_comes_first(order):
    code = f"""
import json, importlib.util
import {order.split(", ")[0]}
assert importlib.util.find_spec("pettingzoo")   # looking is not importing
import {order}
made = pettingzoo.make("parallel", "multislot/copy-v1"), pettingzoo.make("aec", "multislot/mentor-cliff-v0")
print(json.dumps([*map(str, made), type(gymnasium.make("multislot/stay-v1").unwrapped).__name__]))
"""
    assert answer("-W", "error", "-c", code) == ["multislot/copy-v1", "multislot/mentor-cliff-v0", "SingleView"]
