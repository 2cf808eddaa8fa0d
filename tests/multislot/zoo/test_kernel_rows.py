"""A vector of copies in arrays tells the story of copies that are stepped one by one, bit for bit."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from multislot.engine.stream import BLOCK
from multislot.errors import ActionError, CopyCollisionError, SettingError
from multislot.exact import Arrival, KernelWorld
from multislot.zoo import kernel_rows, make, vectors
from multislot.zoo.fixed import FixedView
from multislot.zoo.kernel_rows import KernelRows
from multislot.zoo.vectors import SlotVector, vector_env
from tests.multislot.bustle import Bustle

SLOTS = 3


class Wild:
    """Random outcomes: agents are copied, moved, deleted, and now and then copied above the last slot of the view."""

    actions = ("a", "b", "c")

    def __init__(self, seed, collides=False):
        self.rng, self.known, self.collides = np.random.default_rng(seed), {}, collides
        self.start = {1: 0, 3: 1}

    def outcomes(self, slot, state, action):
        if (slot, state, action) not in self.known:
            chances = (1,) if self.rng.random() < 0.4 else (Fraction(1, 5), 0.3, Fraction(1, 2))
            self.known[slot, state, action] = [(chance, self.arrivals(slot)) for chance in chances]
        return self.known[slot, state, action]

    def arrivals(self, slot):
        reach = range(1, SLOTS + 2) if self.collides else (slot, slot + SLOTS + 1)
        targets = [target for target in reach if self.rng.random() < (0.7 if target == slot else 0.05)]
        return {
            target: Arrival(int(self.rng.integers(3)), "xyz"[self.rng.integers(3)], float(self.rng.normal()))
            for target in targets
        }


class Chain(Wild):
    """An agent in slot 1 copies itself into other slots or moves there, by chance; agents there are deleted."""

    def __init__(self):
        super().__init__(0)
        self.start = {1: 0}

    def outcomes(self, slot, state, action):
        if slot > 1:
            return [(1, {})]
        if action == "a":
            return [(Fraction(1, 3), {1: Arrival(0, "y", 1)}), (Fraction(2, 3), {2: Arrival(1, "z", 2)})]
        return [(1, {3: Arrival(2, "z", 0.5)} if action == "b" else {1: Arrival(0, "y"), 2: Arrival(0, "x", 7)})]


def both(monkeypatch, kernel, copies=4, **settings):
    """The vector in arrays and the one that steps its copies one by one."""

    def view():
        return FixedView(KernelWorld(kernel), SLOTS, **{"max_cycles": 6, **settings})

    fast = SlotVector(view, copies)
    monkeypatch.setattr(vectors, "tables_of", lambda view: None)
    slow = SlotVector(view, copies)
    monkeypatch.undo()
    assert isinstance(fast._copies, KernelRows) != isinstance(slow._copies, KernelRows)
    return fast, slow


@pytest.mark.parametrize("kernel", [*(Wild(seed) for seed in range(12)), Chain()])
def test_the_rows_are_those_of_copies_stepped_one_by_one(monkeypatch, kernel):
    fast, slow = both(monkeypatch, kernel)
    rng, ends, births = np.random.default_rng(1), 0, 0
    assert data_equivalence(fast.reset(seed=7), slow.reset(seed=7))
    for step in range(60):
        actions = rng.integers(3, size=fast.num_envs)
        answer, expected = fast.step(actions), slow.step(actions)
        assert data_equivalence(answer, expected), step
        assert answer[1].tolist() == expected[1].tolist()
        ends, births = ends + ("final_obs" in answer[4]), births + answer[4]["has_parent"].sum()
        if step == 30:
            assert data_equivalence(fast.reset(), slow.reset())
    assert ends > 3
    assert births > 0 or isinstance(kernel, Wild)


class Coins:
    """Each agent stays and tosses a coin."""

    actions = ("toss",)
    start = dict.fromkeys(range(1, SLOTS + 1), 0)

    def outcomes(self, slot, state, action):
        return [(Fraction(1, 2), {slot: Arrival(0, "x", reward)}) for reward in (0, slot)]


def test_draws_go_on_in_the_next_block_of_random_numbers(monkeypatch):
    vectors = both(monkeypatch, Coins(), copies=1, max_cycles=BLOCK)
    for vector in vectors:
        vector.reset(seed=1)
    actions = np.zeros(SLOTS, int)
    rewards = np.array([[vector.step(actions)[1] for vector in vectors] for _ in range(BLOCK // SLOTS + 9)])
    assert np.array_equal(rewards[:, 0], rewards[:, 1])


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint64])
def test_a_seed_may_be_a_number_of_numpy(monkeypatch, kind):
    for vector in both(monkeypatch, Wild(0)):
        assert data_equivalence(vector.reset(seed=kind(127)), vector.reset(seed=[127, 128, 129, 130]))
        for seed in (1.5, True):
            with pytest.raises(SettingError, match=f"got seed={seed}; expected a whole number"):
                vector.reset(seed=seed)


def play(vector, actions):
    return [vector.step(row) for row in actions]


def test_two_copies_in_one_slot_are_refused_in_the_same_words(monkeypatch):
    words = []
    for vector in both(monkeypatch, Wild(3, collides=True), max_cycles=50):
        vector.reset(seed=1)
        with pytest.raises(CopyCollisionError) as raised:
            play(vector, np.random.default_rng(0).integers(3, size=(500, vector.num_envs)))
        words.append(str(raised.value))
    assert words[0] == words[1]


def test_only_agents_need_an_action_that_exists(monkeypatch):
    fast, slow = both(monkeypatch, Chain(), copies=1)
    with pytest.raises(SettingError, match="has not started"):
        fast.step(np.zeros(3, int))
    for vector in (fast, slow):
        vector.reset(seed=0)
        vector.step(np.array([2, 9, -1]))
        with pytest.raises(ActionError, match="slot 2"):
            vector.step(np.array([0, 9, 0]))


def test_a_copy_of_a_vector_goes_on_from_where_it_was_made(monkeypatch):
    vector, _ = both(monkeypatch, Wild(0))
    vector.reset(seed=3)
    actions = np.random.default_rng(0).integers(3, size=(40, vector.num_envs))
    play(vector, actions[:10])
    twins = [copy.deepcopy(vector), pickle.loads(pickle.dumps(vector))]
    story = play(vector, actions)
    assert all(data_equivalence(story, play(twin, actions)) for twin in twins)


def test_worlds_that_are_drawn_are_stepped_one_by_one():
    def is_fast(**settings):
        vector = SlotVector(lambda: make("parallel", "multislot/copy-v1", view="fixed", **settings), 2)
        return isinstance(vector._copies, KernelRows)

    assert is_fast()
    assert not is_fast(render_mode="ansi")


def test_stable_baselines_gets_the_last_infos_of_an_episode():
    pytest.importorskip("stable_baselines3")
    vector = vector_env(FixedView(KernelWorld(Chain()), SLOTS, max_cycles=2), copies=2)
    vector.reset()
    _, _, _, first = vector.step(np.full(6, 2))
    _, _, dones, infos = vector.step(np.full(6, 2))
    _, of_view = FixedView(KernelWorld(Chain()), SLOTS).reset()
    kinds = {key: type(value) for key, value in of_view["slot_1"].items()}
    assert all({key: type(info[key]) for key in kinds} == kinds for info in (*vector.reset_infos, *first, *infos))
    assert dones.all()
    assert [info["TimeLimit.truncated"] for info in infos] == [True, False, True] * 2  # slot 2 was deleted
    assert max(info["birth_step"] for info in infos) == 2
    assert infos[0]["terminal_observation"].shape == (1 + vector.observation_space.shape[0] - 1,)


def test_rows_of_a_copy_share_its_environment():
    pytest.importorskip("stable_baselines3")
    rows = vector_env(FixedView(Bustle(), SLOTS), copies=2).of_rows(None)
    assert [row is rows[0] for row in rows] == [True] * SLOTS + [False] * SLOTS


@pytest.mark.parametrize(("most", "has_tables"), [(2, False), (3, True), (4, True)])
def test_a_world_of_too_many_places_is_stepped_one_by_one(monkeypatch, most, has_tables):
    """Four places can be reached; one more than the limit is allowed."""
    monkeypatch.setattr(kernel_rows, "MOST_PLACES", most)
    assert (kernel_rows.tables_of(FixedView(KernelWorld(Chain()), SLOTS)) is not None) == has_tables
