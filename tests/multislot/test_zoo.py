"""PettingZoo's and Gymnasium's own conformance tests on every registered environment, and what `register` promises."""

import sys
import warnings
from types import SimpleNamespace

import gymnasium
import pettingzoo
import pytest

from multislot import World
from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact import copy
from multislot.testing import check_environment
from multislot.zoo import DynamicView, FixedView, SingleView, register
from tests.multislot.bustle import Bustle

IDS = [name for name in pettingzoo.parallel_registry if name.startswith("multislot/")]
VIEWS = ("dynamic", "fixed")

DISCRETE_OBSERVATIONS_WARN = {"Observation is not a NumPy array"}
"""What PettingZoo's tests warn of for any Discrete observation, np.int64 though it is; nothing else is let pass."""


@pytest.fixture(autouse=True)
def no_window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.fixture(params=VIEWS)
def view(request):
    return request.param


@pytest.fixture(params=IDS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def suite():
    """PettingZoo's own tests, whose import warns of PettingZoo's own example environments."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo import test
    return test


@pytest.fixture
def warned(suite):
    """Collect warnings; at the end, they must be among those for Discrete observations."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert {str(warning.message) for warning in caught} <= DISCRETE_OBSERVATIONS_WARN


def parallel(name, view):
    return lambda **settings: pettingzoo.make("parallel", name, view=view, **settings)


def aec(name, view):
    return lambda **settings: pettingzoo.make("aec", name, view=view, **settings)


def test_the_worlds_of_the_paper_are_registered():
    expected = {f"multislot/{name}-v0" for name in ("stay", "teleport", "copy", "copy-delete", "universal")}
    assert expected <= set(pettingzoo.parallel_registry)
    assert expected <= set(pettingzoo.aec_registry)
    assert "multislot/stay-v0" in gymnasium.registry


def test_parallel_api(name, view, suite, warned):
    suite.parallel_api_test(parallel(name, view)())


def test_aec_api(name, view, suite, warned):
    suite.api_test(aec(name, view)(), num_cycles=200)


def test_seeds(name, view, suite, warned):
    suite.seed_test(aec(name, view), num_cycles=50)
    suite.parallel_seed_test(parallel(name, view))


def test_seeds_to_the_end_and_through_births(name, view):
    check_environment(lambda: parallel(name, view)(max_cycles=40))


def test_rendering(name, view, suite, warned):
    suite.render_test(aec(name, view))


def test_max_cycles_of_the_fixed_view(name, suite, warned):
    suite.max_cycles_test(SimpleNamespace(parallel_env=parallel(name, "fixed"), env=aec(name, "fixed")))


def test_gymnasium_accepts_those_with_one_agent():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("multislot/stay-v0", render_mode="rgb_array", max_cycles=30).unwrapped)


def test_parameters_are_those_of_the_world():
    environment = pettingzoo.make("parallel", "multislot/copy-v0", r_1=5, r_2=7)
    environment.reset(seed=0)
    _, rewards, *_ = environment.step({"copy_0": 1})
    assert rewards == {"copy_0": 5.0, "copy_1": 7.0}
    with pytest.raises(UnknownNameError, match=r"unknown parameter of multislot/copy-v0 'r_3'; did you mean 'r_"):
        pettingzoo.make("parallel", "multislot/copy-v0", r_3=1)


def test_every_parameter_of_a_registered_world_is_documented(name):
    from inspect import getdoc, signature
    from pkgutil import resolve_name

    factory = resolve_name(pettingzoo.spec("parallel", name).entry_point.__self__.world)
    for parameter in signature(factory).parameters:
        assert f"{parameter}:" in getdoc(factory) or f"``{parameter}``" in getdoc(factory)


def test_views_and_their_settings():
    make = parallel("multislot/universal-v0", "dynamic")
    assert isinstance(make(), DynamicView)
    assert make(max_agents=8).possible_agents == [f"copy_{number}" for number in range(8)]
    fixed = pettingzoo.make("parallel", "multislot/universal-v0", view="fixed", slots=3)
    assert isinstance(fixed, FixedView)
    assert fixed.possible_agents == ["slot_1", "slot_2", "slot_3"]
    with pytest.raises(UnknownNameError, match="unknown view 'fixe'; did you mean 'fixed'"):
        pettingzoo.make("parallel", "multislot/copy-v0", view="fixe")
    with pytest.raises(SettingError, match="slots is a setting of the fixed view; give view='fixed'"):
        make(slots=3)
    with pytest.raises(SettingError, match="max_agents is a setting of the dynamic view"):
        pettingzoo.make("parallel", "multislot/copy-v0", view="fixed", max_agents=3)
    with pytest.raises(UnknownNameError, match="unknown render mode 'text'"):
        make(render_mode="text")
    for setting in ("max_cycles", "max_agents"):
        with pytest.raises(SettingError, match=f"got {setting}=0; expected a whole number, at least 1"):
            make(**{setting: 0})


@pytest.fixture
def registries():
    """Leave the registries as they were."""
    registries = pettingzoo.parallel_registry, pettingzoo.aec_registry, gymnasium.registry
    before = [dict(registry) for registry in registries]
    yield
    for registry, kept in zip(registries, before, strict=True):
        registry.clear()
        registry.update(kept)


def test_registering_a_world_by_where_it_is_found(registries):
    register("test/bustle-v0", "tests.multislot.bustle:Bustle", slots=4, parameters={"spawning": True}, max_cycles=9)
    environment = pettingzoo.make("parallel", "test/bustle-v0")
    assert environment.stage.world.spawning
    assert environment.stage.max_cycles == 9
    assert not pettingzoo.make("parallel", "test/bustle-v0", spawning=False).stage.world.spawning
    assert pettingzoo.make("aec", "test/bustle-v0", view="fixed").possible_agents[-1] == "slot_4"


def test_registering_a_factory_of_kernels_and_of_nothing(registries):
    register("test/copy-v0", copy, single_agent=True)
    assert isinstance(pettingzoo.make("parallel", "test/copy-v0").stage.world, World)
    assert isinstance(gymnasium.make("test/copy-v0").unwrapped, SingleView)
    register("test/nothing-v0", lambda: 3)
    with pytest.raises(SettingError, match="the factory of test/nothing-v0 made a int; a World or a kernel is needed"):
        pettingzoo.make("parallel", "test/nothing-v0")


def test_missing_pygame_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    environment = DynamicView(Bustle(), render_mode="human")
    with pytest.raises(MultislotError, match=r'render_mode="human" needs the extra "render"'):
        environment.reset(seed=0)
