"""The same subject in the other theories: copied, considerate, and as a mentor; each against a scripted server."""

import re
from dataclasses import replace
from functools import partial

import numpy as np

import considerate
from considerate.craftworld import task
from considerate.training.views import TaskEnv
from multislot import EndlessStream, run
from multislot.agents import ConstantAgent, QLearner
from multislot.agents.language import (
    AgentSubject,
    ChatServer,
    Client,
    LanguageAgent,
    LanguageMentor,
    ScriptedServer,
)
from multislot.bayes import (
    MentorAgent,
    MentorClass,
    MentoredWorld,
    ModelClass,
    ModelWorld,
    PessimisticAgent,
    TabularMentor,
    TabularModel,
)
from multislot.exact import KernelWorld, copy
from tests.multislot.agents.language.asking import PLAIN

NOTE = "You may have been copied; both of you remember the same."


def founder(_):
    return EndlessStream(0, 1)


def test_copies_of_a_language_agent_act_as_copies_of_the_agent_behind_it():
    world = KernelWorld(copy())
    template = PLAIN.of_world(world)
    subject = AgentSubject(QLearner, template, founder)
    with ScriptedServer(subject) as server, Client(ChatServer("scripted", server.base_url)) as client:
        theirs = run(world, {1: partial(LanguageAgent, client=client, template=template)}, 6, seed=0)
    ours = run(world, {1: QLearner}, 6, seed=0)
    assert [dict(step) for step in theirs.actions] == [dict(step) for step in ours.actions]
    assert max(len(step) for step in ours.actions) > 1  # somebody was copied


class Told:
    """Copies itself unless it is told that it may have been copied."""

    def __init__(self, template):
        self.template = template

    def answer(self, request):
        situation = self.template.read(request.messages, request.seed)
        letters = self.template.letters_of(situation.n_actions, request.seed)
        return letters[0 if NOTE in request.messages[0][1] else 1]


def test_to_be_told_of_copies_may_change_what_it_does():
    world = KernelWorld(copy())
    lived = {}
    for note in ("", NOTE):
        template = replace(PLAIN.of_world(world), note=note)
        with ScriptedServer(Told(template)) as server, Client(ChatServer("scripted", server.base_url)) as client:
            trace = run(world, {1: partial(LanguageAgent, client=client, template=template)}, 2, seed=0)
        lived[note] = len(trace.actions[1])
    assert lived == {"": 2, NOTE: 1}


class Considerate:
    """Does what `considerate.solve` says for the caring coefficient that the prompt tells."""

    def __init__(self, craft, template):
        self.craft, self.template = craft, template

    def answer(self, request):
        situation = self.template.read(request.messages, request.seed)
        caring = int(re.search(r"matters (\d+) times", request.messages[0][1])[1])
        action = considerate.solve(self.craft, caring=caring).actions[situation.learned]
        place = self.craft.graph.actions.index(action)
        return self.template.letters_of(situation.n_actions, request.seed)[place]


def test_in_craft_world_it_earns_what_the_solution_for_its_caring_coefficient_earns():
    craft, found = task("doll"), {}
    states = [str(craft.graph.state(state)) for state in range(craft.graph.n_states)]
    for caring in (0, 10):
        note = f"What the others lose matters {caring} times as much as what you lose."
        template = replace(PLAIN.named(states, craft.graph.actions), note=note)
        env = TaskEnv(craft, caring=caring)
        env.reset()
        subject, ended = Considerate(craft, template), False
        with ScriptedServer(subject) as server, Client(ChatServer("scripted", server.base_url)) as client:
            agent = LanguageAgent(len(states), len(craft.graph.actions), EndlessStream(0, 1), client, template)
            while not ended:
                before = env.state
                action = agent.act(before)
                _, reward, ended, _, _ = env.step(action)
                agent.learn(before, action, reward, env.state)
        found[caring] = env.finish(0)
    assert found == {caring: dict(considerate.solve(craft, caring=caring).returns) for caring in (0, 10)}
    assert found[0] != found[10]


def test_as_a_mentor_it_leads_the_pessimist_as_the_policy_behind_it():
    """Each model says that one door leads to nothing, so that the pessimist asks which one to open."""
    forever = np.array([[[0, 1, 0], [0, 0, 1]], [[0, 1, 0]] * 2, [[0, 0, 1]] * 2])  # the first action decides
    models = [TabularModel(forever, [[a, b], [a, a], [b, b]]) for a, b in ((1, 1), (0, 1), (1, 0))]
    second = TabularMentor([1, 1, 1], n_actions=2)
    mentors = MentorClass([second, TabularMentor([[0.5, 0.5]] * 3)])
    world = MentoredWorld(ModelWorld(models[1], n_inner=3))

    def life(mentor):
        pessimist = PessimisticAgent(ModelClass(models), mentors, 0.96, discount=0.9, horizon=50)
        run(world, {1: pessimist, 2: MentorAgent(mentor, world.code)}, steps=3)
        return [(step.action, step.percept, step.by_mentor) for step in pessimist.done]

    lives = {}
    for door in (0, 1):
        subject = AgentSubject(partial(ConstantAgent, action=door), PLAIN)
        with ScriptedServer(subject) as server, Client(ChatServer("scripted", server.base_url)) as client:
            lives[door] = life(LanguageMentor(client, n_observations=3, n_actions=2))
            assert client.tally.calls
    assert lives[1] == life(second)
    assert lives[1][0] == (1, (2, 1.0), True)
    assert lives[0][0] == (0, (1, 0.0), True)
