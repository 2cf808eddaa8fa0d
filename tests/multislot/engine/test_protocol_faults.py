"""Whatever breaks the protocol is told slot, step and remedy, and nothing has moved."""

import pickle
from contextlib import suppress

import numpy as np
import pytest

from multislot import Agent, HistoryAgent, Percept, Turn, VectorAgent, VectorHistoryAgent, World, run
from multislot.agents import ConstantAgent
from multislot.errors import (
    ActionError,
    AgentError,
    CopyCollisionError,
    EmptySourceError,
    MissingPerceptError,
    NoAgentError,
    ObservationError,
    RewardError,
    SettingError,
    SlotError,
    TooLargeError,
    TurnError,
    UnknownSlotError,
)
from tests.multislot.bustle import Script
from tests.multislot.engine.test_protocol import (
    Diary,
    Interacting,
    VectorDiary,
    last_plus_length,
    last_plus_length_many,
)
from tests.multislot.worlds import Doubling, Scripted


def broken(**changes):
    settings = {"script": [{1: (1,)}, {1: (1,)}]} | changes
    return Scripted(settings.pop("script"), **settings)


class Answering(Agent):
    def __init__(self, answer):
        self.answer = answer

    def act(self, observation):
        return self.answer


class Careless(Script):
    """Answers its second step with a given Turn, and simulates an agent in slot 9."""

    n_observations = 3

    def __init__(self, turn):
        stay = Turn({1: (1,), 2: (2,)}, {1: Percept(1), 2: Percept(1)})
        super().__init__(stay, turn, start=(1, 2))

    def receive(self, slots):
        self.slots = slots
        slots.spawn(Diary(), 9, simulated=True)


P = Percept(1)
FAULTS = [
    (Turn({1: (1, 3), 2: (3,)}, {1: P, 3: P}), CopyCollisionError, "step 2, slot 3: sources 1 and 2 are both copied"),
    (Turn({4: (1,)}, {1: P}), EmptySourceError, "step 2, slot 4: the world copies from a slot that holds no agent"),
    (Turn({1: (0, 1)}, {0: P, 1: P}), UnknownSlotError, "step 2, slot 0: got slot 0; number slots with"),
    (Turn({1: (-1,)}, {-1: P}), UnknownSlotError, "step 2, slot -1: got slot -1; number slots with"),
    (Turn({1: (1,), 2: (2,)}, {1: P}), MissingPerceptError, "step 2, slot 2: the slot is occupied but received no"),
    (Turn({1: (1,)}, {1: P, 2: P}), UnknownSlotError, "step 2, slot 2: the world sent a percept to an empty slot"),
    (Turn({1: (1,)}, {1: Percept(3)}), ObservationError, r"observation is 3; send one of range\(3\)"),
    (Turn({1: (1,)}, {1: Percept(-1)}), ObservationError, r"observation is -1; send one of range\(3\)"),
    (Turn({1: (1,)}, {1: Percept(1, float("nan"))}), RewardError, "reward is nan; send a finite number"),
    (Turn({1: (1,)}, {1: Percept(1, float("inf"))}), RewardError, "reward is inf; send a finite number"),
    (Turn({1: (1,)}, {1: P}, ended=(2,)), EmptySourceError, "slot 2: the world ends the agent of an empty slot"),
    (None, TurnError, r"step 2: the world answered None; return a Turn from step\(\)"),
    ({}, TurnError, "step 2: the world answered {}; return a Turn"),
    (Turn(None, {1: P}), TurnError, "step 2: the copy sets are None; give {source: targets}"),
    (Turn({1: 1}, {1: P}), TurnError, "step 2, slot 1: its copy set is 1; give the target slots in a tuple"),
    (Turn({1: (1, 1)}, {1: P}), CopyCollisionError, "step 2, slot 1: slot 1 is named twice in the copy set of slot 1"),
    (Turn({1: ("a",)}, {"a": P}), UnknownSlotError, "step 2, slot 'a': got slot 'a'; number slots with"),
    (Turn({1: (True,)}, {1: P}), UnknownSlotError, "step 2, slot True: got slot True"),
    (Turn({"a": (1,)}, {1: P}), UnknownSlotError, "step 2, slot 'a': got slot 'a'"),
    (Turn({1: (2**63,)}, {2**63: P}), UnknownSlotError, r"slot 9223372036854775808: .*below 2\*\*63"),
    (Turn({1: (1,)}, None), TurnError, "step 2: the percepts are None; give {slot: Percept}"),
    (Turn({1: (1,)}, {1: (1, 0.0)}), TurnError, r"step 2, slot 1: the world sent \(1, 0.0\); send a Percept"),
    (Turn({1: (1,)}, {1: P, "b": P}), UnknownSlotError, "step 2, slot 'b': the world sent a percept to an empty slot"),
    (Turn({1: (1,)}, {1: Percept(1.0)}), ObservationError, r"slot 1: the world's observation is 1.0; send one of"),
    (Turn({1: (1,)}, {1: Percept("x")}), ObservationError, "slot 1: the world's observation is 'x'; send one of"),
    (Turn({1: (1,)}, {1: Percept(1, None)}), RewardError, "slot 1: the world's reward is None; send a finite number"),
    (Turn({1: (1,)}, {1: Percept(1, "2")}), RewardError, "slot 1: the world's reward is '2'; send a finite number"),
    (Turn({1: (1,)}, {1: P}, ended=1), TurnError, "step 2: Turn.ended is 1; give the slots in a tuple"),
    (Turn({1: (1,)}, {1: P}, spawned=1), TurnError, "step 2: Turn.spawned is 1; give the slots in a tuple"),
    (Turn({1: (1,)}, {1: P}, ended=("a",)), UnknownSlotError, "step 2, slot 'a': got slot 'a'"),
    (Turn({1: (9,)}, {9: P}), CopyCollisionError, "slot 9: an agent enters a slot where the world simulates one"),
    (
        Turn({1: (1,)}, {1: P}, spawned=(1,)),
        CopyCollisionError,
        "slot 1: source 1 is copied and a fresh agent is spawned",
    ),
    (
        Turn({1: (1, 3)}, {1: P, 3: P, 9: P}, spawned=(9,)),
        CopyCollisionError,
        "slot 9: an agent enters a slot where the world simulates one; fill another slot",
    ),
]
SPAWN_FAULTS = [
    (
        Turn({1: (1,)}, {1: P, 5: P}, spawned=(5,)),
        NoAgentError,
        "slot 5: the world (fills the slot but run.. was given no|spawns an agent)",
    ),
    (
        Turn({1: (1, 3)}, {1: P, 3: P, 4: P, 5: P}, spawned=(4, 5)),
        NoAgentError,
        "slot [45]: the world (fills the slot but run.. was given no|spawns an agent)",
    ),
]


class CarelessInArrays(Careless):
    def step_many(self, slots, actions):
        self.now += 1
        return Turn.from_arrays([1, 2], [1, 2], [1, 1]) if self.now == 1 else self.turns[1]


ARRAY_FAULTS = [
    (Turn.from_arrays([4], [1], [1]), EmptySourceError, "slot 4: the world copies from a slot that holds no agent"),
    (Turn.from_arrays([1, 2], [3, 3], [1, 1]), CopyCollisionError, "slot 3: sources 1 and 2 are both copied"),
    (Turn.from_arrays([1, 1], [3, 3], [1, 1]), CopyCollisionError, "slot 3: slot 3 is named twice in the copy set"),
    (Turn.from_arrays([1], [0], [1]), UnknownSlotError, "slot 0: got slot 0"),
    (Turn.from_arrays([1], [9], [1]), CopyCollisionError, "slot 9: an agent enters a slot where the world simulates"),
    (Turn.from_arrays([1], [1], [3]), ObservationError, "slot 1: the world's observation is 3"),
    (Turn.from_arrays([1], [1], [1], [float("nan")]), RewardError, "slot 1: the world's reward is nan"),
    (Turn.from_arrays([1], [1], [1], ended=[2]), EmptySourceError, "slot 2: the world ends the agent of an empty"),
]


@pytest.mark.parametrize(
    ("world", "turn", "error", "message"),
    [*((Careless, *fault) for fault in FAULTS + SPAWN_FAULTS), *((CarelessInArrays, *fault) for fault in ARRAY_FAULTS)],
)
def test_a_world_that_breaks_the_protocol_is_told_slot_step_and_remedy(world, turn, error, message):
    everybody = VectorDiary()
    for agents in ({1: Diary(), 2: Diary()}, {1: everybody, 2: everybody}):
        with pytest.raises(error, match=message) as caught:
            run(world(turn), agents, 3)
        assert caught.value.step == 2
        assert caught.value.trace.steps == 1
        assert caught.value.trace.actions == [{1: 0, 2: 0}]
        assert {len(diary.pages) for diary in agents.values()} == {1}


def after(turn, agents, steps):
    """Return all that `run` keeps of agents and slots after it has run or failed."""
    world = Careless(turn)
    with suppress(SlotError):
        run(world, agents, steps)
    slots = {slot: pickle.dumps(agent) for slot, agent in world.slots.items()}
    simulated = {slot: pickle.dumps(agent) for slot, agent in world.slots.simulated.items()}
    return slots, simulated, {slot: pickle.dumps(agent) for slot, agent in agents.items()}


@pytest.mark.parametrize("turn", [turn for turn, _, _ in [*FAULTS, *SPAWN_FAULTS]])
@pytest.mark.parametrize("kinds", [(Diary, Diary), (VectorDiary, Diary), (Diary, VectorDiary)])
def test_after_every_error_of_a_step_agents_and_slots_are_as_before_it(turn, kinds):
    first, second = kinds
    agents = [{1: first(), 2: second(), 9: Diary(), 4: Diary()} for _ in range(2)]
    assert after(turn, agents[0], 2) == after(turn, agents[1], 1)


def test_one_object_is_not_spawned_into_two_slots():
    shared = Diary()
    world = broken(script=[{1: (1,)}, {1: (1,)}], spawned={2: (2, 3)})
    with pytest.raises(SettingError, match=r"it is in slot 2 too: give slot 3 a copy\(\)") as caught:
        run(world, {1: Diary(), 2: lambda *made_by: shared, 3: lambda *made_by: shared}, 2, check_sharing=False)
    assert shared.pages == []
    assert caught.value.trace.steps == 1


@pytest.mark.parametrize("error", [TooLargeError("too much to plan"), MemoryError()])
def test_what_is_too_large_during_a_run_carries_its_trace(error):
    class Planner(Agent):
        def act(self, observation):
            if observation:
                raise error
            return 0

    with pytest.raises(TooLargeError, match=r"too much to plan|a step of 1 agents needs more memory") as caught:
        run(broken(), {1: Planner()}, 2)
    assert caught.value.trace.actions == [{1: 0}]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1], [1], [1.7]), "got observations.dtype=.*; expected whole numbers"),
        (([True], [1], [1]), "got sources.dtype=.*; expected whole numbers"),
        (([1], ["a"], [1]), "got targets.dtype=.*; expected whole numbers"),
        (([1], [2**63], [1]), r"got targets.dtype=dtype\('uint64'\); expected whole numbers below 2\*\*63"),
        (([1], [1], [1], [None]), "got rewards.dtype=.*; expected numbers"),
        (([1], [1], [1], ["x"]), "got rewards.dtype=.*; expected numbers"),
        (([1], [1], [1], [0.0], [1.5]), "got ended.dtype=.*; expected whole numbers"),
        (([1], [1, 2], [1]), r"got shapes=\[\(1,\), \(2,\), \(1,\), \(1,\)\]; expected four arrays of one length"),
    ],
)
def test_arrays_of_something_else_make_no_turn(columns, message):
    with pytest.raises(SettingError, match=message):
        Turn.from_arrays(*columns)


class Ransacking(Scripted):
    """Empties its arguments after its answer."""

    def step(self, actions):
        turn = super().step(actions)
        actions.clear()
        return turn


class RansackingInArrays(Doubling):
    def step_many(self, slots, actions):
        turn = super().step_many(slots.copy(), actions)
        slots[:], actions[:] = 0, 9
        return turn


def test_what_a_world_does_to_its_actions_is_its_own_affair():
    script = [{1: (1, 2)}, {1: (1,), 2: (2,)}]
    traces = [run(kind(script), {1: HistoryAgent(last_plus_length)}, 2) for kind in (Scripted, Ransacking)]
    assert traces[0].actions == traces[1].actions
    many = [run(kind(), {1: VectorHistoryAgent(last_plus_length_many)}, 4) for kind in (Doubling, RansackingInArrays)]
    assert many[0].actions == many[1].actions


@pytest.mark.parametrize("answer", [2, -1, 0.5, None, "left"])
def test_an_action_out_of_range_is_an_error_of_the_agent(answer):
    with pytest.raises(ActionError, match=r"step 1, slot 1: the agent's action is .*; return an int from 0 to 1"):
        run(broken(), {1: Answering(answer)}, 1)


def test_numpy_integers_are_actions():
    assert run(broken(), {1: Answering(np.int64(1))}, 1).actions == [{1: 1}]


@pytest.mark.parametrize("answer", [np.zeros(3, dtype=int), np.zeros(1), [[0]]])
def test_a_vector_agent_must_answer_every_row_with_an_integer(answer):
    class Wrong(VectorAgent):
        def act_many(self, observations, slots):
            return answer

    with pytest.raises(
        AgentError, match=r"step 1, slots 1: Wrong.act_many .* expected integers of shape \(1,\), one action a row"
    ) as caught:
        run(Doubling(), {1: Wrong()}, 1)
    assert caught.value.trace.steps == 0


def test_a_vector_agents_action_out_of_range_names_the_slot():
    class Wrong(VectorAgent):
        def act_many(self, observations, slots):
            return np.where(slots == 3, 7, 0)

    with pytest.raises(ActionError, match=r"step 3, slot 3: the agent's action is 7; return an int from 0 to 1"):
        run(Doubling(), {1: Wrong()}, 4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: run(broken(), {1: ConstantAgent}, 0),
            SettingError,
            "got steps=0; expected a whole number, at least 1",
        ),
        (lambda: run(broken(), {1: ConstantAgent}, 1.5), SettingError, "got steps=1.5"),
        (lambda: run(broken(), {1: ConstantAgent}, True), SettingError, "got steps=True"),
        (lambda: run(broken(), {1: ConstantAgent}, 1, seed=True), SettingError, "got seed=True"),
        (lambda: run(broken(), {1: 3}, 1), SettingError, r"got agents\[1\]=3; expected an agent, or a factory"),
        (lambda: run(broken(), {1: "RandomAgent"}, 1), SettingError, r"got agents\[1\]='RandomAgent'"),
        (lambda: run(broken(), [ConstantAgent], 1), SettingError, r"expected at least one agent and its slot"),
        (lambda: run(broken(), {1: ConstantAgent}, 1, seed=-1), SettingError, "got seed=-1; expected a whole number"),
        (lambda: run(broken(), {}, 1), SettingError, "got agents={}; expected at least one agent"),
        (lambda: run(broken(), {0: ConstantAgent}, 1), UnknownSlotError, "got slot 0"),
        (lambda: run(broken(), {2: ConstantAgent}, 1), NoAgentError, r"give run\(\) an agent or a factory for slot 1"),
        (lambda: run(World(), {1: ConstantAgent}, 1), SettingError, "got World.n_observations=None"),
        (lambda: run(broken(start=()), {1: ConstantAgent}, 1), SettingError, "the world starts with no occupied slot"),
        (
            lambda: run(broken(), {1: lambda *made_by: "me"}, 1),
            SettingError,
            r"got agents\[1\]\(…\)='me'; expected a mul",
        ),
        (lambda: run(Interacting(), dict.fromkeys((1, 2), Diary()), 1), SettingError, "it is in slot 1 too"),
    ],
)
def test_bad_input_is_found_at_the_door(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_world_may_not_start_in_a_slot_where_it_simulates():
    world = broken()
    world.receive = lambda slots: slots.spawn(Diary(), 1, simulated=True)
    with pytest.raises(CopyCollisionError, match="step 0, slot 1: an agent enters a slot where the world simulates"):
        run(world, {1: Diary()}, 1)


@pytest.mark.parametrize(
    ("first", "error", "message"),
    [
        ([1], TurnError, r"step 0: the world started with \[1\]; return {slot: Percept} from start\(\)"),
        ({1: 0}, TurnError, "step 0, slot 1: the world sent 0; send a Percept"),
        ({"a": Percept(0)}, UnknownSlotError, "step 0, slot 'a': got slot 'a'"),
        ({1: Percept(0.5)}, ObservationError, "step 0, slot 1: the world's observation is 0.5"),
    ],
)
def test_a_world_that_starts_wrong_is_told_so(first, error, message):
    world = broken()
    world.start = lambda seed: first
    with pytest.raises(error, match=message):
        run(world, {1: Diary()}, 1)
