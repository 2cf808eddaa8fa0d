import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from multislot import Agent, HistoryAgent, Percept, Turn, VectorAgent, VectorHistoryAgent, World, run
from multislot.agents import ConstantAgent, QLearner, RandomAgent
from tests.multislot.worlds import Doubling, Scripted


class Diary(Agent):
    """Records what it learns; acts on the parity of the number of entries."""

    def __init__(self, *made_by):
        self.pages = []

    def act(self, observation):
        return len(self.pages) % 2

    def learn(self, observation, action, reward, next_observation):
        self.pages.append((observation, action, reward, next_observation))

    def learn_last(self, observation, action, reward):
        self.pages.append((observation, action, reward, "last"))


def test_a_copy_learns_its_arrival_in_its_own_slot():
    world = Scripted([{1: (1, 2)}, {1: (1,), 2: (2,)}])
    diaries = {1: Diary()}
    seen = []
    world.receive = lambda slots: seen.append(slots)
    run(world, diaries, 2)
    pages = {slot: agent.pages for slot, agent in seen[0].items()}
    assert pages == {1: [(0, 0, 1.0, 2), (2, 1, 1.0, 2)], 2: [(0, 0, 2.0, 3), (3, 1, 2.0, 3)]}


def test_a_deleted_agent_learns_nothing_and_an_ended_one_learns_its_last_percept():
    deleted, ended, stays = Diary(), Diary(), Diary()
    world = Scripted([{2: (2,), 3: (3,)}, {3: (3,)}], start=(1, 2, 3), ended={1: (2,)})
    trace = run(world, {1: deleted, 2: ended, 3: stays}, 2)
    assert deleted.pages == []
    assert ended.pages == [(0, 0, 2.0, "last")]
    assert [page[2] for page in stays.pages] == [3.0, 3.0]
    assert trace.actions == [{1: 0, 2: 0, 3: 0}, {3: 1}]
    assert trace.rewards == [{2: 2.0, 3: 3.0}, {3: 3.0}]


def test_agents_enter_when_the_world_spawns_them():
    entering = Diary()
    world = Scripted([{1: (1,)}, {2: (2,)}, {2: (2,)}], ended={1: (1,)}, spawned={1: (2,)})
    trace = run(world, {1: Diary(), 2: entering}, 3)
    assert [trace.occupied(step) for step in range(4)] == [[1], [1, 2], [2], [2]]
    assert trace.slot_history(2) == (2, 2, 2)
    assert len(entering.pages) == 2


def test_a_run_ends_when_nobody_is_left():
    trace = run(Scripted([{1: (1,)}, {}, {1: (1,)}]), {1: ConstantAgent}, 3)
    assert (trace.steps, trace.occupied(2)) == (2, [])


class VectorDiary(VectorAgent):
    """Records its moves and learning; always takes action 0."""

    def __init__(self):
        self.pages = []

    def act_many(self, observations, slots):
        return np.zeros(len(slots), dtype=np.int64)

    def learn_many(self, observations, actions, rewards, next_observations, slots):
        self.pages.append((slots.tolist(), next_observations.tolist()))


def last_plus_length(history):
    return (sum(observation for _, observation in history) + len(history)) % 2


def last_plus_length_many(histories):
    return (histories.last(99)[1].sum(axis=1) + histories.length) % 2


@st.composite
def scripts(draw):
    """Draw scripts of copy sets with occupied sources, in which some agents end."""
    occupied, script, ended = {1}, [], {}
    for step in range(1, draw(st.integers(1, 6)) + 1):
        owner = draw(st.lists(st.sampled_from([0, *sorted(occupied)]), min_size=6, max_size=6))
        owner = owner if any(owner) else [min(occupied), *owner[1:]]
        script.append({i: tuple(s for s, source in enumerate(owner, 1) if source == i) for i in occupied if i in owner})
        filled = [slot for slot, source in enumerate(owner, 1) if source]
        ended[step] = tuple(filled[1:2]) if draw(st.booleans()) else ()
        occupied = set(filled) - set(ended[step])
    return script, ended


class Simulating(Scripted):
    """Spawns an agent to be simulated at its second step."""

    def receive(self, slots):
        self.received = slots

    def step(self, actions):
        if self.now == 1:
            self.received.spawn(Agent(), 9, simulated=True)
        return super().step(actions)


@given(scripts())
def test_a_vector_agent_tells_the_same_story_as_agents_one_by_one(scripted):
    script, ended = scripted
    one_by_one = run(Simulating(script, ended=ended), {1: HistoryAgent(last_plus_length)}, len(script))
    together = run(Simulating(script, ended=ended), {1: VectorHistoryAgent(last_plus_length_many)}, len(script))
    mixed_world = Simulating(script, ended=ended)
    mixed = run(mixed_world, {1: VectorHistoryAgent(last_plus_length_many), 99: ConstantAgent}, len(script))
    for trace in (together, mixed):
        assert trace.actions == one_by_one.actions
        assert trace.observations == one_by_one.observations
        assert trace.rewards == one_by_one.rewards
        assert np.array_equal(trace.parent, one_by_one.parent)
        assert np.array_equal(trace.acted, one_by_one.acted)
        assert trace.simulated == one_by_one.simulated


@given(seed=st.integers(0, 2**64 - 1))
def test_same_seed_same_bits(seed):
    runs = [run(Doubling(), {1: RandomAgent}, 5, seed=seed) for _ in range(2)]
    assert runs[0].actions == runs[1].actions


def test_copies_draw_as_their_founder_does_and_other_founders_do_not():
    stay = [{slot: (slot,) for slot in (1, 2, 3)}] * 40
    world = Scripted([{1: (1, 3), 2: (2,)}, *stay[1:]], start=(1, 2))
    trace = run(world, {1: RandomAgent, 2: RandomAgent}, 40, seed=1)
    by_slot = {slot: [actions.get(slot) for actions in trace.actions[1:]] for slot in (1, 2, 3)}
    assert by_slot[1] == by_slot[3]
    assert by_slot[1] != by_slot[2]


class Interacting(World):
    """Rewards two agents for equal actions (Orseau 2014, Def. 5: a slot's observation depends on the others)."""

    n_observations, n_actions = 3, 2

    def start(self, seed):
        return {1: Percept(0), 2: Percept(0)}

    def step(self, actions):
        alike = float(actions[1] == actions[2])
        return Turn({1: (1,), 2: (2,)}, {1: Percept(1 + actions[2], alike), 2: Percept(1 + actions[1], alike)})


def test_agents_can_interact():
    trace = run(Interacting(), {1: ConstantAgent, 2: QLearner}, 300, seed=0)
    assert sum(rewards[2] for rewards in trace.rewards[200:]) > 80


def test_two_vector_agents_answer_each_for_its_own_slots():
    class Ones(VectorAgent):
        def act_many(self, observations, slots):
            return np.ones(len(slots), dtype=np.int64)

    class Pair(Scripted):
        def start(self, seed):
            return {1: Percept(0), 2: Percept(0)}

    trace = run(Pair([{1: (1,), 2: (2,)}] * 2), {1: Ones(), 2: VectorDiary()}, 2)
    assert list(trace.actions) == [{1: 1, 2: 0}] * 2
