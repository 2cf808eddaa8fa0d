"""PettingZoo's own conformance tests, and ours, for registered environments of any package.

@pytest.mark.parametrize("name", [...])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("check", CHECKS)
def test_conformance(check, name, view):
    conform(check, name, view)
"""

import os
import warnings
from importlib import import_module
from pkgutil import iter_modules
from types import SimpleNamespace
from unittest import mock

import pettingzoo

from multislot.testing import check_environment
from multislot.zoo import make

VIEWS = ("dynamic", "fixed")
LONGER_THAN_A_TEST = 2_000

DISCRETE_OBSERVATIONS_WARN = {"Observation is not a NumPy array"}
"""What PettingZoo's tests warn of for any Discrete observation, np.int64 though it is; nothing else is let pass."""


def games(kind, name, **settings):
    """One of PettingZoo's own environments; `pettingzoo.make` exists from version 1.27 on."""
    if hasattr(pettingzoo, "make"):
        return pettingzoo.make(kind, name, **settings)
    family, _, game = name.partition("-")[0].partition("/")
    package = import_module(f"pettingzoo.{family}")
    newest = max(module.name for module in iter_modules(package.__path__) if module.name.startswith(f"{game}_v"))
    module = import_module(f"{package.__name__}.{newest}")
    return module.parallel_env(**settings) if kind == "parallel" else module.env(**settings)


def parallel(name, view):
    return lambda **settings: make("parallel", name, view=view, **settings)


def aec(name, view):
    return lambda **settings: make("aec", name, view=view, **settings)


def parallel_api(suite, name, view):
    """An episode longer than the test: it warns of agents that were not born when one was cut off."""
    suite.parallel_api_test(parallel(name, view)(max_cycles=LONGER_THAN_A_TEST))


def aec_api(suite, name, view):
    suite.api_test(aec(name, view)(), num_cycles=200)


def seeds(suite, name, view):
    suite.seed_test(aec(name, view), num_cycles=50)
    suite.parallel_seed_test(parallel(name, view))


def seeds_to_the_end(suite, name, view):
    check_environment(lambda: parallel(name, view)(max_cycles=40))


def rendering(suite, name, view):
    suite.render_test(aec(name, view))


def max_cycles(suite, name, view):
    """Not for the dynamic view: it counts the steps of agents that may be born late."""
    if view == "fixed":
        suite.max_cycles_test(SimpleNamespace(parallel_env=parallel(name, view), env=aec(name, view)))


CHECKS = (parallel_api, aec_api, seeds, seeds_to_the_end, rendering, max_cycles)


def conform(check, *environment):
    """Run one of `CHECKS` on a registered environment; any warning that is not listed above fails it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # importing PettingZoo's tests warns of its own examples
        from pettingzoo import test as suite
    with warnings.catch_warnings(record=True) as caught, mock.patch.dict(os.environ, SDL_VIDEODRIVER="dummy"):
        warnings.simplefilter("always")
        check(suite, *environment)
    assert {str(warning.message) for warning in caught} <= DISCRETE_OBSERVATIONS_WARN
