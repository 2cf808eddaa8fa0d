"""Planners whose models may speak of themselves: contracts, exact posteriors and plans, and what the claim rests on."""

import itertools
import json
from functools import partial
from typing import get_args

import numpy as np
import pytest

from extenv import measure, run
from extenv.battery import BATTERY
from multislot.engine.stream import EndlessStream
from multislot.errors import TooLargeError, UnknownNameError
from multislot.testing import check_agent
from scenarios.self_reflection import self_models as scenario
from scenarios.self_reflection.self_models import Settings, classes
from scenarios.self_reflection.self_models.agent import PLAIN_PRIOR, Models, Rule, SelfModeller, neighbors, policies
from scenarios.self_reflection.self_models.classes import policy_models, unlike_the_library

STREAM = EndlessStream(3, 1)
TURNS = [(0, 0, 1.0), (1, 1, -1.0), (0, 1, 0.0), (1, 0, 1.0), (0, 0, -1.0), (1, 1, 1.0)] * 3


def lived(**settings):
    agent = SelfModeller(2, 2, STREAM, **settings)
    for observation, action, reward in TURNS:
        agent.learn(observation, action, reward, 1 - observation)
    return agent


@pytest.mark.parametrize("rule", get_args(Rule))
@pytest.mark.parametrize("models", get_args(Models))
def test_they_keep_the_contract_of_agents(models, rule):
    check_agent(partial(SelfModeller, models=models, rule=rule), n_observations=3, n_actions=2, steps=30)


def test_the_posterior_is_that_of_the_marginal_likelihoods():
    """Computed again from the whole history, with the agent's own answers recorded on the way."""
    agent, history = SelfModeller(2, 2, STREAM), []
    for observation, action, reward in TURNS:
        history.append((observation, action, reward, [agent.act(other) for other in (0, 1)]))
        agent.learn(observation, action, reward, 1 - observation)
    for observation in (0, 1):
        evidence = []
        for seen_by in (None, 1 - observation):
            counts, likelihood = {}, PLAIN_PRIOR if seen_by is None else 1 - PLAIN_PRIOR
            for seen, action, reward, answers in history:
                if seen == observation:
                    cell = counts.setdefault((action, None if seen_by is None else answers[seen_by]), {})
                    likelihood *= (cell.get(reward, 0) + 0.5) / (sum(cell.values()) + 1.5)
                    cell[reward] = cell.get(reward, 0) + 1
            evidence.append(likelihood)
        weights = agent.weights(observation)
        assert weights[1 + observation] == 0.0
        assert [weights[0], weights[2 - observation]] == pytest.approx(np.array(evidence) / sum(evidence))


def test_the_plan_is_the_best_policy_by_brute_force():
    agent = lived()
    means = agent.counts @ [-1.0, 0.0, 1.0] / agent.counts.sum(axis=-1)
    weights = [agent.weights(observation) for observation in (0, 1)]

    def expected(observation, policy):
        terms = [(0, 0), *((1 + other, policy[other]) for other in (0, 1))]
        return sum(weights[observation][h] * means[observation, h, policy[observation], done] for h, done in terms)

    def worth(policy):
        return sum(agent.visits[observation] * expected(observation, policy) for observation in (0, 1))

    assert tuple(agent.policy) == max(itertools.product((0, 1), repeat=2), key=worth)


def test_world_models_of_the_same_class_have_the_same_posterior():
    agent, posterior = SelfModeller(2, 2, STREAM), policy_models(2, 2).posterior()
    for observation, action, reward in TURNS:
        done = [action if place == observation else agent.act(place) for place in (0, 1)]
        agent.learn(observation, action, reward, 1 - observation)
        posterior.observe(2 * done[0] + done[1], (observation, (reward + 1) / 2))
    first, second = (agent.weights(observation) for observation in (0, 1))
    assert posterior.weights == pytest.approx([w * v for w in (first[0], first[2]) for v in (second[0], second[1])])


@pytest.mark.parametrize("rule", ["bayes", "most likely", "thompson"])
@pytest.mark.parametrize("environment", ["CryingBaby", "AdversarialSequencePredictor"])
def test_the_librarys_agents_on_the_same_class_decide_alike(environment, rule):
    assert unlike_the_library(environment, rule, 25, seed=2) == 0


@pytest.mark.parametrize("rule", ["most likely", "thompson"])
def test_and_on_another_class_they_do_not(rule):
    assert unlike_the_library("TemptingButton", rule, 60, seed=1, selfish=False) > 0


def test_thompsons_two_draw_alike_only_if_told_the_same_number(monkeypatch):
    assert unlike_the_library("TemptingButton", "thompson", 60, seed=1) == 0
    monkeypatch.setattr(classes, "number_of", lambda agent, known: 0.999)
    assert unlike_the_library("TemptingButton", "thompson", 60, seed=1) > 0


@pytest.mark.parametrize("beta", [0.0, 1 - 1e-15])
def test_pessimists_decide_alike_at_both_ends_of_beta(beta):
    assert unlike_the_library("TemptingButton", "pessimist", 20, seed=1, beta=beta) == 0
    assert unlike_the_library("TemptingButton", "pessimist", 45, seed=1, beta=beta, selfish=False) > 0


def test_in_between_they_do_not_since_top_sets_are_no_products():
    assert unlike_the_library("TemptingButton", "pessimist", 20, seed=1, beta=scenario.APART_BETA) > 0


def test_a_class_with_too_many_policies_is_refused_with_its_size():
    with pytest.raises(TooLargeError, match="10 actions at 10 observations"):
        policy_models(10, 10)


def test_the_pessimist_expects_the_least_of_the_top_models():
    expected = np.array([[0.5, -1.0, 0.9]])

    def judged(rule, weights):
        agent = SelfModeller(2, 2, STREAM, rule=rule)
        agent.log_weights[0] = np.log(weights)
        return agent.judge(expected, 0)

    assert judged("pessimist", [0.6, 0.1, 0.3]) == [-1.0]
    assert judged("pessimist", [0.95, 0.01, 0.04]) == [0.5]
    assert judged("most likely", [0.6, 0.1, 0.3]) == [0.5]


def test_many_policies_are_searched_by_single_changes():
    assert policies(10, 10) is None
    found = neighbors(np.array([1, 0]), 2)
    assert {tuple(policy) for policy in found} == {(0, 1, 0), (0, 0, 0), (0, 1, 1)}
    assert len(policies(3, 2)) == 8


def test_unknown_models_and_rules_are_refused():
    with pytest.raises(UnknownNameError, match="unknown models 'selfish'; did you mean 'self'"):
        SelfModeller(2, 2, STREAM, models="selfish")
    with pytest.raises(UnknownNameError, match="unknown rule"):
        SelfModeller(2, 2, STREAM, rule="best")


def test_where_there_is_one_observation_all_classes_are_the_same():
    for name in scenario.ALIKE[:4]:
        assert (
            len({run(name, scenario.planner("bayes", models), steps=40).total_reward for models in get_args(Models)})
            == 1
        )


@pytest.fixture(scope="module")
def found():
    settings = Settings(rules=("bayes",), steps=60, seeds=2)
    return settings, [(cell, json.loads(json.dumps(scenario.run_cell(cell)))) for cell in scenario.cells(settings)]


def test_the_measure_is_that_of_the_library(found):
    settings, results = found
    expected = measure(scenario.planner("bayes", "self"), steps=60, seeds=2)
    ours = scenario.measure_planner(settings, results, "bayes", "self")
    assert ours.mean == pytest.approx(expected.mean)
    assert tuple(ours.weights) == BATTERY


def test_only_a_planner_that_can_speak_of_itself_leaves_the_button_alone():
    earned = {
        models: [
            run("TemptingButton", scenario.planner("bayes", models), steps=400, seed=s).mean_reward for s in (1, 2)
        ]
        for models in get_args(Models)
    }
    assert min(earned["self"]) > 0.3
    assert max(*earned["plain"], *earned["shuffled"]) < -0.3


def test_and_its_opposite_misleads_it():
    opposite = {
        models: run("TemptingButton", scenario.planner("bayes", models), steps=400, seed=1, opposite=True).mean_reward
        for models in ("plain", "self")
    }
    assert opposite["self"] < 0 < opposite["plain"]
