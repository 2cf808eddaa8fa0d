"""A task of your own: a file is enough for PettingZoo and for futures that are learned."""

from dataclasses import replace

import pettingzoo
import pytest

import considerate
from considerate.craftworld import PAPER_TASKS, TASKS, load_task, task
from considerate.zoo import register_task
from multislot.errors import SettingError, UnknownNameError
from multislot.zoo.registration import REGISTERED


@pytest.fixture
def bottles(tmp_path):
    from tests.considerate.bottles import TEXT

    (tmp_path / "bottles.toml").write_text(TEXT, encoding="utf-8")
    return tmp_path / "bottles.toml"


@pytest.mark.parametrize("kind", ["parallel", "aec"])
def test_a_file_is_a_pettingzoo_environment(bottles, kind):
    env = pettingzoo.make(kind, "considerate/file-v2", path=str(bottles))
    assert env.unwrapped.possible_agents == ["you", "next"]
    env.reset(seed=0)
    assert env.agents == ["you"]
    fixed = pettingzoo.make("parallel", "considerate/file-v2", path=bottles, view="fixed")
    assert fixed.possible_agents == ["you", "next"]


def test_a_registered_task_has_an_id_and_a_name(bottles):
    bottles.write_text(bottles.read_text().replace('"bottles"', '"flasks"'))
    chosen = register_task(bottles)
    assert task("flasks") is chosen
    assert pettingzoo.make("parallel", "considerate/flasks-v2").unwrapped.stage.world.task is chosen
    assert register_task(bottles) is task("flasks") is not chosen  # edited and registered again, without a warning
    assert {f"considerate/{name}-v2" for name in (*PAPER_TASKS, "flasks", "file")} <= REGISTERED.keys()
    for name in ("box", "file", "", "my flasks"):
        known = dict(TASKS)
        with pytest.raises(SettingError, match=f"got name='.*{name}.*'; expected"):
            register_task(replace(chosen, name=name))
        assert known == TASKS


def test_the_future_of_the_next_agent_is_learned_in_one_call(bottles):
    chosen = load_task(bottles)
    learned, exact = chosen.futures_of("next"), chosen.value_functions()["next"]
    assert [learned(state) for state in chosen.end_states.values()] == [
        exact(state) for state in chosen.end_states.values()
    ]
    for caring in (0, 2):
        returns = considerate.solve(chosen, "value", caring, futures={"next": learned}).returns
        assert returns == considerate.solve(chosen, "value", caring).returns
    hasty = chosen.futures_of("next", steps=1)  # control: one step teaches nothing
    assert any(hasty(state) != exact(state) for state in chosen.end_states.values())
    with pytest.raises(UnknownNameError, match="unknown agent after the acting one 'you'; known: next"):
        chosen.futures_of("you")
    with pytest.raises(SettingError, match="does not walk"):
        task("mail-room").futures_of("agent_A")
