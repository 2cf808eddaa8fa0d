"""What the fixed view says in numbers, its state, masks, lists of pictures, specifications and vectors."""

import subprocess
import sys
from contextlib import contextmanager, suppress
from inspect import signature

import gymnasium
import numpy as np
import pettingzoo
import pytest

import considerate  # noqa: F401 - registers its environments
import extenv  # noqa: F401 - likewise
from multislot.errors import MultislotError, SettingError, UnknownNameError, UnknownParameterError
from multislot.zoo import DynamicView, FixedView, make, registration
from multislot.zoo.registration import Registered
from multislot.zoo.vectors import SlotVector
from tests.build import ROOT
from tests.multislot.bustle import Bustle, Script, turn

NAMES = sorted(registration.REGISTERED)
LONG = {"multislot/universal-v1": {"slots": 4}, "multislot/file-v1": {"path": "copy"}}


def fixed(name, **settings):
    return make("parallel", name, view="fixed", **LONG.get(name, {}), **settings)


def idle(environment):
    return dict.fromkeys(environment.agents, 0)


def shapes(infos):
    return {agent: {key: np.asarray(value).shape for key, value in info.items()} for agent, info in infos.items()}


@pytest.mark.parametrize("name", NAMES)
def test_infos_of_every_fixed_view_are_numbers_of_one_shape(name):
    environment = fixed(name, max_cycles=3)
    _, infos = environment.reset(seed=0)
    first = shapes(infos)
    assert set(first) == set(environment.possible_agents)
    while environment.agents:
        *_, infos = environment.step(idle(environment))
        assert shapes(infos) == first
        values = [np.asarray(value) for info in infos.values() for value in info.values()]
        assert all(value.dtype.kind in "bi" for value in values)


def test_masked_actions_do_what_an_earlier_action_does():
    """The law of masks, on a map with walls; a mask that leaves out another action would break it."""
    world = fixed("considerate/garden-v2").stage.world
    world.start(0)
    seen = 0
    for step in range(40):
        distinct = world.distinct_actions(1)
        results = []
        for action in range(world.n_actions):
            twin = world.copy()
            turn = twin.step({1: action})
            results.append((twin.situation(1), turn.percepts[1].reward))
        firsts = tuple(index for index, result in enumerate(results) if result not in results[:index])
        assert distinct == firsts
        seen += len(firsts) < world.n_actions
        if world.step({1: firsts[step % len(firsts)]}).ended:
            break
    assert seen > 0


def test_the_state_is_what_all_slots_observe():
    environment = FixedView(Bustle(), 4, max_cycles=9)
    observations, _ = environment.reset(seed=0)
    while environment.agents:
        assert np.array_equal(environment.state(), np.concatenate(list(observations.values())))
        assert environment.state_space.contains(environment.state())
        observations, *_ = environment.step(dict.fromkeys(environment.agents, 1))
    assert (environment.state_space.low.max(), environment.state_space.high.max()) == (0, 1)
    with pytest.raises(NotImplementedError):
        DynamicView(Bustle()).state()


def test_pictures_of_all_steps_are_handed_over_once():
    environment = gymnasium.make("multislot/stay-v1", render_mode="rgb_array_list", max_cycles=9)
    environment.reset(seed=0)
    environment.step(0)
    environment.step(0)
    frames = environment.render()
    assert [frame.shape for frame in frames] == [(384, 384, 3)] * 3
    assert environment.render() == []
    environment.step(0)
    environment.reset(seed=0)
    assert len(environment.render()) == 1


@pytest.mark.parametrize("name", [name for name in NAMES if name in registration.ENTRIES["single"]])
def test_every_specification_is_written_as_json_and_read_again(name):
    spec = gymnasium.make(name).spec
    again = gymnasium.envs.registration.EnvSpec.from_json(spec.to_json())
    assert again.entry_point == spec.entry_point == registration.ENTRIES["single"][name][0]
    assert gymnasium.make(again).action_space == gymnasium.make(name).action_space


def test_a_specification_is_read_in_a_process_that_imported_nothing():
    made = gymnasium.make("extenv/IgnoreRewards-v1", agent_factory="multislot.agents:ConstantAgent", max_cycles=5)
    code = (
        "import sys, gymnasium; spec = gymnasium.envs.registration.EnvSpec.from_json(sys.argv[1]);"
        "env = gymnasium.make(spec); env.reset(seed=0); print(sum(env.step(0)[1] for _ in range(5)))"
    )
    done = subprocess.run([sys.executable, "-c", code, made.spec.to_json()], capture_output=True, text=True, cwd=ROOT)
    made.reset(seed=0)
    assert (done.stdout.strip(), done.stderr) == (str(sum(made.step(0)[1] for _ in range(5))), "")


def test_an_old_version_names_the_new_one():
    if hasattr(pettingzoo, "make"):  # from version 1.27 on
        with pytest.raises(Exception, match=r"Available version: v1"):
            pettingzoo.make("parallel", "multislot/copy-v0")
    outdated = pytest.raises(gymnasium.error.DeprecatedEnv, match="extenv/IgnoreRewards-v1")
    with pytest.warns(DeprecationWarning, match="upgrading to version `v1`"), outdated:
        gymnasium.make("extenv/IgnoreRewards-v0")
    with pytest.raises(UnknownNameError, match="did you mean 'multislot/copy-v1'"):
        make("parallel", "multislot/copy-v0")


def test_every_registered_environment_can_be_made_without_pettingzoos_registry(monkeypatch):
    monkeypatch.delattr(pettingzoo, "make", raising=False)
    assert str(make("aec", "multislot/copy-v1")).endswith("multislot/copy-v1")
    assert make("aec", "multislot/mentor-cliff-v0").possible_agents == ["agent_0", "mentor_0"]
    with pytest.raises(UnknownNameError, match="unknown kind of environment 'paralel'; did you mean 'parallel'"):
        make("paralel", "multislot/copy-v1")


def test_a_vector_takes_a_seed_for_each_copy_and_an_action_for_each_row():
    vector = SlotVector(lambda: FixedView(Bustle(), 2), copies=2)
    with pytest.raises(SettingError, match="expected one for each of 2 copies"):
        vector.reset(seed=[1, 2, 3])
    for seeds in ([1, 1], [1, 2, 1, 2]):
        vector.reset(seed=seeds)
        assert np.array_equal(*np.split(vector.step(np.ones(4, int))[0], 2))
    with pytest.raises(SettingError, match="got 3 actions; expected one for each of 4 rows"):
        vector.step(np.ones(3, int))
    with pytest.raises(SettingError, match="expected a FixedView"):
        SlotVector(lambda: DynamicView(Bustle()))


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("parallel", "multislot/copy-v1"),
        ("parallel", "extenv/CryingBaby-v1"),
        ("parallel", "considerate/box-v2"),
        ("single", "extenv/CryingBaby-v1"),
    ],
)
def test_an_unknown_keyword_is_answered_with_all_known_ones(kind, name):
    with pytest.raises(UnknownParameterError) as raised:
        make(kind, name, bogus=1)
    known = set(raised.value.known)
    of_view = {word.name for word in signature(getattr(Registered, kind)).parameters.values()}
    assert known >= of_view - {"self", "parameters"}
    assert all(word in str(raised.value) for word in known)
    for word in known:  # None is no value of some of them
        with suppress(MultislotError, TypeError), not_unknown(word):
            make(kind, name, **{word: None})


@contextmanager
def not_unknown(word):
    try:
        yield
    except UnknownParameterError:
        pytest.fail(f"{word} is listed and not known")


def test_a_copy_that_ends_in_a_slot_beyond_the_last_cuts_the_episode_off():
    view = FixedView(Script(turn({1: [1, 2]}), turn({1: [1], 2: [2, 3]}, ended=[3])), 2)
    view.reset(seed=0)
    cut = []
    while view.agents:
        *_, truncated, _ = view.step(dict.fromkeys(view.agents, 0))
        cut.append(truncated["slot_1"])
    assert cut == [False, True]
