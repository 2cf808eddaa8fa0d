"""PettingZoo's and Gymnasium's own conformance tests on every registered environment, and what `register` promises."""

import sys
import warnings

import gymnasium
import pettingzoo
import pytest

from multislot import World
from multislot.errors import MultislotError, SettingError, UnknownNameError
from multislot.exact import copy
from multislot.zoo import DynamicView, FixedView, SingleView, make, register, registered
from multislot.zoo.episode import LONGEST
from multislot.zoo.registration import ENTRIES, REGISTERED
from tests.conformance import CHECKS, VIEWS, conform, parallel
from tests.multislot.bustle import Bustle

IDS = [name for name in ENTRIES["parallel"] if name.startswith("multislot/")]


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("check", CHECKS)
def test_conformance(check, name, view):
    conform(check, name, view)


def test_gymnasium_accepts_those_with_one_agent():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("multislot/stay-v1", render_mode="rgb_array", max_cycles=30).unwrapped)


def test_parameters_are_those_of_the_world():
    environment = make("parallel", "multislot/copy-v1", r_1=5, r_2=7)
    environment.reset(seed=0)
    _, rewards, *_ = environment.step({"copy_0": 1})
    assert rewards == {"copy_0": 5.0, "copy_1": 7.0}
    with pytest.raises(UnknownNameError, match=r"multislot/copy-v1 got an unexpected keyword argument 'r_3'; did"):
        make("parallel", "multislot/copy-v1", r_3=1)


@pytest.mark.parametrize("name", IDS)
def test_every_parameter_of_a_registered_world_is_documented(name):
    from inspect import getdoc, signature
    from pkgutil import resolve_name

    factory = resolve_name(registered(name).world)
    for parameter in signature(factory).parameters:
        assert f"{parameter}:" in getdoc(factory) or f"``{parameter}``" in getdoc(factory)


def test_views_and_their_settings():
    dynamic = parallel("multislot/universal-v1", "dynamic")
    assert isinstance(dynamic(), DynamicView)
    assert dynamic(max_agents=8).possible_agents == [f"copy_{number}" for number in range(8)]
    fixed = make("parallel", "multislot/universal-v1", view="fixed", slots=3)
    assert isinstance(fixed, FixedView)
    assert str(fixed) == "multislot/universal-v1"
    assert fixed.possible_agents == ["slot_1", "slot_2", "slot_3"]
    with pytest.raises(UnknownNameError, match="unknown view 'fixe'; did you mean 'fixed'"):
        make("parallel", "multislot/copy-v1", view="fixe")
    with pytest.raises(SettingError, match="got slots=3; expected no slots, which is a setting of the fixed view"):
        dynamic(slots=3)
    with pytest.raises(SettingError, match="expected no max_agents, which is a setting of the dynamic view"):
        make("parallel", "multislot/copy-v1", view="fixed", max_agents=3)
    with pytest.raises(UnknownNameError, match="unknown render mode 'text'"):
        dynamic(render_mode="text")
    for setting in ("max_cycles", "max_agents"):
        with pytest.raises(SettingError, match=f"got {setting}=0; expected a whole number, at least 1"):
            dynamic(**{setting: 0})


@pytest.mark.parametrize("name", ["multislot/copy-v1", "multislot/teleport-v1"])
def test_an_episode_of_a_world_without_an_end_is_cut_off_soon(name):
    environment = make("parallel", name)
    environment.reset(seed=1)
    steps = 0
    while environment.agents:
        told = environment.step(dict.fromkeys(environment.agents, 0))
        steps += 1
        assert steps <= LONGEST
    assert steps == LONGEST
    assert all(told[3].values())


@pytest.fixture
def registries():
    """Leave the registries as they were."""
    registries = [*ENTRIES.values(), REGISTERED, gymnasium.registry]
    if hasattr(pettingzoo, "make"):
        registries += [pettingzoo.parallel_registry, pettingzoo.aec_registry]
    before = [dict(registry) for registry in registries]
    yield
    for registry, kept in zip(registries, before, strict=True):
        registry.clear()
        registry.update(kept)


def test_registering_a_world_by_where_it_is_found(registries):
    register("test/bustle-v0", "tests.multislot.bustle:Bustle", slots=4, parameters={"spawning": True}, max_cycles=9)
    environment = make("parallel", "test/bustle-v0")
    assert environment.stage.world.spawning
    assert environment.stage.max_cycles == 9
    assert not make("parallel", "test/bustle-v0", spawning=False).stage.world.spawning
    assert make("aec", "test/bustle-v0", view="fixed").possible_agents[-1] == "slot_4"


def test_the_package_of_a_name_is_imported_when_the_name_is_asked_for(registries, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "nests.py").write_text("from multislot.zoo import register\nregister('nests/owl-v0', 'a:b', slots=7)")
    assert registered("nests/owl-v0").slots == 7
    for name in ("nests/owls-v0", "/owl-v0", "no_nest/owl-v0"):
        with pytest.raises(UnknownNameError, match="unknown environment"):
            registered(name)


def test_registering_a_factory_of_kernels_and_of_nothing(registries):
    register("test/copy-v0", copy, single_agent=True)
    assert isinstance(make("parallel", "test/copy-v0").stage.world, World)
    assert isinstance(gymnasium.make("test/copy-v0").unwrapped, SingleView)
    register("test/nothing-v0", lambda: 3)
    with pytest.raises(SettingError, match=r"got test/nothing-v0's world\(…\)=3; expected a World or a kernel"):
        make("parallel", "test/nothing-v0")


def test_a_factory_may_have_any_names_of_parameters(registries):
    register("test/kinds-v0", lambda kind, left=1: copy(), single_agent=True)
    assert isinstance(gymnasium.make("test/kinds-v0", kind="new").unwrapped, SingleView)
    with pytest.raises(UnknownNameError, match="did you mean 'kind'"):
        make("parallel", "test/kinds-v0", knd="new")


def test_missing_pygame_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    environment = DynamicView(Bustle(), render_mode="human")
    with pytest.raises(MultislotError, match=r'render_mode="human" needs the extra "render"'):
        environment.reset(seed=0)
