"""Learners beside exact solutions: what is measured, what counts as exact, and that wrong learners are told apart."""

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure

import considerate
from considerate.craftworld import PAPER_TASKS, Change, Owner
from considerate.zoo import register_task
from multislot.errors import MissingExtraError, SettingError
from scenarios.consideration import known_answers
from scenarios.consideration.known_answers import (
    FULL,
    LEFT_OUT,
    RIGHT,
    SAME,
    TURNED,
    Cell,
    Settings,
    cells,
    comparison,
    families,
    interquartile_mean,
    plot,
    problems,
    run_cell,
    stored_run,
    story,
    table,
)
from scenarios.consideration.known_answers.environment import RECORDS, KnownTask, Problem, find_task
from scenarios.consideration.known_answers.families import SIZES, make_generated
from scenarios.consideration.known_answers.learners import baselines, tabular
from scenarios.lab.table import beside_papers
from tests.scenarios.conftest import finished

COOKIE = Problem("kitchen-cookie", "value", Fraction(1))
SMALL = Settings(tasks=("kitchen-cookie", "box"), learners=("Q-learning", "selfish", "random"), steps=20_000, seeds=2)


def play_exactly(environment, steps, seed):
    """A learner of somebody else: it takes a few steps and returns the exact policy."""
    envs = environment.vector(4)
    envs.reset(seed=seed)
    for _ in range(5):
        envs.step(np.zeros(4, int))
    solution, env = environment.problem.solution, environment.unwrapped
    (observation, _), actions = env.reset(), {}
    for name in solution.actions:
        actions[observation.tobytes()] = env.graph.actions.index(name)
        observation, *_ = env.step(actions[observation.tobytes()])
    return lambda observation: np.array(actions[observation.tobytes()])


@pytest.fixture(scope="module")
def small():
    return finished(known_answers, SMALL)


def test_a_learner_from_elsewhere_is_measured():
    place = f"{__name__}:play_exactly"
    settings = Settings(tasks=("kitchen-cookie",), learner=place, steps=1000, seeds=1, controls=False)
    assert [cell.learner for cell in cells(settings)] == [place, place]
    for cell in cells(settings):
        result = run_cell(cell)
        assert (result["regret"], result["exact"], result["taken"]) == (0, True, 20)
    with pytest.raises(SettingError, match="expected an attribute"):
        Settings(learner=f"{__name__}:no_such_learner")


def test_a_missing_library_is_named_by_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "considerate.training.models", None)
    monkeypatch.delattr(considerate.training, "models", raising=False)  # an earlier test may have imported it
    with pytest.raises(MissingExtraError, match='needs the extra "deep"'):
        run_cell(Cell("kitchen-cookie", "value", Fraction(1), "PPO", 1000, 0))


def test_regret_is_what_is_lost_to_the_optimum():
    selfish = considerate.solve(find_task("kitchen-cookie"), "value", 0)
    indices = [find_task("kitchen-cookie").graph.actions.index(action) for action in selfish.actions]
    outcome = COOKIE.replay(" ".join(map(str, indices)))
    assert outcome.returns == selfish.returns
    assert COOKIE.regret(outcome) == COOKIE.solution.objective - sum(selfish.returns.values()) == 1
    idle = COOKIE.play(lambda observation: 0)
    assert (idle.ended, len(idle.actions)) == (False, COOKIE.limit)
    assert COOKIE.regret(idle) > COOKIE.limit - 20


def test_any_of_several_equally_good_behaviors_is_exact():
    """At the threshold 1/2 the cook may start the oven or not."""
    problem = replace(COOKIE, alpha=Fraction(1, 2))
    behaviors = [problem.solution.returns, *(tie.returns for tie in problem.solution.ties)]
    assert len(behaviors) == 2
    for alpha in (0, 1):
        other = considerate.solve(find_task("kitchen-cookie"), "value", alpha)
        actions = " ".join(str(find_task("kitchen-cookie").graph.actions.index(action)) for action in other.actions)
        assert problem.regret(problem.replay(actions)) == 0
        assert other.returns in behaviors


def test_a_known_task_counts_all_steps():
    known = KnownTask(COOKIE, 100)
    known.reset()
    known.step(0)
    envs = known.vector(8)
    envs.reset()
    envs.step(np.zeros(8, int))
    assert known.taken == 9
    assert envs.single.problem.reward.others.coefficient == 1
    assert KnownTask(COOKIE, 100, Fraction(-1)).vector(2).single.problem.reward.others.coefficient == -1


def test_the_small_run_tells_learners_apart(small):
    rows = beside_papers(table(SMALL, small), [])
    assert all(row.agrees for row in rows if row.agrees is not None)
    assert sum(row.kind == "control" for row in rows) == 2
    exact = {row.condition: row.ours for row in rows if row.quantity.startswith("share")}
    assert exact["kitchen-cookie, Q-learning, 20000 steps"] == 1
    assert exact["kitchen-cookie, random, 20000 steps"] == 0
    assert "Q-learning is exact in 4 of 4 runs." in story(SMALL, small)


def test_a_learner_that_does_not_care_would_be_noticed(small):
    """The controls fail if what must not be exact is."""
    cheated = [(cell, {**result, "exact": True}) if cell.reward == TURNED else (cell, result) for cell, result in small]
    assert [row.agrees for row in beside_papers(table(SMALL, cheated), []) if row.kind == "control"] == [True, False]


def test_a_run_better_than_the_optimum_would_be_noticed(small):
    (cell, result), *others = small
    (row, *_) = beside_papers(table(SMALL, [(cell, {**result, "regret": -1.0}), *others]), [])
    assert (row.quantity, row.agrees) == ("no run is better than the exact optimum", False)


@pytest.mark.parametrize("name", PAPER_TASKS)
def test_problems_that_are_left_out_are_others_that_are_kept(name):
    task, alpha = find_task(name), Fraction(1, 4)
    if len(task.agents) == 2:
        tables = [considerate.training.TaskEnv(task, criterion, alpha) for criterion in SAME]
        assert all(np.array_equal(table.rewards, tables[0].rewards) for table in tables)
        states = np.random.default_rng(0).integers(task.graph.n_states, size=20).tolist()
        for state in states:
            assert len({table.term_at_limit(state) for table in tables}) == 1
    without = [considerate.training.TaskEnv(task, criterion, 0).rewards for criterion in ("value", "sim", "neg")]
    assert all(np.array_equal(rewards, without[0]) for rewards in without)


def test_the_full_run_has_every_task_criterion_and_coefficient():
    chosen = problems(replace(FULL, generated=()))
    assert {(problem.task, problem.criterion) for problem in chosen} >= {(name, "sim") for name in PAPER_TASKS}
    assert len(chosen) == len(set(chosen)) == 9 + 3 * (5 * 5 + 3 + 3 * 8)
    (first, *_) = problems(Settings(tasks=("shared-key",), criteria=("options", "value")))  # a partner has no options
    assert (first.criterion, first.alpha) == ("value", 0)


def test_families_grow_by_powers_of_ten():
    for family, sizes in SIZES.items():
        for power, size in list(enumerate(sizes, 2))[:3]:
            states = make_generated(f"{family}-{size}").graph.n_states
            assert 0.5 < states / 10**power < 1.6
    assert make_generated("lamps-3").agents == ("agent_1", "neighbor_1", "neighbor_2", "neighbor_3")
    for name in ("lamps-6", "field-22"):
        caring, selfish = (considerate.solve(make_generated(name), "value", alpha) for alpha in (1, 0))
        assert len(caring.actions) > len(selfish.actions)


def test_the_interquartile_mean_leaves_out_the_extremes():
    mean, (low, high) = interquartile_mean([0.0] * 5 + [1.0] * 2 + [1000.0])
    assert 0 <= low <= mean <= high < 500
    assert mean == 0.25
    assert interquartile_mean([2.0] * 4) == (2.0, (2.0, 2.0))


@pytest.mark.slow
def test_ppo_finds_the_exact_optimum_of_a_kitchen_and_not_without_care():
    pytest.importorskip("stable_baselines3")
    results = [
        run_cell(Cell("kitchen-salad", "value", Fraction(1), "PPO", 60_000, 0, how)) for how in (RIGHT, LEFT_OUT)
    ]
    assert [result["exact"] for result in results] == [True, False]


def test_every_stored_run_follows_from_its_actions():
    results = stored_run()
    assert len({cell for cell, _ in results}) == len(results) > 100
    rng = np.random.default_rng(0)
    for number in rng.choice(len(results), size=60, replace=False):
        cell, result = results[number]
        if not result["actions"] or find_task(cell.task).graph.n_states > 20_000:
            continue
        outcome = cell.problem.replay(result["actions"])
        assert float(cell.problem.regret(outcome)) == result["regret"]
        assert result["exact"] == (result["regret"] == 0)
        assert {agent: float(value) for agent, value in outcome.returns.items()} == result["returns"]


def test_each_part_of_the_steps_is_judged_once_however_often_a_learner_calls():
    environment = KnownTask(COOKIE, 200)
    policy = baselines.selfish(environment, 0, 0)
    for taken in range(0, 300, 3):
        environment.taken = taken
        environment.record(policy)
        assert len(environment.regrets) == min(RECORDS - 1, taken * RECORDS // 200)
    environment.record = lambda policy: environment.regrets.append(environment.taken)
    environment.regrets.clear()
    tabular.train(environment, 200, 1)
    assert environment.regrets == [200 * part // RECORDS for part in range(1, RECORDS)]
    assert environment.taken == 200


def test_the_families_are_what_their_maps_show():
    field, lamps = make_generated("field-5"), make_generated("lamps-3")
    assert field.grid.rows == ("XXXXXXX", "X.....X", "X..X..X", "X..X..X", "X..B..X", "XS.X.EX", "XXXXXXX")
    assert [(owner.name, owner.loss) for owner in field.others] == [("gardener", 15)]
    assert lamps.grid.rows == ("XXXXXXXXX", "XS.....EX", "XX.X.X.XX", "XXXXXXXXX")
    assert [(owner.name, owner.loss) for owner in lamps.others] == [
        (f"neighbor_{n}", 6 * (4, 1, 3)[n - 1]) for n in (1, 2, 3)
    ]
    assert [sorted(change.at) for change in lamps.acting.changes] == [[(2, 2)], [(4, 2)], [(6, 2)], [(7, 1)]]


def test_a_random_learner_takes_every_action_and_a_selfish_one_is_best_for_itself():
    environment = KnownTask(COOKIE, 100)
    policies = [baselines.random(environment, 100, seed) for seed in (1, 1, 2)]
    first, again, other = ([int(policy(None)) for _ in range(200)] for policy in policies)
    assert set(first) == set(range(environment.action_space.n))
    assert first == again != other
    grid = families._read_map(["BSE"])
    tramples = Change(frozenset(grid.cells("flower bed")), sets={"trampled": True})
    register_task(families._make_task("bed-behind", grid, {}, [tramples], [Owner("gardener", "trampled", 9)]))
    for name in ("kitchen-cookie", "bed-behind"):  # to trample the bed takes two steps more
        problem = replace(COOKIE, task=name)
        outcome = problem.play(baselines.selfish(KnownTask(problem, 100), 0, 0))
        assert outcome.returns == considerate.solve(find_task(name), "value", 0).returns


def test_what_runs_show_is_counted_by_task_and_learner():
    """Of three runs of PPO in an easy task two are exact; the one of a hard task is not, nor are others."""
    runs = [("kitchen-cookie", "PPO", seed, RIGHT, 4.0 * (seed == 2)) for seed in range(3)]
    runs += [("box", "PPO", 0, RIGHT, 2.0), ("kitchen-cookie", "PPO", 0, TURNED, 7.0)]
    results = [
        (Cell(task, "value", Fraction(1), learner, 1000, seed, reward), {"exact": not regret, "regret": regret})
        for task, learner, seed, reward, regret in [*runs, ("kitchen-cookie", "random", 0, RIGHT, 9.0)]
    ]
    counts = ("PPO", "2 of 3 runs"), ("PPO", "0 of 1 runs on the hard tasks"), ("random", "0 of 1 runs")
    assert story(SMALL, results).split("\n") == [f"{learner} is exact in {count}." for learner, count in counts]
    assert story(SMALL, results[2:]).endswith("No learner is ever exact in: kitchen-cookie, value, α₂ = 1.")
    assert story(SMALL, results[5:]) == "random is exact in 0 of 1 runs."  # it does not learn
    rows = {row["task"]: row for row in comparison(results).to_dict("records")}
    mean, (low, high) = interquartile_mean([0.0, 0.0, 4.0])
    for name, told in (
        ("kitchen-cookie", (f"2 of 3; {mean:.3g} [{low:.3g}, {high:.3g}]", "0 of 1; 9 [9, 9]")),
        ("box", ("0 of 1; 2 [2, 2]", "not run")),
    ):
        assert tuple(rows[name].values()) == (name, find_task(name).graph.n_states, *told)
    claims = [row for row in table(SMALL, results) if row.kind == "claim"]
    assert [row.ours == row.paper for row in beside_papers(claims, [])] == [True, False]  # 2 of 3 are too few


def test_learners_with_networks_get_plain_observations_and_scaled_rewards_and_use_one_thread():
    sb3 = pytest.importorskip("scenarios.consideration.known_answers.learners.sb3")
    torch, environment, used = pytest.importorskip("torch"), KnownTask(COOKIE, 256), []
    rows = sb3.copies(environment)
    kept = rows.num_envs, rows.norm_obs, rows.norm_reward, rows.gamma, rows.clip_reward
    assert kept == (128, False, True, 1, np.inf)
    assert np.array_equal(rows.reset()[0], environment.reset()[0])

    class Model:
        def learn(self, steps, callback):
            used.append((steps, torch.get_num_threads()))
            environment.taken, callback.model = 64, self
            callback.on_rollout_start()

        def predict(self, observation, state, deterministic):
            return np.array(int(deterministic)), None

    with sb3.threads(2):
        policy = sb3.learn(Model(), environment, 256)
        assert torch.get_num_threads() == 2
    assert (used, policy(None)) == ([(256, 1)], 1)
    assert environment.regrets == [COOKIE.regret(COOKIE.play(policy))]


def test_learners_with_networks_do_not_discount_and_explore_and_learn_less_and_less():
    dqn, ppo, sb3 = (pytest.importorskip(f"{tabular.__package__}.{name}") for name in ("dqn", "ppo", "sb3"))
    assert dqn.SETTINGS["gamma"] == ppo.SETTINGS["gamma"] == sb3.copies(KnownTask(COOKIE, 256)).gamma == 1
    schedule = dqn.LinearSchedule(1, *(dqn.SETTINGS[f"exploration_{name}"] for name in ("final_eps", "fraction")))
    lefts = (1, 0.75, 0.5, 0.25, 0)
    explored = [schedule(left) for left in lefts]  # as DQN does
    assert explored == sorted(explored, reverse=True)
    assert (explored[0], explored[-1], len(set(explored))) == (1, 0.05, 4)  # the last quarter is as the end
    for rate in (dqn.SETTINGS["learning_rate"], ppo.SETTINGS["learning_rate"]):
        assert [rate(left) for left in lefts] == pytest.approx([0.003 * left for left in lefts])


def test_pictures_show_the_mean_return_at_each_coefficient():
    """Nobody else has a return there: their means are 0."""
    axes, (first, *others) = Figure().subplots(), find_task(COOKIE.task).agents
    cells = [Cell(COOKIE.task, "value", Fraction(n, 2), "Q-learning", 1, seed) for seed, n in enumerate((1, 2, 4, 2))]
    plot._draw_staircase(axes, [(cell, {"returns": {first: 10**cell.seed}}) for cell in cells], ["Q-learning"])
    drawn = {line.get_label(): line.get_xydata().tolist() for line in axes.get_lines() if line.get_marker() == "o"}
    assert drawn == {first: [[0.5, 1], [1, 505], [2, 100]]} | {other: [[0.5, 0], [1, 0], [2, 0]] for other in others}
